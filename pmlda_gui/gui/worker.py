"""The thread that owns the run: it sweeps, makes maps and answers, and the window never waits.

Wishes are laid into an inbox that is read between kernel calls; of each kind the
newest counts.  A sweep longer than a frame is interrupted for a frame and goes on
where it stopped; several short ones are done in a row.  Maps take no more than half of
the time while the chain runs, and all of it while it rests, until there is nothing to add.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal

from pmlda_gui.gui.libraries import load_libraries
from pmlda_gui.gui.look import Look
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.priority import lower_priority
from pmlda_gui.gui.snapshot import Snapshot

if TYPE_CHECKING:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.gui.framing import Framer
    from pmlda_gui.workspace.preparation import Prepared
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


@dataclass
class _Inbox:
    """Wishes the worker has not read yet."""

    begin: tuple[int, Callable[[], Run]] | None = None
    drop: bool = False
    parameters: Parameters | None = None
    prepared: Prepared | None = None
    look: Look | None = None
    questions: list[tuple[str, Callable[[Run], Any]]] = field(default_factory=list)
    steps: int = 0


class ChainWorker(QThread):
    """Runs one chain at a time; every public method may be called from the window's thread.

    `failed` carries the exception that stopped the chain; `answered` carries the
    name of a question and what it returned, `refused` the exception it ended in.
    `posted` says that a frame lies in the mailbox.
    """

    posted = Signal()
    failed = Signal(object)
    answered = Signal(str, object)
    refused = Signal(str, object)

    def __init__(self, mailbox: Mailbox[Snapshot], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chain_worker")
        self._mailbox = mailbox
        self._condition = threading.Condition()
        self._inbox = _Inbox()
        self._news = False
        self._running = False
        self._closing = False
        self._farewell: Callable[[Run], Any] | None = None
        # Below: the thread's own.
        self._run: Run | None = None
        self._number = 0
        self._look = Look()
        self._framer: Framer
        self._frame_due = self._posted = 0.0
        # A change waits for its first sweep; its first frame is awaited.
        self._hurries = self._awaited = False
        self._unfinished, self._rested = False, True

    # -- wishes, from the window's thread ----------------------------------------------------

    def begin(self, number: int, make: Callable[[], Run]) -> None:
        """Drop the present run and make another, which `number` tells apart from it."""
        with self._condition:
            waiting = self._inbox
            self._inbox = _Inbox(
                begin=(number, make), look=waiting.look, questions=waiting.questions
            )
            self._notify()

    def drop(self) -> None:
        """Have no run."""
        with self._condition:
            self._inbox = _Inbox(drop=True, look=self._inbox.look)
            self._notify()

    def set_parameters(self, parameters: Parameters) -> None:
        """Sample under these parameters from the next sweep on."""
        with self._condition:
            self._inbox.parameters = parameters
            self._notify()

    def set_prepared(self, prepared: Prepared) -> None:
        """Go on with other documents or features from the next sweep on."""
        with self._condition:
            self._inbox.prepared = prepared
            self._notify()

    def set_look(self, look: Look) -> None:
        """Paint this from now on, running or not."""
        with self._condition:
            self._inbox.look = look
            self._notify()

    def set_running(self, running: bool) -> None:
        """Run or pause."""
        with self._condition:
            self._running = running
            self._notify()

    def step(self) -> None:
        """Do one sweep although paused."""
        with self._condition:
            self._inbox.steps += 1
            self._notify()

    def ask(self, name: str, question: Callable[[Run], Any]) -> None:
        """Have `question(run)` answered between kernel calls; `answered` brings the answer.

        Without a run there is no answer.
        """
        with self._condition:
            self._inbox.questions.append((name, question))
            self._notify()

    def shut_down(self, farewell: Callable[[Run], Any] | None = None) -> None:
        """Have the thread end after the present kernel call; `wait` for it.

        `farewell(run)` is the last thing it does, if there is a run.
        """
        with self._condition:
            self._farewell = farewell
            self._closing = True
            self._notify()

    def _notify(self) -> None:
        self._news = True
        self._condition.notify()

    # -- the thread --------------------------------------------------------------------------

    def run(self) -> None:
        """The thread's whole life."""
        lower_priority()
        try:
            while True:
                wishes = self._next_wishes()
                if wishes is None:
                    return
                self._guarded(wishes)
        finally:
            if self._farewell is not None and self._run is not None:
                self._farewell(self._run)
            self._drop()

    def _next_wishes(self) -> _Inbox | None:
        """What to do next, once there is something; None when the thread is to end."""
        with self._condition:
            while not (self._closing or self._news or self._has_work):
                self._condition.wait()
            wishes, self._inbox, self._news = self._inbox, _Inbox(), False
        return None if self._closing else wishes

    @property
    def _has_work(self) -> bool:
        """Whether there is something to do although nobody has asked for anything."""
        return self._run is not None and (self._running or self._unfinished)

    def _guarded(self, wishes: _Inbox) -> None:
        """Whatever goes wrong stops the chain, not the thread."""
        try:
            self._obey(wishes)
            if self._run is not None and (self._running or wishes.steps):
                self._sweep(self._run, wishes.steps)
            if self._run is not None and not self._running:
                self._finish_sweep(self._run)
                self._finish_maps()
        except Exception as error:
            self._running = self._unfinished = False
            self.failed.emit(error)

    def _obey(self, wishes: _Inbox) -> None:
        if wishes.look is not None:
            self._look = wishes.look
        if wishes.drop or wishes.begin is not None:
            self._drop()
        if wishes.begin is not None:
            self._begin(*wishes.begin)
        if self._run is None:
            return
        if wishes.parameters is not None:
            self._run.set_parameters(wishes.parameters)
        if wishes.prepared is not None:
            self._run.set_prepared(wishes.prepared)
        self._hurries |= wishes.parameters is not None or wishes.prepared is not None
        if wishes.questions:
            # What is kept, saved or exported is the result of whole sweeps, and shown as such.
            self._finish_sweep(self._run)
        for name, question in wishes.questions:
            self._answer(self._run, name, question)
        if wishes.look is not None or wishes.begin is not None:
            self._framer.set_look(self._look)
            self._show()

    def _answer(self, run: Run, name: str, question: Callable[[Run], Any]) -> None:
        """A question that cannot be answered is no reason to stop the chain."""
        try:
            answer = question(run)
        except Exception as error:
            self.refused.emit(name, error)
        else:
            self.answered.emit(name, answer)

    def _drop(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = None

    def _begin(self, number: int, make: Callable[[], Run]) -> None:
        load_libraries()
        from pmlda_gui.gui.framing import Framer

        self._number = number
        run = make()
        self._framer = Framer(run, number)
        before = run.sweeps - run.chain.sweeps
        trace = run.chain.trace
        values = trace.logit_log_joint / run.chain.corpus.size
        self._mailbox.note(
            *(
                Scalar(number, before + int(sweep), float(each))
                for sweep, each in zip(trace.joint_sweeps, values, strict=True)
            )
        )
        self._run = run

    def _sweep(self, run: Run, wanted: int) -> None:
        """Sweep until something else is to be done, or if so many are `wanted`, until they are."""
        done = 0
        if self._rested and not wanted:
            self._rested = False
            self._frame_due = time.perf_counter() + FIRST_FRAME_SECONDS
        while not self._closing:
            if self._hurries and not run.chain.in_sweep:
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
        scalars: list[Scalar] = []
        while True:
            info = run.sweep(1, self._closes if wanted else self._interrupts)
            if info.finished:
                value = run.chain.trace.last_logit_log_joint / run.chain.corpus.size
                scalars.append(Scalar(self._number, info.sweep, value))
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
        if run.chain.in_sweep:
            self._burst(run, 1)
            self._unfinished = True

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
