"""Proportions and scaling of documents that act on words beyond their borders.

Document d has A_d = s_d pi_d, and at word n the Dirichlet parameters are
a_nk = sum_d w_nd A_dk.  One document's step changes a_nk of the words it acts on by
w_nd D, so its log density is, up to what does not change,

    sum_n [ ln G(s_n) - sum_k ln G(a_nk) + sum_k a_nk ln z_nk ]
    + the document's prior (see `documents`) - tau / 2 sum_{d' ~ d} sum_k (ln A_dk - ln A_d'k)^2

with s_n = sum_k a_nk.  Each ln A_dk is drawn by a slice, then ln s_d with the proportions
held, document after document.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.documents import (
    LEAST_CONCENTRATION,
    UNIFORMS_PER_DOCUMENT,
    log_density,
)
from pmlda_gui.core.vector_math import log_gamma, log_gamma_difference, uniform

__all__ = ["coupling_density", "slice_field", "sum_near_logs", "word_densities"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_MOST_STEPS = 20


@kernel
def sum_near_logs(near: Indices, concentration: Array, sums: Array) -> None:
    """The sums over neighbouring documents of ln A, (K)."""
    sums[:] = 0.0
    for other in near:
        for k in range(sums.size):
            sums[k] += math.log(concentration[other, k])


@kernel
def coupling_density(a: Array, near: int, near_logs: Array, coupling: float) -> float:
    """What `near` neighbours, whose ln A sum to `near_logs`, say of a document's `a` (K).

    Up to what does not depend on `a`.
    """
    if coupling == 0.0 or near == 0:
        return 0.0
    total = 0.0
    for k in range(a.size):
        own = math.log(a[k])
        total += own * (near * own - 2.0 * near_logs[k])
    return -0.5 * coupling * total


@kernel
def word_densities(spread: Array, logs: Array, values: Array) -> None:
    """ln Dirichlet(z | a) of every word but for -sum ln z, from a (K, N) and ln z (K, N)."""
    topics, words = spread.shape
    totals = np.zeros(words)
    for i in range(words):
        values[i] = 0.0
    for k in range(topics):
        for i in range(words):
            a = spread[k, i]
            totals[i] += a
            values[i] += a * logs[k, i] - log_gamma(a)
    for i in range(words):
        values[i] += log_gamma(totals[i])


@kernel
def _words_density(
    kind: int,
    k: int,
    steps: Array,
    acts: Array,
    spread: Array,
    totals: Array,
    logs: Array,
    values: Array,
) -> float:
    """Log density of the words a document acts on once its concentrations moved by `steps`."""
    topics, words = spread.shape
    if kind == 0:
        step = steps[k]
        for i in range(words):
            moved = acts[i] * step
            own = max(spread[k, i] + moved, LEAST_CONCENTRATION)
            values[i] = log_gamma_difference(totals[i] + moved, own) + own * logs[k, i]
    else:
        whole = steps.sum()
        for i in range(words):
            values[i] = log_gamma(totals[i] + acts[i] * whole)
        for j in range(topics):
            step = steps[j]
            for i in range(words):
                own = max(spread[j, i] + acts[i] * step, LEAST_CONCENTRATION)
                values[i] += own * logs[j, i] - log_gamma(own)
    total = 0.0
    for i in range(words):
        total += values[i]
    return total


@kernel
def _density(
    kind: int,
    k: int,
    step: float,
    a: Array,
    acts: Array,
    spread: Array,
    totals: Array,
    logs: Array,
    near: int,
    near_logs: Array,
    coupling: float,
    alpha: Array,
    rate: float,
    nothing: Array,
    candidate: Array,
    values: Array,
) -> float:
    """Log density after moving by `step`, as in `documents`; `candidate` receives the new a."""
    density = log_density(kind, k, step, a, 0.0, nothing, alpha, rate, candidate)
    if density == -np.inf:
        return density
    density += coupling_density(candidate, near, near_logs, coupling)
    return density + _words_density(kind, k, candidate - a, acts, spread, totals, logs, values)


@kernel
def _slice(
    kind: int,
    k: int,
    width: float,
    a: Array,
    acts: Array,
    spread: Array,
    totals: Array,
    logs: Array,
    near: int,
    near_logs: Array,
    coupling: float,
    alpha: Array,
    rate: float,
    nothing: Array,
    candidate: Array,
    values: Array,
    key: np.uint64,
    counter: np.uint64,
) -> tuple[np.uint64, int]:
    """One slice step, stepping out and shrinking; return the counter and the evaluations."""
    here = _density(
        kind, k, 0.0, a, acts, spread, totals, logs, near, near_logs, coupling, alpha, rate,
        nothing, candidate, values,
    )  # fmt: skip
    height = here + math.log(uniform(key, counter))
    left = -width * uniform(key, counter + np.uint64(1))
    right = left + width
    evaluations = 1
    # The number of steps each way is bounded at random, which keeps the step exact.
    share = int(_MOST_STEPS * uniform(key, counter + np.uint64(2)))
    counter += np.uint64(3)
    for _ in range(share):
        evaluations += 1
        value = _density(
            kind, k, left, a, acts, spread, totals, logs, near, near_logs, coupling, alpha,
            rate, nothing, candidate, values,
        )  # fmt: skip
        if value <= height:
            break
        left -= width
    for _ in range(_MOST_STEPS - 1 - share):
        evaluations += 1
        value = _density(
            kind, k, right, a, acts, spread, totals, logs, near, near_logs, coupling, alpha,
            rate, nothing, candidate, values,
        )  # fmt: skip
        if value <= height:
            break
        right += width
    for _ in range(200):
        step = left + (right - left) * uniform(key, counter)
        counter += np.uint64(1)
        evaluations += 1
        value = _density(
            kind, k, step, a, acts, spread, totals, logs, near, near_logs, coupling, alpha,
            rate, nothing, candidate, values,
        )  # fmt: skip
        if value > height:
            for j in range(a.size):
                moved = candidate[j] - a[j]
                if moved != 0.0:
                    for i in range(acts.size):
                        spread[j, i] += acts[i] * moved
                        totals[i] += acts[i] * moved
                a[j] = candidate[j]
            break
        if step < 0.0:
            left = step
        else:
            right = step
    return counter, evaluations


@kernel
def slice_field(
    concentration: Array,
    spread: Array,
    log_memberships: Array,
    starts: Indices,
    members: Indices,
    acts: Array,
    neighbour_starts: Indices,
    neighbours: Indices,
    coupling: float,
    alpha: Array,
    rate: float,
    learn_proportions: bool,
    learn_scaling: bool,
    key: np.uint64,
) -> int:
    """Update A = s pi (D, K) of all documents and `spread` (K, N) in place.

    Document d acts on the words `members[starts[d]:starts[d + 1]]` with weights `acts`, and
    touches `neighbours[neighbour_starts[d]:neighbour_starts[d + 1]]`.  Returns the number of
    evaluations.
    """
    documents, topics = concentration.shape
    nothing = np.zeros(topics)
    near_logs = np.empty(topics)
    candidate = np.empty(topics)
    evaluations = 0
    for document in range(documents):
        begin, end = starts[document], starts[document + 1]
        size = end - begin
        mine = members[begin:end]
        my_acts = acts[begin:end]
        local = np.empty((topics, size))
        logs = np.empty((topics, size))
        totals = np.zeros(size)
        values = np.empty(size)
        for k in range(topics):
            for i in range(size):
                local[k, i] = spread[k, mine[i]]
                logs[k, i] = log_memberships[k, mine[i]]
                totals[i] += local[k, i]
        touching = neighbours[neighbour_starts[document] : neighbour_starts[document + 1]]
        near = touching.size
        sum_near_logs(touching, concentration, near_logs)
        # About the width of the slice: what the words and the neighbours leave open.
        width = 4.0 / math.sqrt(2.0 + my_acts.sum() + coupling * near)
        a = concentration[document]
        counter = np.uint64(document) * UNIFORMS_PER_DOCUMENT
        if learn_proportions:
            for k in range(topics):
                counter, more = _slice(
                    0 if learn_scaling else 3, k, width, a, my_acts, local, totals, logs, near,
                    near_logs, coupling, alpha, rate, nothing, candidate, values, key, counter,
                )  # fmt: skip
                evaluations += more
        if learn_scaling:
            counter, more = _slice(
                1 if learn_proportions else 2, 0, width, a, my_acts, local, totals, logs, near,
                near_logs, coupling, alpha, rate, nothing, candidate, values, key, counter,
            )  # fmt: skip
            evaluations += more
        for k in range(topics):
            for i in range(size):
                spread[k, mine[i]] = local[k, i]
    return evaluations
