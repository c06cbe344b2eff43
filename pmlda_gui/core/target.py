"""What a chain samples: the posterior that words, parameters and priors define."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.densities import LogJoint, document_terms, field_terms
from pmlda_gui.core.field import Influence, influence_of
from pmlda_gui.core.hints import NO_HINTS, Hints
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals
from pmlda_gui.core.word_pass import WordPass

__all__ = ["Target"]


@dataclass(frozen=True, eq=False)
class Target:
    """The words, the model's parameters, the topics' prior, and how documents act on words.

    `influence` is None for hard documents; `hints` are what was said about single words.
    """

    corpus: Corpus
    parameters: Parameters
    prior: TopicPrior
    influence: Influence | None
    hints: Hints = NO_HINTS

    @classmethod
    def of(cls, corpus: Corpus, parameters: Parameters, prior: TopicPrior | None = None) -> Target:
        """The target of these parameters; a prior that does not serve is made anew."""
        if prior is None or not prior.serves(parameters.topics):
            prior = TopicPrior.from_corpus(corpus, topics=parameters.topics)
        return cls(corpus, parameters, prior, influence_of(corpus, parameters))

    def log_joint(
        self, current: Globals, word_pass: WordPass, squares: float, means_have_prior: bool
    ) -> LogJoint:
        """The log joint density of a sample, from the sums that its sweep has left.

        `squares` is the residual sum of squares.  Means that were not drawn under their
        prior have no term for it.
        """
        coupling = 0.0
        given = (self.parameters, current.proportions, current.scaling)
        if self.influence is None:
            proportions, scaling, memberships = document_terms(
                *given, self.corpus.document_sizes, word_pass.log_sums
            )
        else:
            proportions, scaling, memberships, coupling = field_terms(
                *given, self.influence, word_pass.logs
            )
        values = self.corpus.size * self.corpus.features
        words = -0.5 * (
            values * float(np.log(2.0 * np.pi * current.variance)) + squares / current.variance
        )
        return LogJoint(
            proportions,
            scaling,
            memberships,
            words,
            self.prior.log_density_of_means(current.means) if means_have_prior else 0.0,
            self.prior.log_density_of_variance(current.variance),
            coupling,
            word_pass.hints.log_density(word_pass.logs),
        )
