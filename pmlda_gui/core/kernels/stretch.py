"""A second step for a document's concentration, which takes its memberships along.

Where a topic is nearly absent from a document, ln z_k of its words is spread over
a width of 1 / a_k, and a_k given N such words can change by a share of 1 / sqrt(N)
only, while the words given a_k cannot change their spread: drawn in turns, both
creep.  Here a_k moves to a_k / r while every word's l = ln z_k - ln S below a pivot
moves to pivot + r (l - pivot), the others' ratios held fixed.  Far below the pivot
neither the words' density nor the likelihood notices, so a_k moves freely.  Two
such moves make a third and the Jacobian is r to the number of words moved: a slice
step in ln a_k along this curve leaves the posterior as it is.  It is the ancillary
half of an interweaving strategy, whose sufficient half is in `documents`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.compiling import kernel
from pmlda_gui.core.kernels.blocks import BLOCK, load_block
from pmlda_gui.core.kernels.conditional import (
    BEND,
    CONDITIONAL_ROWS,
    LOG_SUM,
    RESULT,
    SUM,
    VALUE,
    evaluate,
    move,
    project,
    sum_others,
    weigh_others,
)
from pmlda_gui.core.kernels.documents import log_density
from pmlda_gui.core.vector_math import log, uniform

__all__ = ["MOST_STRETCHED", "stretch_documents"]

Array = NDArray[np.float64]

# Only concentrations below this move, and they stay below it: above, turns do well.
MOST_STRETCHED = 1.0
# The pivot lies this far above the log odds that the likelihood cannot tell from none.
_ABOVE_NOISE = 1.0
# First bracket of ln a_k, placed at random around the present value.
_BRACKET = 4.0
_MOST_TRIES = 60
_UNIFORMS_PER_DOCUMENT = np.uint64(256)
# Rows of a block's scratch beyond those of the conditional.
_START, _PIVOT, _SUM, _LOG_SUM = range(CONDITIONAL_ROWS, CONDITIONAL_ROWS + 4)
_ROWS = CONDITIONAL_ROWS + 4


@kernel
def _prepare(
    k: int,
    begin: int,
    end: int,
    words: Array,
    log_memberships: Array,
    means: Array,
    precision: float,
    fuzzifier: float,
    logs: Array,
    shares: Array,
    weights: Array,
    scratch: Array,
    ratios: Array,
) -> int:
    """Fill each block's row of `scratch`; `ratios` receives the others' sums of ln z_j - ln S.

    Returns how many words lie below their pivots.  These depend on nothing that
    moves: they are where z_k shifts a word by a noise's width.
    """
    topics = logs.shape[0]
    plain = fuzzifier == 1.0
    below = 0
    ratios[:] = 0.0
    for block in range(scratch.shape[0]):
        row = scratch[block]
        first = begin + block * BLOCK
        count = min(BLOCK, end - first)
        load_block(log_memberships, first, count, logs, shares, row)
        sum_others(k, count, logs, shares, row)
        for i in range(count):
            row[_SUM * BLOCK + i] = row[SUM * BLOCK + i]
            row[_LOG_SUM * BLOCK + i] = row[LOG_SUM * BLOCK + i]
            row[_START * BLOCK + i] = logs[k, i] - row[LOG_SUM * BLOCK + i]
        for j in range(topics):
            if j != k:
                for i in range(count):
                    ratios[j] += logs[j, i] - row[LOG_SUM * BLOCK + i]
        if plain:
            project(k, first, count, words, means, precision, shares, row)
        else:
            weigh_others(k, count, fuzzifier, logs, weights, row)
            project(k, first, count, words, means, precision, weights, row)
        for i in range(count):
            pivot = _ABOVE_NOISE - 0.5 * log(1.0 + 2.0 * row[BEND * BLOCK + i])
            row[_PIVOT * BLOCK + i] = pivot
            below += 1 if row[_START * BLOCK + i] < pivot else 0
    return below


@kernel
def _place(r: float, count: int, row: Array) -> None:
    """Where the words of a block lie after a stretch by r."""
    for i in range(count):
        l = row[_START * BLOCK + i]
        pivot = row[_PIVOT * BLOCK + i]
        row[RESULT * BLOCK + i] = l if l >= pivot else pivot + r * (l - pivot)


@kernel
def _words_density(
    size: int, a: float, s: float, r: float, fuzzifier: float, scratch: Array
) -> float:
    """Log density of all l after a stretch by r, up to what `log_density` adds."""
    plain = fuzzifier == 1.0
    total = 0.0
    for block in range(scratch.shape[0]):
        row = scratch[block]
        count = min(BLOCK, size - block * BLOCK)
        _place(r, count, row)
        evaluate(count, a, s, fuzzifier, plain, row)
        for i in range(count):
            total += row[VALUE * BLOCK + i]
    return total


@kernel
def _carry_out(
    k: int,
    begin: int,
    end: int,
    r: float,
    log_memberships: Array,
    logs: Array,
    shares: Array,
    scratch: Array,
) -> None:
    """Stretch the document's words by r."""
    for block in range(scratch.shape[0]):
        row = scratch[block]
        first = begin + block * BLOCK
        count = min(BLOCK, end - first)
        load_block(log_memberships, first, count, logs, shares, row)
        _place(r, count, row)
        move(
            k, count, logs, shares,
            row[RESULT * BLOCK :], row[_SUM * BLOCK :], row[_LOG_SUM * BLOCK :],
        )  # fmt: skip
        log_memberships[:, first : first + count] = logs[:, :count]


