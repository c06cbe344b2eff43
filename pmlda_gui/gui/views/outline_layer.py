"""The documents' outlines over a picture, faded where they would hide it."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

__all__ = ["OutlineLayer"]

# Documents whose typical side on the screen is less than this have no outlines at all, those
# of the second figure or more have them in full.
_FADED, _PLAIN = 5.0, 20.0


class OutlineLayer:
    """Lines in a view box of pyqtgraph."""

    def __init__(self, box: Any) -> None:
        self._item = QGraphicsPathItem()
        self._item.setZValue(5)
        box.addItem(self._item, ignoreBounds=True)
        self._length, self._opacity = 0.0, 1.0

    def set_outlines(
        self, path: QPainterPath, colour: tuple[int, int, int], opacity: float
    ) -> None:
        """Draw these lines; an empty path draws none."""
        pen = QPen(QColor(*colour))
        pen.setCosmetic(True)
        pen.setWidthF(1.0)
        self._item.setPen(pen)
        if path != self._item.path():
            self._item.setPath(path)
            self._length = path.length()
        self._opacity = opacity

    @property
    def opacity(self) -> float:
        """How strongly they are drawn now, 0 to 1."""
        return self._item.opacity()

    def fade(self, area: float, points: float) -> None:
        """Fit the opacity to a picture of so many pixels, each so many points on the screen."""
        if self._length <= 0.0:
            return
        # Squares of side s that fill an area A have outlines of the length 2 A / s.
        side = 2 * area / self._length * points
        fraction = min(max((side - _FADED) / (_PLAIN - _FADED), 0.0), 1.0)
        self._item.setOpacity(self._opacity * fraction)
