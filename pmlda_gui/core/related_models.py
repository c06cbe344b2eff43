"""The densities of related models: BPM, BFC and the paper's unified model.

For figures and tests, on numpy alone: a figure does not wait for the compiler.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bfc_log_density",
    "bpm_log_density",
    "generating_distribution",
    "topic_weights",
    "unified_log_density",
]

Array = NDArray[np.float64]


def topic_weights(log_memberships: Array, fuzzifier: float) -> Array:
    """w_k = z_k^m / sum_j z_j^m along the last axis, from ln z."""
    powers = fuzzifier * log_memberships
    weights = np.exp(powers - powers.max(axis=-1, keepdims=True))
    normalised: Array = weights / weights.sum(axis=-1, keepdims=True)
    return normalised


def _log_dirichlet(memberships: Array, concentration: Array) -> Array:
    constant = math.lgamma(concentration.sum()) - sum(map(math.lgamma, concentration))
    density: Array = constant + np.log(memberships) @ (concentration - 1.0)
    return density


def _squared_distances(words: Array, means: Array) -> Array:
    """|x - mu_k|^2 for words (..., p) and means (K, p): (..., K)."""
    return np.sum((words[..., None, :] - means) ** 2, axis=-1)


def bpm_log_density(
    words: Array,
    memberships: Array,
    proportions: Array,
    scaling: float,
    means: Array,
    variance: float,
    alpha: Array,
    rate: float,
) -> Array:
    """Log density of each word with its membership under BPM (Heller 2008), priors included.

    `words` (..., p), `memberships` (..., K); the covariance is `variance` times I.
    """
    mixed = memberships @ means
    squares = np.sum((words - mixed) ** 2, axis=-1)
    data = -0.5 * (means.shape[1] * math.log(2.0 * math.pi * variance) + squares / variance)
    priors = _log_dirichlet(proportions, alpha) + math.log(rate) - rate * scaling
    density: Array = data + _log_dirichlet(memberships, scaling * proportions) + priors
    return density


def bfc_log_density(
    words: Array, memberships: Array, means: Array, alpha: Array, fuzzifier: float
) -> Array:
    """Log density of each word with its membership under BFC (Glenn 2015), up to a constant.

    The normaliser of the fuzzy data likelihood cancels against the fuzzy cluster
    prior, which leaves -1/2 sum_k z_k^m |x - mu_k|^2 and Dirichlet(alpha).
    """
    fuzzy = -0.5 * np.sum(memberships**fuzzifier * _squared_distances(words, means), axis=-1)
    density: Array = fuzzy + _log_dirichlet(memberships, alpha)
    return density


def unified_log_density(
    words: Array,
    memberships: Array,
    proportions: Array,
    scaling: float,
    means: Array,
    alpha: Array,
    rate: float,
    fuzzifier: float,
) -> Array:
    """Log density of each word with its membership under the paper's unified model.

    BFC's fuzzy data likelihood with BPM's priors, up to the constant of the paper.
    """
    fuzzy = -0.5 * np.sum(memberships**fuzzifier * _squared_distances(words, means), axis=-1)
    priors = _log_dirichlet(proportions, alpha) + math.log(rate) - rate * scaling
    density: Array = fuzzy + _log_dirichlet(memberships, scaling * proportions) + priors
    return density


def generating_distribution(
    memberships: ArrayLike, means: ArrayLike, covariances: ArrayLike, fuzzifier: float = 1.0
) -> tuple[Array, Array]:
    """Mean (p) and covariance (p, p) of a word with these memberships (K).

    Topics may differ in covariance (K, p, p): the natural parameters mix, so the
    precision is the weighted sum of precisions and the mean is weighted by them.
    """
    shares = np.maximum(np.asarray(memberships, dtype=np.float64), 1e-300)
    weights = topic_weights(np.log(shares), fuzzifier)
    precisions = np.linalg.inv(np.asarray(covariances, dtype=np.float64))
    precision = np.einsum("k,kpq->pq", weights, precisions)
    covariance = np.linalg.inv(precision)
    pull = np.einsum("k,kpq,kq->p", weights, precisions, np.asarray(means, dtype=np.float64))
    return covariance @ pull, covariance
