"""A shard: some of the documents of a corpus, sampled wherever their words are.

Given the topics, documents that do not act on one another's words are independent.  So a
shard draws the memberships of its words and its documents under means and variance that
come from outside, and gives back the moments from which these are drawn.  Random numbers
belong to words and documents by their number in the whole corpus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.densities import document_terms, field_terms
from pmlda_gui.core.draws import KeptDraws
from pmlda_gui.core.fast_sampler import FastSampler
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals
from pmlda_gui.core.sweep_context import SweepContext
from pmlda_gui.core.target import Target
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.word_pass import WordPass

__all__ = ["Shard", "ShardSums"]

Array = NDArray[np.float64]
# Uphill rounds that fit the memberships to the topics before the first sweep.
_REFIT_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class ShardSums:
    """What a shard says about a sweep.

    `moments` are those of `Moments.from_flat`.  `terms` are the log joint's for proportions,
    scaling, memberships and coupling, `log_sum` is the sum of ln z, `log_scaling` that of ln s
    and `proportions` (K) that of pi over the documents.  `followed` (K, F) is ln z of a few words.
    """

    moments: Array
    terms: Array
    log_sum: float
    log_scaling: float
    proportions: Array
    followed: Array


class Shard:
    """The words and documents of a shard, which belongs to one thread.

    `start` has its documents and the topics to begin with; `first_word` and `first_document`
    are how many of the whole corpus come before it, and `followed` of its words are reported.
    """

    def __init__(
        self,
        corpus: Corpus,
        parameters: Parameters,
        start: Globals,
        prior: TopicPrior,
        seed: int,
        first_word: int = 0,
        first_document: int = 0,
        followed: int = 1,
    ) -> None:
        self._target = Target.of(corpus, parameters, prior)
        self._seed = seed
        self._first = (first_word, first_document)
        self._sampler = FastSampler()
        self._globals = start.copy()
        self._draws = KeptDraws()
        self._followed = np.linspace(0, corpus.size - 1, min(followed, corpus.size)).astype(int)
        by_word = self._target.influence is not None
        self._words = WordPass(corpus, parameters.topics, ThreadPool(1), by_word)
        at_words = start.at_words(self._target.influence)
        topics = (start.means, start.variance, parameters.fuzzifier)
        self._words.climb(self._words.logs, at_words, *topics, _REFIT_ROUNDS)
        self._words.recompute(start.means, parameters.fuzzifier)

    def sweep(self, number: int, means: Array, variance: float) -> ShardSums:
        """Make sweep `number`, counted from 1, under these topics."""
        target, current, words = self._target, self._globals, self._words
        current.means, current.variance = means, variance
        context = SweepContext(target, current, words, self._seed, number, None, *self._first)
        self._sampler.before_pass(context)
        context.spread_documents()
        fuzzifier, gain = target.parameters.fuzzifier, min(1.0, 2.0 / (number + 1.0))
        words.sweep(
            self._sampler.kernel, context.at_words, means, variance, fuzzifier,
            self._sampler.keys(context), gain,
        )  # fmt: skip
        self._sampler.draw_documents(context)
        self._draws.add(number, current)
        return ShardSums(
            np.add.reduce(words.chunk_moments, axis=0),
            self._terms(),
            float(words.segment_sums.sum()),
            float(np.log(current.scaling).sum()),
            current.proportions.sum(axis=0),
            words.logs[:, self._followed],
        )

    def _terms(self) -> Array:
        """The terms of the log joint that are the documents' and words' own."""
        target, current = self._target, self._globals
        given = (target.parameters, current.proportions, current.scaling)
        if target.influence is None:
            sizes = target.corpus.document_sizes
            return np.array([*document_terms(*given, sizes, self._words.log_sums), 0.0])
        return np.array(field_terms(*given, target.influence, self._words.logs))

    @property
    def documents(self) -> tuple[tuple[Array, Array], ...]:
        """Proportions (D, K) and scaling (D) of each kept draw, and of the last sweep."""
        kept = [*self._draws.globals, self._globals]
        return tuple((each.proportions.copy(), each.scaling.copy()) for each in kept)
