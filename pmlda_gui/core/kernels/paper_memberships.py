"""Draws memberships as Algorithm 1 of the paper does.

Each word proposes z from Dirichlet(1) and accepts by the ratio of
Normal(x | w mu, sigma^2 I) times Dirichlet(z | s pi); the proposal is uniform on
the simplex and cancels.  It serves as the reference that the fast sampler is
measured against, so it is blocked and vectorised in the same way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.accumulate import accumulate_block
from pmlda_gui.core.kernels.blocks import BLOCK, load_block, weigh
from pmlda_gui.core.vector_math import log, uniform

__all__ = ["propose_sweep"]

Array = NDArray[np.float64]


@kernel
def _propose(
    first: int, count: int, keys: NDArray[np.uint64], logs: Array, shares: Array, total: Array
) -> None:
    """Draw z from Dirichlet(1) as normalised exponential variables."""
    topics = logs.shape[0]
    for i in range(count):
        total[i] = 0.0
    for k in range(topics):
        key = keys[k]
        for i in range(count):
            shares[k, i] = -log(uniform(key, np.uint64(first + i)))
            total[i] += shares[k, i]
    for i in range(count):
        total[i] = 1.0 / total[i]
    for k in range(topics):
        for i in range(count):
            shares[k, i] *= total[i]
            logs[k, i] = log(shares[k, i])


@kernel
def _score(
    first: int,
    count: int,
    words: Array,
    means: Array,
    precision: float,
    concentration: Array,
    document: int,
    logs: Array,
    weights: Array,
    scores: Array,
    residual: Array,
) -> None:
    """Log density of word and membership, up to what does not depend on z."""
    topics, features = means.shape
    for i in range(count):
        scores[i] = 0.0
    for q in range(features):
        for i in range(count):
            residual[i] = words[q, first + i]
        for k in range(topics):
            mean = means[k, q]
            for i in range(count):
                residual[i] -= weights[k, i] * mean
        for i in range(count):
            scores[i] += residual[i] * residual[i]
    for i in range(count):
        scores[i] *= -0.5 * precision
    for k in range(topics):
        power = concentration[k, document] - 1.0
        for i in range(count):
            scores[i] += power * logs[k, i]


@kernel
def propose_sweep(
    words: Array,
    log_memberships: Array,
    segments: NDArray[np.int64],
    from_segment: int,
    to_segment: int,
    concentration: Array,
    by_word: bool,
    means: Array,
    variance: float,
    fuzzifier: float,
    keys: NDArray[np.uint64],
    gain: float,
    average: Array,
    spread: NDArray[np.float32],
    log_sums: Array,
    moments: Array,
    places: NDArray[np.int32],
    favour: Array,
    avoid: Array,
) -> int:
    """One proposal for every word in these segments; return the number accepted.

    The arguments are those of `slice_sweep`; `keys` (1, K + 1), and `concentration` is
    (K, D): Algorithm 1 knows hard documents only, so `by_word` is False, and no hints.
    """
    topics = log_memberships.shape[0]
    plain = fuzzifier == 1.0
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    new_logs = np.empty((topics, BLOCK))
    new_shares = np.empty((topics, BLOCK))
    new_weights = np.empty((topics, BLOCK))
    scores = np.empty(BLOCK)
    new_scores = np.empty(BLOCK)
    spare = np.empty(2 * BLOCK)
    precision = 1.0 / variance
    accepted = 0
    for segment in range(from_segment, to_segment):
        document, begin, end = segments[segment, 0], segments[segment, 1], segments[segment, 2]
        log_sums[segment, :] = 0.0
        for first in range(begin, end, BLOCK):
            count = min(BLOCK, end - first)
            load_block(log_memberships, first, count, logs, shares, spare)
            _propose(first, count, keys[0], new_logs, new_shares, spare)
            if plain:
                old, new = shares, new_shares
            else:
                weigh(count, fuzzifier, logs, weights)
                weigh(count, fuzzifier, new_logs, new_weights)
                old, new = weights, new_weights
            _score(
                first,
                count,
                words,
                means,
                precision,
                concentration,
                document,
                logs,
                old,
                scores,
                spare,
            )
            _score(
                first,
                count,
                words,
                means,
                precision,
                concentration,
                document,
                new_logs,
                new,
                new_scores,
                spare,
            )
            key = keys[0, topics]
            for i in range(count):
                threshold = scores[i] + log(uniform(key, np.uint64(first + i)))
                scores[i] = 1.0 if new_scores[i] >= threshold else 0.0
            for i in range(count):
                accepted += int(scores[i])
            for k in range(topics):
                for i in range(count):
                    take = scores[i] != 0.0
                    logs[k, i] = new_logs[k, i] if take else logs[k, i]
                    shares[k, i] = new_shares[k, i] if take else shares[k, i]
                    log_memberships[k, first + i] = logs[k, i]
            if not plain:
                for k in range(topics):
                    for i in range(count):
                        weights[k, i] = new_weights[k, i] if scores[i] != 0.0 else weights[k, i]
            accumulate_block(
                first, count, words, means, logs, shares, shares if plain else weights,
                gain, average, spread, log_sums[segment], moments,
            )  # fmt: skip
    return accepted
