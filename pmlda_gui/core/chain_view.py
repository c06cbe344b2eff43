"""The readable part of a chain: its sample, its estimates, and its checkpoint."""

from __future__ import annotations

from pmlda_gui.core.checkpoint import Checkpoint, Draft, parameters_to_values
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.estimates import Estimates
from pmlda_gui.core.hints import Hints
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Estimate, Globals, State
from pmlda_gui.core.target import Target
from pmlda_gui.core.topic_numbers import TopicNumbers
from pmlda_gui.core.trace import Trace
from pmlda_gui.core.word_pass import WordPass

__all__ = ["ChainView"]


class ChainView:
    """The reading half of a chain; nothing here changes what is sampled."""

    sampler: str
    seed: int
    trace: Trace
    _target: Target
    _globals: Globals
    _word_pass: WordPass
    _estimates: Estimates
    _topics: TopicNumbers
    _sweep: int
    _begun: bool

    @property
    def parameters(self) -> Parameters:
        """The parameters of the last sweep."""
        return self._target.parameters

    @property
    def corpus(self) -> Corpus:
        """The words that are swept over."""
        return self._target.corpus

    @property
    def prior(self) -> TopicPrior:
        """The prior of the topics."""
        return self._target.prior

    @property
    def hints(self) -> Hints:
        """What has been said about single words."""
        return self._target.hints

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

    @property
    def topic_ids(self) -> tuple[int, ...]:
        """Numbers that stay with their topics when others come and go."""
        return self._topics.ids

    @property
    def globals(self) -> Globals:
        """Topics and documents of the current sample, as a copy."""
        return self._globals.copy()

    @property
    def state(self) -> State:
        """The current sample, as a copy."""
        return State.of(self._globals.copy(), self._word_pass.logs.T.copy())

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
        return self._estimates.posterior_mean(self._word_pass)

    @property
    def map(self) -> Estimate:
        """The MAP made well-posed; see `Estimates.well_posed_map`."""
        return self._estimates.well_posed_map(
            self._word_pass, self._globals, self.parameters.fuzzifier, self._target.influence
        )

    @property
    def paper_map(self) -> Estimate:
        """The sample with the largest log joint so far, as the paper defines its MAP."""
        return self._estimates.papers_map(self._word_pass, self._globals)

    @property
    def best_quality(self) -> float:
        """The best Q seen under the present target."""
        return self._estimates.quality

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on bit for bit."""
        draft = Draft()
        draft.values.update(
            parameters=parameters_to_values(self.parameters),
            sampler=self.sampler,
            seed=self.seed,
            sweep=self._sweep,
            begun=self._begun,
            topic_ids=list(self._topics.ids),
            next_topic_id=self._topics.following,
        )
        draft.arrays["prior.centre"] = self.prior.centre.copy()
        self._word_pass.write(draft)
        self._globals.write(draft, "current")
        self._target.hints.write(draft)
        self._estimates.write(draft)
        self.trace.write(draft)
        return draft.finished()
