"""A joint step for the concentration of a document and the memberships of its words.

Where a topic is nearly absent from a document, ln z_k of its words is spread over
a width of 1 / a_k, and a_k given N such words can change by a share of 1 / sqrt(N)
only, while the words given a_k cannot change their spread: drawn in turns, both
creep.  Here the document's a_k moves, and with it a_k(x) of every word it acts on, while each
such word's l = ln z_k - ln S below a pivot keeps a_k(x) (l - pivot), the others'
ratios held fixed.  Far below the pivot neither the words' density nor the likelihood
notices, so a_k moves freely.  In these coordinates the density gains 1 / a_k(x) for
every word below its pivot, and a slice step in ln a_k leaves the posterior as it is.

Where a large scaling is given, words lie close around their document, and both creep as
well: there each word's l moves by as much as the log odds of its concentrations, and
little but the likelihood holds the document back.

It is the ancillary half of an interweaving strategy, whose sufficient half is in
`documents` and `field_documents`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.blocks import BLOCK, gather_columns, load_block
from pmlda_gui.core.kernels.conditional import (
    BEND,
    CONDITIONAL_ROWS,
    LOG_SUM,
    OWN,
    REST,
    RESULT,
    SPARE,
    SUM,
    VALUE,
    evaluate,
    move,
    project,
    sum_others,
    weigh_others,
)
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, log_density
from pmlda_gui.core.kernels.field_documents import coupling_density, sum_near_logs
from pmlda_gui.core.kernels.hinted import hints_density, words_with_hints
from pmlda_gui.core.vector_math import log, log_gamma, log_gamma_difference, uniform

__all__ = ["JOINT_UNIFORMS_PER_DOCUMENT", "MOST_STRETCHED", "move_joint_concentration"]

Array = NDArray[np.float64]

# Concentrations below this are stretched and stay below it; the others are shifted where
# the scaling is given, and else left to the turns, which do well enough for less.
MOST_STRETCHED = 1.0
# The pivot lies this far above the log odds that the likelihood cannot tell from none.
_ABOVE_NOISE = 1.0
# First bracket of ln a_k, placed at random around the present value.
_BRACKET = 4.0
_MOST_TRIES = 60
JOINT_UNIFORMS_PER_DOCUMENT = np.uint64(256)
# Rows of a block's scratch beyond those of the conditional.
_START, _PIVOT, _SUM, _LOG_SUM, _WEIGHT, _OWN, _REST = range(CONDITIONAL_ROWS, CONDITIONAL_ROWS + 7)
_ROWS = CONDITIONAL_ROWS + 7


@kernel
def _prepare(
    k: int,
    words: Array,
    log_memberships: Array,
    concentration: Array,
    acts: Array,
    means: Array,
    precision: float,
    fuzzifier: float,
    logs: Array,
    shares: Array,
    weights: Array,
    scratch: Array,
) -> int:
    """Fill each block's row of `scratch`; return how many words lie below their pivots.

    Pivots depend on nothing that moves: they are where z_k shifts a word by a noise's width.
    `log_memberships` becomes ln z_j - ln S of the others.
    """
    topics, size = log_memberships.shape
    plain = fuzzifier == 1.0
    below = 0
    for block in range(scratch.shape[0]):
        row = scratch[block]
        first = block * BLOCK
        count = min(BLOCK, size - first)
        load_block(log_memberships, first, count, logs, shares, row)
        sum_others(k, count, logs, shares, row)
        for i in range(count):
            row[_SUM * BLOCK + i] = row[SUM * BLOCK + i]
            row[_LOG_SUM * BLOCK + i] = row[LOG_SUM * BLOCK + i]
            row[_START * BLOCK + i] = logs[k, i] - row[LOG_SUM * BLOCK + i]
            row[_WEIGHT * BLOCK + i] = acts[first + i]
            row[_OWN * BLOCK + i] = concentration[k, first + i]
            row[_REST * BLOCK + i] = 0.0
        for j in range(topics):
            if j != k:
                for i in range(count):
                    row[_REST * BLOCK + i] += concentration[j, first + i]
        if plain:
            project(k, first, count, words, means, precision, shares, row)
        else:
            weigh_others(k, count, fuzzifier, logs, weights, row)
            project(k, first, count, words, means, precision, weights, row)
        for j in range(topics):
            for i in range(count):
                log_memberships[j, first + i] = logs[j, i] - row[_LOG_SUM * BLOCK + i]
        for i in range(count):
            pivot = _ABOVE_NOISE - 0.5 * log(1.0 + 2.0 * row[BEND * BLOCK + i])
            row[_PIVOT * BLOCK + i] = pivot
            below += 1 if row[_START * BLOCK + i] < pivot else 0
    return below


@kernel
def _place(step: float, rest_step: float, shifts: bool, count: int, row: Array) -> None:
    """The words' concentrations and places once the document's have moved by these steps."""
    if shifts:
        for i in range(count):
            weight = row[_WEIGHT * BLOCK + i]
            before, rest_before = row[_OWN * BLOCK + i], row[_REST * BLOCK + i]
            own = max(before + weight * step, LEAST_CONCENTRATION)
            rest = max(rest_before + weight * rest_step, LEAST_CONCENTRATION)
            row[OWN * BLOCK + i] = own
            row[REST * BLOCK + i] = rest
            shift = log((own / before) * (rest_before / rest))
            row[RESULT * BLOCK + i] = row[_START * BLOCK + i] + shift
        return
    for i in range(count):
        weight = row[_WEIGHT * BLOCK + i]
        before = row[_OWN * BLOCK + i]
        own = max(before + weight * step, LEAST_CONCENTRATION)
        row[OWN * BLOCK + i] = own
        row[REST * BLOCK + i] = row[_REST * BLOCK + i] + weight * rest_step
        l = row[_START * BLOCK + i]
        pivot = row[_PIVOT * BLOCK + i]
        row[RESULT * BLOCK + i] = l if l >= pivot else pivot + (l - pivot) * (before / own)


@kernel
def _words_density(
    k: int,
    size: int,
    steps: Array,
    others_move: bool,
    shifts: bool,
    alike: bool,
    below: int,
    ratios: Array,
    concentration: Array,
    fuzzifier: float,
    scratch: Array,
) -> float:
    """Log density of all words after the document's concentrations have moved by `steps`.

    `others_move` says that those of the other topics do so too, however little: what is left
    out must be left out of every candidate.  `alike` says that all words have one
    concentration: then its log gammas are taken once.
    """
    plain = fuzzifier == 1.0
    topics = steps.size
    rest_step = steps.sum() - steps[k]
    total = 0.0
    for block in range(scratch.shape[0]):
        row = scratch[block]
        first = block * BLOCK
        count = min(BLOCK, size - first)
        _place(steps[k], rest_step, shifts, count, row)
        evaluate(count, fuzzifier, plain, row)
        for i in range(count):
            total += row[VALUE * BLOCK + i]
        if alike:
            continue
        for i in range(count):
            own = row[OWN * BLOCK + i]
            moved = 1.0 if row[_START * BLOCK + i] < row[_PIVOT * BLOCK + i] else 0.0
            moved = 0.0 if shifts else moved
            row[SPARE * BLOCK + i] = log_gamma_difference(
                own + row[REST * BLOCK + i], own
            ) - moved * log(own)
        for i in range(count):
            total += row[SPARE * BLOCK + i]
        if others_move:
            for j in range(topics):
                if j != k:
                    for i in range(count):
                        other = concentration[j, first + i] + row[_WEIGHT * BLOCK + i] * steps[j]
                        other = max(other, LEAST_CONCENTRATION)
                        row[SPARE * BLOCK + i] = other * ratios[j, first + i] - log_gamma(other)
                    for i in range(count):
                        total += row[SPARE * BLOCK + i]
    if alike:
        own = concentration[k, 0] + steps[k]
        s = own
        for j in range(topics):
            if j != k:
                other = concentration[j, 0] + steps[j]
                s += other
                if others_move:
                    total += other * ratios[j].sum() - size * math.lgamma(other)
        total += size * (math.lgamma(s) - math.lgamma(own))
        if not shifts:
            total -= below * math.log(own)
    return total


@kernel
def _carry_out(
    k: int,
    members: NDArray[np.int64],
    log_memberships: Array,
    logs: Array,
    shares: Array,
    scratch: Array,
) -> None:
    """Move the document's words to where `_place` has put them."""
    topics = logs.shape[0]
    for block in range(scratch.shape[0]):
        row = scratch[block]
        first = block * BLOCK
        count = min(BLOCK, members.size - first)
        for j in range(topics):
            for i in range(count):
                logs[j, i] = log_memberships[j, members[first + i]]
                shares[j, i] = 0.0
        move(
            k, count, logs, shares,
            row[RESULT * BLOCK :], row[_SUM * BLOCK :], row[_LOG_SUM * BLOCK :],
        )  # fmt: skip
        for j in range(topics):
            for i in range(count):
                log_memberships[j, members[first + i]] = logs[j, i]


