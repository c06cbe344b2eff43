"""The densities of the model and of its relatives, written out in full.

These are for reports, figures and tests; the samplers work from sufficient
statistics and agree with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, log_gamma
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import State

__all__ = [
    "LogJoint",
    "bfc_log_density",
    "bpm_log_density",
    "document_terms",
    "generating_distribution",
    "log_joint",
    "log_joint_terms",
    "topic_weights",
    "unified_log_density",
]

Array = NDArray[np.float64]


def _log_gamma(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    return log_gamma(np.ascontiguousarray(array).ravel()).reshape(array.shape)


@dataclass(frozen=True)
class LogJoint:
    """The log joint density by its terms.

    `proportions`, `scaling`, `words` and `memberships` are those of the paper's
    one-document equation, summed over documents; `means` and `variance` are the
    priors of the topics.
    """

    proportions: float
    scaling: float
    memberships: float
    words: float
    means: float
    variance: float

    @property
    def total(self) -> float:
        """The sum of all terms."""
        return float(sum(getattr(self, field.name) for field in fields(self)))


def topic_weights(log_memberships: Array, fuzzifier: float) -> Array:
    """w_k = z_k^m / sum_j z_j^m along the last axis, from ln z."""
    powers = fuzzifier * log_memberships
    weights = np.exp(powers - powers.max(axis=-1, keepdims=True))
    normalised: Array = weights / weights.sum(axis=-1, keepdims=True)
    return normalised


def document_terms(
    parameters: Parameters,
    proportions: Array,
    scaling: Array,
    sizes: NDArray[np.int64],
    log_sums: Array,
) -> tuple[float, float, float]:
    """The terms of proportions, scaling and memberships, from the sums of ln z (D, K).

    A fixed value has no prior, so its term is 0.
    """
    alpha = parameters.alpha_vector
    # Proportions and concentrations are kept from 0, as the samplers do.
    proportions = np.maximum(proportions, 1e-300)
    concentration = np.maximum(scaling[:, None] * proportions, LEAST_CONCENTRATION)
    prior_of_proportions = prior_of_scaling = 0.0
    if parameters.proportions is None:
        constant = math.lgamma(alpha.sum()) - float(_log_gamma(alpha).sum())
        prior_of_proportions = len(proportions) * constant + float(
            np.sum((alpha - 1.0) * np.log(proportions))
        )
    if parameters.scaling is None:
        prior_of_scaling = float(np.sum(math.log(parameters.rate) - parameters.rate * scaling))
    normaliser = _log_gamma(scaling) - _log_gamma(concentration).sum(axis=1)
    memberships = float(sizes @ normaliser + np.sum((concentration - 1.0) * log_sums))
    return prior_of_proportions, prior_of_scaling, memberships


def log_joint_terms(
    corpus: Corpus, parameters: Parameters, state: State, prior: TopicPrior | None = None
) -> LogJoint:
    """The log joint density of words and state, term by term.

    `prior` is the topics' prior, by default the one made from the corpus.
    """
    prior = TopicPrior.from_corpus(corpus) if prior is None else prior
    log_sums = np.add.reduceat(state.log_memberships, corpus.offsets[:-1], axis=0)
    proportions, scaling, memberships = document_terms(
        parameters, state.proportions, state.scaling, corpus.document_sizes, log_sums
    )
    weights = topic_weights(state.log_memberships, parameters.fuzzifier)
    squares = float(np.sum((corpus.words - weights @ state.means) ** 2))
    values = corpus.size * corpus.features
    words = -0.5 * (values * math.log(2.0 * math.pi * state.variance) + squares / state.variance)
    return LogJoint(
        proportions=proportions,
        scaling=scaling,
        memberships=memberships,
        words=words,
        means=prior.log_density_of_means(state.means),
        variance=prior.log_density_of_variance(state.variance),
    )


def log_joint(
    corpus: Corpus, parameters: Parameters, state: State, prior: TopicPrior | None = None
) -> float:
    """The log joint density of words and state."""
    return log_joint_terms(corpus, parameters, state, prior).total


def _log_dirichlet(memberships: Array, concentration: Array) -> Array:
    constant = math.lgamma(concentration.sum()) - float(_log_gamma(concentration).sum())
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
