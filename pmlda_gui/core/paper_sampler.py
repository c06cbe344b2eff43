"""The paper's samplers: Algorithm 1 with its errors corrected, and the authors' variant.

The authors' code regresses the means on the memberships and is therefore no sampler
of the posterior.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION, log_gamma
from pmlda_gui.core.kernels.paper_memberships import propose_sweep
from pmlda_gui.core.simulate import draw_log_dirichlet
from pmlda_gui.core.sweep_context import FOR_DOCUMENTS, FOR_TOPICS, FOR_WORDS, SweepContext
from pmlda_gui.core.topics import propose_means, propose_variance, regress_means
from pmlda_gui.core.word_pass import SweepKernel

__all__ = ["LeastSquaresSampler", "PaperSampler"]

Array = NDArray[np.float64]


class PaperSampler:
    """Algorithm 1 of the paper."""

    kernel: SweepKernel = staticmethod(propose_sweep)
    hard_only = True
    means_have_prior = True
    takes_hints = False

    def keys(self, context: SweepContext) -> NDArray[np.uint64]:
        return context.keys(FOR_WORDS, context.parameters.topics + 1).reshape(1, -1)

    def before_pass(self, context: SweepContext) -> None:
        """Proportions from Dirichlet(alpha), then scaling from its exponential prior.

        The proposals are the priors, so only the density of the memberships is
        left in the ratio (the authors' code counts the prior of s twice).
        """
        parameters, current = context.parameters, context.globals
        rng = context.generator(FOR_DOCUMENTS)
        sums, sizes = context.word_pass.log_sums, context.word_pass.corpus.document_sizes
        count = len(sizes)
        if parameters.proportions is None:
            alpha = np.tile(parameters.alpha_vector, (count, 1))
            candidates = np.exp(draw_log_dirichlet(rng, alpha))
            taken = _accept(
                rng,
                _membership_density(current.scaling, candidates, sizes, sums)
                - _membership_density(current.scaling, current.proportions, sizes, sums),
            )
            current.proportions = np.where(taken[:, None], candidates, current.proportions)
            context.steps["proportions"] = float(taken.mean())
        if parameters.scaling is None:
            drawn = rng.exponential(1.0 / parameters.rate, count)
            taken = _accept(
                rng,
                _membership_density(drawn, current.proportions, sizes, sums)
                - _membership_density(current.scaling, current.proportions, sizes, sums),
            )
            current.scaling = np.where(taken, drawn, current.scaling)
            context.steps["scaling"] = float(taken.mean())

    def after_pass(self, context: SweepContext) -> None:
        current = context.globals
        context.steps["memberships"] = (
            float(context.word_pass.counts.sum()) / context.word_pass.corpus.size
        )
        rng = context.generator(FOR_TOPICS)
        current.means, moments, context.steps["means"] = propose_means(
            rng, current.means, current.variance, context.word_pass.moments, context.prior
        )
        current.variance, context.steps["variance"] = propose_variance(
            rng, current.variance, moments, context.prior
        )
        context.squares = moments.squares


class LeastSquaresSampler(PaperSampler):
    """The same with regressed means, which ignore the box and with it the prior."""

    means_have_prior = False

    def after_pass(self, context: SweepContext) -> None:
        current = context.globals
        context.steps["memberships"] = (
            float(context.word_pass.counts.sum()) / context.word_pass.corpus.size
        )
        moments = context.word_pass.moments
        means = regress_means(current.means, moments)
        moments = moments.moved(means - current.means)
        current.means = means
        current.variance, context.steps["variance"] = propose_variance(
            context.generator(FOR_TOPICS), current.variance, moments, context.prior
        )
        context.squares = moments.squares


def _accepted_words(context: SweepContext) -> float:
    """The share of words whose proposals were accepted in the pass."""
    return float(context.word_pass.counts.sum()) / context.word_pass.corpus.size


def _membership_density(
    scaling: Array, proportions: Array, sizes: NDArray[np.int64], sums: Array
) -> Array:
    """Log density of each document's memberships, (D), from its sums of ln z."""
    concentration = np.maximum(scaling[:, None] * proportions, LEAST_CONCENTRATION)
    normaliser = log_gamma(concentration.sum(axis=1)) - log_gamma(concentration.ravel()).reshape(
        concentration.shape
    ).sum(axis=1)
    density: Array = sizes * normaliser + np.sum((concentration - 1.0) * sums, axis=1)
    return density


def _accept(rng: np.random.Generator, gain: Array) -> NDArray[np.bool_]:
    taken: NDArray[np.bool_] = -rng.standard_exponential(gain.shape) <= gain
    return taken
