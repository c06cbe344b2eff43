"""The conditional of one topic's membership, for a block of words at a time.

With the ratios among the other topics held fixed, z_k has one degree of freedom
l = ln z_k - ln S, S the sum of the others.  Its log density in l is

    g(l) = a_k l - s ln(1 + e^l) + B t - C t^2,   t = logistic(m l + o),

where a = s pi, c = sum_{j != k} z_j^m mu_j / sum_{j != k} z_j^m is the others'
mean, B = (mu_k - c).(x - c) / sigma^2, C = |mu_k - c|^2 / (2 sigma^2) and
o = m ln S - ln sum_{j != k} z_j^m.  The functions here prepare B, C and o,
evaluate g, and carry a new l back into the memberships; the slice sampler draws
from g and the MAP estimate climbs it.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.blocks import BLOCK
from pmlda_gui.core.vector_math import atanh_twice, exp, log

__all__ = [
    "BEND",
    "CONDITIONAL_ROWS",
    "LOG_SUM",
    "OFFSET",
    "OWN",
    "REST",
    "RESULT",
    "SLOPE",
    "SPARE",
    "SUM",
    "VALUE",
    "evaluate",
    "load_concentration",
    "logistic",
    "move",
    "project",
    "share_and_softplus",
    "sum_others",
    "weigh_others",
]

Array = NDArray[np.float64]

# Rows of the scratch array, each BLOCK long: one array, so that LLVM need not
# check at run time whether its parts overlap.
SUM, LOG_SUM, SLOPE, BEND, OFFSET, RESULT, VALUE, SPARE, OWN, REST = range(10)
CONDITIONAL_ROWS = 10

# Where the others' sum is below this, z of the others is made anew from logarithms.
_SMALL = 1e-15
# A z below this counts as 0, as in `exp`.
_NOTHING = 1e-150


@kernel
def sum_others(k: int, count: int, logs: Array, shares: Array, scratch: Array) -> None:
    """S and ln S of the topics other than k; their z is relative to the largest if S is small."""
    topics = logs.shape[0]
    for i in range(count):
        scratch[SUM * BLOCK + i] = 0.0
    for j in range(topics):
        if j != k:
            for i in range(count):
                scratch[SUM * BLOCK + i] += shares[j, i]
    small = 0
    for i in range(count):
        total = scratch[SUM * BLOCK + i]
        scratch[LOG_SUM * BLOCK + i] = log(total)
        small += 1 if total < _SMALL else 0
    if small == 0:
        return
    # Word by word, so that a word's draw does not depend on those it shares a block with.
    for i in range(count):
        if scratch[SUM * BLOCK + i] >= _SMALL:
            continue
        peak = -np.inf
        for j in range(topics):
            if j != k:
                peak = max(peak, logs[j, i])
        total = 0.0
        for j in range(topics):
            if j != k:
                shares[j, i] = exp(logs[j, i] - peak)
                total += shares[j, i]
        scratch[SUM * BLOCK + i] = total
        scratch[LOG_SUM * BLOCK + i] = log(total) + peak


@kernel
def weigh_others(
    k: int, count: int, fuzzifier: float, logs: Array, weights: Array, scratch: Array
) -> None:
    """z_j^m of the topics other than k relative to the largest, and the offset o."""
    topics = logs.shape[0]
    for i in range(count):
        scratch[OFFSET * BLOCK + i] = -np.inf
        scratch[SUM * BLOCK + i] = 0.0
    for j in range(topics):
        if j != k:
            for i in range(count):
                scratch[OFFSET * BLOCK + i] = max(
                    scratch[OFFSET * BLOCK + i], fuzzifier * logs[j, i]
                )
    for j in range(topics):
        if j != k:
            for i in range(count):
                weights[j, i] = exp(fuzzifier * logs[j, i] - scratch[OFFSET * BLOCK + i])
            for i in range(count):
                scratch[SUM * BLOCK + i] += weights[j, i]
    for i in range(count):
        scratch[OFFSET * BLOCK + i] = (
            fuzzifier * scratch[LOG_SUM * BLOCK + i]
            - scratch[OFFSET * BLOCK + i]
            - log(scratch[SUM * BLOCK + i])
        )


@kernel
def project(
    k: int,
    first: int,
    count: int,
    words: Array,
    means: Array,
    precision: float,
    weights: Array,
    scratch: Array,
) -> None:
    """B and C of every word in the block, from the others' mean c = weights.means / S."""
    topics, features = means.shape
    for i in range(count):
        scratch[SLOPE * BLOCK + i] = 0.0
        scratch[BEND * BLOCK + i] = 0.0
        scratch[VALUE * BLOCK + i] = 1.0 / scratch[SUM * BLOCK + i]
    for q in range(features):
        for i in range(count):
            scratch[SPARE * BLOCK + i] = 0.0
        for j in range(topics):
            if j != k:
                mean = means[j, q]
                for i in range(count):
                    scratch[SPARE * BLOCK + i] += weights[j, i] * mean
        mean = means[k, q]
        for i in range(count):
            centre = scratch[SPARE * BLOCK + i] * scratch[VALUE * BLOCK + i]
            step = mean - centre
            scratch[SLOPE * BLOCK + i] += step * (words[q, first + i] - centre)
            scratch[BEND * BLOCK + i] += step * step
    for i in range(count):
        scratch[SLOPE * BLOCK + i] *= precision
        scratch[BEND * BLOCK + i] *= 0.5 * precision


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def logistic(x: float) -> float:
    e = exp(-abs(x))
    return (1.0 if x > 0.0 else e) / (1.0 + e)


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def share_and_softplus(l: float) -> tuple[float, float]:
    """logistic(l) and ln(1 + e^l) with a single division."""
    e = exp(-abs(l))
    inverse = 1.0 / ((1.0 + e) * (2.0 + e))
    share = (1.0 if l > 0.0 else e) * ((2.0 + e) * inverse)
    return share, max(l, 0.0) + atanh_twice(e * ((1.0 + e) * inverse))


