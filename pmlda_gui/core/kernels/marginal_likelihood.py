"""The likelihood of words with their memberships integrated out, by Monte Carlo."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.vector_math import exp, uniform

__all__ = ["marginal_log_likelihood"]

Array = NDArray[np.float64]


@kernel
def _log_gamma_variate(a: float, key: np.uint64, counter: np.uint64) -> float:
    """ln of a Gamma(a) variable (Marsaglia and Tsang), from numbers 1, 2, ... after `counter`."""
    d = a + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    place = counter
    while True:
        u1 = uniform(key, place + np.uint64(1))
        u2 = uniform(key, place + np.uint64(2))
        normal = math.sqrt(-2.0 * math.log(u1)) * math.cos(2.0 * math.pi * u2)
        v = 1.0 + c * normal
        if v > 0.0:
            v = v * v * v
            u = uniform(key, place + np.uint64(3))
            if math.log(u) < 0.5 * normal * normal + d - d * v + d * math.log(v):
                break
        place += np.uint64(3)
    # Gamma(a) from Gamma(a + 1): exact and free of underflow for tiny a.
    return math.log(d * v) + math.log(uniform(key, counter)) / a


@kernel
def marginal_log_likelihood(
    words: Array,
    chosen: NDArray[np.int64],
    documents: NDArray[np.int64],
    concentration: Array,
    means: Array,
    variance: float,
    fuzzifier: float,
    draws: int,
    key: np.uint64,
) -> Array:
    """ln E[Normal(x | w(z) mu, sigma^2 I)] over z ~ Dirichlet(s_d pi_d) for the chosen words.

    `documents` gives each chosen word's document, in ascending order; the draws of
    a document serve all its words, and the same `key` gives the same draws.
    """
    topics, features = means.shape
    result = np.empty(chosen.size)
    centres = np.empty((features, draws))
    logs = np.empty(topics)
    squares = np.empty(draws)
    last = np.int64(-1)
    constant = -0.5 * features * math.log(2.0 * math.pi * variance) - math.log(draws)
    for n in range(chosen.size):
        document = documents[n]
        if document != last:
            last = document
            for r in range(draws):
                peak = -np.inf
                for k in range(topics):
                    place = np.uint64(((document * draws + r) * topics + k) * 64)
                    logs[k] = fuzzifier * _log_gamma_variate(concentration[document, k], key, place)
                    peak = max(peak, logs[k])
                total = 0.0
                for k in range(topics):
                    logs[k] = math.exp(logs[k] - peak)
                    total += logs[k]
                for q in range(features):
                    centre = 0.0
                    for k in range(topics):
                        centre += logs[k] * means[k, q]
                    centres[q, r] = centre / total
        for r in range(draws):
            squares[r] = 0.0
        for q in range(features):
            value = words[q, chosen[n]]
            for r in range(draws):
                away = value - centres[q, r]
                squares[r] += away * away
        least = squares[0]
        for r in range(1, draws):
            least = min(least, squares[r])
        for r in range(draws):
            squares[r] = exp((least - squares[r]) * (0.5 / variance))
        total = 0.0
        for r in range(draws):
            total += squares[r]
        result[n] = math.log(total) - 0.5 * least / variance + constant
    return result
