"""The chain as the rest of the controller sees it: one run at a time, and only its frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.gui.look import Look
from pmlda_gui.gui.mailbox import Mailbox, Scalar
from pmlda_gui.gui.snapshot import Snapshot
from pmlda_gui.gui.worker import ChainWorker

if TYPE_CHECKING:
    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run

__all__ = ["ChainControl"]


class ChainControl(QObject):
    """Numbers the runs, remembers whether one should run, and drops what older ones sent.

    `starting` says that a run was begun and nothing of it has been seen yet.
    `posted` tells that a frame can be taken.
    `state_changed` tells that `exists` or `running` has changed; `failed` carries an
    exception; `refused` the name of a question that will have no answer.
    """

    posted = Signal()
    state_changed = Signal()
    failed = Signal(object)
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox: Mailbox[Snapshot] = Mailbox()
        self._worker = ChainWorker(self._mailbox, self)
        self._worker.posted.connect(self.posted)
        self._worker.failed.connect(self._failed)
        self._worker.answered.connect(self._answered)
        self._worker.refused.connect(self._refused)
        self._number = 0
        self._answers: dict[str, Callable[[Any], None]] = {}
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
        """Have no run."""
        self._number += 1
        self.exists = self.starting = self.running = False
        for name in tuple(self._answers):
            del self._answers[name]
            self.refused.emit(name)
        self._worker.set_running(False)
        self._worker.drop()
        self._mailbox.take()
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

    def set_parameters(self, parameters: Parameters) -> None:
        """Sample under these parameters from the next sweep on."""
        if self.exists:
            self._worker.set_parameters(parameters)

    def set_prepared(self, prepared: Prepared) -> None:
        """Go on with other documents or features from the next sweep on."""
        if self.exists:
            self._worker.set_prepared(prepared)

    def set_look(self, look: Look) -> None:
        """Paint this from now on."""
        self._worker.set_look(look)

    def ask(self, name: str, question: Callable[[Run], Any], answer: Callable[[Any], None]) -> None:
        """Have a question answered by the run's thread; `answer` is called on this one.

        Of questions under one name the last one's answer counts.
        """
        if self.exists:
            self._answers[name] = answer
            self._worker.ask(name, question)

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

    @Slot(str, object)
    def _answered(self, name: str, result: object) -> None:
        answer = self._answers.pop(name, None)
        if answer is not None:
            answer(result)

    @Slot(str, object)
    def _refused(self, name: str, error: object) -> None:
        if self._answers.pop(name, None) is not None:
            self.refused.emit(name)
            self.failed.emit(error)

    def shut_down(self, farewell: Callable[[Run], Any] | None = None) -> None:
        """Have the worker's thread end; `farewell(run)` is the last thing it does."""
        self._worker.shut_down(farewell)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the worker's thread; whether it has ended."""
        return self._worker.wait(int(1000 * seconds))
