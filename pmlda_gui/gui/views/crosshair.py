"""The crosshair that marks the pixel under the cursor in every linked picture."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QColor, QPen

import pyqtgraph as pg  # isort: skip (after PySide6)

__all__ = ["Crosshair"]

_COLOUR = QColor(255, 255, 255, 150)


class Crosshair:
    """Two lines in a view box of pyqtgraph."""

    def __init__(self, box: Any) -> None:
        pen = QPen(_COLOUR)
        pen.setCosmetic(True)
        self.lines = [pg.InfiniteLine(angle=angle, pen=pen) for angle in (90, 0)]
        for line in self.lines:
            line.setZValue(10)
            line.hide()
            box.addItem(line, ignoreBounds=True)

    def move(self, position: tuple[float, float] | None) -> None:
        """Go to a column and row; None hides it."""
        for line, value in zip(self.lines, position or (0.0, 0.0), strict=True):
            line.setVisible(position is not None)
            if position is not None:
                line.setValue(value)
