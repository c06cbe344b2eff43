"""The initial state of a chain: topics found quickly in the words.

Proportions start even and s pi_k at 2: from small scaling the chain would fall
into crisp memberships and need many sweeps to come out again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals

__all__ = ["STARTS", "START_CONCENTRATION", "group_words", "start_globals", "usual_start"]

Array = NDArray[np.float64]
STARTS = ("k-means", "hull", "random", "cores")
_WORDS_LOOKED_AT = 4000
# From one set of seeds k-means may leave two seabeds in one group, and no chain parts them again.
_TRIES, _WORDS_OF_A_TRY = 10, 1000
START_CONCENTRATION = 2.0
# Fuzzy groups: the fuzzifier, and when their means are still.
_FUZZIFIER, _FUZZY_ROUNDS, _STILL = 3.0, 100, 1e-4


def _squared_distances(words: Array, means: Array) -> Array:
    return np.sum((words[:, None, :] - means[None]) ** 2, axis=2)


def _within(words: Array, means: Array) -> float:
    """Mean squared distance of the words to the nearest mean."""
    return float(_squared_distances(words, means).min(axis=1).mean())


def _spread_out(words: Array, topics: int, rng: np.random.Generator) -> Array:
    """Seeds for k-means, each drawn with odds by its squared distance to the ones before."""
    seeds = [words[rng.integers(len(words))]]
    nearest = np.sum((words - seeds[0]) ** 2, axis=1)
    while len(seeds) < topics:
        total = nearest.sum()
        odds = nearest / total if total > 0.0 else None
        seeds.append(words[rng.choice(len(words), p=odds)])
        nearest = np.minimum(nearest, np.sum((words - seeds[-1]) ** 2, axis=1))
    return np.array(seeds)


def _k_means(words: Array, topics: int, rng: np.random.Generator) -> Array:
    """The tightest groups of several quick tries on a few words, settled on all of them."""
    few = words[:: max(1, len(words) // _WORDS_OF_A_TRY)]
    tries = [_grouped(few, _spread_out(few, topics, rng)) for _ in range(_TRIES)]
    return _grouped(words, min(tries, key=lambda means: _within(few, means)))


def _grouped(words: Array, means: Array) -> Array:
    """Means of the groups that k-means comes to from these."""
    means = means.copy()
    labels = np.full(len(words), -1)
    for _ in range(60):
        now = _squared_distances(words, means).argmin(axis=1)
        if np.array_equal(now, labels):
            break
        labels = now
        for k in range(len(means)):
            if np.any(labels == k):
                means[k] = words[labels == k].mean(axis=0)
    return means


def _hull(words: Array, topics: int) -> Array:
    """Extreme words: each next one lies farthest from the flat through those before it."""
    away = words - words.mean(axis=0)
    chosen = [int(np.argmax(np.sum(away**2, axis=1)))]
    residual = words - words[chosen[0]]
    while len(chosen) < topics:
        lengths = np.sum(residual**2, axis=1)
        if lengths.max() <= 1e-12 * max(np.sum(away**2, axis=1).max(), 1e-300):
            # More topics than the features span: from here on the farthest from all chosen.
            lengths = _squared_distances(words, words[chosen]).min(axis=1)
        chosen.append(int(np.argmax(lengths)))
        direction = residual[chosen[-1]]
        norm = np.linalg.norm(direction)
        if norm > 0.0:
            direction = direction / norm
            residual = residual - np.outer(residual @ direction, direction)
    return words[chosen]


def usual_start(corpus: Corpus, topics: int) -> str:
    """The kind of start that suits a corpus: its cores, or k-means where it has none."""
    cores = corpus.cores
    return "cores" if cores is not None and len(cores.means) == topics else "k-means"


def start_globals(
    corpus: Corpus, parameters: Parameters, prior: TopicPrior, seed: int, kind: str = "k-means"
) -> Globals:
    """Topics and documents to begin with; `kind` is one of `STARTS`."""
    topics = parameters.topics
    step = max(1, corpus.size // _WORDS_LOOKED_AT)
    words = np.ascontiguousarray(corpus.columns[:, ::step].T)
    rng = np.random.default_rng([seed, STARTS.index(kind) if kind in STARTS else 0])
    if kind == "k-means":
        means = _k_means(words, topics, rng)
    elif kind == "hull":
        means = _hull(words, topics)
    elif kind == "cores":
        if corpus.cores is None or len(corpus.cores.means) != topics:
            raise PmldaError(f"The corpus has no cores for {topics} topics: choose another start.")
        means = corpus.cores.means.copy()
    elif kind == "random":
        means = words[rng.choice(len(words), topics, replace=len(words) < topics)]
    else:
        raise PmldaError(f"There is no start {kind!r}: choose one of {', '.join(STARTS)}.")
    within = _within(words, means) / corpus.features
    # Means that coincide would never part: nudge them by a hundredth of the words' spread.
    nudge = 0.01 * np.sqrt(np.diag(prior.covariance)) * rng.standard_normal(means.shape)
    given = corpus.cores.word_variance if kind == "cores" and corpus.cores else None
    if given is None:
        means = np.clip(means + nudge, prior.low, prior.high)
    documents = corpus.documents
    proportions = np.full((documents, topics), 1.0 / topics)
    if parameters.proportions is not None:
        proportions[:] = parameters.proportions
    scaling = np.full(documents, START_CONCENTRATION * topics)
    if parameters.scaling is not None:
        scaling[:] = parameters.scaling
    variance = min(max(0.5 * within, 2.0 * prior.least_variance), prior.most_variance)
    return Globals(proportions, scaling, means, float(variance if given is None else given))


def group_words(words: Array, topics: int, seed: int) -> Array:
    """Means (K, p) of fuzzy groups of words (N, p), from a sample of them.

    Fuzzy c-means, from the groups of k-means.  With a large fuzzifier words between two groups
    pull at both, so a large seabed is not cut in two where a small one has no group.
    """
    step = max(1, len(words) // _WORDS_LOOKED_AT)
    sample = words[::step]
    means = _k_means(sample, topics, np.random.default_rng([seed, 0]))
    for _ in range(_FUZZY_ROUNDS):
        closeness = (_squared_distances(sample, means) + 1e-12) ** (-1.0 / (_FUZZIFIER - 1.0))
        weights = (closeness / closeness.sum(axis=1, keepdims=True)) ** _FUZZIFIER
        before, means = means, weights.T @ sample / weights.sum(axis=0)[:, None]
        if np.abs(means - before).max() < _STILL:
            break
    return means
