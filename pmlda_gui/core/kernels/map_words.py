"""Memberships of words that took no part in learning, given draws of topics and documents.

A block of words goes through all draws while it lies in the cache.  A short chain visits
each draw once, so what is averaged includes what is not known about the topics.  All words
share their random numbers: each word's distribution is exact, and what is left of Monte
Carlo noise is the same everywhere and shows no speckle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.blocks import BLOCK, load_block
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION
from pmlda_gui.core.kernels.hinted import load_hints
from pmlda_gui.core.kernels.membership_modes import MODE_ROWS, climb_block
from pmlda_gui.core.kernels.slice_memberships import SLICE_ROWS, slice_block
from pmlda_gui.core.vector_math import log

__all__ = ["map_modes", "map_words"]

Array = NDArray[np.float64]
# Sweeps under the first draw that are not counted.
_UNCOUNTED = 3
# What one byte counts in, for the draws that are kept.
_LEVELS = 255.0


@kernel
def _load(
    first: int,
    count: int,
    words: NDArray[np.float32],
    origin: Array,
    basis: Array,
    cells: NDArray[np.int32],
    cell_weights: NDArray[np.float32],
    concentration: Array,
    flat: Array,
    local: Array,
) -> None:
    """The words of a block in the plane of the topics, and their Dirichlet parameters.

    `concentration` (C, K) is that of the cells; a word lies between four of them.
    """
    features, axes = basis.shape
    topics = concentration.shape[1]
    for q in range(axes):
        for i in range(count):
            flat[q, i] = 0.0
        for p in range(features):
            part, centre = basis[p, q], origin[p]
            for i in range(count):
                flat[q, i] += part * (words[p, first + i] - centre)
    for k in range(topics):
        for i in range(count):
            local[k, i] = LEAST_CONCENTRATION
    for corner in range(cells.shape[0]):
        for i in range(count):
            cell = cells[corner, first + i]
            weight = cell_weights[corner, first + i]
            for k in range(topics):
                local[k, i] += weight * concentration[cell, k]


@kernel
def _begin(count: int, local: Array, logs: Array, shares: Array, scratch: Array) -> None:
    """Start at the mean of each word's Dirichlet distribution."""
    topics = local.shape[0]
    for k in range(topics):
        for i in range(count):
            logs[k, i] = log(local[k, i] + 0.1)
    load_block(logs, 0, count, logs, shares, scratch)


@kernel
def map_words(
    words: NDArray[np.float32],
    cells: NDArray[np.int32],
    cell_weights: NDArray[np.float32],
    from_word: int,
    to_word: int,
    concentration: Array,
    origins: Array,
    bases: Array,
    means: Array,
    variances: Array,
    fuzzifier: float,
    keys: NDArray[np.uint64],
    average: NDArray[np.float32],
    deviation: NDArray[np.float32],
    kept: NDArray[np.uint8],
    places: NDArray[np.int32],
    favour: Array,
    avoid: Array,
) -> None:
    """Mean and standard deviation (K, N) of the memberships of these words over all draws.

    `words` (p, N); `cells` and `cell_weights` (4, N) say between which cells a word lies.
    By draw: `concentration` (R, C, K) of the cells, `origins` (R, p) and `bases` (R, p, q) of
    the plane the topics lie in, `means` (R, K, q) there, `variances` (R), and random streams
    `keys` (sweeps, K, tries), of which the first are not counted and the others shared out
    evenly among the draws.  `kept` (sweeps counted, K, N) receives every draw of the map in
    255 levels, unless it is empty.  `places`, `favour` and `avoid` are those of `WordHints`.
    """
    draws, topics, axes = means.shape
    sweeps = keys.shape[0] - _UNCOUNTED
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    local = np.empty((topics, BLOCK))
    flat = np.empty((axes, BLOCK))
    sums = np.empty((topics, BLOCK))
    squares = np.empty((topics, BLOCK))
    scratch = np.zeros(SLICE_ROWS * BLOCK)
    block_favour = np.empty((topics, BLOCK))
    block_avoid = np.empty((topics, BLOCK))
    keep = kept.shape[0] > 0
    for first in range(from_word, to_word, BLOCK):
        count = min(BLOCK, to_word - first)
        last = -1
        hinted = load_hints(first, count, places, favour, avoid, block_favour, block_avoid)
        for sweep in range(-_UNCOUNTED, sweeps):
            draw = max(sweep, 0) * draws // sweeps
            if draw != last:
                _load(
                    first, count, words, origins[draw], bases[draw], cells, cell_weights,
                    concentration[draw], flat, local,
                )  # fmt: skip
                if last < 0:
                    _begin(count, local, logs, shares, scratch)
                last = draw
            slice_block(
                0, count, 0, flat, means[draw], 1.0 / variances[draw], fuzzifier, local, True, 0,
                keys[sweep + _UNCOUNTED], logs, shares, weights, scratch,
                hinted, block_favour, block_avoid,
            )  # fmt: skip
            if sweep < 0:
                continue
            for k in range(topics):
                for i in range(count):
                    share = shares[k, i]
                    sums[k, i] = share if sweep == 0 else sums[k, i] + share
                    squares[k, i] = share * share if sweep == 0 else squares[k, i] + share * share
            if keep:
                for k in range(topics):
                    for i in range(count):
                        kept[sweep, k, first + i] = np.uint8(shares[k, i] * _LEVELS + 0.5)
        # z of a nearly certain topic can be scaled in the kernels: the sum makes it whole.
        for i in range(count):
            total = 0.0
            for k in range(topics):
                total += sums[k, i]
            for k in range(topics):
                mean = sums[k, i] / total
                spread = squares[k, i] / sweeps - (sums[k, i] / sweeps) ** 2
                spread *= sweeps / max(sweeps - 1.0, 1.0)
                average[k, first + i] = np.float32(mean)
                deviation[k, first + i] = np.float32(np.sqrt(max(spread, 0.0)))


@kernel
def map_modes(
    words: NDArray[np.float32],
    cells: NDArray[np.int32],
    cell_weights: NDArray[np.float32],
    from_word: int,
    to_word: int,
    concentration: Array,
    origin: Array,
    basis: Array,
    means: Array,
    variance: float,
    fuzzifier: float,
    rounds: int,
    modes: NDArray[np.float32],
    places: NDArray[np.int32],
    favour: Array,
    avoid: Array,
) -> None:
    """The most likely memberships (K, N) of these words in logit measure, given one draw.

    Arguments are those of `map_words` for a single draw.
    """
    topics, axes = means.shape
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    local = np.empty((topics, BLOCK))
    flat = np.empty((axes, BLOCK))
    scratch = np.zeros(MODE_ROWS * BLOCK)
    block_favour = np.empty((topics, BLOCK))
    block_avoid = np.empty((topics, BLOCK))
    for first in range(from_word, to_word, BLOCK):
        count = min(BLOCK, to_word - first)
        _load(first, count, words, origin, basis, cells, cell_weights, concentration, flat, local)
        _begin(count, local, logs, shares, scratch)
        hinted = load_hints(first, count, places, favour, avoid, block_favour, block_avoid)
        climb_block(
            0, count, flat, means, 1.0 / variance, fuzzifier, local, True, 0, rounds, True,
            logs, shares, weights, scratch, hinted, block_favour, block_avoid,
        )  # fmt: skip
        for k in range(topics):
            for i in range(count):
                modes[k, first + i] = np.float32(np.exp(logs[k, i]))
