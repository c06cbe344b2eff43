"""What a check works with: the program, a folder, and waiting with a time limit."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QTimer, Slot
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QWidget

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.frame import Snapshot
from pmlda_gui.gui.program import Program
from pmlda_gui.imagery.image import Image

__all__ = ["CheckError", "Stage", "StuckError", "demand"]

PATIENCE_SECONDS = 240.0
_LOOK_EVERY_MILLISECONDS = 2
_Widget = TypeVar("_Widget", bound=QWidget)


class CheckError(PmldaError):
    """What a check has found wrong, as a sentence."""


class StuckError(CheckError):
    """Something did not come about that everything after it needs."""


def demand(holds: bool, otherwise: str) -> None:
    """Fail with a sentence unless the condition holds."""
    if not holds:
        raise CheckError(otherwise)


class Stage(QObject):
    """Hands the program to the checks, and keeps every error that would reach an operator."""

    def __init__(self, program: Program, folder: Path) -> None:
        super().__init__(program)
        self.program = program
        self.folder = folder
        self.controller = program.controller
        self.window = program.window
        self._errors: list[str] = []
        self._wake = QTimer(self)
        self._wake.setInterval(_LOOK_EVERY_MILLISECONDS)
        self._wake.start()
        self.controller.error_raised.connect(self._hear)
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._unexpected
        threading.excepthook = self._unexpected_in_thread

    def close(self) -> None:
        """Give the hooks for errors back."""
        sys.excepthook, threading.excepthook = self._hooks
        self._wake.stop()

    @property
    def snapshot(self) -> Snapshot:
        """The newest frame of the chain."""
        shown = self.controller.presenter.snapshot
        if shown is None:
            raise StuckError("there is no map")
        return shown

    @property
    def image(self) -> Image:
        """The image in the source view."""
        shown = self.controller.shown_image
        if shown is None:
            raise StuckError("there is no image")
        return shown

    def find(self, kind: type[_Widget], name: str) -> _Widget:
        """The widget of that name."""
        found = self.window.findChild(kind, name)
        if found is None:
            raise StuckError(f"the window has no {name}")
        return found

    def bring_forward(self, widget: QWidget) -> None:
        """Bring the panel of a widget before the others that share its place."""
        around: QWidget | None = widget
        while around is not None and not isinstance(around, QDockWidget):
            around = around.parentWidget()
        if around is not None:
            around.raise_()
            QCoreApplication.processEvents()

    def press(self, name: str) -> None:
        """Click a button."""
        button = self.find(QAbstractButton, name)
        self.bring_forward(button)
        demand(button.isEnabled(), f"the button {name} cannot be pressed")
        button.click()

    def wait_until(self, holds: Callable[[], bool], otherwise: str) -> float:
        """Run the program until a condition holds; the seconds it took."""
        began = time.perf_counter()
        while not holds():
            self.require_no_errors()
            if time.perf_counter() - began > PATIENCE_SECONDS:
                raise StuckError(f"{otherwise} within {PATIENCE_SECONDS:.0f} s")
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        return time.perf_counter() - began

    def require_no_errors(self) -> None:
        """Fail with what the program has complained about, if it has."""
        heard, self._errors = self._errors, []
        if heard:
            raise StuckError("; ".join(heard))

    @Slot(object)
    def _hear(self, error: BaseException) -> None:
        self._errors.append(f"the program said: {error}")

    def _unexpected(
        self, kind: type[BaseException], error: BaseException, _trace: TracebackType | None
    ) -> None:
        self._errors.append(f"{kind.__name__}: {error}")

    def _unexpected_in_thread(self, about: threading.ExceptHookArgs) -> None:
        self._errors.append(f"{about.exc_type.__name__}: {about.exc_value}")
