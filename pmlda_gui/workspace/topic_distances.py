"""The distances of words from all mixtures of topics, and which words are unknown.

Under the model a word is a mixture of topics with noise, so what a mixture cannot explain
is its distance from the convex hull of the topics' means.  How large such distances are
where the topics hold is not left to the normal distribution, which features do not follow:
it is measured on the scene the topics came from.  The tail probability of a word is the
share of that scene whose words lie as far away or farther.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.map_averaging import average_planes
from pmlda_gui.workspace.topic_set import TAIL_SHARES

__all__ = [
    "TAIL_SHARES",
    "averaged_distances",
    "hull_distances",
    "reference_distances",
    "tail_probabilities",
]

Array = NDArray[np.float64]
Words = NDArray[np.float32]
# Beyond so many topics, faces of the hull are too many to look at one by one.
_MOST_ENUMERATED = 6
_ROUNDS = 300
_WORDS_AT_A_TIME = 1 << 17
_MOST_REFERENCE = 2_000_000


def hull_distances(words: NDArray[np.floating], means: Array) -> Array:
    """The squared distances (N) of words (p, N) from the hull of the means (K, p)."""
    nearest = _over_faces if len(means) <= _MOST_ENUMERATED else _by_steps
    parts = [
        nearest(words[:, first : first + _WORDS_AT_A_TIME].T.astype(np.float64), means)
        for first in range(0, words.shape[1], _WORDS_AT_A_TIME)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _over_faces(words: Array, means: Array) -> Array:
    """The nearest of all faces of the hull that a word's projection falls into."""
    best = np.full(len(words), np.inf)
    for size in range(1, len(means) + 1):
        for corners in combinations(range(len(means)), size):
            origin, *others = means[list(corners)]
            away = words - origin
            if others:
                edges = np.array(others) - origin
                shares = away @ np.linalg.pinv(edges)
                away = away - shares @ edges
                inside = (shares >= 0.0).all(axis=1) & (shares.sum(axis=1) <= 1.0)
            else:
                inside = np.ones(len(words), dtype=np.bool_)
            squares = np.einsum("nq,nq->n", away, away)
            best = np.where(inside, np.minimum(best, squares), best)
    return best


def _by_steps(words: Array, means: Array) -> Array:
    """Mixtures brought nearer step by step, topic by topic against the farthest of the rest."""
    gram = means @ means.T
    pull = words @ means.T
    shares = np.full(pull.shape, 1.0 / len(means))
    rows = np.arange(len(words))
    for _ in range(_ROUNDS):
        slope = shares @ gram - pull
        to = slope.argmin(axis=1)
        give = np.where(shares > 0.0, slope, -np.inf).argmax(axis=1)
        bend = gram[to, to] + gram[give, give] - 2.0 * gram[to, give]
        step = (slope[rows, give] - slope[rows, to]) / np.maximum(bend, 1e-300)
        step = np.clip(step, 0.0, shares[rows, give])
        shares[rows, to] += step
        shares[rows, give] -= step
        if not (step > 1e-7).any():
            break
    away = words - shares @ means
    squares: Array = np.einsum("nq,nq->n", away, away)
    return squares


def averaged_distances(
    words: Words, valid: NDArray[np.bool_], means: Array, variance: float, deviation: float
) -> NDArray[np.float32]:
    """Squared distances in variances of the words (p, N) of valid pixels, averaged as maps are.

    The plane has the shape of `valid` and is NaN outside; `deviation` is that of the
    average, in pixels.
    """
    plane = np.full((1, *valid.shape), np.nan, dtype=np.float32)
    plane[0, valid] = hull_distances(words, means) / variance
    return (average_planes(plane, valid, deviation) if deviation > 0.0 else plane)[0]


def reference_distances(planes: Sequence[NDArray[np.float32]]) -> tuple[float, ...]:
    """The distances that each of `TAIL_SHARES` of a scene lies at or beyond."""
    together = np.concatenate([plane[np.isfinite(plane)] for plane in planes])
    together = together[:: max(1, len(together) // _MOST_REFERENCE)].astype(np.float64)
    found = np.quantile(together, 1.0 - np.array(TAIL_SHARES))
    return tuple(float(value) for value in np.maximum.accumulate(found))


def tail_probabilities(
    distances: NDArray[np.floating], reference: Sequence[float]
) -> NDArray[np.float32]:
    """The fraction of the scene that is as far away or farther, 0 beyond the last one stored."""
    shares = np.array(TAIL_SHARES)
    found = np.interp(distances, reference, shares, right=0.0)
    return np.where(np.isnan(distances), np.nan, found).astype(np.float32)