@kernel
def move_joint_concentration(
    words: Array,
    log_memberships: Array,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    acts: Array,
    documents: NDArray[np.int64],
    k: int,
    concentration: Array,
    spread: Array,
    neighbour_starts: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    coupling: float,
    means: Array,
    variance: float,
    fuzzifier: float,
    alpha: Array,
    rate: float,
    learn_scaling: bool,
    key: np.uint64,
    places: NDArray[np.int32],
    favour: Array,
    avoid: Array,
) -> int:
    """Move a_k of these documents and their words' ln z in place; return the evaluations.

    Document d acts on the words `members[starts[d]:starts[d + 1]]` with weights `acts`.
    `concentration` (D, K) is s pi and `spread` (K, N) what it comes to at each word, or
    (K, 0) where each word has its document's.  With the scaling given, the other
    concentrations make room as in `documents`.  `places`, `favour` and `avoid` are those of
    `WordHints`.
    """
    topics = log_memberships.shape[0]
    features = words.shape[0]
    alike = spread.shape[1] == 0
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    nothing = np.zeros(topics)
    near_logs = np.empty(topics)
    candidate = np.empty(topics)
    kind = 0 if learn_scaling else 3
    evaluations = 0
    for document in documents:
        a = concentration[document]
        shifts = not a[k] < MOST_STRETCHED
        if shifts and learn_scaling:
            continue
        mine = members[starts[document] : starts[document + 1]]
        my_acts = acts[starts[document] : starts[document + 1]]
        size = mine.size
        if size == 0:
            continue
        local_words = np.empty((features, size))
        ratios = np.empty((topics, size))
        local = np.empty((topics, size))
        gather_columns(mine, words, local_words)
        gather_columns(mine, log_memberships, ratios)
        if alike:
            for j in range(topics):
                local[j, :] = a[j]
        else:
            gather_columns(mine, spread, local)
        scratch = np.empty((-(-size // BLOCK), _ROWS * BLOCK))
        below = _prepare(
            k, local_words, ratios, local, my_acts, means, 1.0 / variance, fuzzifier,
            logs, shares, weights, scratch,
        )  # fmt: skip
        hinted = words_with_hints(mine, places)
        touching = neighbours[neighbour_starts[document] : neighbour_starts[document + 1]]
        sum_near_logs(touching, concentration, near_logs)
        counter = np.uint64(document) * JOINT_UNIFORMS_PER_DOCUMENT
        left = -_BRACKET * uniform(key, counter)
        right = left + _BRACKET
        height = 0.0
        step = 0.0
        for attempt in range(_MOST_TRIES):
            value = log_density(kind, k, step, a, 0.0, nothing, alpha, rate, candidate)
            if value > -np.inf and (candidate[k] < MOST_STRETCHED) != shifts:
                evaluations += 1
                value += coupling_density(candidate, touching.size, near_logs, coupling)
                value += _words_density(
                    k, size, candidate - a, kind == 3, shifts, alike, below, ratios, local,
                    fuzzifier, scratch,
                )  # fmt: skip
                if hinted.size > 0:
                    value += hints_density(k, hinted, mine, places, favour, avoid, ratios, scratch)
            else:
                value = -np.inf
            if attempt == 0:
                height = value + math.log(uniform(key, counter + np.uint64(1)))
            elif value > height:
                _carry_out(k, mine, log_memberships, logs, shares, scratch)
                if not alike:
                    for j in range(topics):
                        for i in range(size):
                            spread[j, mine[i]] += my_acts[i] * (candidate[j] - a[j])
                a[:] = candidate
                break
            elif step < 0.0:
                left = step
            else:
                right = step
            step = left + (right - left) * uniform(key, counter + np.uint64(attempt + 2))
    return evaluations
