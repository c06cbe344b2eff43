"""The files opened or saved last, in the menu and on the welcome page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.workspace.settings import settings
from pmlda_gui.workspace.settings.schema import MOST_RECENT

__all__ = ["RecentFiles"]

_KEY = "files/recent"


class RecentFiles(QObject):
    """Remembers files in the settings; `chosen` carries the path picked from the menu."""

    chosen = Signal(str)

    def __init__(self, window: MainWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._show()

    @property
    def names(self) -> list[str]:
        """The files, newest first."""
        return [name for name in settings().get(_KEY) if name]

    def remember(self, path: Path) -> None:
        """Put a file first."""
        names = [str(path), *(name for name in self.names if name != str(path))]
        settings().set(_KEY, tuple(names[:MOST_RECENT]))
        self._show()

    def _show(self) -> None:
        paths = [Path(name) for name in self.names]
        self._window.welcome.set_recent(paths)
        actions = []
        for path in paths:
            # An ampersand would be taken for the mark of a letter to press.
            action = QAction(path.name.replace("&", "&&"), self._window.recent_menu)
            action.setData(str(path))
            action.setStatusTip(str(path))
            action.triggered.connect(self._choose)
            actions.append(action)
        self._window.set_recent_actions(actions)

    @Slot()
    def _choose(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.chosen.emit(str(action.data()))
