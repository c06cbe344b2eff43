"""The density of the model, written out in full.

For reports and tests; the samplers work from sufficient statistics and agree with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.field import Influence, influence_of
from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, log_gamma
from pmlda_gui.core.kernels.field_documents import word_densities
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.state import State

__all__ = [
    "LogJoint",
    "document_terms",
    "field_terms",
    "log_joint",
    "log_joint_terms",
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
    priors of the topics; `coupling` is that of documents which touch, up to a constant;
    `hints` are what has been said about single words.
    """

    proportions: float
    scaling: float
    memberships: float
    words: float
    means: float
    variance: float
    coupling: float = 0.0
    hints: float = 0.0

    @cached_property
    def total(self) -> float:
        """The sum of all terms."""
        return float(sum(getattr(self, field.name) for field in fields(self)))


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
    concentration = np.maximum(scaling[:, None] * proportions, LEAST_CONCENTRATION)
    normaliser = _log_gamma(scaling) - _log_gamma(concentration).sum(axis=1)
    memberships = float(sizes @ normaliser + np.sum((concentration - 1.0) * log_sums))
    return *_document_priors(parameters, proportions, scaling), memberships


def _document_priors(
    parameters: Parameters, proportions: Array, scaling: Array
) -> tuple[float, float]:
    """The terms of proportions and scaling."""
    alpha = parameters.alpha_vector
    prior_of_proportions = prior_of_scaling = 0.0
    if parameters.proportions is None:
        constant = math.lgamma(alpha.sum()) - float(_log_gamma(alpha).sum())
        # Proportions are kept from 0, as the samplers do.
        logs = np.log(np.maximum(proportions, 1e-300))
        prior_of_proportions = len(proportions) * constant + float(np.sum((alpha - 1.0) * logs))
    if parameters.scaling is None:
        prior_of_scaling = float(np.sum(math.log(parameters.rate) - parameters.rate * scaling))
    return prior_of_proportions, prior_of_scaling


def field_terms(
    parameters: Parameters,
    proportions: Array,
    scaling: Array,
    influence: Influence,
    log_memberships: Array,
) -> tuple[float, float, float, float]:
    """The terms of proportions, scaling, memberships and coupling, from all ln z (K, N)."""
    concentration = np.maximum(scaling[:, None] * proportions, LEAST_CONCENTRATION)
    values = np.empty(influence.words)
    word_densities(influence.spread(concentration), log_memberships, values)
    memberships = float(values.sum() - log_memberships.sum())
    document = np.repeat(np.arange(influence.documents), np.diff(influence.neighbour_starts))
    logs = np.log(concentration)
    away = logs[document] - logs[influence.neighbours]
    # Each pair of neighbours stands there twice.
    coupling = -0.25 * parameters.coupling * float(np.sum(away**2))
    return *_document_priors(parameters, proportions, scaling), memberships, coupling


def log_joint_terms(
    corpus: Corpus,
    parameters: Parameters,
    state: State,
    prior: TopicPrior | None = None,
    hints: WordHints | None = None,
) -> LogJoint:
    """The log joint density of words and state, term by term.

    `prior` is the topics' prior, by default the one made from the corpus.
    """
    prior = TopicPrior.from_corpus(corpus) if prior is None else prior
    influence, coupling = influence_of(corpus, parameters), 0.0
    if influence is None:
        log_sums = np.add.reduceat(state.log_memberships, corpus.offsets[:-1], axis=0)
        proportions, scaling, memberships = document_terms(
            parameters, state.proportions, state.scaling, corpus.document_sizes, log_sums
        )
    else:
        logs = np.ascontiguousarray(state.log_memberships.T)
        proportions, scaling, memberships, coupling = field_terms(
            parameters, state.proportions, state.scaling, influence, logs
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
        coupling=coupling,
        hints=0.0 if hints is None else hints.log_density(state.log_memberships.T),
    )


def log_joint(
    corpus: Corpus, parameters: Parameters, state: State, prior: TopicPrior | None = None
) -> float:
    """The log joint density of words and state."""
    return log_joint_terms(corpus, parameters, state, prior).total
