"""Profiles, regions and measurements over a picture, with their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.workspace.shapes import Point

__all__ = ["DrawnShape", "ShapeLayer"]

_HALO, _LINE, _CHOSEN = QColor(0, 0, 0, 170), QColor(255, 255, 255), QColor(255, 200, 40)
_Z = 8


class DrawnShape(NamedTuple):
    """A path through points, closed or not, with a name; the chosen one stands out."""

    points: tuple[Point, ...]
    closed: bool
    name: str = ""
    chosen: bool = False


class ShapeLayer:
    """Draws shapes into a pyqtgraph view box; lines keep their width whatever the zoom."""

    def __init__(self, box: Any) -> None:
        self._box = box
        self._items = {
            name: self._path_item(colour, width, place)
            for name, colour, width, place in (
                ("halo", _HALO, 4.0, 0), ("line", _LINE, 1.6, 1), ("chosen", _CHOSEN, 2.0, 2),
            )
        }  # fmt: skip
        self._names: list[Any] = []
        self._shown: tuple[DrawnShape, ...] = ()

    def _path_item(self, colour: QColor, width: float, place: int) -> QGraphicsPathItem:
        item = QGraphicsPathItem()
        pen = QPen(colour)
        pen.setCosmetic(True)
        pen.setWidthF(width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        item.setPen(pen)
        item.setZValue(_Z + 0.1 * place)
        self._box.addItem(item, ignoreBounds=True)
        return item

    def set_shapes(self, shapes: Sequence[DrawnShape]) -> None:
        """Show these and no others."""
        wanted = tuple(shapes)
        if wanted == self._shown:
            return
        self._shown = wanted
        paths = {name: QPainterPath() for name in self._items}
        for shape in wanted:
            path = _path(shape)
            paths["halo"].addPath(path)
            paths["chosen" if shape.chosen else "line"].addPath(path)
        for name, path in paths.items():
            self._items[name].setPath(path)
        for label in self._names:
            self._box.removeItem(label)
        self._names = [self._label(shape) for shape in wanted if shape.name]

    def _label(self, shape: DrawnShape) -> Any:
        label = pg.TextItem(
            shape.name, color=_CHOSEN if shape.chosen else _LINE, fill=_HALO, anchor=(0, 1)
        )
        label.setZValue(_Z + 1)
        label.setPos(*min(shape.points, key=lambda point: point[1]))
        self._box.addItem(label, ignoreBounds=True)
        return label

    @property
    def shapes(self) -> tuple[DrawnShape, ...]:
        """What is shown."""
        return self._shown


def _path(shape: DrawnShape) -> QPainterPath:
    path = QPainterPath()
    path.moveTo(*shape.points[0])
    for point in shape.points[1:]:
        path.lineTo(*point)
    if shape.closed:
        path.closeSubpath()
    return path
