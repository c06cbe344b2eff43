"""A small plot that cannot be moved, in the colours of the theme."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.widgets.plots import PLOT_MARGINS, dress, show_ticks

__all__ = ["SmallPlot"]


class SmallPlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """What is drawn is drawn again by `_draw` when the theme changes."""

    def __init__(self, name: str, accessible: str, left: str, parent: QWidget | None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(False)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setLabel("left", left)
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
        item.setContentsMargins(*PLOT_MARGINS)
        self._items: list[Any] = []
        dress(self)
        show_ticks(self, False)

    def _draw(self) -> None:
        """Draw what is to be seen."""
        raise NotImplementedError

    def _take_away(self) -> None:
        """Begin with an empty plot."""
        for old in self._items:
            self.removeItem(old)
        self._items = []

    def _add(self, item: Any) -> None:
        self.addItem(item, ignoreBounds=True)
        self._items.append(item)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_items"):
            dress(self)
            self._draw()
