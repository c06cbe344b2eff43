"""What the colours of a picture mean: a bar from low to high, or a square for each topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

__all__ = ["Bar", "ColourKey", "Key", "Legend", "key_width", "paint_key"]

Colour = tuple[int, int, int]
_LONGEST_BAR, _SHORTEST_BAR = 90, 22
_THICKNESS = 9
_SQUARE = 9
_GAP = 4
_BETWEEN = 10


@dataclass(frozen=True, eq=False)
class Bar:
    """A table of 256 colours (256, 3 or 4); level 0 stands for nothing and is left out."""

    table: NDArray[np.uint8]
    low: str
    high: str

    def image(self) -> QImage:
        """The colours from left to right, one pixel high."""
        colours = np.ascontiguousarray(self.table[1:, :3])
        width = len(colours)
        return QImage(colours.data, width, 1, 3 * width, QImage.Format.Format_RGB888).copy()


@dataclass(frozen=True)
class Legend:
    """Names with their colours."""

    entries: tuple[tuple[str, Colour], ...]


Key = Bar | Legend


def key_width(key: Key, metrics: QFontMetrics, room: int) -> int:
    """How wide a key is drawn where there is so much room, in points; 0 if it does not fit.

    A bar is shortened, and at last loses its words; so does a legend.
    """
    if isinstance(key, Bar):
        width = min(_words_width(key, metrics) + _LONGEST_BAR, room)
        if width < _words_width(key, metrics) + _SHORTEST_BAR:
            width = min(_LONGEST_BAR, room)
        return width if width >= _SHORTEST_BAR else 0
    return next((width for width in _legend_widths(key, metrics) if width <= room), 0)


def _words_width(key: Bar, metrics: QFontMetrics) -> int:
    return sum(metrics.horizontalAdvance(words) + _GAP for words in (key.low, key.high))


def _legend_widths(key: Legend, metrics: QFontMetrics) -> tuple[int, int]:
    """With names and without."""
    count = len(key.entries)
    named = sum(
        _SQUARE + _GAP + metrics.horizontalAdvance(name) + _BETWEEN for name, _ in key.entries
    )
    return named - _BETWEEN, count * (_SQUARE + _GAP) - _GAP


def paint_key(painter: QPainter, key: Key, area: QRectF, text: QColor) -> None:
    """Draw a key from the left edge of `area`, in the middle of its height."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    if isinstance(key, Bar):
        _paint_bar(painter, key, area, text)
    else:
        _paint_legend(painter, key, area, text)


def _paint_bar(painter: QPainter, key: Bar, area: QRectF, text: QColor) -> None:
    metrics = painter.fontMetrics()
    # A fraction of a point more or less must not cost the words.
    named = area.width() + 1 >= _words_width(key, metrics) + _SHORTEST_BAR
    low, high = (
        metrics.horizontalAdvance(words) + _GAP if named else 0 for words in (key.low, key.high)
    )
    bar = QRectF(
        area.left() + low,
        area.center().y() - _THICKNESS / 2,
        area.width() - low - high,
        _THICKNESS,
    )
    painter.drawImage(bar, key.image())
    painter.setPen(QColor(128, 128, 128, 160))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    if not named:
        return
    painter.setPen(text)
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, key.low)
    painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, key.high)


def _paint_legend(painter: QPainter, key: Legend, area: QRectF, text: QColor) -> None:
    metrics = painter.fontMetrics()
    named = _legend_widths(key, metrics)[0] <= area.width() + 1
    left = area.left()
    for name, colour in key.entries:
        square = QRectF(left, area.center().y() - _SQUARE / 2, _SQUARE, _SQUARE)
        painter.setPen(QColor(128, 128, 128, 160))
        painter.setBrush(QColor(*colour))
        painter.drawRect(square)
        left += _SQUARE + _GAP
        if named:
            width = metrics.horizontalAdvance(name)
            painter.setPen(text)
            place = QRectF(left, area.top(), width + 1, area.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
            left += width + _BETWEEN


class ColourKey(QWidget):
    """A key in the title of a picture, as wide as there is room for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._key: Key | None = None
        self.hide()

    @property
    def key(self) -> Key | None:
        """What is shown."""
        return self._key

    def set_key(self, key: Key | None) -> None:
        """Explain these colours; None explains nothing."""
        self._key = key
        if isinstance(key, Bar):
            self.setToolTip(f"Colours from {key.low} to {key.high}")
        else:
            names = [] if key is None else [name for name, _ in key.entries]
            self.setToolTip("\n".join(names))
        self.update()

    def fit(self, room: int) -> int:
        """Take at most so many points; how many it takes."""
        width = 0 if self._key is None else key_width(self._key, self.fontMetrics(), room)
        self.setVisible(width > 0)
        if width != self.width():
            self.setFixedWidth(max(width, 1))
        return width

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(self.width(), self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._key is None:
            return
        painter = QPainter(self)
        text = self.palette().color(QPalette.ColorRole.WindowText)
        paint_key(painter, self._key, QRectF(self.rect()).adjusted(0, 0, -1, 0), text)
        painter.end()
