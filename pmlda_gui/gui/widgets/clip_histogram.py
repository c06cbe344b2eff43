"""The histogram of the source image, with two handles between which brightness spreads."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.widgets.plots import dress
from pmlda_gui.imagery.histogram import SourceHistogram

__all__ = ["ClipHistogram"]

_HEIGHT = 64
_FILL, _SPAN = 120, 40


class ClipHistogram(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Shows how often values occur; `clip_changed` carries the values under the handles."""

    clip_changed = Signal(float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName("clip_histogram")
        self.setAccessibleName("Histogram of the source image")
        self.setToolTip(
            "How often each value occurs.  Drag the two lines: what lies left of them is drawn "
            "black, what lies right of them white."
        )
        self.setFixedHeight(_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(False)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.hideAxis("left")
        item.hideAxis("bottom")
        self._curve: Any = None
        self.handles = pg.LinearRegionItem((0.0, 1.0), swapMode="block")
        self.handles.setZValue(5)
        self.addItem(self.handles, ignoreBounds=True)
        self.handles.sigRegionChanged.connect(self._moved)
        self._shown: SourceHistogram | None = None
        self._follow_palette()

    def set_histogram(self, histogram: SourceHistogram) -> None:
        """Show the values of an image, with the handles where its contrast ends."""
        self._shown = histogram
        self._draw()

    def _draw(self) -> None:
        shown = self._shown
        if shown is None:
            return
        if self._curve is not None:
            self.removeItem(self._curve)
        colours = theme_colours()
        filled = QColor(colours.accent)
        filled.setAlpha(_FILL)
        # The root brings up what is rare beside what is common.
        heights = np.sqrt(shown.counts)
        self._curve = pg.PlotDataItem(
            shown.edges, heights, stepMode="center", fillLevel=0.0, brush=filled, pen=None
        )
        self.addItem(self._curve, ignoreBounds=True)
        first, last = float(shown.edges[0]), float(shown.edges[-1])
        self.setRange(xRange=(first, last), yRange=(0.0, max(float(heights.max()), 1.0)))
        # A handle in the hand stays there, whatever rounding makes of its place.
        if not any(line.moving for line in self.handles.lines):
            with QSignalBlocker(self.handles):
                self.handles.setBounds((first, last))
                self.handles.setRegion((shown.low, shown.high))

    @Slot()
    def _moved(self) -> None:
        low, high = self.handles.getRegion()
        if self._shown is not None:
            self.clip_changed.emit(float(low), float(high))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "handles"):
            self._follow_palette()
            self._draw()

    def _follow_palette(self) -> None:
        dress(self)
        colours = theme_colours()
        span = QColor(colours.muted)
        span.setAlpha(_SPAN)
        self.handles.setBrush(span)
        for line in self.handles.lines:
            line.setPen(pg.mkPen(colours.text, width=2))
            line.setHoverPen(pg.mkPen(colours.accent, width=3))
