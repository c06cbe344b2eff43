"""The worker thread, which owns the run: it sweeps, computes maps and answers questions.

Requests are laid into an inbox that is read between kernel calls; of each kind the
newest counts.  A sweep longer than a frame is interrupted for a frame and goes on
where it stopped; several short ones are done in a row.  Maps take no more than half of
the time while the chain runs, and all of it while it rests, until there is nothing to add.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.inbox import Inbox, InboxThread, Question
from pmlda_gui.gui.library_loading import load_libraries
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.priority import lower_priority
from pmlda_gui.gui.view_request import ViewRequest, given_looks

if TYPE_CHECKING:
    from pmlda_gui.gui.frame_maker import Framer
    from pmlda_gui.workspace.run import Run

__all__ = ["ChainWorker"]

FRAME_SECONDS = 0.034
# Making and painting maps may take no more than this share of the time.
PAINTING_SHARE = 0.5
# But nobody should wait longer than this for the next frame.
LONGEST_REST = 1.5
# A frame with nothing new but figures comes no sooner than this.
FIGURES_SECONDS = 0.1
# At rest, frames on the way to the last one come no sooner than this.
REST_FRAME_SECONDS = 0.2
# After a change, the first frame waits until its first sweeps have got somewhere.
FIRST_FRAME_SECONDS = 0.012
# So long the worker sweeps before it looks at the clock and the inbox.
BURST_SECONDS = 0.012


class ChainWorker(InboxThread):
    """Runs one chain at a time.

    `failed` carries the exception that stopped the chain, `lost` the number of a run that
    could not be made and why; `answered` carries a question and what it returned, `refused`
    a question and why it has no answer.  `posted` says that a frame lies in the mailbox.
    """

    posted = Signal()
    failed = Signal(object)
    lost = Signal(int, object)
    answered = Signal(object, object)
    refused = Signal(object, object)

    def __init__(self, mailbox: Mailbox[Snapshot], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chain_worker")
        self._mailbox = mailbox
        self._run: Run | None = None
        self._number = 0
        self._look = ViewRequest()
        self._framer: Framer
        self._frame_due = self._posted = 0.0
        # A change waits for its first sweep; its first frame is awaited.
        self._hurries = self._awaited = False
        self._unfinished, self._rested = False, True

    # -- the thread --------------------------------------------------------------------------

    def run(self) -> None:
        """The thread's whole life."""
        lower_priority()
        try:
            while True:
                requests = self._next_requests()
                if requests is None:
                    return
                self._guarded(requests)
        finally:
            self._take_leave()
            self._drop()

    def _take_leave(self) -> None:
        """The last thing to do for a run, changes included that it has not seen yet."""
        if self._farewell is None or self._run is None:
            return
        try:
            if not self._inbox.ends_the_run:
                self._hand_over(self._inbox)
        finally:
            self._farewell(self._run)

    @property
    def _has_work(self) -> bool:
        """Whether there is something to do although nobody has asked for anything."""
        return self._run is not None and (self._running or self._unfinished)

    def _guarded(self, requests: Inbox) -> None:
        """Whatever goes wrong stops the chain, not the thread."""
        try:
            self._apply(requests)
            if self._run is not None and (self._running or requests.steps):
                self._sweep(self._run, requests.steps)
            if self._run is not None and not self._running:
                self._finish_sweep(self._run)
                self._finish_maps()
        except Exception as error:
            self._running = self._unfinished = False
            self.failed.emit(error)

    def _apply(self, requests: Inbox) -> None:
        if requests.former is not None:
            self._apply(requests.former)
        if requests.look is not None:
            self._look = requests.look
        if requests.ends_the_run:
            self._drop()
        if requests.begin is not None:
            self._begin(*requests.begin)
        try:
            self._hand_over(requests)
            if requests.questions and self._run is not None:
                # What is kept, saved or exported is the result of whole sweeps, and shown as such.
                self._finish_sweep(self._run)
        finally:
            # Questions are answered even if the rest failed.
            for question in requests.questions:
                self._answer(question)
        if self._run is not None and (requests.look is not None or requests.begin is not None):
            self._run.numbering.former_topics.take_given(given_looks(self._look.topics))
            self._framer.set_view(self._look)
            self._show()

    def _hand_over(self, requests: Inbox) -> None:
        """Give the run what it takes up at its next sweep."""
        if self._run is None:
            return
        if requests.parameters is not None:
            self._run.set_parameters(requests.parameters)
        if requests.prepared is not None:
            self._run.set_prepared(requests.prepared)
        if requests.strokes is not None:
            from pmlda_gui.workspace.undo_states import give_hints

            give_hints(self._run, requests.strokes)
        news = (requests.parameters, requests.prepared, requests.strokes)
        self._hurries |= any(each is not None for each in news)

    def _answer(self, question: Question[Any]) -> None:
        """A question that cannot be answered is no reason to stop the chain."""
        if not question.is_open:
            return
        try:
            if self._run is None:
                raise PmldaError("There is no run yet: open an image and press Run.")
            answer = question.ask(self._run)
        except Exception as error:
            self.refused.emit(question, error)
        else:
            self.answered.emit(question, answer)

    def _drop(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = None

    def _begin(self, number: int, make: Callable[[], Run]) -> None:
        """Make a run; if that fails, answer with the error."""
        self._number = number
        try:
            load_libraries()
            self._run = make()
            self._note_past(self._run)
        except Exception as error:
            self._drop()
            self._running = self._unfinished = False
            self.lost.emit(number, error)

    def _note_past(self, run: Run) -> None:
        """Frames of the run from now on, and the trace of all its sweeps so far."""
        from pmlda_gui.gui.frame_maker import Framer

        self._framer = Framer(run, self._number)
        self._mailbox.note(
            *(
                Scalar(self._number, int(sweep), float(value))
                for sweep, value in zip(*run.log_joint, strict=True)
            )
        )

    def _sweep(self, run: Run, wanted: int) -> None:
        """Sweep until something else is to be done, or if so many are `wanted`, until they are."""
        done = 0
        if self._rested and not wanted:
            self._rested = False
            self._frame_due = time.perf_counter() + FIRST_FRAME_SECONDS
        while not self._closing:
            if self._hurries and not run.in_sweep:
                # This sweep takes up the change.
                if not self._awaited:
                    self._frame_due = time.perf_counter() + FIRST_FRAME_SECONDS
                self._hurries, self._awaited = False, True
            done += self._burst(run, wanted - done if wanted else 0)
            if done < wanted:
                continue
            if wanted or not self._running:
                self._finish_sweep(run)
                self._show()
                return
            if self._frame_is_due():
                self._frame()
            elif self._figures_are_due():
                self._post()
            if self._news:
                return

    def _burst(self, run: Run, wanted: int) -> int:
        """Sweep for a moment, or until so many are done if any are `wanted`; how many were."""
        began = time.perf_counter()
        # Whenever the chain comes to rest, the maps of what it has found are to be made.
        self._unfinished = True
        scalars: list[Scalar] = []
        while True:
            info = run.sweep(1, self._closes if wanted else self._interrupts)
            if info.finished:
                scalars.append(Scalar(self._number, info.sweep, run.last_log_joint))
            spent = time.perf_counter() - began
            if not info.finished or len(scalars) == wanted or spent > BURST_SECONDS:
                break
        self._framer.mapper.note_sweeps()
        self._framer.meter.record(run, info, spent)
        if scalars:
            held_out = self._framer.held_out.look(run)
            scalars[-1] = scalars[-1]._replace(held_out=held_out)
        self._mailbox.note(*scalars)
        return len(scalars)

    def _finish_sweep(self, run: Run) -> None:
        """Go on to the end of a sweep that was interrupted."""
        if run.in_sweep:
            self._burst(run, 1)

    def _closes(self) -> bool:
        return self._closing

    def _interrupts(self) -> bool:
        """Asked between kernel calls: whether anything is more urgent than the sweep."""
        return self._closing or self._news or not self._running or self._frame_is_due()

    def _frame_is_due(self) -> bool:
        # A change takes effect with the next sweep: no frame delays the end of this one.
        return not self._hurries and self._mailbox.empty and time.perf_counter() >= self._frame_due

    def _figures_are_due(self) -> bool:
        """Whether the figures should be seen to move while the next maps are not due."""
        waited = time.perf_counter() >= self._posted + FIGURES_SECONDS
        return waited and self._mailbox.empty and self._framer.mapper.is_current

    # -- frames ------------------------------------------------------------------------------

    def _frame(self) -> None:
        """While the chain runs: make the maps that are most wanted, and post what there is."""
        started = time.perf_counter()
        wanted = self._framer.mapper.next_pass(at_rest=False)
        if wanted is not None:
            # Whoever waits for a first frame gets it, whatever else comes.
            cancel = self._closes if wanted.first else self._has_news
            if not self._framer.mapper.make(wanted, cancel):
                return
        self._post()
        finished = time.perf_counter()
        rest = (finished - started) * (1 / PAINTING_SHARE - 1)
        least = FIGURES_SECONDS if wanted is None else FRAME_SECONDS
        self._frame_due = max(started + least, finished + min(rest, LONGEST_REST))

    def _show(self) -> None:
        """Post what there is, after a first pass if there is nothing yet; the rest will follow."""
        wanted = self._framer.mapper.next_pass(at_rest=False)
        if wanted is None or not wanted.first or self._framer.mapper.make(wanted, self._closes):
            self._post()
        self._unfinished = True

    def _finish_maps(self) -> None:
        """While the chain rests: make the maps as fine as they get."""
        self._rested = True
        while self._unfinished and not self._has_news():
            wanted = self._framer.mapper.next_pass(at_rest=True)
            if wanted is None:
                self._unfinished = False
            elif not self._framer.mapper.make(wanted, self._has_news):
                return
            if wanted is None or time.perf_counter() >= self._frame_due:
                self._post()
                self._frame_due = time.perf_counter() + REST_FRAME_SECONDS

    def _has_news(self) -> bool:
        return self._closing or self._news

    def _post(self) -> None:
        self._awaited = False
        self._posted = time.perf_counter()
        self._mailbox.put(self._framer.snapshot())
        self.posted.emit()
