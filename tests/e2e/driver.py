"""Drives the real `main()`: a script of waits and deeds, stepped from within its event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar
from unittest import mock

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QWidget

from pmlda_gui.__main__ import main
from pmlda_gui.gui.controller import Controller
from pmlda_gui.gui.dialogs.errors import ErrorReport
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.workspace.settings import settings

Script = Generator[Callable[[], bool], None, None]
Found = TypeVar("Found", bound=QWidget)
PATIENCE = 25.0


class Stage:
    """What a script acts upon."""

    @property
    def window(self) -> MainWindow:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, MainWindow) and widget.isVisible():
                return widget
        raise LookupError("the window is not there")

    @property
    def controller(self) -> Controller:
        found = self.window.findChild(Controller)
        assert found is not None
        return found

    @property
    def sweeps(self) -> int:
        snapshot = self.controller.presenter.snapshot
        return 0 if snapshot is None else snapshot.figures.sweep

    def find(self, kind: type[Found], name: str) -> Found:
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {kind.__name__} called {name}"
        dock = found.parentWidget()
        while dock is not None and not isinstance(dock, QDockWidget):
            dock = dock.parentWidget()
        if dock is not None:
            # A panel behind another's tab cannot be used, by an operator no more than by us.
            dock.raise_()
        return found

    def press(self, name: str) -> None:
        """Click a button that is enabled."""
        button = self.find(QAbstractButton, name)
        assert button.isEnabled(), f"{name} cannot be pressed"
        button.click()

    def trigger(self, name: str) -> None:
        """Choose a command that is enabled."""
        action = self.window.actions_by_name[name]
        assert action.isEnabled(), f"{name} cannot be chosen"
        action.trigger()

    def ready(self) -> bool:
        """Whether there is a chain and a first map of it."""
        return self.controller.presenter.snapshot is not None


class _Driver(QObject):
    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script
        self._holds: Callable[[], bool] | None = None
        self._deadline = time.monotonic() + PATIENCE
        self.error: BaseException | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._step)
        self._timer.start()

    @Slot()
    def _step(self) -> None:
        try:
            if self._holds is not None and not self._holds():
                assert time.monotonic() < self._deadline, _waited_for(self._holds)
                return
            self._holds = next(self._script)
            self._deadline = time.monotonic() + PATIENCE
        except StopIteration:
            self._end()
        except BaseException as error:
            self.error = error
            self._end()

    def _end(self) -> None:
        self._timer.stop()
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, MainWindow):
                widget.close()
        QCoreApplication.quit()


def _waited_for(holds: Callable[[], bool]) -> str:
    """What did not come about, and what the window shows instead."""
    stage = Stage()
    chain, shown = stage.controller.chain, stage.controller.presenter.snapshot
    return (
        f"waited in vain for {holds}; the window says {stage.window.message_bar.text!r}, "
        f"preparing {stage.controller.is_preparing}, running {chain.running}, starting "
        f"{chain.starting}, frame {shown and (shown.figures.sweep, shown.complete)}"
    )


def drive(
    arguments: Sequence[str], script: Callable[[Stage], Script], preferences: bool = False
) -> int:
    """Run the program and the script; the exit code.  Whatever the script raises is raised.

    Without `preferences` files that are opened wait for Run, no chain rests by itself, and no
    tour is offered, so that a script does everything itself.
    """
    if not preferences:
        settings().set("chain/start", "no")
        settings().set("chain/rest", "no")
        settings().set("help/tour", "seen")
    reports: list[str] = []

    def report(_dialog: ErrorReport, title: str, sentence: str, details: str = "") -> None:
        reports.append(details)

    driver = _Driver(script(Stage()))
    # Errors of our own end in a report, which a test must not overlook.
    with mock.patch.object(ErrorReport, "show_error", report):
        code = main(list(arguments))
    driver.deleteLater()
    # Closing the last window and the script both quit: the second wish must not end the
    # event loop of whatever test comes next.
    QCoreApplication.removePostedEvents(QCoreApplication.instance(), QEvent.Type.Quit.value)
    if driver.error is not None:
        for details in reports:
            driver.error.add_note(details)
        raise driver.error
    assert not reports, "\n".join(reports)
    return code


def visible(window: QWidget, kind: type[Found]) -> Found | None:
    """The dialog of that kind that is open, if one is."""
    return next((each for each in window.findChildren(kind) if each.isVisible()), None)
