"""Maps of any words, given the draws of topics and documents that a chain has kept.

Nothing here feeds back into learning: memberships of words that were not learned from
are drawn given the draws, which is a cut in the model.  What comes out depends on the
draws, the seed and the word alone, whatever else is mapped beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.kernels.map_words import map_modes, map_words
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES
from pmlda_gui.core.state import Globals
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.vector_math import keys_that_give, stream_keys

__all__ = ["LEAST_SWEEPS", "MapResult", "Places", "map_estimate", "map_mean"]

Array = NDArray[np.float64]
# Small, so that a pass can be given up within some milliseconds; more would be no faster.
_WORDS_PER_PIECE = 1024
_MODE_ROUNDS = 60
_UNCOUNTED = 3
LEAST_SWEEPS = 32
"""Sweeps of a map's chain; with fewer draws each is visited several times."""
_FOR_MAPS = 5


@dataclass(frozen=True, eq=False)
class Places:
    """Between which cells each word lies: `cells` (4, N) int32 and `weights` (4, N) float32."""

    cells: NDArray[np.int32]
    weights: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class MapResult:
    """Memberships (K, N) of words with their standard deviation, None for single points.

    `kept` (sweeps, K, N) are the draws of the map in 255 levels, empty unless asked for.
    """

    memberships: NDArray[np.float32]
    deviation: NDArray[np.float32] | None
    kept: NDArray[np.uint8]


def _planes(draws: Sequence[Globals]) -> tuple[Array, Array, Array]:
    """Origins (R, p), bases (R, p, q) and the means in them (R, K, q).

    Only where a word lies in the plane of the topics matters to its memberships.
    """
    means = np.array([draw.means for draw in draws])
    _, topics, features = means.shape
    origins = means.mean(axis=1)
    if topics - 1 >= features:
        bases = np.broadcast_to(np.eye(features), (len(draws), features, features)).copy()
    else:
        _, _, rows = np.linalg.svd(means - origins[:, None], full_matrices=False)
        bases = np.ascontiguousarray(rows[:, : topics - 1].transpose(0, 2, 1))
    return origins, bases, np.ascontiguousarray((means - origins[:, None]) @ bases)


def _spread_keys(seed: int, sweeps: int, topics: int) -> NDArray[np.uint64]:
    """Random streams (uncounted + sweeps, K, tries) whose first numbers are spread evenly.

    All words share the numbers of a sweep, so the numbers themselves can be placed: those that
    a slice's height and its first try take are, over the sweeps, one from each of as many
    equal parts of (0, 1), in random order.  The mean over the sweeps is then far nearer to the
    one over infinitely many.
    """
    keys = stream_keys(seed, 0, _FOR_MAPS, (sweeps + _UNCOUNTED) * topics * MOST_TRIES)
    keys = keys.reshape(-1, topics, MOST_TRIES)
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, _FOR_MAPS], np.uint64)))
    for topic in range(topics):
        for use in range(2):
            place = (rng.permutation(sweeps) + rng.random(sweeps)) / sweeps
            keys[_UNCOUNTED:, topic, use] = keys_that_give(place)
    return keys


def map_mean(
    words: NDArray[np.float32],
    places: Places,
    concentration: Array,
    draws: Sequence[Globals],
    fuzzifier: float,
    seed: int,
    pool: ThreadPool,
    *,
    sweeps: int | None = None,
    keep: bool = False,
    hints: WordHints | None = None,
    cancel: Callable[[], bool] | None = None,
) -> MapResult | None:
    """Posterior mean and standard deviation of the memberships of `words` (p, N).

    `concentration` (R, C, K) is s pi of each cell under each draw.  `sweeps` is how many are
    averaged, by default as many as there are draws or a few more; one is a single sample.
    With `keep` the draws of the map come along; `hints` are those on these words.  None once
    `cancel` says True.
    """
    _check(words, places, concentration, len(draws))
    words, places, concentration = _laid_out(words, places, concentration)
    topics, size = draws[0].means.shape[0], words.shape[1]
    if sweeps is None:
        sweeps = len(draws) * max(1, -(-LEAST_SWEEPS // len(draws)))
    keys = _spread_keys(seed, sweeps, topics)
    origins, bases, means = _planes(draws)
    variances = np.array([draw.variance for draw in draws])
    average = np.empty((topics, size), np.float32)
    deviation = np.empty((topics, size), np.float32)
    kept = np.empty((sweeps if keep else 0, topics, size), np.uint8)
    said = hints or WordHints.none(topics)

    def piece(i: int) -> None:
        map_words(
            words, places.cells, places.weights,
            i * _WORDS_PER_PIECE, min((i + 1) * _WORDS_PER_PIECE, size),
            concentration, origins, bases, means, variances, fuzzifier, keys,
            average, deviation, kept, said.places, said.favour, said.avoid,
        )  # fmt: skip

    pieces = -(-size // _WORDS_PER_PIECE)
    if pool.run(piece, 0, pieces, cancel) < pieces:
        return None
    return MapResult(average, deviation, kept)


def map_estimate(
    words: NDArray[np.float32],
    places: Places,
    concentration: Array,
    at: Globals,
    fuzzifier: float,
    pool: ThreadPool,
    cancel: Callable[[], bool] | None = None,
    hints: WordHints | None = None,
) -> MapResult | None:
    """Each word's mode in logit measure given one draw, whose cells have `concentration` (C, K)."""
    _check(words, places, concentration[None], 1)
    words, places, concentration = _laid_out(words, places, concentration)
    size = words.shape[1]
    origins, bases, means = _planes([at])
    modes = np.empty((len(at.means), size), np.float32)
    said = hints or WordHints.none(len(at.means))

    def piece(i: int) -> None:
        map_modes(
            words, places.cells, places.weights,
            i * _WORDS_PER_PIECE, min((i + 1) * _WORDS_PER_PIECE, size),
            concentration, origins[0], bases[0], means[0], at.variance, fuzzifier, _MODE_ROUNDS,
            modes, said.places, said.favour, said.avoid,
        )  # fmt: skip

    pieces = -(-size // _WORDS_PER_PIECE)
    if pool.run(piece, 0, pieces, cancel) < pieces:
        return None
    return MapResult(modes, None, np.empty((0, *modes.shape), np.uint8))


def _laid_out(
    words: NDArray[np.float32], places: Places, concentration: Array
) -> tuple[NDArray[np.float32], Places, Array]:
    """The same arrays as the kernels were compiled for: another layout would compile anew."""
    cells, weights = np.ascontiguousarray(places.cells), np.ascontiguousarray(places.weights)
    same = Places(cells, weights)
    return np.ascontiguousarray(words), same, np.ascontiguousarray(concentration)


def _check(words: NDArray[np.float32], places: Places, concentration: Array, draws: int) -> None:
    if places.cells.shape != places.weights.shape or places.cells.shape[1:] != words.shape[1:]:
        raise PmldaError("A map needs the place of every word.")
    if len(concentration) != draws:
        raise PmldaError("A map needs the concentration of the cells under every draw.")
