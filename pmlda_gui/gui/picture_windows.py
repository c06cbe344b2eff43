"""Pictures in windows of their own, linked with the others."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pmlda_gui.gui.screen_fit import keep_on_screen
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.gui.views.view_grid import ViewGrid

__all__ = ["PictureWindow", "PictureWindows"]

_SIZE = QSize(640, 560)


class PictureWindow(QWidget):
    """One picture; `closing` carries its name, after which it belongs to the grid again."""

    closing = Signal(str)

    def __init__(self, view: PictureView, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.name = view.objectName()
        self.setObjectName(f"window_of_{self.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(view)
        view.show()
        self._show_title(view.accessibleName())
        view.titled.connect(self._show_title)
        self._view = view
        close = QShortcut(QKeySequence("Ctrl+W"), self)
        close.activated.connect(self.close)
        self.resize(_SIZE)

    @Slot(str)
    def _show_title(self, title: str) -> None:
        self.setWindowTitle(f"{title} – pmlda_gui")

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        self._view.titled.disconnect(self._show_title)
        self.closing.emit(self.name)
        super().closeEvent(event)


class PictureWindows(QObject):
    """Opens and closes windows of pictures."""

    def __init__(self, grid: ViewGrid, parent: QWidget) -> None:
        super().__init__(parent)
        self._grid, self._parent = grid, parent
        self._windows: dict[str, PictureWindow] = {}
        grid.withdrawn.connect(self._close)

    @property
    def names(self) -> tuple[str, ...]:
        """The pictures that have windows of their own."""
        return tuple(self._windows)

    @Slot()
    def open_current(self) -> None:
        """Give the picture that was clicked last a window, or take it back."""
        view = self._grid.current
        if view is not None:
            self.toggle(view.objectName())

    def toggle(self, name: str) -> None:
        """Open a picture in a window of its own, or close that."""
        if name in self._windows:
            self._windows[name].close()
            return
        window = PictureWindow(self._grid.take_out(name), self._parent)
        window.closing.connect(self._put_back)
        self._windows[name] = window
        window.show()
        keep_on_screen(window)

    @Slot(str)
    def _put_back(self, name: str) -> None:
        self._windows.pop(name)
        self._grid.put_back(name)

    @Slot(str)
    def _close(self, name: str) -> None:
        if name in self._windows:
            self._windows[name].close()

    def close_all(self) -> None:
        """Take all pictures back."""
        for name in self.names:
            self._windows[name].close()
