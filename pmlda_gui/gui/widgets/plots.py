"""What all plots share: axes in the colours of the theme."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QColor

from pmlda_gui.gui.theme import theme_colours

__all__ = ["PLOT_MARGINS", "dress", "show_ticks"]

PLOT_MARGINS = (0, 7, 9, 0)
"""Room for the halves of the outermost numbers that reach beyond their axes."""
_SIDES = ("left", "bottom")


def dress(plot: Any) -> None:
    """Give a pyqtgraph PlotWidget the colours of the theme."""
    colours = theme_colours()
    plot.setBackground(QColor(colours.base))
    for side in _SIDES:
        axis = plot.getPlotItem().getAxis(side)
        axis.setPen(QColor(colours.muted))
        axis.setTextPen(QColor(colours.text))


def show_ticks(plot: Any, shown: bool) -> None:
    """Ticks and numbers beside an empty plot would only puzzle."""
    for side in _SIDES:
        plot.getPlotItem().getAxis(side).setTicks(None if shown else [])
