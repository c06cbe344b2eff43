"""A bar of round length in the corner of a picture, in metres where they are known."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

__all__ = ["ScaleBar", "length_text", "round_length"]

_LONGEST = 110
_HEIGHT = 26
_MARGIN = 8
_THICKNESS = 3
_BACKGROUND = QColor(0, 0, 0, 185)


def round_length(longest: float) -> float:
    """The largest of 1, 2, 5, 10, 20, 50, ... (or 0.5, 0.2, ...) not above `longest`."""
    power = 10.0 ** math.floor(math.log10(longest))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= longest * (1 + 1e-9))


def length_text(length: float, metres: bool) -> str:
    """A length in words: centimetres, metres or kilometres, or pixels."""
    if not metres:
        return f"{length:g} px"
    if length >= 1000:
        return f"{length / 1000:g} km"
    return f"{length:g} m" if length >= 1 else f"{length * 100:g} cm"


class ScaleBar(QWidget):
    """Stays in the lower left corner of its parent and lets the mouse through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pixel_size: float | None = None
        self._pixels_per_point = 1.0
        self.resize(QSize(_LONGEST + 2 * _MARGIN, _HEIGHT))
        parent.installEventFilter(self)

    def set_pixel_size(self, metres: float | None) -> None:
        """The side of an image pixel, None where unknown."""
        self._pixel_size = metres
        self.update()

    def set_pixels_per_point(self, ratio: float) -> None:
        """How many image pixels a point of the screen shows."""
        if ratio > 0 and ratio != self._pixels_per_point:
            self._pixels_per_point = ratio
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if event.type() == QEvent.Type.Resize:
            self.move(_MARGIN, self._canvas.height() - self.height() - _MARGIN)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        unit = self._pixels_per_point * (self._pixel_size or 1.0)
        length = round_length(_LONGEST * unit)
        points = round(length / unit)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_BACKGROUND)
        painter.drawRoundedRect(QRect(0, 0, points + 2 * _MARGIN, _HEIGHT), 4, 4)
        painter.fillRect(
            QRect(_MARGIN, _HEIGHT - _THICKNESS - 4, points, _THICKNESS), Qt.GlobalColor.white
        )
        painter.setPen(Qt.GlobalColor.white)
        font = self.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.85))
        painter.setFont(font)
        painter.drawText(
            QRect(_MARGIN, 1, max(points, 50), _HEIGHT - _THICKNESS - 6),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            length_text(length, self._pixel_size is not None),
        )
        painter.end()
