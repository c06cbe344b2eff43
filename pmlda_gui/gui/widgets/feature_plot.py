"""The histogram of a feature in a region, against the rest of the image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.widgets.plots import show_ticks
from pmlda_gui.gui.widgets.small_plot import SmallPlot

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.region import Histogram

__all__ = ["FeaturePlot"]

_ALPHA = 90


class FeaturePlot(SmallPlot):
    """Two densities: filled in the region, a line in the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        name = "Histogram of a feature in the region and elsewhere"
        super().__init__("feature_plot", name, "density", parent)
        self.setToolTip("Filled: in the region.  Line: in the rest of the image.")
        self._shown: Histogram | None = None
        self.setMinimumSize(160, 90)

    def set_histogram(self, histogram: Histogram) -> None:
        """Show the values of a feature."""
        self._shown = histogram
        self._draw()

    def _draw(self) -> None:
        shown = self._shown
        if shown is None:
            return
        self._take_away()
        colours = theme_colours()
        filled = QColor(colours.accent)
        filled.setAlpha(_ALPHA)
        for item in (
            pg.PlotDataItem(
                shown.edges, shown.inside, stepMode="center", fillLevel=0.0, brush=filled,
                pen=pg.mkPen(colours.accent, width=1.2),
            ),
            pg.PlotDataItem(
                shown.edges, shown.rest, stepMode="center", pen=pg.mkPen(colours.text, width=1.5)
            ),
        ):  # fmt: skip
            self._add(item)
        unit = f" [{shown.unit}]" if shown.unit else ""
        self.getPlotItem().setLabel("bottom", f"{shown.name}{unit}")
        show_ticks(self, True)
        top = max(float(shown.inside.max()), float(shown.rest.max()), 1e-12)
        self.setRange(
            xRange=(float(shown.edges[0]), float(shown.edges[-1])), yRange=(0.0, top), padding=0.02
        )
