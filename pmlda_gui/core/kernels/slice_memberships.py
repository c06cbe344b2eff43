"""One sweep of slice sampling over the memberships of a run of words.

Words are worked off in blocks of `BLOCK`, topic by topic.  With the ratios among
the other topics held fixed, a topic's membership z_k has one degree of freedom,
l = ln z_k - ln S where S is the sum of the others, and by the neutrality of the
Dirichlet distribution its exact conditional is

    g(l) = a_k l - s ln(1 + e^l) + B t - C t^2,   t = logistic(m l + o),

with a = s pi, c the others' mean, B = (mu_k - c).(x - c) / sigma^2 and
C = |mu_k - c|^2 / (2 sigma^2).  We draw from it by slice sampling in the
quantiles of a pseudo-target q: any q leaves g invariant as long as it does not
depend on l, and a good one makes the first try succeed.  Ours is centred by one
Newton step on the mode of g and has tails of order 1 / l^2, so a word far out in
q costs a few tries more, not dozens (1.7 evaluations a draw on typical seabed,
at most 2.8 over s up to 1e8; an exponential-tailed q at the prior's mode: 11).

Loops are branch-free and touch few arrays, so that LLVM vectorises them.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.compiling import kernel
from pmlda_gui.core.kernels.accumulate import accumulate_block
from pmlda_gui.core.vector_math import exp, log, log1p_unit, uniform

__all__ = ["BLOCK", "slice_sweep"]

BLOCK = 256
Array = NDArray[np.float64]

# Rows of the scratch array, each BLOCK long.
_SUM, _LOG_SUM, _SLOPE, _BEND, _OFFSET, _START = 0, 1, 2, 3, 4, 5
_CENTRE, _LEFT, _RIGHT, _QUANTILE, _HEIGHT = 6, 7, 8, 9, 10
_LOW, _HIGH, _TRY, _RESULT, _MISSED, _MEAN = 11, 12, 13, 14, 15, 16
_ROWS = 17

# Below this the others' sum is taken from logarithms instead of from numbers.
_TINY = 1e-290
# A bracket this narrow holds no other number: the word stays where it is.
_NARROW = 1e-15
_MOST_TRIES = 200


@kernel
def load_block(log_memberships: Array, first: int, count: int, logs: Array, shares: Array) -> None:
    """Copy a block's ln z into `logs`, renormalised, and z into `shares`."""
    topics = logs.shape[0]
    for i in range(count):
        peak = log_memberships[0, first + i]
        for k in range(1, topics):
            peak = max(peak, log_memberships[k, first + i])
        logs[0, i] = peak
    total = np.zeros(BLOCK)
    for k in range(topics - 1, -1, -1):
        for i in range(count):
            relative = log_memberships[k, first + i] - logs[0, i]
            shares[k, i] = exp(relative)
        for i in range(count):
            total[i] += shares[k, i]
    for i in range(count):
        total[i] = 1.0 / total[i]
    for k in range(topics - 1, -1, -1):
        for i in range(count):
            shares[k, i] *= total[i]
    for i in range(count):
        total[i] = log(total[i]) - logs[0, i]
    for k in range(topics):
        for i in range(count):
            logs[k, i] = log_memberships[k, first + i] + total[i]


@kernel
def _sum_others(k: int, count: int, logs: Array, shares: Array, scratch: Array) -> None:
    """S and ln S of the topics other than k; z of the others rescaled where S underflows."""
    topics = logs.shape[0]
    for i in range(count):
        scratch[_SUM * BLOCK + i] = 0.0
    for j in range(topics):
        if j != k:
            for i in range(count):
                scratch[_SUM * BLOCK + i] += shares[j, i]
    smallest = 1.0
    for i in range(count):
        smallest = min(smallest, scratch[_SUM * BLOCK + i])
        scratch[_LOG_SUM * BLOCK + i] = log(scratch[_SUM * BLOCK + i])
    if smallest >= _TINY:
        return
    for i in range(count):
        if scratch[_SUM * BLOCK + i] < _TINY:
            peak = -np.inf
            for j in range(topics):
                if j != k:
                    peak = max(peak, logs[j, i])
            total = 0.0
            for j in range(topics):
                if j != k:
                    shares[j, i] = math.exp(logs[j, i] - peak)
                    total += shares[j, i]
            scratch[_SUM * BLOCK + i] = total
            scratch[_LOG_SUM * BLOCK + i] = math.log(total) + peak


