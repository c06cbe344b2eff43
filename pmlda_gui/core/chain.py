"""A Markov chain over the model that can be steered while it runs.

The chain owns the current sample, the streamed estimates and the trace.  New
parameters or a new corpus are laid into its inbox and taken up at the next sweep;
everything random is keyed by seed and sweep, so a chain is repeated, or resumed
from a checkpoint, bit for bit with any number of threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import (
    Checkpoint,
    Draft,
    parameters_from_values,
    parameters_to_values,
)
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.crew import Crew
from pmlda_gui.core.densities import LogJoint, document_terms, field_terms
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.estimates import Estimates
from pmlda_gui.core.field import Influence, influence_of
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.passes import Passes
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.samplers import Globals, Turn, sampler_named
from pmlda_gui.core.starting import start_globals, usual_start
from pmlda_gui.core.state import Estimate, Info, State
from pmlda_gui.core.trace import Trace
from pmlda_gui.core.warm import (
    add_topics,
    least_used,
    move_to_corpus,
    remove_topic,
    same_features,
    softened,
)

__all__ = ["Chain"]

Array = NDArray[np.float64]
# Uphill rounds that settle the memberships after a start or a warm change.
_SETTLING_ROUNDS = 3


class Chain:
    """PM-LDA on a corpus; `sampler` is "fast", "paper" or "least-squares".

    `prior` is the topics' prior (made from the corpus by default); `start` is the
    kind of start (the corpus' cores or k-means by default), or a State or Globals to
    begin from.
    """

    _prior: TopicPrior

    def __init__(
        self,
        corpus: Corpus,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
        *,
        prior: TopicPrior | None = None,
        start: str | Globals | State | None = None,
    ) -> None:
        self._prepare(corpus, parameters, sampler, seed, threads, prior)
        topics = parameters.topics
        self.topic_ids: tuple[int, ...] = tuple(range(topics))
        self._next_topic_id = topics
        if start is None:
            start = usual_start(corpus, topics)
        if isinstance(start, str):
            self._globals = start_globals(corpus, parameters, self._prior, self.seed, start)
        else:
            self._globals = self._adopt(start)
        self._prior = self._prior.matched(self._globals.means)
        self._passes = self._new_passes(topics)
        self._estimates = Estimates(self._globals)
        if isinstance(start, State):
            self._passes.logs[:] = start.log_memberships.T
            self._restart_estimate()
        else:
            self._settle()

    def _prepare(
        self,
        corpus: Corpus,
        parameters: Parameters,
        sampler: str,
        seed: int,
        threads: int | None,
        prior: TopicPrior | None,
    ) -> None:
        if not 0 <= int(seed) < 2**63:
            raise PmldaError(f"seed is {seed}, but must lie between 0 and 2^63 - 1.")
        self._corpus = corpus
        self._parameters = parameters
        self._sampler = sampler_named(sampler)
        self.sampler = sampler
        self._influence = self._influence_under(corpus, parameters)
        self.seed = int(seed)
        self._crew = Crew(threads)
        if prior is None or not prior.serves(parameters.topics):
            prior = TopicPrior.from_corpus(corpus, topics=parameters.topics)
        self._prior = prior
        # The inbox is filled by the window's thread and emptied by the chain's.
        self._inbox_lock = threading.Lock()
        self._inbox_parameters: Parameters | None = None
        self._inbox_corpus: tuple[Corpus, TopicPrior | None] | None = None
        self._turn: Turn | None = None
        self._sweep = 0
        self._seconds = 0.0
        self._begun = False
        self.trace = Trace()

    def _influence_under(self, corpus: Corpus, parameters: Parameters) -> Influence | None:
        """How documents act on words; asked before anything is changed, since it may refuse."""
        if self._sampler.hard_only and not parameters.hard_documents:
            raise PmldaError(
                f"The sampler {self.sampler!r} knows hard documents only: set smoothness and "
                "coupling to 0."
            )
        if parameters.held and self.sampler != "fast":
            raise PmldaError(
                f"The sampler {self.sampler!r} cannot hold topics: choose 'fast', or release them."
            )
        return influence_of(corpus, parameters)

    def _new_passes(self, topics: int) -> Passes:
        return Passes(self._corpus, topics, self._crew, self._influence is not None)

    def _adopt(self, start: Globals | State) -> Globals:
        topics, corpus = self._parameters.topics, self._corpus
        found = [start.proportions.shape, start.scaling.shape, start.means.shape]
        needed: list[tuple[int, ...]] = [
            (corpus.documents, topics), (corpus.documents,), (topics, corpus.features),
        ]  # fmt: skip
        if isinstance(start, State):
            found.append(start.log_memberships.shape)
            needed.append((corpus.size, topics))
        if found != needed:
            raise PmldaError(
                "The start does not fit this corpus and number of topics: its arrays have the "
                f"shapes {found}, but {needed} are needed."
            )
        taken = Globals(
            start.proportions.copy(), start.scaling.copy(), start.means.copy(), start.variance
        )
        self._hold_fixed(taken)
        return taken

    # -- what the operator sets ------------------------------------------------------------

    @property
    def parameters(self) -> Parameters:
        """The newest parameters; assigning others takes effect at the next sweep."""
        waiting = self._inbox_parameters
        return self._parameters if waiting is None else waiting

    @parameters.setter
    def parameters(self, parameters: Parameters) -> None:
        with self._inbox_lock:
            self._inbox_parameters = parameters

    @property
    def corpus(self) -> Corpus:
        """The newest corpus; assigning one with other documents or features goes on warm."""
        waiting = self._inbox_corpus
        return self._corpus if waiting is None else waiting[0]

    @corpus.setter
    def corpus(self, corpus: Corpus) -> None:
        self.change_corpus(corpus)

    def change_corpus(self, corpus: Corpus, prior: TopicPrior | None = None) -> None:
        """Go on with another corpus from the next sweep; `prior` is for its features.

        By default the prior stays if the features do, and is made anew if not.
        """
        with self._inbox_lock:
            self._inbox_corpus = (corpus, prior)

    @property
    def awaits_corpus(self) -> bool:
        """Whether a new corpus waits for the next sweep."""
        return self._inbox_corpus is not None

    @property
    def parameters_in_effect(self) -> Parameters:
        """The parameters of the last sweep, without what waits for the next."""
        return self._parameters

    @property
    def prior(self) -> TopicPrior:
        """The prior of the topics."""
        return self._prior

    @property
    def sweeps(self) -> int:
        """Number of sweeps done."""
        return self._sweep - (1 if self._begun else 0)

    @property
    def sweeps_under_target(self) -> int:
        """Sweeps that the estimates rest on: those since the target last changed."""
        return self._estimates.age - (1 if self._begun else 0)

    @property
    def in_sweep(self) -> bool:
        """Whether a sweep was interrupted, which the next call goes on with."""
        return self._begun

    def follow(self, other: Chain) -> None:
        """Take over from the chain this one succeeds: its topics' identity, marks and inbox."""
        self.topic_ids = other.topic_ids
        self._next_topic_id = other._next_topic_id
        self.trace = other.trace.continued(other.sweeps)
        self._inbox_parameters = other._inbox_parameters

    def number_topics(self, numbers: tuple[int, ...]) -> None:
        """Give the topics other numbers; nothing that is sampled depends on them."""
        topics = len(self._globals.means)
        if len(numbers) != topics or len(set(numbers)) != topics or min(numbers) < 0:
            raise PmldaError(f"{numbers} cannot number {topics} topics: give each its own.")
        self.topic_ids = numbers
        self._next_topic_id = max(self._next_topic_id, max(numbers) + 1)

    def settle(self) -> None:
        """Let every word of a borrowed state find its own place, and begin the estimate there."""
        self._settle(rounds=1)

    def close(self) -> None:
        """Let the helping threads go; the chain stays usable."""
        self._crew.close()

    # -- sweeping --------------------------------------------------------------------------

    def sweep(self, n: int = 1, cancel: Callable[[], bool] | None = None) -> Info:
        """Run n sweeps and report on the last one.

        `cancel` is asked between kernel calls of some milliseconds; once it says
        True the report says `finished=False`, and the next call goes on with the
        interrupted sweep exactly where it stopped.
        """
        info = Info(self.sweeps, float("nan"), {}, 0.0, finished=False)
        for _ in range(n):
            info = self._one_sweep(cancel)
            if not info.finished:
                break
        return info

    def _one_sweep(self, cancel: Callable[[], bool] | None) -> Info:
        started = time.perf_counter()
        if not self._begun:
            self._take_up_changes()
            self._sweep += 1
            self._estimates.age += 1
            self._seconds = 0.0
        turn = self._turn
        if turn is None:
            turn = self._turn = Turn(
                self._parameters, self._prior, self._globals, self._passes, self.seed, self._sweep,
                self._influence, self._globals.at_words(self._influence), held=self._held_rows,
            )  # fmt: skip
            if not self._begun:
                self._sampler.open(turn)
                turn.at_words = self._globals.at_words(self._influence)
        self._begun = True
        complete = self._passes.sweep(
            self._sampler.kernel,
            turn.at_words,
            self._globals.means,
            self._globals.variance,
            self._parameters.fuzzifier,
            self._sampler.keys(turn),
            self._estimates.gain,
            cancel,
        )
        if not complete:
            self._seconds += time.perf_counter() - started
            return Info(self.sweeps, float("nan"), {}, self._seconds, finished=False)
        self._sampler.close(turn)
        self._turn, self._begun = None, False
        terms = self._log_joint(turn.squares)
        log_sum = float(self._passes.segment_sums.sum())
        self.trace.record(terms, self._globals, self._passes.logs, log_sum)
        self._estimates.add(
            self._passes, self._globals, terms.total, self._parameters.fuzzifier, self._influence
        )
        self._seconds += time.perf_counter() - started
        return Info(self._sweep, terms.total, turn.steps, self._seconds)

    def _log_joint(self, squares: float) -> LogJoint:
        current, corpus, coupling = self._globals, self._corpus, 0.0
        given = (self._parameters, current.proportions, current.scaling)
        if self._influence is None:
            proportions, scaling, memberships = document_terms(
                *given, corpus.document_sizes, self._passes.log_sums
            )
        else:
            proportions, scaling, memberships, coupling = field_terms(
                *given, self._influence, self._passes.logs
            )
        values = corpus.size * corpus.features
        words = -0.5 * (
            values * float(np.log(2.0 * np.pi * current.variance)) + squares / current.variance
        )
        return LogJoint(
            proportions,
            scaling,
            memberships,
            words,
            # Regressed means ignore the box, and with it the prior.
            0.0
            if self.sampler == "least-squares"
            else self._prior.log_density_of_means(current.means),
            self._prior.log_density_of_variance(current.variance),
            coupling,
        )

    # -- changes ---------------------------------------------------------------------------

    def _take_up_changes(self) -> None:
        with self._inbox_lock:
            parameters, self._inbox_parameters = self._inbox_parameters, None
            arrival, self._inbox_corpus = self._inbox_corpus, None
        texts: list[str] = []
        if arrival is not None and arrival[0] is not self._corpus:
            self._move_to(*arrival)
            texts.append("documents or features")
        if parameters is not None and parameters != self._parameters:
            texts += _differences(self._parameters, parameters)
            self._change_parameters(parameters)
        if not self._prior.serves(self._parameters.topics):
            self._prior = TopicPrior.from_corpus(self._corpus, topics=self._parameters.topics)
        if texts:
            self._estimates.restart()
            self.trace.mark(self._sweep, ", ".join(texts))

    def _change_parameters(self, parameters: Parameters) -> None:
        influence = self._influence
        if (parameters.smoothness, parameters.coupling, parameters.held) != (
            self._parameters.smoothness,
            self._parameters.coupling,
            self._parameters.held,
        ):
            influence = self._influence_under(self._corpus, parameters)
        more = parameters.topics - len(self._globals.means)
        logs, average = self._passes.logs, self._passes.average
        if more > 0:
            self._globals, logs = add_topics(
                self._corpus, self._globals, logs, more, self._parameters.fuzzifier, self._prior
            )
            first, self._next_topic_id = self._next_topic_id, self._next_topic_id + more
            self.topic_ids = (*self.topic_ids, *range(first, first + more))
        for _ in range(-more):
            topic = least_used(average)
            self._globals, logs = remove_topic(self._globals, logs, topic)
            average = np.delete(average, topic, axis=0)
            self.topic_ids = self.topic_ids[:topic] + self.topic_ids[topic + 1 :]
        before, self._parameters, self._influence = self._parameters, parameters, influence
        loosened = _loosened(before, parameters)
        if loosened:
            self._globals = softened(self._globals)
        self._hold_fixed(self._globals)
        self._prior = self._prior.matched(self._globals.means)
        if more or loosened or self._passes.by_word != (self._influence is not None):
            self._replace_memberships(logs)

    @property
    def _held_rows(self) -> NDArray[np.bool_] | None:
        """Which topics (K) are held, None if none is."""
        rows = np.isin(self.topic_ids, self._parameters.held)
        return rows if rows.any() else None

    def _hold_fixed(self, current: Globals) -> None:
        """Set what the operator has fixed."""
        if self._parameters.proportions is not None:
            current.proportions[:] = self._parameters.proportions
        if self._parameters.scaling is not None:
            current.scaling[:] = self._parameters.scaling

    def _replace_memberships(self, logs: Array) -> None:
        self._passes = self._new_passes(len(logs))
        self._passes.logs[:] = logs
        self._settle()

    def _move_to(self, corpus: Corpus, prior: TopicPrior | None) -> None:
        influence = self._influence_under(corpus, self._parameters)
        if prior is not None:
            self._prior = prior
        elif corpus.cores is not self._corpus.cores or not same_features(self._corpus, corpus):
            self._prior = TopicPrior.from_corpus(corpus)
        self._globals, logs = move_to_corpus(
            self._corpus,
            corpus,
            self._globals,
            self._passes.logs,
            self._parameters.fuzzifier,
            self._prior,
        )
        self._prior = self._prior.matched(self._globals.means)
        self._hold_fixed(self._globals)
        self._corpus, self._influence = corpus, influence
        self._replace_memberships(logs)

    def _settle(self, rounds: int = _SETTLING_ROUNDS) -> None:
        """Bring the memberships into line with the globals, and begin the estimate there."""
        self._passes.climb(
            self._passes.logs,
            self._globals.at_words(self._influence),
            self._globals.means,
            self._globals.variance,
            self._parameters.fuzzifier,
            rounds,
        )
        self._restart_estimate()

    def _restart_estimate(self) -> None:
        self._passes.measure(self._globals.means, self._parameters.fuzzifier, gain=1.0)
        self._estimates.replace_mean(self._globals)

    # -- what there is to see --------------------------------------------------------------

    @property
    def globals(self) -> Globals:
        """Topics and documents of the current sample, as a copy."""
        return self._globals.copy()

    @property
    def state(self) -> State:
        """The current sample, as a copy."""
        current = self._globals.copy()
        return State(
            self._passes.logs.T.copy(),
            current.proportions,
            current.scaling,
            current.means,
            current.variance,
        )

    @property
    def draws(self) -> tuple[Globals, ...]:
        """The draws of topics and documents kept under the present target, oldest first."""
        return tuple(self._estimates.draws.globals) or (self._globals.copy(),)

    @property
    def mean_draw(self) -> Globals:
        """The mean of the kept draws."""
        kept = self._estimates.draws
        return kept.mean() if len(kept) else self._globals.copy()

    @property
    def best(self) -> tuple[Globals, Globals]:
        """The sample with the best Q and the one with the largest log joint."""
        estimates, current = self._estimates, self._globals
        return estimates.best_by_quality(current), estimates.best_by_joint(current)

    @property
    def estimate(self) -> Estimate:
        """The running posterior mean with its standard deviation."""
        return self._estimates.posterior_mean(self._passes)

    @property
    def map(self) -> Estimate:
        """The MAP made well-posed; see `Estimates.well_posed_map`."""
        return self._estimates.well_posed_map(
            self._passes, self._globals, self._parameters.fuzzifier, self._influence
        )

    @property
    def paper_map(self) -> Estimate:
        """The sample with the largest log joint so far, as the paper defines its MAP."""
        return self._estimates.papers_map(self._passes, self._globals)

    @property
    def best_quality(self) -> float:
        """The best Q seen under the present target."""
        return self._estimates.quality

    # -- rest and resumption ---------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on bit for bit; changes still in the inbox are not in it."""
        draft = Draft()
        draft.values.update(
            parameters=parameters_to_values(self._parameters),
            sampler=self.sampler,
            seed=self.seed,
            sweep=self._sweep,
            begun=self._begun,
            topic_ids=list(self.topic_ids),
            next_topic_id=self._next_topic_id,
        )
        draft.arrays["prior.centre"] = self._prior.centre.copy()
        self._passes.write(draft)
        self._globals.write(draft, "current")
        self._estimates.write(draft)
        self.trace.write(draft)
        return draft.finished()

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
        try:
            parameters = parameters_from_values(values["parameters"])
            chain = cls.__new__(cls)
            chain._prepare(
                corpus, parameters, values["sampler"], int(values["seed"]), threads, prior
            )
            chain._restore(checkpoint)
        except PmldaError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise PmldaError(
                f"The checkpoint is damaged or of another version ({error})."
            ) from error
        return chain

    def _restore(self, checkpoint: Checkpoint) -> None:
        values, corpus, topics = checkpoint.values, self._corpus, self._parameters.topics
        shape = (corpus.documents, topics, corpus.features)
        self._globals = Globals.read(checkpoint, "current", shape)
        centre = checkpoint.array("prior.centre", self._prior.centre.shape, np.float64)
        self._prior = replace(self._prior, centre=centre)
        self._estimates = Estimates.read(checkpoint, shape, corpus.size)
        self._passes = self._new_passes(topics)
        self._passes.read(checkpoint)
        self.trace = Trace.read(checkpoint)
        self._sweep = int(values["sweep"])
        self._begun = bool(values["begun"])
        self.topic_ids = tuple(int(number) for number in values["topic_ids"])
        self._next_topic_id = int(values["next_topic_id"])
        if self._sweep < 0 or self._estimates.age < 0 or len(self.topic_ids) != topics:
            raise PmldaError("The checkpoint's counts contradict each other: it is damaged.")


def _loosened(old: Parameters, new: Parameters) -> bool:
    """Whether documents may now be softer than the old target let them.

    Crisp documents keep their words crisp and these them, for hundreds of sweeps: such a
    change has to start them anew.
    """
    if new.scaling is not None:
        return False
    return (
        old.scaling is not None
        or new.rate < old.rate
        or new.coupling < old.coupling
        or new.smoothness != old.smoothness
    )


def _differences(old: Parameters, new: Parameters) -> list[str]:
    """What changed, in words for the trace's mark."""
    texts = []
    for name in [field.name for field in fields(Parameters)]:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            texts.append(f"{name} {_in_words(after)}")
    return texts


def _in_words(value: float | tuple[float, ...] | None) -> str:
    """A parameter's value with as many digits as a person wants to read."""
    if value is None:
        return "learned"
    if value == ():
        return "none"
    return " ".join(f"{each:.3g}" for each in (value if isinstance(value, tuple) else (value,)))
