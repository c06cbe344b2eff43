"""The histogram of a feature in a region, against the rest of the image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.views.plots import PLOT_MARGINS, dress, show_ticks

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.region import Histogram

__all__ = ["FeaturePlot"]

_ALPHA = 90


class FeaturePlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Two densities: filled in the region, a line in the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName("feature_plot")
        self.setAccessibleName("Histogram of a feature in the region and elsewhere")
        self.setToolTip("Filled: in the region.  Line: in the rest of the image.")
        self.setMinimumSize(160, 90)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(False)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setLabel("left", "density")
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
        item.setContentsMargins(*PLOT_MARGINS)
        self._items: list[Any] = []
        self._shown: Histogram | None = None
        dress(self)
        show_ticks(self, False)

    def set_histogram(self, histogram: Histogram) -> None:
        """Show the values of a feature."""
        self._shown = histogram
        self._draw()

    def _draw(self) -> None:
        shown = self._shown
        if shown is None:
            return
        for old in self._items:
            self.removeItem(old)
        colours = theme_colours()
        filled = QColor(colours.accent)
        filled.setAlpha(_ALPHA)
        self._items = [
            pg.PlotDataItem(
                shown.edges, shown.inside, stepMode="center", fillLevel=0.0, brush=filled,
                pen=pg.mkPen(colours.accent, width=1.2),
            ),
            pg.PlotDataItem(
                shown.edges, shown.rest, stepMode="center", pen=pg.mkPen(colours.text, width=1.5)
            ),
        ]  # fmt: skip
        for item in self._items:
            self.addItem(item, ignoreBounds=True)
        unit = f" [{shown.unit}]" if shown.unit else ""
        self.getPlotItem().setLabel("bottom", f"{shown.name}{unit}")
        show_ticks(self, True)
        top = max(float(shown.inside.max()), float(shown.rest.max()), 1e-12)
        self.setRange(
            xRange=(float(shown.edges[0]), float(shown.edges[-1])), yRange=(0.0, top), padding=0.02
        )

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_items"):
            dress(self)
            self._draw()