@kernel
def _weigh_others(
    k: int, count: int, fuzzifier: float, logs: Array, weights: Array, scratch: Array
) -> None:
    """z_j^m of the topics other than k relative to the largest, and the offset o."""
    topics = logs.shape[0]
    for i in range(count):
        scratch[_OFFSET * BLOCK + i] = -np.inf
        scratch[_SUM * BLOCK + i] = 0.0
    for j in range(topics):
        if j != k:
            for i in range(count):
                scratch[_OFFSET * BLOCK + i] = max(
                    scratch[_OFFSET * BLOCK + i], fuzzifier * logs[j, i]
                )
    for j in range(topics):
        if j != k:
            for i in range(count):
                weights[j, i] = exp(fuzzifier * logs[j, i] - scratch[_OFFSET * BLOCK + i])
            for i in range(count):
                scratch[_SUM * BLOCK + i] += weights[j, i]
    for i in range(count):
        scratch[_OFFSET * BLOCK + i] = (
            fuzzifier * scratch[_LOG_SUM * BLOCK + i]
            - scratch[_OFFSET * BLOCK + i]
            - log(scratch[_SUM * BLOCK + i])
        )


@kernel
def _project(
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
        scratch[_SLOPE * BLOCK + i] = 0.0
        scratch[_BEND * BLOCK + i] = 0.0
        scratch[_TRY * BLOCK + i] = 1.0 / scratch[_SUM * BLOCK + i]
    for q in range(features):
        for i in range(count):
            scratch[_MEAN * BLOCK + i] = 0.0
        for j in range(topics):
            if j != k:
                mean = means[j, q]
                for i in range(count):
                    scratch[_MEAN * BLOCK + i] += weights[j, i] * mean
        mean = means[k, q]
        for i in range(count):
            centre = scratch[_MEAN * BLOCK + i] * scratch[_TRY * BLOCK + i]
            step = mean - centre
            scratch[_SLOPE * BLOCK + i] += step * (words[q, first + i] - centre)
            scratch[_BEND * BLOCK + i] += step * step
    for i in range(count):
        scratch[_SLOPE * BLOCK + i] *= precision
        scratch[_BEND * BLOCK + i] *= 0.5 * precision


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def _logistic(x: float) -> float:
    e = exp(-abs(x))
    return (1.0 if x > 0.0 else e) / (1.0 + e)


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def _softplus(x: float) -> float:
    return max(x, 0.0) + log1p_unit(exp(-abs(x)))


# How wide q is relative to the curvature of g at its centre.
_WIDTH = 0.9


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def _fit(
    a: float,
    rest: float,
    log_odds: float,
    slope: float,
    bend: float,
    m: float,
    o: float,
    plain: bool,
) -> tuple[float, float, float]:
    """Centre, left and right width of q: one Newton step from where prior and likelihood meet.

    The steeper the likelihood falls towards an end, the less of the prior's long
    tail on that side q has to cover.
    """
    s = a + rest
    prior = a * rest / s
    best = min(max(slope / (2.0 * bend + 1e-300), 0.02), 0.98)
    spread = best * (1.0 - best)
    # m = 0 carries no information: the weight below vanishes with m.
    likely = (log(best) - log(1.0 - best) - o) * (m / (m * m + 1e-12))
    weight = 2.0 * bend * (m * m) * spread * spread
    l = (prior * log_odds + weight * likely) / (prior + weight)
    y = _logistic(l)
    t = y if plain else _logistic(m * l + o)
    dy = y * (1.0 - y)
    dt = t * (1.0 - t)
    pull = slope - 2.0 * bend * t
    gradient = a - s * y + pull * m * dt
    expected = s * dy + 2.0 * bend * (m * m) * dt * dt
    curvature = max(
        s * dy + (m * m) * dt * (2.0 * bend * dt - pull * (1.0 - 2.0 * t)),
        0.3 * expected + 1e-300,
    )
    centre = l + min(max(gradient / curvature, -3.0), 3.0)
    steepness = _WIDTH * math.sqrt(curvature)
    peak = slope * t - bend * t * t
    at_left = slope - bend if m < 0.0 else 0.0
    at_right = 0.0 if m < 0.0 else slope - bend
    left_rate = min(a, steepness)
    right_rate = min(rest, steepness)
    fall_left = min(max(0.25 * (peak - at_left), 0.0), 1.0)
    fall_right = min(max(0.25 * (peak - at_right), 0.0), 1.0)
    left_rate += (steepness - left_rate) * fall_left
    right_rate += (steepness - right_rate) * fall_right
    return centre, 1.0 / left_rate, 1.0 / right_rate


@kernel
def _begin(
    k: int,
    count: int,
    first: int,
    a: float,
    rest: float,
    fuzzifier: float,
    plain: bool,
    key: np.uint64,
    logs: Array,
    scratch: Array,
) -> None:
    """Fit q, and draw the height of each word's slice."""
    log_odds = math.log(a) - math.log(rest)
    s = a + rest
    for i in range(count):
        scratch[_START * BLOCK + i] = logs[k, i] - scratch[_LOG_SUM * BLOCK + i]
    if plain:
        for i in range(count):
            centre, left, right = _fit(
                a, rest, log_odds, scratch[_SLOPE * BLOCK + i], scratch[_BEND * BLOCK + i],
                1.0, 0.0, True,
            )  # fmt: skip
            scratch[_CENTRE * BLOCK + i] = centre
            scratch[_LEFT * BLOCK + i] = left
            scratch[_RIGHT * BLOCK + i] = right
    else:
        for i in range(count):
            centre, left, right = _fit(
                a, rest, log_odds, scratch[_SLOPE * BLOCK + i], scratch[_BEND * BLOCK + i],
                fuzzifier, scratch[_OFFSET * BLOCK + i], False,
            )  # fmt: skip
            scratch[_CENTRE * BLOCK + i] = centre
            scratch[_LEFT * BLOCK + i] = left
            scratch[_RIGHT * BLOCK + i] = right
    for i in range(count):
        l = scratch[_START * BLOCK + i]
        left = scratch[_LEFT * BLOCK + i]
        right = scratch[_RIGHT * BLOCK + i]
        away = l - scratch[_CENTRE * BLOCK + i]
        tail = 1.0 / (1.0 + (-away / left if away < 0.0 else away / right))
        mass_left = left / (left + right)
        scratch[_QUANTILE * BLOCK + i] = (
            mass_left * tail if away < 0.0 else 1.0 - (1.0 - mass_left) * tail
        )
        # The left mass takes the place of the left width; the right width follows from both.
        scratch[_LEFT * BLOCK + i] = mass_left
        scratch[_RIGHT * BLOCK + i] = left + right
        scratch[_HEIGHT * BLOCK + i] = tail
    if plain:
        for i in range(count):
            l = scratch[_START * BLOCK + i]
            e = exp(-abs(l))
            t = (1.0 if l > 0.0 else e) / (1.0 + e)
            g = a * l - s * (max(l, 0.0) + log1p_unit(e))
            g += (scratch[_SLOPE * BLOCK + i] - scratch[_BEND * BLOCK + i] * t) * t
            tail = scratch[_HEIGHT * BLOCK + i]
            u = uniform(key, np.uint64(first + i))
            scratch[_HEIGHT * BLOCK + i] = g + log(u / (tail * tail))
            scratch[_LOW * BLOCK + i] = 0.0
            scratch[_HIGH * BLOCK + i] = 1.0
    else:
        for i in range(count):
            l = scratch[_START * BLOCK + i]
            t = _logistic(fuzzifier * l + scratch[_OFFSET * BLOCK + i])
            g = a * l - s * _softplus(l)
            g += (scratch[_SLOPE * BLOCK + i] - scratch[_BEND * BLOCK + i] * t) * t
            tail = scratch[_HEIGHT * BLOCK + i]
            u = uniform(key, np.uint64(first + i))
            scratch[_HEIGHT * BLOCK + i] = g + log(u) - 2.0 * log(tail)
            scratch[_LOW * BLOCK + i] = 0.0
            scratch[_HIGH * BLOCK + i] = 1.0


@kernel
def _try(
    active: int,
    a: float,
    s: float,
    fuzzifier: float,
    plain: bool,
    key: np.uint64,
    index: NDArray[np.int64],
    scratch: Array,
) -> None:
    """One candidate for every word still without one; `_MISSED` is 1 where it lies too low."""
    for i in range(active):
        u = uniform(key, np.uint64(index[i]))
        low = scratch[_LOW * BLOCK + i]
        u = low + (scratch[_HIGH * BLOCK + i] - low) * u
        mass_left = scratch[_LEFT * BLOCK + i]
        on_left = u < mass_left
        mass = mass_left if on_left else 1.0 - mass_left
        tail = (u if on_left else 1.0 - u) / mass
        step = mass * scratch[_RIGHT * BLOCK + i] * (1.0 / tail - 1.0)
        scratch[_RESULT * BLOCK + i] = scratch[_CENTRE * BLOCK + i] + (-step if on_left else step)
        scratch[_TRY * BLOCK + i] = u
        scratch[_MISSED * BLOCK + i] = tail
    if plain:
        for i in range(active):
            l = scratch[_RESULT * BLOCK + i]
            e = exp(-abs(l))
            t = (1.0 if l > 0.0 else e) / (1.0 + e)
            g = a * l - s * (max(l, 0.0) + log1p_unit(e))
            g += (scratch[_SLOPE * BLOCK + i] - scratch[_BEND * BLOCK + i] * t) * t
            g -= 2.0 * log(scratch[_MISSED * BLOCK + i])
            scratch[_MISSED * BLOCK + i] = 0.0 if g >= scratch[_HEIGHT * BLOCK + i] else 1.0
    else:
        for i in range(active):
            l = scratch[_RESULT * BLOCK + i]
            t = _logistic(fuzzifier * l + scratch[_OFFSET * BLOCK + i])
            g = a * l - s * _softplus(l)
            g += (scratch[_SLOPE * BLOCK + i] - scratch[_BEND * BLOCK + i] * t) * t
            g -= 2.0 * log(scratch[_MISSED * BLOCK + i])
            scratch[_MISSED * BLOCK + i] = 0.0 if g >= scratch[_HEIGHT * BLOCK + i] else 1.0


@kernel
def _keep(
    active: int,
    first: int,
    plain: bool,
    index: NDArray[np.int64],
    scratch: Array,
    chosen: Array,
) -> int:
    """Store what was drawn, shrink the brackets of the rest, and close the ranks.

    Every candidate is stored: a later one of the same word overwrites it.
    """
    left_over = 0
    for i in range(active):
        place = index[i] - first
        missed = scratch[_MISSED * BLOCK + i] != 0.0
        u = scratch[_TRY * BLOCK + i]
        quantile = scratch[_QUANTILE * BLOCK + i]
        low = scratch[_LOW * BLOCK + i]
        high = scratch[_HIGH * BLOCK + i]
        low = u if u < quantile else low
        high = high if u < quantile else u
        narrow = high - low < _NARROW
        chosen[place] = chosen[place] if missed else scratch[_RESULT * BLOCK + i]
        scratch[_LOW * BLOCK + left_over] = low
        scratch[_HIGH * BLOCK + left_over] = high
        scratch[_QUANTILE * BLOCK + left_over] = quantile
        scratch[_HEIGHT * BLOCK + left_over] = scratch[_HEIGHT * BLOCK + i]
        scratch[_CENTRE * BLOCK + left_over] = scratch[_CENTRE * BLOCK + i]
        scratch[_LEFT * BLOCK + left_over] = scratch[_LEFT * BLOCK + i]
        scratch[_RIGHT * BLOCK + left_over] = scratch[_RIGHT * BLOCK + i]
        scratch[_SLOPE * BLOCK + left_over] = scratch[_SLOPE * BLOCK + i]
        scratch[_BEND * BLOCK + left_over] = scratch[_BEND * BLOCK + i]
        if not plain:
            scratch[_OFFSET * BLOCK + left_over] = scratch[_OFFSET * BLOCK + i]
        index[left_over] = index[i]
        left_over += 1 if missed and not narrow else 0
    return left_over


@kernel
def _move(
    k: int, count: int, logs: Array, shares: Array, chosen: Array, sums: Array, log_sums: Array
) -> None:
    """Set z_k to the drawn l and rescale the others to make room."""
    topics = logs.shape[0]
    for i in range(count):
        l = chosen[i]
        e = exp(-abs(l))
        total = max(l, 0.0) + log1p_unit(e)
        share = 1.0 / (1.0 + e)
        other = e * share
        shares[k, i] = share if l > 0.0 else other
        logs[k, i] = l - total
        sums[i] = (other if l > 0.0 else share) / sums[i]
        log_sums[i] = -total - log_sums[i]
    for j in range(topics):
        if j != k:
            for i in range(count):
                shares[j, i] *= sums[i]
                logs[j, i] += log_sums[i]


@kernel
def _weigh_all(count: int, fuzzifier: float, logs: Array, weights: Array) -> None:
    """w_k = z_k^m / sum z^m for every topic of the block."""
    topics = logs.shape[0]
    for i in range(count):
        peak = fuzzifier * logs[0, i]
        for k in range(1, topics):
            peak = max(peak, fuzzifier * logs[k, i])
        total = 0.0
        for k in range(topics):
            weights[k, i] = exp(fuzzifier * logs[k, i] - peak)
            total += weights[k, i]
        for k in range(topics):
            weights[k, i] /= total


@kernel
def slice_sweep(
    words: Array,
    log_memberships: Array,
    segments: NDArray[np.int64],
    from_segment: int,
    to_segment: int,
    concentration: Array,
    means: Array,
    variance: float,
    fuzzifier: float,
    keys: NDArray[np.uint64],
    gain: float,
    average: NDArray[np.float32],
    spread: NDArray[np.float32],
    log_sums: Array,
    moments: Array,
) -> int:
    """Draw the memberships of every word in these segments; return the number of evaluations.

    `words` (p, N) and `log_memberships` (K, N) hold a word a column; a row of
    `segments` is (document, first word, end).  `concentration` (D, K) is s pi.
    `keys` (K, tries + 1) are the random streams.  `average` and `spread` (K, N)
    are the running estimate, moved by `gain`; `log_sums` (segments, K) receives
    the sums of ln z, `moments` the products for means and variance.
    """
    topics = log_memberships.shape[0]
    plain = fuzzifier == 1.0
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    scratch = np.empty(_ROWS * BLOCK)
    index = np.empty(BLOCK, np.int64)
    chosen = np.empty(BLOCK)
    sums = np.empty(BLOCK)
    log_of_sums = np.empty(BLOCK)
    precision = 1.0 / variance
    evaluations = 0
    for segment in range(from_segment, to_segment):
        document, begin, end = segments[segment, 0], segments[segment, 1], segments[segment, 2]
        log_sums[segment, :] = 0.0
        for first in range(begin, end, BLOCK):
            count = min(BLOCK, end - first)
            load_block(log_memberships, first, count, logs, shares)
            for k in range(topics):
                a = concentration[document, k]
                rest = 0.0
                for j in range(topics):
                    if j != k:
                        rest += concentration[document, j]
                _sum_others(k, count, logs, shares, scratch)
                for i in range(count):
                    sums[i] = scratch[_SUM * BLOCK + i]
                    log_of_sums[i] = scratch[_LOG_SUM * BLOCK + i]
                if plain:
                    _project(k, first, count, words, means, precision, shares, scratch)
                else:
                    _weigh_others(k, count, fuzzifier, logs, weights, scratch)
                    _project(k, first, count, words, means, precision, weights, scratch)
                _begin(k, count, first, a, rest, fuzzifier, plain, keys[k, 0], logs, scratch)
                for i in range(count):
                    index[i] = first + i
                    chosen[i] = scratch[_START * BLOCK + i]
                active = count
                for attempt in range(1, _MOST_TRIES):
                    evaluations += active
                    _try(active, a, a + rest, fuzzifier, plain, keys[k, attempt], index, scratch)
                    active = _keep(active, first, plain, index, scratch, chosen)
                    if active == 0:
                        break
                _move(k, count, logs, shares, chosen, sums, log_of_sums)
            if not plain:
                _weigh_all(count, fuzzifier, logs, weights)
            accumulate_block(
                first, count, words, means, logs, shares, shares if plain else weights,
                gain, average, spread, log_sums[segment], moments,
            )  # fmt: skip
            for k in range(topics):
                for i in range(count):
                    log_memberships[k, first + i] = logs[k, i]
    return evaluations
