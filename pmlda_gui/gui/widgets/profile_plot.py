"""Memberships along a line, with bands of one standard deviation and marked transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.widgets.plots import show_ticks
from pmlda_gui.gui.widgets.small_plot import SmallPlot

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.profile import Profile

__all__ = ["ProfilePlot"]

_BAND_ALPHA, _SPAN_ALPHA = 70, 45


class ProfilePlot(SmallPlot):
    """Shows one profile."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("profile_plot", "Memberships along the profile", "membership", parent)
        self._shown: tuple[Profile, tuple[QColor, ...]] | None = None
        self.setMinimumSize(160, 110)

    def set_profile(self, profile: Profile, colours: Sequence[tuple[int, int, int]]) -> None:
        """Show a profile whose topics have these colours."""
        self._shown = (profile, tuple(QColor(*colour) for colour in colours))
        self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            return
        profile, colours = self._shown
        self._take_away()
        self.getPlotItem().setLabel("bottom", f"distance [{profile.unit}]")
        for each in profile.transitions:
            place = (each.transition.start, each.transition.end)
            filled = QColor(theme_colours().muted)
            filled.setAlpha(_SPAN_ALPHA)
            span = pg.LinearRegionItem(place, movable=False, brush=filled, pen=pg.mkPen(None))
            span.setZValue(-5)
            self._add(span)
        for topic, colour in enumerate(colours):
            mean, spread = profile.means[topic], profile.deviation[topic]
            known = ~np.isnan(mean)
            low, high = (
                pg.PlotDataItem(profile.distances[known], np.clip(edge[known], 0.0, 1.0), pen=None)
                for edge in (mean - spread, mean + spread)
            )
            filled = QColor(colour)
            filled.setAlpha(_BAND_ALPHA)
            self._add(pg.FillBetweenItem(low, high, brush=filled))
            pen = pg.mkPen(colour, width=2)
            self._add(pg.PlotDataItem(profile.distances, mean, pen=pen, connect="finite"))
        show_ticks(self, True)
        self.setRange(xRange=(0.0, profile.length), yRange=(0.0, 1.0), padding=0.02)
