"""The Markov chain: samples the model, and takes up changes between sweeps.

The chain owns the current sample, the streamed estimates and the trace.  What
changes is an argument of the next sweep; everything random is keyed by seed and
sweep, so a chain is repeated, or resumed from a checkpoint, bit for bit with any
number of threads.  A chain belongs to one thread: it has no lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain_view import ChainView
from pmlda_gui.core.changes import (
    NO_CHANGES,
    Changes,
    Sample,
    differences,
    held_fixed,
    with_corpus,
    with_parameters,
)
from pmlda_gui.core.checkpoint import Checkpoint, checkpoint_parameters, damaged_if_unreadable
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.estimates import Estimates
from pmlda_gui.core.hints import Hints
from pmlda_gui.core.initial_state import start_globals, usual_start
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.samplers import sampler_named
from pmlda_gui.core.state import Globals, Info, State, require_fitting
from pmlda_gui.core.sweep_context import SweepContext
from pmlda_gui.core.target import Target
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.topic_numbers import TopicNumbers
from pmlda_gui.core.trace import Trace
from pmlda_gui.core.word_pass import WordPass

__all__ = ["Chain"]

# Uphill rounds that fit the memberships to the topics after a start or a warm change.
_REFIT_ROUNDS = 3


class Chain(ChainView):
    """PM-LDA on a corpus; `sampler` is "fast", "paper" or "least-squares".

    `prior` is the topics' prior (made from the corpus by default).  `start` is the kind of
    start (the corpus' cores or k-means by default), a State or Globals to begin from, or the
    checkpoint of a chain on this corpus to go on with.
    """

    def __init__(
        self,
        corpus: Corpus,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
        *,
        prior: TopicPrior | None = None,
        start: str | Globals | State | Checkpoint | None = None,
    ) -> None:
        if not 0 <= int(seed) < 2**63:
            raise PmldaError(f"seed is {seed}, but must lie between 0 and 2^63 - 1.")
        self.sampler = sampler
        self.seed = int(seed)
        self.trace = Trace()
        self._sampler = sampler_named(sampler)
        self._require_known_documents(parameters)
        self._target = Target.of(corpus, parameters, prior)
        self._pool = ThreadPool(threads)
        self._sweep = 0
        self._seconds = 0.0
        self._begun = False
        self._context: SweepContext | None = None
        if isinstance(start, Checkpoint):
            self._restore(start)
        else:
            self._begin(usual_start(corpus, parameters.topics) if start is None else start)

    def _begin(self, start: str | Globals | State) -> None:
        target = self._target
        corpus, parameters = target.corpus, target.parameters
        self._topics = TopicNumbers.first(parameters.topics)
        if isinstance(start, str):
            self._globals = start_globals(corpus, parameters, target.prior, self.seed, start)
        else:
            require_fitting(start, corpus, parameters.topics)
            given = start.globals if isinstance(start, State) else start.copy()
            self._globals = held_fixed(given, parameters)
        self._target = replace(target, prior=target.prior.matched(self._globals.means))
        self._word_pass = self._new_word_pass()
        self._estimates = Estimates(self._globals)
        if isinstance(start, State):
            self._word_pass.logs[:] = start.log_memberships.T
            self._restart_estimate()
        else:
            self.refit_memberships(_REFIT_ROUNDS)

    def _require_known_documents(self, parameters: Parameters) -> None:
        """Asked before anything is changed, since it may refuse."""
        if self._sampler.hard_only and not parameters.hard_documents:
            raise PmldaError(
                f"The sampler {self.sampler!r} knows hard documents only: set smoothness and "
                "coupling to 0."
            )

        if parameters.held and not self._sampler.takes_hints:
            raise PmldaError(
                f"The sampler {self.sampler!r} cannot hold topics: choose 'fast', or release them."
            )

    @property
    def _held_rows(self) -> NDArray[np.bool_] | None:
        """Which topics (K) are held, None if none is."""
        rows = np.isin(self._topics.ids, self.parameters.held)
        return rows if rows.any() else None

    def _new_word_pass(self) -> WordPass:
        by_word = self._target.influence is not None
        made = WordPass(self._target.corpus, self._target.parameters.topics, self._pool, by_word)
        made.hints = self._target.hints.on(self._target.corpus, self._topics.ids)
        return made

    # -- the topics' numbers ---------------------------------------------------------------

    def number_topics(self, numbers: tuple[int, ...]) -> None:
        """Give the topics other numbers; nothing that is sampled depends on them.

        Hints and holds stay with their topics.
        """
        before, self._topics = self._topics, self._topics.renumbered(numbers)
        if self.parameters.held:
            held = tuple(before.translate(self.parameters.held, self._topics))
            self._target = replace(self._target, parameters=replace(self.parameters, held=held))
        cores = self.corpus.cores
        if cores is not None and cores.numbers:
            painted = tuple(before.translate(cores.numbers, self._topics))
            corpus = self.corpus.with_cores(cores._replace(numbers=painted))
            self._target = replace(self._target, corpus=corpus)
        hints = self._target.hints
        if hints.count:
            topics = before.translate(hints.topics.tolist(), self._topics)
            hints = replace(hints, topics=np.array(topics, np.int64))
            self._target = replace(self._target, hints=hints)

    def succeed(self, other: Chain, order: NDArray[np.int64] | None = None) -> None:
        """Take over the topics' numbers, hints and marks of the chain this one replaces.

        With `order`, topic k here is topic `order[k]` there.
        """
        self._topics = other._topics
        if order is not None:
            self._topics = self._topics.renumbered(tuple(other.topic_ids[k] for k in order))
        self._target = replace(self._target, hints=other._target.hints)
        self._resolve_hints()
        self.trace = other.trace.continued(other.sweeps)

    def _resolve_hints(self) -> None:
        """Have the hints on the words of this corpus and for its topics."""
        self._word_pass.hints = self._target.hints.on(self.corpus, self._topics.ids)

    def close(self) -> None:
        """End the helping threads; the chain stays usable."""
        self._pool.close()

    # -- sweeping --------------------------------------------------------------------------

    def sweep(
        self,
        n: int = 1,
        changes: Changes = NO_CHANGES,
        cancel: Callable[[], bool] | None = None,
    ) -> Info:
        """Run n sweeps, the first of which takes up the changes, and report on the last.

        `cancel` is asked between kernel calls of some milliseconds; once it says
        True the report says `finished=False`, and the next call goes on with the
        interrupted sweep exactly where it stopped.  Nothing can change until it is done.
        """
        if changes is not NO_CHANGES:
            if self._begun:
                raise PmldaError("A sweep was interrupted: finish it before anything changes.")
            self._take_up(changes)
        info = Info(self.sweeps, float("nan"), {}, 0.0, finished=False)
        for _ in range(n):
            info = self._one_sweep(cancel)
            if not info.finished:
                break
        return info

    def _one_sweep(self, cancel: Callable[[], bool] | None) -> Info:
        started = time.perf_counter()
        if not self._begun:
            self._sweep += 1
            self._estimates.age += 1
            self._seconds = 0.0
        context = self._context
        if context is None:
            context = self._context = SweepContext(
                self._target, self._globals, self._word_pass, self.seed, self._sweep,
                self._held_rows,
            )  # fmt: skip
            if not self._begun:
                self._sampler.before_pass(context)
                context.spread_documents()
        self._begun = True
        complete = self._word_pass.sweep(
            self._sampler.kernel,
            context.at_words,
            self._globals.means,
            self._globals.variance,
            self.parameters.fuzzifier,
            self._sampler.keys(context),
            self._estimates.gain,
            cancel,
        )
        if not complete:
            self._seconds += time.perf_counter() - started
            return Info(self.sweeps, float("nan"), {}, self._seconds, finished=False)
        self._sampler.after_pass(context)
        self._context, self._begun = None, False
        self._record(context)
        self._seconds += time.perf_counter() - started
        return Info(self._sweep, context.log_joint, context.steps, self._seconds)

    def _record(self, context: SweepContext) -> None:
        """Take the finished sweep into trace and estimates."""
        terms = self._target.log_joint(
            self._globals, self._word_pass, context.squares, self._sampler.means_have_prior
        )
        context.log_joint = terms.total
        log_sum = float(self._word_pass.segment_sums.sum())
        self.trace.record(terms, self._globals, self._word_pass.logs, log_sum)
        self._estimates.add(
            self._word_pass,
            self._globals,
            terms.total,
            self.parameters.fuzzifier,
            self._target.influence,
        )

    # -- changes ---------------------------------------------------------------------------

    def _take_up(self, changes: Changes) -> None:
        texts: list[str] = []
        if changes.hints is not None and changes.hints.count and not self._sampler.takes_hints:
            raise PmldaError(f"The sampler {self.sampler!r} knows no hints: choose 'fast'.")
        hinted = changes.hints is not None and not changes.hints.same_as(self._target.hints)
        if changes.corpus is not None and changes.corpus is not self.corpus:
            # What is painted turns the words, but neither documents nor features are others.
            turned = hinted and np.array_equal(changes.corpus.sources, self.corpus.sources)
            self._go_on(*with_corpus(self._target, self._sample, changes.corpus, changes.prior))
            texts += [] if turned else ["documents or features"]
        parameters = changes.parameters
        if parameters is not None and parameters != self.parameters:
            self._require_known_documents(parameters)
            texts += differences(self.parameters, parameters)
            average = self._word_pass.average
            self._go_on(*with_parameters(self._target, self._sample, average, parameters))
        if not self.prior.serves(self.parameters.topics):
            prior = TopicPrior.from_corpus(self.corpus, topics=self.parameters.topics)
            self._target = replace(self._target, prior=prior)
        if changes.hints is not None and hinted:
            self._target = replace(self._target, hints=changes.hints)
            self._resolve_hints()
            texts.append("hints")
        if texts:
            self._estimates.restart()
            self.trace.mark(self._sweep, ", ".join(texts))

    @property
    def _sample(self) -> Sample:
        return Sample(self._globals, self._word_pass.logs, self._topics)

    def _go_on(self, target: Target, sample: Sample) -> None:
        self._target, self._globals, self._topics = target, sample.globals, sample.topics
        if sample.refit:
            self._word_pass = self._new_word_pass()
            self._word_pass.logs[:] = sample.logs
            self.refit_memberships(_REFIT_ROUNDS)

    def refit_memberships(self, rounds: int = 1) -> None:
        """Move every word towards its mode given the globals, and begin the estimate there."""
        self._word_pass.climb(
            self._word_pass.logs,
            self._globals.at_words(self._target.influence),
            self._globals.means,
            self._globals.variance,
            self.parameters.fuzzifier,
            rounds,
        )
        self._restart_estimate()

    def _restart_estimate(self) -> None:
        self._word_pass.recompute(self._globals.means, self.parameters.fuzzifier, gain=1.0)
        self._estimates.replace_mean(self._globals)

    # -- resuming --------------------------------------------------------------------------

    @classmethod
    def resume(
        cls,
        corpus: Corpus,
        checkpoint: Checkpoint,
        threads: int | None = None,
        *,
        prior: TopicPrior | None = None,
    ) -> Chain:
        """The chain that wrote this checkpoint, on the same corpus."""
        values = checkpoint.values
        with damaged_if_unreadable():
            parameters = checkpoint_parameters(checkpoint)
            sampler, seed = values["sampler"], int(values["seed"])
            return cls(corpus, parameters, sampler, seed, threads, prior=prior, start=checkpoint)

    def _restore(self, checkpoint: Checkpoint) -> None:
        values, corpus, topics = checkpoint.values, self.corpus, self.parameters.topics
        shape = (corpus.documents, topics, corpus.features)
        self._globals = Globals.read(checkpoint, "current", shape)
        centre = checkpoint.array("prior.centre", self.prior.centre.shape, np.float64)
        self._target = replace(
            self._target, prior=replace(self.prior, centre=centre), hints=Hints.read(checkpoint)
        )
        self._estimates = Estimates.read(checkpoint, shape, corpus.size)
        self.trace = Trace.read(checkpoint)
        self._sweep = int(values["sweep"])
        self._begun = bool(values["begun"])
        ids = tuple(int(number) for number in values["topic_ids"])
        self._topics = TopicNumbers(ids, int(values["next_topic_id"]))
        self._word_pass = self._new_word_pass()
        self._word_pass.read(checkpoint)
        if self._sweep < 0 or self._estimates.age < 0 or len(ids) != topics:
            raise PmldaError("The checkpoint's counts contradict each other: it is damaged.")
