"""The predictive density of words: their density averaged over memberships.

Estimated by importance sampling from an even mixture of the Dirichlet that memberships
have and one around the word's likeliest membership, so that weights are at most 2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.related_models import topic_weights

__all__ = ["log_predictive"]

Array = NDArray[np.float64]
_SAMPLES = 48
# How sure the second Dirichlet is of the likeliest membership, and its floor for each topic.
_SURE, _FLOOR = 20.0, 0.3
_ROUNDS = 12
_LEAST_CONCENTRATION = 1e-3


def log_predictive(
    words: Array, concentration: Array, means: Array, variance: float, fuzzifier: float
) -> Array:
    """The log predictive density (N) of words (N, p) under Dirichlets (N, K) and topics (K, p).

    The same random numbers are used each time, so that what changes is the topics.
    """
    rng = np.random.default_rng(0)
    wide = np.maximum(concentration, _LEAST_CONCENTRATION)
    near = _FLOOR + _SURE * _likeliest(words, means)
    half = _SAMPLES // 2
    logs = np.concatenate([_log_dirichlet(each, half, rng) for each in (wide, near)])
    squares = np.sum((words - topic_weights(logs, fuzzifier) @ means) ** 2, axis=2)
    data = -0.5 * (squares / variance + words.shape[1] * math.log(2.0 * math.pi * variance))
    prior, other = (_log_density(logs, each) for each in (wide, near))
    terms = data + prior - (np.logaddexp(prior, other) - math.log(2.0))
    top = terms.max(axis=0)
    predictive: Array = top + np.log(np.mean(np.exp(terms - top), axis=0))
    return predictive


def _likeliest(words: Array, means: Array) -> Array:
    """Memberships (N, K) whose mixtures come nearest to the words, by multiplied gradients."""
    shares = np.full((len(words), len(means)), 1.0 / len(means))
    gram, pulls = means @ means.T, words @ means.T
    scale = max(float(np.ptp(gram)), 1e-12)
    for _ in range(_ROUNDS):
        steps = 4.0 * (pulls - shares @ gram) / scale
        shares = shares * np.exp(steps - steps.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return shares


def _log_dirichlet(concentration: Array, count: int, rng: np.random.Generator) -> Array:
    """Logs of `count` Dirichlet draws for each of N concentrations, (count, N, K)."""
    shape = (count, *concentration.shape)
    # ln of a Gamma variable that may be far too small to be held itself.
    logs = np.log(rng.standard_gamma(concentration + 1.0, shape))
    logs += np.log(1.0 - rng.random(shape)) / concentration
    top = logs.max(axis=2, keepdims=True)
    normalised: Array = logs - top - np.log(np.exp(logs - top).sum(axis=2, keepdims=True))
    return normalised


def _log_density(logs: Array, concentration: Array) -> Array:
    """The log density of draws (count, N, K) under Dirichlets (N, K), in logit measure."""
    from scipy.special import gammaln

    constant = gammaln(concentration.sum(axis=1)) - gammaln(concentration).sum(axis=1)
    density: Array = (logs * concentration).sum(axis=2) + constant
    return density
