"""A run: a chain on prepared images, with its maps and its journal.

The window and the command line both drive this object, one sweep at a time.
Whatever changes what is sampled goes through it and is written into the journal
with the sweep at which it took effect, so that seed and journal repeat the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.changes import NO_CHANGES, Changes
from pmlda_gui.core.checkpoint import Checkpoint, checkpoint_parameters
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.ladder import Ladder
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.samplers import sampler_named
from pmlda_gui.core.state import Info
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.workspace.hints import (
    PaintedHint,
    hinted_topics,
    hints_for_words,
    kept_numbers,
    numbers_by_hints,
    renumbered,
)
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.maps import MapMaker
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.recipe import ESTIMATES
from pmlda_gui.workspace.run_view import RunView
from pmlda_gui.workspace.session import ImageEntry
from pmlda_gui.workspace.topic_matching import FormerTopics
from pmlda_gui.workspace.topic_numbering import TopicNumbering

__all__ = ["ESTIMATES", "Run"]


@dataclass(frozen=True, eq=False)
class _Pending:
    """What waits for the next sweep; None stays as it is."""

    parameters: Parameters | None = None
    prepared: Prepared | None = None
    hints: tuple[PaintedHint, ...] | None = None


class Run(RunView):
    """PM-LDA on prepared images, steerable while it runs.

    Topics that lie where those of the `former` lay take over their numbers, unless
    their first numbers are given, or they were found elsewhere.  With `hints`, topics get
    the numbers of those that were said to lie there.  `ladder` and `journal` are those of a run
    to go on with.

    A run belongs to one thread.  `set_parameters` and `set_prepared` note what the next sweep
    is to take up, and the journal has it from then on; whoever calls twice before a sweep
    leaves one change.
    """

    def __init__(
        self,
        prepared: Prepared,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
        *,
        former: FormerTopics | None = None,
        topic_ids: tuple[int, ...] = (),
        hints: Sequence[PaintedHint] = (),
        ladder: Ladder | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._pending = _Pending()
        self._hints = ()
        self.numbering = TopicNumbering()
        # What its images are called in the session it was begun for, if in any.
        self.entries: tuple[ImageEntry, ...] | None = None
        self._pool = ThreadPool(threads)
        if ladder is not None and journal is not None:
            self._hints = journal.painted(journal.last_hints, prepared)
            self._ladder, self.journal = ladder, journal
        self._set_prepared(prepared.tuned(parameters.topics, self._hints))
        if ladder is not None and journal is not None:
            return
        wanted, given = parameters, prepared.given
        if given is not None and parameters.topics != given.count:
            # Topics that came or went since then do so again, before the first sweep.
            held = tuple(range(given.count))
            parameters = replace(given.parameters, held=held)
        self._ladder = Ladder(self._prepared.corpus, parameters, sampler, seed, threads)
        self.journal = Journal()
        if given is not None and former is not None:
            self.numbering = TopicNumbering(former)
        elif former is not None:
            topic_ids = self.numbering.begin(former, self.topic_record())
        said = hints if sampler_named(sampler).takes_hints else ()
        # Topics that are held have the numbers they were found with.
        if hinted_topics(said) and not parameters.held:
            topic_ids = self.numbers_by(said, topic_ids or self.topic_ids)
        if topic_ids:
            self._ladder.chain.number_topics(topic_ids)
        self.journal.record_start(
            parameters, prepared.preparation, prepared.label_maps, sampler, seed, topic_ids,
            prepared.given,
        )  # fmt: skip
        if wanted is not parameters:
            self.set_parameters(wanted)
        if said:
            self.set_hints(said)

    def numbers_by(self, hints: Sequence[PaintedHint], numbers: tuple[int, ...]) -> tuple[int, ...]:
        """Numbers for the topics, by what was painted where they lie."""
        hinted, shares = self.painted_shares(hints)
        return numbers_by_hints(shares, hinted, numbers)

    def painted_shares(
        self, hints: Sequence[PaintedHint]
    ) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """What was painted as which topics (H), and how much of each topic lies there, (H, K)."""
        hinted, record = hinted_topics(hints), self.topic_record()
        sums = np.zeros((len(hinted), len(self.topic_ids) + 1))
        for hint in hints:
            if hint.against:
                continue
            rows, columns = record.maps[hint.image].shape[1:]
            memberships = record.maps[hint.image].reshape(-1, rows * columns)
            height, width = self._prepared.images[hint.image].shape
            at = np.divmod(hint.pixels, width)
            place = (at[0] * rows // height) * columns + at[1] * columns // width
            found = np.nan_to_num(memberships[:, place])
            sums[hinted.index(hint.topic)] += [*found.sum(axis=1), found.shape[1]]
        return hinted, sums[:, :-1] / np.maximum(sums[:, -1:], 1)

    def _set_prepared(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._maker = MapMaker(prepared, self._pool)

    # -- what changes ----------------------------------------------------------------------

    @property
    def parameters(self) -> Parameters:
        """The newest parameters, in effect from the next sweep."""
        return self._pending.parameters or self.parameters_in_effect

    @property
    def awaits_change(self) -> bool:
        """Whether a change waits for the next sweep, so that no result rests on it yet."""
        waiting = self._pending.prepared
        return (
            self.parameters != self.parameters_in_effect or self._pending.hints is not None
        ) or (waiting is not None and not waiting.is_made_like(self._prepared))

    def set_parameters(self, parameters: Parameters) -> None:
        """Take up new parameters at the next sweep."""
        if parameters != self.parameters:
            self.journal.record_parameters(self._begun, parameters)
            self._wait(parameters, self._pending.prepared or self._prepared)

    def set_prepared(self, prepared: Prepared) -> None:
        """Go on with other documents or features of the same images at the next sweep."""
        if [image.shape for image in prepared.images] != [
            image.shape for image in self._prepared.images
        ]:
            raise PmldaError("A run continues only with its own images: start a new one.")
        if prepared.given != self._prepared.given:
            raise PmldaError("A run continues only with its own topics: start a new one.")
        self.journal.record_preparation(
            self._begun, prepared.preparation, prepared.label_maps, prepared.given
        )
        self._wait(self.parameters, prepared)

    def _wait(self, parameters: Parameters, prepared: Prepared) -> None:
        """Have these, with the words for so many topics, at the next sweep."""
        tuned = prepared.tuned(parameters.topics, self.hints)
        # Whoever goes back to what the run is on takes back what waited.
        self._pending = _Pending(
            parameters, None if tuned is self._prepared else tuned, self._pending.hints
        )

    @property
    def takes_hints(self) -> bool:
        """Whether its sampler knows hints."""
        return sampler_named(self.sampler).takes_hints

    @property
    def hints(self) -> tuple[PaintedHint, ...]:
        """The newest hints, in effect from the next sweep."""
        return self._hints if self._pending.hints is None else self._pending.hints

    def set_hints(self, hints: Sequence[PaintedHint]) -> None:
        """Take up these hints at the next sweep, in place of all before; none takes them back.

        Topics keep their numbers, and hints stay with their topics.
        """
        if hints and not self.takes_hints:
            raise PmldaError(f"The sampler {self.sampler!r} knows no hints: choose 'fast'.")
        self.journal.record_hints(self._begun, hints)
        self._pending = replace(self._pending, hints=tuple(hints))
        self._wait(self.parameters, self._pending.prepared or self._prepared)

    @property
    def _begun(self) -> int:
        """Sweeps done or under way; what changes now takes effect after them."""
        return self.sweeps + self.in_sweep

    # -- sweeping --------------------------------------------------------------------------

    def sweep(self, n: int = 1, cancel: Callable[[], bool] | None = None) -> Info:
        """Run n sweeps; see `Chain.sweep` for `cancel`."""
        info = self._ladder.sweep(0)
        for _ in range(n):
            changes = NO_CHANGES if self.in_sweep else self._take_pending()
            info = self._ladder.sweep(1, changes, cancel)
            if not info.finished:
                break
            self._keep_numbers()
        self.journal.sweeps = self.sweeps
        return info

    def _keep_numbers(self) -> None:
        """Give topics the numbers of former ones that lie in the same places, if it is time."""
        if self.numbering.is_due(self.sweeps, self.topic_ids):
            found = self.numbering.look_again(self.sweeps, self.topic_record())
            held = self.parameters_in_effect.held
            numbers = kept_numbers(self.topic_ids, found, self._hints, held)
            if numbers != self.topic_ids:
                self.number_topics(numbers)

    def _take_pending(self) -> Changes:
        """What the sweep that begins now takes up."""
        pending, self._pending = self._pending, _Pending()
        parameters, prepared = pending.parameters, pending.prepared
        if parameters is None and prepared is None and pending.hints is None:
            return NO_CHANGES
        if pending.hints is not None:
            self._hints = pending.hints
        has_words = prepared is None or prepared.is_made_like(self._prepared)
        if not has_words or (parameters or self.parameters_in_effect).topics != len(self.topic_ids):
            self.numbering.topics_change(self.sweeps, self.topic_record)
        if prepared is None or has_words:
            said = None if pending.hints is None else hints_for_words(self._hints, self._prepared)
            return Changes(parameters, hints=said)
        self._set_prepared(prepared)
        return Changes(parameters, prepared.corpus, hints=hints_for_words(self._hints, prepared))

    def finish_sweep(self) -> None:
        """Go on to the end of a sweep that was interrupted, if one was.

        What is there then is what a repetition finds after as many sweeps.
        """
        if self.in_sweep:
            self.sweep(1)

    def number_topics(self, numbers: tuple[int, ...]) -> None:
        """Give the topics these numbers, and write them into the journal."""
        before, waiting = self.topic_ids, self._pending.hints
        self._ladder.chain.number_topics(numbers)
        self.journal.record_topic_ids(self.sweeps, numbers)
        if not self.hints:
            return
        # Hints stay with their topics, here and in the journal.
        self._hints = renumbered(self._hints, before, numbers)
        if waiting is not None:
            self._pending = replace(self._pending, hints=renumbered(waiting, before, numbers))
        topics = len(numbers)
        if self._prepared.taught:
            self._set_prepared(self._prepared.tuned(topics, self._hints))
        if self._pending.prepared is not None:
            self._wait(self.parameters, self._pending.prepared)
        self.journal.record_hints(self._begun, self.hints)

    def close(self) -> None:
        """Stop the worker threads."""
        self._ladder.chain.close()
        self._pool.close()

    # -- rest and resumption ---------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on bit for bit with the same preparation.

        Changes that wait for the next sweep are not in it, but they are in the journal.
        """
        return self._ladder.checkpoint()

    @classmethod
    def resume(
        cls,
        prepared: Prepared,
        checkpoint: Checkpoint,
        journal: Journal,
        threads: int | None = None,
    ) -> Run:
        """The run that wrote this checkpoint."""
        parameters = checkpoint_parameters(checkpoint)
        hints = journal.painted(journal.last_hints, prepared)
        tuned = prepared.tuned(parameters.topics, hints)
        ladder = Ladder.resume(tuned.corpus, checkpoint, threads)
        return cls(tuned, parameters, threads=threads, ladder=ladder, journal=journal)
