"""How the chain goes, sweep by sweep, with a mark wherever the operator changed the target.

Shown is how well the topics explain words never used for learning, or at a click the log
joint density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.mailbox import Scalar
from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.widgets.plots import PLOT_MARGINS, dress, show_ticks

__all__ = ["TraceView"]

_MARK = "#d55e00"
# The first sweeps climb so steeply that they would flatten everything after them.
_SHARE_IN_SIGHT = 0.9
# A few sweeps that leap out would flatten everything between them.
_PERCENT_IN_SIGHT = (1.0, 99.0)
_MOST_LABELS = 4
# When so many sweeps are held every second one is let go, and from then on only every
# second one is taken: nobody sees more points than the screen has columns.
_MOST_POINTS = 4000
_LONGEST_LABEL = 18
_QUANTITIES = {
    "held_out": (
        "held-out words",
        "How well the topics explain words never used for learning: the mean log predictive "
        "density a word, higher is better.",
    ),
    "log_joint": (
        "log joint",
        "Log joint density per word (of the memberships' logits): level noise means settled, "
        "a slope means still moving.",
    ),
}


class _Series:
    """Values by sweep, thinned out as they grow many."""

    def __init__(self) -> None:
        self.sweeps: list[int] = []
        self.values: list[float] = []
        self._every = 1

    def add(self, sweep: int, value: float) -> None:
        """Add a sweep; those from its number on are replaced."""
        while self.sweeps and self.sweeps[-1] >= sweep:
            self.sweeps.pop()
            self.values.pop()
        # The first one shows where the trace begins.
        if self.sweeps and sweep < self.sweeps[-1] + self._every:
            return
        self.sweeps.append(sweep)
        self.values.append(value)
        if len(self.sweeps) >= _MOST_POINTS:
            self._every *= 2
            kept = [0, *range(2 - len(self.sweeps) % 2, len(self.sweeps), 2)]
            self.sweeps = [self.sweeps[number] for number in kept]
            self.values = [self.values[number] for number in kept]


class TraceView(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Follows the chain; the vertical axis leaves out the first steep climb."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName("trace_view")
        self.setAccessibleName("Trace of the chain")
        self.setMinimumSize(160, 90)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Dropped files go on to the window, which knows what to do with them.
        self.setAcceptDrops(False)
        self._series = {name: _Series() for name in _QUANTITIES}
        self._marks: list[pg.InfiniteLine] = []
        self._marked: tuple[tuple[int, str], ...] = ()
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setLabel("bottom", "sweep")
        item.setMouseEnabled(x=False, y=False)
        item.getAxis("left").enableAutoSIPrefix(False)
        item.setContentsMargins(*PLOT_MARGINS)
        self._curve = item.plot()
        self.quantity = QComboBox(self)
        self.quantity.setObjectName("trace_quantity")
        self.quantity.setAccessibleName("What the trace shows")
        self.quantity.setToolTip("What the trace shows: held-out words, or the log joint")
        for name, (words, help_text) in _QUANTITIES.items():
            self.quantity.addItem(words, name)
            self.quantity.setItemData(
                self.quantity.count() - 1, help_text, Qt.ItemDataRole.ToolTipRole
            )
        self.quantity.currentIndexChanged.connect(self._choose)
        self._follow_palette()
        self._choose()

    def append(self, scalars: Sequence[Scalar]) -> None:
        """Add sweeps; a sweep number seen before is replaced from there on."""
        for scalar in scalars:
            self._series["log_joint"].add(scalar.sweep, scalar.log_joint)
            if not math.isnan(scalar.held_out):
                self._series["held_out"].add(scalar.sweep, scalar.held_out)

    @property
    def shown(self) -> str:
        """Which quantity is plotted: the chosen one, if anything is known of it."""
        chosen = str(self.quantity.currentData())
        return chosen if self._series[chosen].sweeps else "log_joint"

    @Slot()
    def _choose(self) -> None:
        self.setToolTip(
            f"{_QUANTITIES[str(self.quantity.currentData())][1]}  Vertical lines are your changes."
        )
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        if hasattr(self, "quantity"):
            size = self.quantity.sizeHint()
            self.quantity.setGeometry(self.width() - size.width() - 4, 2, *size.toTuple())

    def set_marks(self, marks: Sequence[tuple[int, str]]) -> None:
        """Draw a line at each change of target; the last few carry their words."""
        wanted = tuple(marks)
        if wanted == self._marked:
            return
        self._marked = wanted
        for line in self._marks:
            self.removeItem(line)
        self._marks = []
        for number, (sweep, text) in enumerate(wanted):
            labelled = number >= len(wanted) - _MOST_LABELS
            line = pg.InfiniteLine(
                sweep - 0.5,
                pen=pg.mkPen(_MARK, width=1),
                label=_shortened(text) if labelled else None,
                labelOpts={
                    "position": 0.9 - 0.2 * (number % 4),
                    "color": _MARK,
                    "anchors": [(0, 0.5), (1, 0.5)],
                },
            )
            self.addItem(line, ignoreBounds=True)
            self._marks.append(line)

    def refresh(self) -> None:
        """Draw what has been added."""
        shown = self.shown
        series = self._series[shown]
        show_ticks(self, bool(series.sweeps))
        self.getPlotItem().setLabel("left", _QUANTITIES[shown][0])
        sweeps, values = np.array(series.sweeps), np.array(series.values)
        self._curve.setData(sweeps, values)
        if len(values) < 2:
            return
        tail = values[int(len(values) * (1 - _SHARE_IN_SIGHT)) :]
        low, high = (float(end) for end in np.percentile(tail, _PERCENT_IN_SIGHT))
        margin = max((high - low) * 0.08, 1e-6 * max(abs(low), 1.0))
        self.setRange(
            xRange=(sweeps[0], max(sweeps[-1], sweeps[0] + 20)),
            yRange=(low - margin, high + margin),
            padding=0.02,
        )

    def clear_trace(self) -> None:
        """Forget everything: another run begins."""
        self._series = {name: _Series() for name in _QUANTITIES}
        self.set_marks(())
        self._curve.setData([], [])
        show_ticks(self, False)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_curve"):
            self._follow_palette()

    def _follow_palette(self) -> None:
        dress(self)
        self._curve.setPen(pg.mkPen(theme_colours().accent, width=1.5))


def _shortened(text: str) -> str:
    """What was changed, in no more letters than leave the trace in sight."""
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1].rstrip()}…"
