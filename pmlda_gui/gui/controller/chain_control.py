"""Controls the chain for the controller: one run at a time, and only its frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.inbox import InboxThread, Question
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.worker import ChainWorker

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["ChainControl"]

Answer = TypeVar("Answer")


class ChainControl(QObject):
    """Numbers the runs, remembers whether one should run, and drops what older ones sent.

    `starting` says that a run was begun and nothing of it has been seen yet.
    `posted` tells that a frame can be taken.
    `state_changed` tells that `exists` or `running` has changed; `failed` carries an
    exception.  `requests` is the inbox of the present run: parameters, documents, strokes and
    what to paint go there.
    """

    posted = Signal()
    state_changed = Signal()
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox: Mailbox[Snapshot] = Mailbox()
        self._worker = ChainWorker(self._mailbox, self)
        self.requests: InboxThread = self._worker
        self._worker.posted.connect(self.posted)
        self._worker.failed.connect(self._failed)
        self._worker.lost.connect(self._lost)
        self._worker.answered.connect(self._answered)
        self._worker.refused.connect(self._refused)
        self._number = 0
        self._questions: list[Question[Any]] = []
        self.exists = False
        self.starting = False
        self.running = False
        self._worker.start()

    # -- runs --------------------------------------------------------------------------------

    def begin(self, make: Callable[[], Run]) -> None:
        """Make a run on the worker's thread; it runs at once if `running`."""
        self._number += 1
        self.exists = self.starting = True
        self._mailbox.take()
        self._worker.begin(self._number, make)
        self._worker.set_running(self.running)
        self.state_changed.emit()

    def drop(self) -> None:
        """Have no run; what it has been asked and not answered yet is refused."""
        self._number += 1
        self.exists = self.starting = self.running = False
        self._worker.set_running(False)
        self._worker.drop()
        self._mailbox.take()
        questions, self._questions = self._questions, []
        for question in questions:
            question.fail(Cancelled("The run was closed before it could answer: try again."))
        self.state_changed.emit()

    def set_running(self, running: bool) -> None:
        """Run or pause, now or as soon as there is a run."""
        if running != self.running:
            self.running = running
            self._worker.set_running(running)
            self.state_changed.emit()

    def step(self) -> None:
        """Do one sweep, unless running anyway."""
        if self.exists and not self.running:
            self._worker.step()

    def ask(
        self,
        ask: Callable[[Run], Answer],
        on_answer: Callable[[Answer], None] | None = None,
        on_failed: Callable[[Exception], None] | None = None,
    ) -> Question[Answer]:
        """Have `ask(run)` done by the run's thread between kernel calls.

        One of the two functions is called here, later: always, unless the question is
        cancelled or the program ends.  Without `on_failed`, `failed` tells of a failure, but
        not of a run that was closed: whoever closed it wants no more of it.
        """
        question = Question(ask, on_answer, on_failed or self._tell)
        self._questions = [*(each for each in self._questions if each.is_open), question]
        self._worker.ask(question)
        return question

    # -- what the worker sends ---------------------------------------------------------------

    def take(self) -> tuple[Snapshot | None, Sequence[Scalar]]:
        """The newest frame and all scalars of the present run since the last taking."""
        snapshot, scalars = self._mailbox.take()
        if snapshot is not None and snapshot.run != self._number:
            snapshot = None
        if snapshot is not None:
            self.starting = False
        return snapshot, [scalar for scalar in scalars if scalar.run == self._number]

    @Slot(object)
    def _failed(self, error: object) -> None:
        self.starting = self.running = False
        self.state_changed.emit()
        self.failed.emit(error)

    @Slot(int, object)
    def _lost(self, number: int, error: object) -> None:
        """A run could not be made, so there is none; unless another is on its way already."""
        if number == self._number:
            self.exists = False
            self._failed(error)

    @Slot(object, object)
    def _answered(self, question: Question[Any], answer: object) -> None:
        if question in self._questions:
            self._questions.remove(question)
            question.answer(answer)

    @Slot(object, object)
    def _refused(self, question: Question[Any], error: Exception) -> None:
        if question in self._questions:
            self._questions.remove(question)
            question.fail(error)

    def _tell(self, error: Exception) -> None:
        if not isinstance(error, Cancelled):
            self.failed.emit(error)

    def shut_down(self, farewell: Callable[[Run], object] | None = None) -> None:
        """Have the worker's thread end; `farewell(run)` is the last thing it does."""
        for question in self._questions:
            question.cancel()
        self._worker.shut_down(farewell)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the worker's thread; whether it has ended."""
        return self._worker.wait(int(1000 * seconds))
