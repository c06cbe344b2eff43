"""Bayesian Partial Membership (Heller 2008): PM-LDA with all words in one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.ladder import Ladder
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["BayesianPartialMembership"]


@dataclass(frozen=True)
class BayesianPartialMembership:
    """`alpha` and `rate` [lambda] are the priors of the one document.

    `sweeps` are those over all words.
    """

    alpha: float = 1.0
    rate: float = 0.5
    sweeps: int = 60
    threads: int | None = None
    name = "bpm"
    title = "Bayesian partial membership"
    soft = True

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit a sweep once all words are looked at; the objective is the log joint."""
        corpus = Corpus(words.words, np.array([0, len(words.words)]), words.sources)
        parameters = Parameters(topics, alpha=self.alpha, rate=self.rate)
        ladder = Ladder(corpus, parameters, "fast", seed, self.threads)
        documents = len(words.offsets) - 1
        done = 0
        try:
            while done < self.sweeps:
                ladder.sweep(1)
                check()
                if not ladder.finest:
                    continue
                done = ladder.chain.sweeps
                found = ladder.chain.estimate
                yield Fit(
                    fraction=done / self.sweeps,
                    memberships=found.memberships,
                    means=found.means,
                    variance=found.variance,
                    trace=tuple(ladder.chain.trace.logit_log_joint),
                    proportions=np.repeat(found.proportions, documents, axis=0),
                    scaling=np.repeat(found.scaling, documents),
                    uncertainty=found.uncertainty,
                )
        finally:
            ladder.chain.close()
