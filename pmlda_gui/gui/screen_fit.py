"""The size of the first window: as large as the screen allows."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget

__all__ = ["first_size", "keep_on_screen"]

_LARGEST = QSize(1920, 1200)
# What window managers put around a window, in points.
_FRAME = QSize(4, 36)
# On a large screen some of what lies behind stays in sight.
_SHARE = 0.92
_SMALL_WIDTH = 1500


def first_size(available: QSize) -> QSize:
    """The size without its frame of a first window on a screen with so much room."""
    room = available - _FRAME
    if available.width() > _SMALL_WIDTH:
        room = QSize(
            min(room.width(), round(_SHARE * available.width())),
            min(room.height(), round(_SHARE * available.height())),
        )
    return room.boundedTo(_LARGEST)


def keep_on_screen(window: QWidget) -> None:
    """Make a window no larger than its screen, and move all of it there."""
    available = window.screen().availableGeometry()
    size = window.size().boundedTo(available.size() - _FRAME)
    if size != window.size():
        window.resize(size)
    frame = QRect(window.pos(), size + _FRAME)
    left = max(available.left(), min(frame.left(), available.right() + 1 - frame.width()))
    top = max(available.top(), min(frame.top(), available.bottom() + 1 - frame.height()))
    if (left, top) != (frame.left(), frame.top()):
        window.move(left, top)
