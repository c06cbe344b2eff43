"""Each word's most likely membership given the topics and its document.

On the simplex the density is unbounded wherever s pi_k < 1; in logit measure it is
bounded, and along one coordinate it is the g(l) that the slice sampler draws
from.  Here g is climbed instead, topic by topic, by safeguarded Newton steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.blocks import BLOCK, load_block
from pmlda_gui.core.kernels.conditional import (
    BEND,
    CONDITIONAL_ROWS,
    LOG_SUM,
    OFFSET,
    OWN,
    REST,
    RESULT,
    SLOPE,
    SUM,
    VALUE,
    evaluate,
    load_concentration,
    logistic,
    move,
    project,
    sum_others,
    weigh_others,
)
from pmlda_gui.core.kernels.hinted import (
    AVOID,
    add_avoided,
    add_exponents,
    avoided_slope,
    load_hints,
)

__all__ = ["MODE_ROWS", "climb", "climb_block"]

Array = NDArray[np.float64]
_BEFORE, _FROM, _DAMP = range(CONDITIONAL_ROWS, CONDITIONAL_ROWS + 3)
MODE_ROWS = CONDITIONAL_ROWS + 3
_STEPS = 4
_LONGEST = 2.0


@kernel
def _newton(
    count: int,
    m: float,
    hinted: int,
    k: int,
    places: NDArray[np.int64],
    shares: Array,
    sums: Array,
    avoid: Array,
    scratch: Array,
) -> None:
    """One Newton step on g for each word; a step that leads down is taken back."""
    for i in range(count):
        a = scratch[OWN * BLOCK + i]
        s = a + scratch[REST * BLOCK + i]
        l = scratch[RESULT * BLOCK + i]
        scratch[_FROM * BLOCK + i] = l
        scratch[_BEFORE * BLOCK + i] = scratch[VALUE * BLOCK + i]
        y = logistic(l)
        t = logistic(m * l + scratch[OFFSET * BLOCK + i])
        dy = y * (1.0 - y)
        dt = t * (1.0 - t)
        bend = scratch[BEND * BLOCK + i]
        pull = scratch[SLOPE * BLOCK + i] - 2.0 * bend * t
        gradient = a - s * y + pull * m * dt
        expected = s * dy + 2.0 * bend * (m * m) * dt * dt
        exact = s * dy + (m * m) * dt * (2.0 * bend * dt - pull * (1.0 - 2.0 * t))
        if hinted == AVOID:
            slope, bow = avoided_slope(k, i, l, shares, avoid)
            gradient += slope
            exact += bow
        curvature = max(exact, 0.3 * expected + 1e-300)
        step = min(max(gradient / curvature, -_LONGEST), _LONGEST)
        scratch[RESULT * BLOCK + i] = l + scratch[_DAMP * BLOCK + i] * step
    evaluate(count, m, False, scratch)
    if hinted == AVOID:
        add_avoided(k, count, 0, places, shares, sums, avoid, scratch)
    for i in range(count):
        better = scratch[VALUE * BLOCK + i] >= scratch[_BEFORE * BLOCK + i]
        scratch[RESULT * BLOCK + i] = (
            scratch[RESULT * BLOCK + i] if better else scratch[_FROM * BLOCK + i]
        )
        scratch[_DAMP * BLOCK + i] *= 1.0 if better else 0.25
        scratch[VALUE * BLOCK + i] = (
            scratch[VALUE * BLOCK + i] if better else scratch[_BEFORE * BLOCK + i]
        )


@kernel
def climb_block(
    first: int,
    count: int,
    words: Array,
    means: Array,
    precision: float,
    fuzzifier: float,
    concentration: Array,
    by_word: bool,
    row: int,
    rounds: int,
    alone: bool,
    logs: Array,
    shares: Array,
    weights: Array,
    scratch: Array,
    hinted: int,
    favour: Array,
    avoid: Array,
) -> None:
    """Move ln z of a loaded block uphill; it stops once no word moves by 0.001 in ln odds.

    `concentration`, `by_word` and `row` are those of `load_concentration`; `scratch` has
    `MODE_ROWS` rows.  With `alone` each word stays where it first moved no more, so that it
    does not matter which words share its block; `shares` are then of no use.  `hinted`,
    `favour` and `avoid` are what `load_hints` gave.
    """
    topics = logs.shape[0]
    chosen = np.empty(BLOCK)
    sums = np.empty(BLOCK)
    log_of_sums = np.empty(BLOCK)
    moved = np.zeros(BLOCK, np.int64)
    resting = np.zeros(BLOCK, np.bool_)
    rested = np.empty((topics, BLOCK))
    places = np.arange(BLOCK)
    for _ in range(rounds):
        moving = 0
        moved[:] = 0
        for k in range(topics):
            load_concentration(k, first, count, concentration, by_word, row, scratch)
            if hinted:
                add_exponents(k, count, favour, avoid, scratch)
            sum_others(k, count, logs, shares, scratch)
            for i in range(count):
                sums[i] = scratch[SUM * BLOCK + i]
                log_of_sums[i] = scratch[LOG_SUM * BLOCK + i]
            weigh_others(k, count, fuzzifier, logs, weights, scratch)
            project(k, first, count, words, means, precision, weights, scratch)
            for i in range(count):
                scratch[RESULT * BLOCK + i] = logs[k, i] - log_of_sums[i]
                scratch[_DAMP * BLOCK + i] = 1.0
            evaluate(count, fuzzifier, False, scratch)
            if hinted == AVOID:
                add_avoided(k, count, 0, places, shares, sums, avoid, scratch)
            for _step in range(_STEPS):
                _newton(count, fuzzifier, hinted, k, places, shares, sums, avoid, scratch)
            for i in range(count):
                chosen[i] = scratch[RESULT * BLOCK + i]
                away = chosen[i] - (logs[k, i] - log_of_sums[i])
                moved[i] += 1 if abs(away) > 0.001 else 0
            move(k, count, logs, shares, chosen, sums, log_of_sums)
        for i in range(count):
            moving += moved[i]
            if alone and moved[i] == 0 and not resting[i]:
                resting[i] = True
                for k in range(topics):
                    rested[k, i] = logs[k, i]
        if moving == 0:
            break
    for i in range(count):
        if resting[i]:
            for k in range(topics):
                logs[k, i] = rested[k, i]


@kernel
def climb(
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
    rounds: int,
    places: NDArray[np.int32],
    favour: Array,
    avoid: Array,
) -> None:
    """Move ln z (K, N) of the words in these segments uphill, `rounds` times over the topics."""
    topics = log_memberships.shape[0]
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    scratch = np.zeros(MODE_ROWS * BLOCK)
    block_favour = np.empty((topics, BLOCK))
    block_avoid = np.empty((topics, BLOCK))
    for segment in range(from_segment, to_segment):
        document, begin, end = segments[segment, 0], segments[segment, 1], segments[segment, 2]
        for first in range(begin, end, BLOCK):
            count = min(BLOCK, end - first)
            load_block(log_memberships, first, count, logs, shares, scratch)
            hinted = load_hints(first, count, places, favour, avoid, block_favour, block_avoid)
            climb_block(
                first, count, words, means, 1.0 / variance, fuzzifier, concentration, by_word,
                document, rounds, False, logs, shares, weights, scratch,
                hinted, block_favour, block_avoid,
            )  # fmt: skip
            for k in range(topics):
                for i in range(count):
                    log_memberships[k, first + i] = logs[k, i]
