"""Checks what is really painted: letters, and the picture in a view."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter, QPixmap

from pmlda_gui.gui.self_test.stage import StuckError
from pmlda_gui.gui.views.picture_view import PictureView

__all__ = ["covers", "likeness", "unreadable"]

# What labels are written with; the last is not a character, so that no font has it.
_LETTERS = "AWIagi0189λαπ±×–…"
_NO_LETTER = "\uffff"
_SIDE = 32
_BLOCKS = 24


def unreadable(font: QFont) -> str:
    """Those of the letters on our labels that are drawn as empty boxes or not at all."""
    empty, box = _drawn(" ", font), _drawn(_NO_LETTER, font)
    pictures = {letter: _drawn(letter, font) for letter in _LETTERS}
    if pictures["I"] == pictures["W"]:
        return _LETTERS
    return "".join(letter for letter, drawn in pictures.items() if drawn in (empty, box))


def _drawn(letter: str, font: QFont) -> bytes:
    image = QImage(_SIDE, _SIDE, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(QRect(0, 0, _SIDE, _SIDE), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return bytes(image.constBits())


def likeness(view: PictureView, picture: NDArray[np.uint8]) -> float:
    """The correlation between what a view has painted and the picture it should show.

    Both are averaged over the same blocks of the picture: speckle and thin lines that lie
    over it count for nothing.
    """
    canvas = view.findChild(pg.GraphicsView)
    if canvas is None:
        raise StuckError("the view has no canvas")
    painted = _brightness(canvas.grab())
    height, width = picture.shape
    across, down = _block_edges(width), _block_edges(height)
    seen = view.visible_range
    columns = _on_canvas(across, seen.left(), seen.width(), painted.shape[1])
    rows = _on_canvas(down, seen.top(), seen.height(), painted.shape[0])
    expected = _block_means(picture.astype(np.float64), down, across)
    found = _block_means(painted, rows, columns)
    if expected.std() == 0 or found.std() == 0:
        return 0.0
    return float(np.corrcoef(expected.ravel(), found.ravel())[0, 1])


def _brightness(pixmap: QPixmap) -> NDArray[np.float64]:
    image = pixmap.toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return lines[:, : image.width()].astype(np.float64)


def _block_edges(length: int) -> NDArray[np.int64]:
    return np.linspace(0, length, _BLOCKS + 1).astype(np.int64)


def _on_canvas(
    edges: NDArray[np.int64], start: float, extent: float, points: int
) -> NDArray[np.int64]:
    return np.clip(np.rint((edges - start) / extent * points), 0, points).astype(np.int64)


def _block_means(
    values: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    means = np.zeros((_BLOCKS, _BLOCKS))
    for row in range(_BLOCKS):
        for column in range(_BLOCKS):
            block = values[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
            means[row, column] = block.mean() if block.size else 0.0
    return means


def covers(seen: QRectF, size: tuple[int, int]) -> bool:
    """Whether a range of pixels holds the whole picture, but for a pixel's worth of rounding."""
    height, width = size
    return seen.adjusted(-1, -1, 1, 1).contains(QRectF(0, 0, width, height))