@kernel
def load_concentration(
    k: int, first: int, count: int, concentration: Array, by_word: bool, row: int, scratch: Array
) -> None:
    """a_k of every word into the row OWN, and the sum of the other topics' into REST.

    `concentration` (K, C) has a column per word, or if not `by_word` per document, of
    which `row` is the block's.
    """
    topics = concentration.shape[0]
    if by_word:
        for i in range(count):
            scratch[OWN * BLOCK + i] = concentration[k, first + i]
            scratch[REST * BLOCK + i] = 0.0
        for j in range(topics):
            if j != k:
                for i in range(count):
                    scratch[REST * BLOCK + i] += concentration[j, first + i]
    else:
        rest = 0.0
        for j in range(topics):
            if j != k:
                rest += concentration[j, row]
        for i in range(count):
            scratch[OWN * BLOCK + i] = concentration[k, row]
            scratch[REST * BLOCK + i] = rest


@kernel
def evaluate(count: int, fuzzifier: float, plain: bool, scratch: Array) -> None:
    """g at every candidate."""
    if plain:
        for i in range(count):
            l = scratch[RESULT * BLOCK + i]
            t, softplus = share_and_softplus(l)
            own = scratch[OWN * BLOCK + i]
            g = own * l - (own + scratch[REST * BLOCK + i]) * softplus
            g += (scratch[SLOPE * BLOCK + i] - scratch[BEND * BLOCK + i] * t) * t
            scratch[VALUE * BLOCK + i] = g
    else:
        for i in range(count):
            l = scratch[RESULT * BLOCK + i]
            t = logistic(fuzzifier * l + scratch[OFFSET * BLOCK + i])
            _, softplus = share_and_softplus(l)
            own = scratch[OWN * BLOCK + i]
            g = own * l - (own + scratch[REST * BLOCK + i]) * softplus
            g += (scratch[SLOPE * BLOCK + i] - scratch[BEND * BLOCK + i] * t) * t
            scratch[VALUE * BLOCK + i] = g


@kernel
def move(
    k: int, count: int, logs: Array, shares: Array, chosen: Array, sums: Array, log_sums: Array
) -> None:
    """Set z_k to the drawn l and rescale the others to make room."""
    topics = logs.shape[0]
    for i in range(count):
        l = chosen[i]
        share, total = share_and_softplus(l)
        shares[k, i] = share
        logs[k, i] = l - total
        sums[i] = exp(-total) / sums[i]
        log_sums[i] = -total - log_sums[i]
    for j in range(topics):
        if j != k:
            for i in range(count):
                share = shares[j, i] * sums[i]
                shares[j, i] = share if share > _NOTHING else 0.0
                logs[j, i] += log_sums[i]
