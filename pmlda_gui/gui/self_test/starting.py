"""How long it takes from starting the program to its first painted window."""

from __future__ import annotations

import os
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

__all__ = ["FirstPaint", "process_age"]

_LOADED = time.perf_counter()


def process_age() -> float:
    """Seconds since this process began; without Linux's word for it, since this was loaded."""
    status = Path("/proc/self/stat")
    if not status.is_file():
        return time.perf_counter() - _LOADED
    # The name of the program, in brackets, may hold spaces; counted from 3 behind it.
    fields = status.read_text().rpartition(")")[2].split()
    began = int(fields[22 - 3]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began


class FirstPaint(QObject):
    """Notes when a window has been painted for the first time."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.seconds: float | None = None
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Look at the clock once the painting that begins now is done."""
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self, self._painted)
        return super().eventFilter(watched, event)

    @Slot()
    def _painted(self) -> None:
        self.seconds = process_age()
