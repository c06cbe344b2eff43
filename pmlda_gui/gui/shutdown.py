"""Notices that the program must end: signals, and the end of the desktop session."""

from __future__ import annotations

import logging
import signal
import threading
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

__all__ = ["Ending"]

# Python sees to a signal only while it runs, which in a resting window it does not.
_LOOK_EVERY_MILLISECONDS = 100
# The last one is what Windows sends to a console that is closed.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")

log = logging.getLogger(__name__)


class Ending(QObject):
    """Turns what the system says into calls on the window's thread.

    `requested` carries the exit code that is usual for the signal; the same signal once more
    ends the program at once.  `session_ends` comes when the desktop closes down: the
    program may be killed as soon as the slot has returned, or go on.
    """

    requested = Signal(int)
    session_ends = Signal()

    def __init__(self, application: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heard = 0
        self._before: dict[int, Any] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self._look)
        if threading.current_thread() is threading.main_thread():
            for name in _SIGNALS:
                self._listen(getattr(signal, name, None))
            self._timer.start()
        direct = Qt.ConnectionType.DirectConnection
        application.commitDataRequest.connect(self._session_ends, direct)
        application.saveStateRequest.connect(self._session_ends, direct)

    def _listen(self, number: int | None) -> None:
        # What whoever started the program has it ignore, as nohup does, stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            self._before[number] = signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._heard = number
        signal.signal(number, signal.SIG_DFL)

    @Slot()
    def _look(self) -> None:
        if self._heard:
            number, self._heard = self._heard, 0
            log.info("ending on signal %d", number)
            self.requested.emit(128 + number)

    @Slot()
    def _session_ends(self) -> None:
        log.info("the desktop's session ends")
        self.session_ends.emit()

    def stop(self) -> None:
        """Restore the previous signal handlers."""
        self._timer.stop()
        for number, handler in self._before.items():
            if signal.getsignal(number) == self._note:
                signal.signal(number, handler)
        self._before.clear()
