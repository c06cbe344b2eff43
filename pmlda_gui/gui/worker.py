"""The thread that owns the run: it sweeps, paints and answers, and the window never waits.

Wishes are laid into an inbox that is read between kernel calls; of each kind the
newest counts.  A sweep longer than a frame is interrupted for painting and goes on
where it stopped, so that maps stream evenly whatever the size of the image.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QThread, Signal

from pmlda_gui.gui.look import Look, ShownTopic, arrange
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.meter import Meter
from pmlda_gui.gui.priority import lower_priority
from pmlda_gui.gui.snapshot import ScatterPicture, Snapshot

if TYPE_CHECKING:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.gui.painting import Painter
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run

__all__ = ["ChainWorker"]

FRAME_SECONDS = 0.034
# Painting may take no more than this share of the time.
PAINTING_SHARE = 0.3
# But nobody should wait longer than this for the next frame.
LONGEST_REST = 1.5
# After a change, the first frame waits until its first sweep has got somewhere.
FIRST_FRAME_SECONDS = 0.02
SCATTER_SECONDS = 0.25


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
        self._painter: Painter
        self._meter: Meter
        self._scatter: ScatterPicture | None = None
        self._frame_due = self._scatter_due = 0.0
        self._hurries = False

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
            while not (self._closing or self._news or (self._running and self._run is not None)):
                self._condition.wait()
            wishes, self._inbox, self._news = self._inbox, _Inbox(), False
        return None if self._closing else wishes

    def _guarded(self, wishes: _Inbox) -> None:
        """Whatever goes wrong stops the chain, not the thread."""
        try:
            self._obey(wishes)
            if self._run is not None and (self._running or wishes.steps):
                self._sweep(self._run, wishes.steps)
        except Exception as error:
            self._running = False
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
        for name, question in wishes.questions:
            self._answer(self._run, name, question)
        if wishes.look is not None or wishes.begin is not None:
            self._scatter_due = 0.0
            self._post(self._run)

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
        self._run = self._scatter = None

    def _begin(self, number: int, make: Callable[[], Run]) -> None:
        from pmlda_gui.gui.painting import Painter

        self._number = number
        run = make()
        self._painter, self._meter = Painter(), Meter(run)
        before = run.sweeps - run.chain.sweeps
        for sweep, value in enumerate(run.chain.trace.logit_log_joint, before + 1):
            self._mailbox.note(Scalar(number, sweep, float(value) / run.chain.corpus.size))
        self._run = run

    def _sweep(self, run: Run, wanted: int) -> None:
        """Sweep until something else is to be done, or if so many are `wanted`, until they are."""
        done = 0
        while not self._closing:
            started = time.perf_counter()
            if self._hurries and not run.chain.in_sweep:
                # This sweep takes up the change.
                self._hurries = False
                self._frame_due = started + FIRST_FRAME_SECONDS
            info = run.sweep(1, self._closes if wanted else self._interrupts)
            self._meter.record(run, info, time.perf_counter() - started)
            if info.finished:
                done += 1
                value = run.chain.trace.last_logit_log_joint / run.chain.corpus.size
                self._mailbox.note(Scalar(self._number, info.sweep, value))
            paused = not self._running
            # A pause ends with a frame, so that what is shown is what the chain has.
            if done >= wanted and (wanted or paused or self._frame_is_due()):
                self._post(run)
            if done >= wanted and (wanted or paused or self._news):
                return

    def _closes(self) -> bool:
        return self._closing

    def _interrupts(self) -> bool:
        """Asked between kernel calls: whether anything is more urgent than the sweep."""
        return self._closing or self._news or not self._running or self._frame_is_due()

    def _frame_is_due(self) -> bool:
        # A change takes effect with the next sweep: no frame delays the end of this one.
        return not self._hurries and self._mailbox.empty and time.perf_counter() >= self._frame_due

    # -- frames ------------------------------------------------------------------------------

    def _post(self, run: Run) -> None:
        started = time.perf_counter()
        self._mailbox.put(self._snapshot(run))
        self.posted.emit()
        finished = time.perf_counter()
        rest = (finished - started) * (1 / PAINTING_SHARE - 1)
        self._frame_due = max(started + FRAME_SECONDS, finished + min(rest, LONGEST_REST))

    def _snapshot(self, run: Run) -> Snapshot:
        from pmlda_gui.gui.scattering import scatter_picture

        look = self._look
        image = min(look.image, len(run.prepared.images) - 1)
        estimate = run.estimate(look.estimate)
        topics = arrange(run.topic_ids, look.topics)
        documents = run.prepared.documents_of(image)
        shares = estimate.proportions[documents]
        if look.scatter is None or max(look.scatter) >= len(run.prepared.feature_names):
            self._scatter = None
        elif time.perf_counter() >= self._scatter_due:
            self._scatter = scatter_picture(run, estimate, topics, look.scatter)
            self._scatter_due = time.perf_counter() + SCATTER_SECONDS
        before = run.sweeps - run.chain.sweeps
        return Snapshot(
            run=self._number,
            image=image,
            prepared=run.prepared,
            topic_ids=run.topic_ids,
            topics=topics,
            pictures=self._painter.paint(run, estimate, image, topics),
            proportions=_added(shares, topics),
            scaling=estimate.scaling[documents],
            marks=tuple((before + mark.sweep, mark.text) for mark in run.chain.trace.marks),
            figures=self._meter.figures,
            estimate=look.estimate,
            scatter=self._scatter,
        )


def _added(shares: NDArray[np.float64], topics: tuple[ShownTopic, ...]) -> NDArray[np.float64]:
    """The columns of (D, K) added up to the topics shown, (D, G)."""
    return np.stack([shares[:, list(topic.members)].sum(axis=1) for topic in topics], axis=1)