@kernel
def stretch_documents(
    words: Array,
    log_memberships: Array,
    offsets: NDArray[np.int64],
    documents: NDArray[np.int64],
    k: int,
    concentration: Array,
    means: Array,
    variance: float,
    fuzzifier: float,
    alpha: Array,
    rate: float,
    learn_scaling: bool,
    key: np.uint64,
) -> int:
    """Move a_k of these documents and their words' ln z in place; return the evaluations.

    a_k of each must be below MOST_STRETCHED.  With the scaling given, the other
    concentrations make room as in `documents`.
    """
    topics = log_memberships.shape[0]
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    ratios = np.empty(topics)
    candidate = np.empty(topics)
    kind = 0 if learn_scaling else 3
    evaluations = 0
    for document in documents:
        begin, end = offsets[document], offsets[document + 1]
        size = end - begin
        scratch = np.empty((-(-size // BLOCK), _ROWS * BLOCK))
        below = _prepare(
            k, begin, end, words, log_memberships, means, 1.0 / variance, fuzzifier,
            logs, shares, weights, scratch, ratios,
        )  # fmt: skip
        a = concentration[document]
        here = a[k]
        counter = np.uint64(document) * _UNIFORMS_PER_DOCUMENT
        left = -_BRACKET * uniform(key, counter)
        right = left + _BRACKET
        height = 0.0
        step = 0.0
        for attempt in range(_MOST_TRIES):
            # a_k l is in the words' part, hence no sum of its own here.
            value = log_density(kind, k, step, a, float(size), ratios, alpha, rate, candidate)
            r = here / candidate[k]
            if value > -np.inf and candidate[k] < MOST_STRETCHED:
                evaluations += 1
                value += below * math.log(r)
                value += _words_density(size, candidate[k], candidate.sum(), r, fuzzifier, scratch)
            else:
                value = -np.inf
            if attempt == 0:
                height = value + math.log(uniform(key, counter + np.uint64(1)))
            elif value > height:
                a[:] = candidate
                _carry_out(k, begin, end, r, log_memberships, logs, shares, scratch)
                break
            elif step < 0.0:
                left = step
            else:
                right = step
            step = left + (right - left) * uniform(key, counter + np.uint64(attempt + 2))
    return evaluations
