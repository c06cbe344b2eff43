"""Bayesian Fuzzy Clustering (Glenn 2015) and the paper's unified model, as samplers.

Both have the fuzzy data likelihood, whose logarithm is -1/2 sum_k z_k^m |x - mu_k|^2.
BFC draws memberships from Dirichlet(alpha); the unified model from Dirichlet(s pi)
with each document's own s and pi.  Memberships are proposed from that prior, so only
the likelihood is left in the ratio; means are normal given the memberships.

The likelihood has unit variance, so words are first brought to unit variance within
the groups that the sampler begins with; without that the topics collapse into one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, slice_documents
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.simulate import draw_log_dirichlet
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.k_means import start_means
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["BayesianFuzzyClustering", "UnifiedModel"]

Array = NDArray[np.float64]
_PROPOSALS_PER_SWEEP = 2
# Where m < 0, z^m has no bound; this one is beyond any likelihood that is ever accepted.
_LARGEST_LOG = 300.0
_LEAST_VARIANCE = 1e-12


def _powers(log_memberships: Array, fuzzifier: float) -> Array:
    """z^m from ln z."""
    return np.exp(np.minimum(fuzzifier * log_memberships, _LARGEST_LOG))


def _squared_distances(words: Array, means: Array) -> Array:
    """|x - mu_k|^2, (N, K)."""
    return np.stack([np.sum((words - mean) ** 2, axis=1) for mean in means], axis=1)


def _renew_memberships(
    rng: np.random.Generator, logs: Array, distances: Array, concentration: Array, fuzzifier: float
) -> float:
    """Propose ln z (N, K) of every word from its prior, in place; the share accepted.

    `concentration` (N, K) is that of each word's Dirichlet prior.
    """
    fit = -0.5 * np.sum(_powers(logs, fuzzifier) * distances, axis=1)
    proposed = draw_log_dirichlet(rng, concentration)
    better = -0.5 * np.sum(_powers(proposed, fuzzifier) * distances, axis=1)
    taken = -rng.standard_exponential(len(fit)) <= better - fit
    logs[taken] = proposed[taken]
    return float(taken.mean())


def _draw_means(
    rng: np.random.Generator, words: Array, logs: Array, prior: TopicPrior, fuzzifier: float
) -> Array:
    """Means (K, p) given the memberships: each word counts with precision z^m."""
    weights = _powers(logs, fuzzifier)
    inverse = np.linalg.inv(prior.covariance)
    identity = np.eye(words.shape[1])
    means = np.empty((weights.shape[1], words.shape[1]))
    for k, weight in enumerate(weights.T):
        spread = np.linalg.inv(inverse + weight.sum() * identity)
        centre = spread @ (inverse @ prior.centre + weight @ words)
        means[k] = rng.multivariate_normal(centre, spread, method="cholesky")
    return means


@dataclass(frozen=True)
class UnifiedModel:
    """The paper's unified model; `alpha`, `rate` [lambda] and `fuzzifier` [m] are its own."""

    fuzzifier: float = 1.5
    alpha: float = 1.0
    rate: float = 1.0
    sweeps: int = 40
    name = "unified"
    title = "unified model"
    soft = True
    learns_documents = True

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit a sweep, the average of those so far; the objective is the log likelihood."""
        sizes = np.diff(words.offsets)
        documents = np.repeat(np.arange(len(sizes)), sizes)
        means = start_means(words, topics, seed)
        nearest = _squared_distances(words.words, means).min(axis=1)
        variance = max(float(nearest.mean()) / words.words.shape[1], _LEAST_VARIANCE)
        table, means = words.words / np.sqrt(variance), means / np.sqrt(variance)
        prior = TopicPrior.from_corpus(Corpus(table, words.offsets))
        concentration = np.full((len(sizes), topics), self.alpha)
        logs = np.full((len(table), topics), -np.log(topics))
        average, average_means = np.exp(logs), means.copy()
        average_concentration = concentration.copy()
        trace: list[float] = []
        for sweep in range(1, self.sweeps + 1):
            rng = np.random.default_rng([seed, sweep])
            distances = _squared_distances(table, means)
            priors = concentration[documents]
            accepted = []
            for _ in range(_PROPOSALS_PER_SWEEP):
                check()
                accepted.append(_renew_memberships(rng, logs, distances, priors, self.fuzzifier))
            means = _draw_means(rng, table, logs, prior, self.fuzzifier)
            if self.learns_documents:
                self._renew_documents(concentration, logs, words, seed, sweep)
            fit = -0.5 * np.sum(_powers(logs, self.fuzzifier) * distances)
            trace.append(float(fit))
            # Later sweeps count more, in proportion to their number, as in PM-LDA's estimate.
            gain = 2.0 / (sweep + 1.0)
            average += gain * (np.exp(logs) - average)
            average_means = average_means + gain * (means - average_means)
            average_concentration += gain * (concentration - average_concentration)
            scaling = average_concentration.sum(axis=1)
            yield Fit(
                fraction=sweep / self.sweeps,
                memberships=average.astype(np.float32),
                means=average_means * np.sqrt(variance),
                variance=variance,
                trace=tuple(trace),
                proportions=average_concentration / scaling[:, None],
                scaling=scaling,
                diagnostics={"accepted": float(np.mean(accepted))},
            )

    def _renew_documents(
        self, concentration: Array, logs: Array, words: Words, seed: int, sweep: int
    ) -> None:
        """Draw s pi (D, K) of every document, in place."""
        sizes = np.diff(words.offsets)
        sums = np.add.reduceat(logs, words.offsets[:-1], axis=0)
        np.maximum(concentration, LEAST_CONCENTRATION, out=concentration)
        alpha = Parameters(concentration.shape[1], alpha=self.alpha).alpha_vector
        key = stream_keys(seed, sweep, 2, 1)[0]
        slice_documents(
            concentration, sizes, sums, 0, len(sizes), alpha, self.rate, True, True, key
        )


@dataclass(frozen=True)
class BayesianFuzzyClustering(UnifiedModel):
    """Bayesian Fuzzy Clustering: the prior of the memberships is Dirichlet(alpha) for all."""

    fuzzifier: float = 1.5
    name = "bfc"
    title = "Bayesian fuzzy clustering"
    learns_documents = False
