"""What was painted, over a picture: in the topics' colours, hatched for "not this"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

__all__ = ["PaintedArea", "StrokeLayer", "path_of"]

_Z = 6
_OPACITY = 130


class PaintedArea(NamedTuple):
    """Pixels as a path in columns and rows, the colour of their topic, and whether they are not
    that topic."""

    path: QPainterPath
    colour: tuple[int, int, int]
    against: bool


def path_of(spans: Sequence[tuple[int, int, int]]) -> QPainterPath:
    """The path around spans of row, first column and the column after the last."""
    path = QPainterPath()
    for row, first, end in spans:
        path.addRect(QRectF(first, row, end - first, 1.0))
    return path


class StrokeLayer:
    """Draws painted areas into a pyqtgraph view box."""

    def __init__(self, box: Any) -> None:
        self._box = box
        self._items: list[QGraphicsPathItem] = []
        self.areas: tuple[PaintedArea, ...] = ()

    def set_areas(self, areas: Sequence[PaintedArea]) -> None:
        """Show these and no others."""
        if tuple(areas) == self.areas:
            return
        self.areas = tuple(areas)
        for item in self._items:
            self._box.removeItem(item)
        self._items = [self._item(area) for area in self.areas]

    def _item(self, area: PaintedArea) -> QGraphicsPathItem:
        item = QGraphicsPathItem(area.path)
        item.setPen(QPen(Qt.PenStyle.NoPen))
        colour = QColor(*area.colour)
        if not area.against:
            colour.setAlpha(_OPACITY)
        hatched = Qt.BrushStyle.DiagCrossPattern
        item.setBrush(QBrush(colour, hatched if area.against else Qt.BrushStyle.SolidPattern))
        item.setZValue(_Z)
        self._box.addItem(item, ignoreBounds=True)
        return item
