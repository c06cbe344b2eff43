"""The log joint of every sweep, with a mark wherever the operator changed the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.mailbox import Scalar
from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.views.plots import PLOT_MARGINS, dress, show_ticks

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


class TraceView(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Follows the chain; the vertical axis leaves out the first steep climb."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName("trace_view")
        self.setAccessibleName("Trace of the log joint")
        self.setToolTip(
            "Log joint density per word (of the memberships' logits), sweep by sweep: level "
            "noise means settled, a slope means still moving.  Vertical lines are your changes."
        )
        self.setMinimumSize(160, 90)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Dropped files go on to the window, which knows what to do with them.
        self.setAcceptDrops(False)
        self._sweeps: list[int] = []
        self._values: list[float] = []
        self._every = 1
        self._marks: list[pg.InfiniteLine] = []
        self._marked: tuple[tuple[int, str], ...] = ()
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setLabel("bottom", "sweep")
        item.setLabel("left", "log joint per word")
        item.setMouseEnabled(x=False, y=False)
        item.getAxis("left").enableAutoSIPrefix(False)
        item.setContentsMargins(*PLOT_MARGINS)
        self._curve = item.plot()
        self._follow_palette()
        show_ticks(self, False)

    def append(self, scalars: Sequence[Scalar]) -> None:
        """Add sweeps; a sweep number seen before is replaced from there on."""
        for scalar in scalars:
            while self._sweeps and self._sweeps[-1] >= scalar.sweep:
                self._sweeps.pop()
                self._values.pop()
            # The first one shows where the trace begins.
            if self._sweeps and scalar.sweep % self._every:
                continue
            self._sweeps.append(scalar.sweep)
            self._values.append(scalar.log_joint)
            if len(self._sweeps) >= _MOST_POINTS:
                self._thin_out()

    def _thin_out(self) -> None:
        self._every *= 2
        kept = [
            number
            for number, sweep in enumerate(self._sweeps)
            if number == 0 or sweep % self._every == 0
        ]
        self._sweeps = [self._sweeps[number] for number in kept]
        self._values = [self._values[number] for number in kept]

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
        show_ticks(self, bool(self._sweeps))
        sweeps, values = np.array(self._sweeps), np.array(self._values)
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
        self._sweeps, self._values, self._every = [], [], 1
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
