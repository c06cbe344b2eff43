"""Proportions and scaling of each document, from its sums of ln z alone.

With a_k = s pi_k, N words and T_k = sum_n ln z_nk, the log density of (ln a_k) is

    N [ln G(s) - sum ln G(a_k)] + sum a_k T_k + sum alpha_k ln a_k
    + (1 - sum alpha) ln s - lambda s,      s = sum a_k,

so a step costs a few log-gammas however many words there are, and many cheap
slice steps are taken for each pass over the words.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.vector_math import uniform

__all__ = [
    "LEAST_CONCENTRATION",
    "UNIFORMS_PER_DOCUMENT",
    "log_density",
    "log_gamma",
    "slice_documents",
]

Array = NDArray[np.float64]

# Bounds of a_k = s pi_k and of s: the prior is cut off there, far from any seabed.
LEAST_CONCENTRATION = 1e-10
_MOST_SCALING = 1e8
_ROUNDS = 2
_MOST_STEPS = 60
UNIFORMS_PER_DOCUMENT = np.uint64(1 << 20)


@kernel
def log_gamma(values: Array) -> Array:
    """ln Gamma of every element of a flat array."""
    result = np.empty_like(values)
    for i in range(values.size):
        result[i] = math.lgamma(values[i])
    return result


@kernel
def log_density(
    kind: int,
    k: int,
    step: float,
    a: Array,
    words: float,
    sums: Array,
    alpha: Array,
    rate: float,
    candidate: Array,
) -> float:
    """Log density of the document after moving by `step`; `candidate` receives the new a.

    kind 0 moves ln a_k; kind 1 moves ln s with pi fixed, where s carries the
    prior of the full model; kind 2 the same with pi given, which leaves only the
    prior of s; kind 3 moves the log odds of pi_k with s fixed.
    """
    topics = a.size
    s = 0.0
    if kind == 0:
        for j in range(topics):
            candidate[j] = a[j]
        candidate[k] = a[k] * math.exp(step)
    elif kind < 3:
        for j in range(topics):
            candidate[j] = a[j] * math.exp(step)
    else:
        rest = 0.0
        for j in range(topics):
            s += a[j]
            if j != k:
                rest += a[j]
        odds = a[k] / rest * math.exp(step)
        for j in range(topics):
            candidate[j] = a[j] * (s / rest) / (1.0 + odds)
        candidate[k] = s * (odds / (1.0 + odds))
        s = 0.0
    total_alpha = 0.0
    density = 0.0
    for j in range(topics):
        value = candidate[j]
        if not value >= LEAST_CONCENTRATION:
            return -np.inf
        s += value
        total_alpha += alpha[j]
        if words > 0.0:
            density += value * sums[j] - words * math.lgamma(value)
    if not s <= _MOST_SCALING * 1.0000001:
        return -np.inf
    if words > 0.0:
        density += words * math.lgamma(s)
    if kind == 2:
        return density + math.log(s) - rate * s
    for j in range(topics):
        density += alpha[j] * math.log(candidate[j])
    if kind == 3:
        # Jacobian of (log odds of pi_k, ratios of the others): pi_k (1 - pi_k)^(K - 1)
        # against pi^(alpha - 1), of which the ratios' constants are left out.
        others = 0.0
        for j in range(topics):
            if j != k:
                density -= math.log(candidate[j])
                others += candidate[j]
        return density + (topics - 1) * math.log(others / s)
    return density + (1.0 - total_alpha) * math.log(s) - rate * s


@kernel
def _slice(
    kind: int,
    k: int,
    a: Array,
    words: float,
    sums: Array,
    alpha: Array,
    rate: float,
    key: np.uint64,
    counter: np.uint64,
    candidate: Array,
) -> tuple[np.uint64, int]:
    """One slice step, stepping out and shrinking; return the counter and the evaluations."""
    width = min(3.0, 3.0 / math.sqrt(words))
    here = log_density(kind, k, 0.0, a, words, sums, alpha, rate, candidate)
    height = here + math.log(uniform(key, counter))
    left = -width * uniform(key, counter + np.uint64(1))
    counter += np.uint64(2)
    right = left + width
    evaluations = 1
    # The number of steps each way is bounded at random, which keeps the step exact.
    share = int(_MOST_STEPS * uniform(key, counter))
    counter += np.uint64(1)
    for _ in range(share):
        evaluations += 1
        if log_density(kind, k, left, a, words, sums, alpha, rate, candidate) <= height:
            break
        left -= width
    for _ in range(_MOST_STEPS - 1 - share):
        evaluations += 1
        if log_density(kind, k, right, a, words, sums, alpha, rate, candidate) <= height:
            break
        right += width
    for _ in range(200):
        step = left + (right - left) * uniform(key, counter)
        counter += np.uint64(1)
        evaluations += 1
        if log_density(kind, k, step, a, words, sums, alpha, rate, candidate) > height:
            for j in range(a.size):
                a[j] = candidate[j]
            break
        if step < 0.0:
            left = step
        else:
            right = step
    return counter, evaluations


@kernel
def slice_documents(
    concentration: Array,
    sizes: NDArray[np.int64],
    sums: Array,
    from_document: int,
    to_document: int,
    alpha: Array,
    rate: float,
    learn_proportions: bool,
    learn_scaling: bool,
    key: np.uint64,
) -> int:
    """Update a = s pi (D, K) of these documents in place; return the number of evaluations."""
    topics = concentration.shape[1]
    candidate = np.empty(topics)
    evaluations = 0
    for document in range(from_document, to_document):
        a = concentration[document]
        counter = np.uint64(document) * UNIFORMS_PER_DOCUMENT
        words = float(sizes[document])
        for _ in range(_ROUNDS):
            if learn_proportions:
                for k in range(topics):
                    counter, more = _slice(
                        0 if learn_scaling else 3, k, a, words, sums[document], alpha, rate,
                        key, counter, candidate,
                    )  # fmt: skip
                    evaluations += more
            if learn_scaling:
                counter, more = _slice(
                    1 if learn_proportions else 2, 0, a, words, sums[document], alpha, rate,
                    key, counter, candidate,
                )  # fmt: skip
                evaluations += more
    return evaluations
