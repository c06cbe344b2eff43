"""The surface of a picture: tells what the mouse does on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6, so that it binds to it)

__all__ = ["PictureCanvas"]

_CLICK = 4


class PictureCanvas(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph has no types
    """Where a picture is drawn; while it `draws`, the left button belongs to a tool."""

    hovered = Signal(QPointF)
    left = Signal()
    clicked = Signal()
    double_clicked = Signal()
    pressed = Signal(QPointF)
    released = Signal(QPointF)
    draws = False

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Dropped files go on to the window, which knows what to do with them.
        self.setAcceptDrops(False)
        self.setMinimumSize(80, 60)
        # The frame's own context menu serves here too.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def _is_drawing(self, event: QMouseEvent) -> bool:
        """Whether a button belongs to the tool in hand; the others pan and zoom as ever."""
        return self.draws and event.button() == Qt.MouseButton.LeftButton

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 (Qt's name)
        if self._is_drawing(event):
            self.pressed.emit(event.position())
            return
        super().mousePressEvent(event)
        self._pressed = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._is_drawing(event):
            self.released.emit(event.position())
            return
        super().mouseReleaseEvent(event)
        way = event.position() - getattr(self, "_pressed", event.position())
        # A hand that shakes has not dragged.
        if event.button() == Qt.MouseButton.LeftButton and way.manhattanLength() < _CLICK:
            self.clicked.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if not (self.draws and event.buttons() & Qt.MouseButton.LeftButton):
            super().mouseMoveEvent(event)
        self.hovered.emit(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if not self._is_drawing(event):
            super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self.left.emit()
