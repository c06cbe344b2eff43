"""How many topics?  A curve over 2 to 8 with its spread over seeds, and one click to take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.panels.sections import note
from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.gui.widgets.plots import PLOT_MARGINS, dress

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.topic_count import TopicCounts

__all__ = ["TopicCountDialog"]

_SIZE = QSize(440, 380)
_HOW = (
    "Topics are learned on one half of the image and explain the other half: higher is better. "
    "Bars show how far random halves differ."
)


class TopicCountDialog(QDialog):
    """Waits for the curve, shows it, and tells by `taken` the number that was chosen."""

    taken = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topic_count_dialog")
        self.setWindowTitle("How many topics?")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_SIZE)
        self._suggestion = 0
        self.reason = QLabel("Trying 2 to 8 topics on the coarse words…", self)
        self.reason.setObjectName("topic_count_reason")
        self.reason.setWordWrap(True)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 100)
        self.plot = pg.PlotWidget(self, background=None)
        self.plot.setObjectName("topic_count_plot")
        self.plot.setAccessibleName("How well each number of topics explains unseen words")
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item = self.plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setLabel("bottom", "topics")
        item.setLabel("left", "unseen words, per word")
        item.getAxis("left").enableAutoSIPrefix(False)
        item.setContentsMargins(*PLOT_MARGINS)
        dress(self.plot)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.take = QPushButton("Take it", self)
        self.take.setObjectName("take_topics")
        self.take.setEnabled(False)
        buttons.addButton(self.take, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.reason)
        layout.addWidget(self.progress)
        layout.addWidget(self.plot, 1)
        layout.addWidget(note(_HOW, self))
        layout.addWidget(buttons)

    def set_progress(self, fraction: float) -> None:
        """How far the tries are, 0 to 1."""
        self.progress.setValue(round(100 * fraction))

    def set_counts(self, counts: TopicCounts, present: int) -> None:
        """Show what was found; `present` is the number of topics there is."""
        colours = theme_colours()
        numbers = np.array(counts.topics, np.float64)
        self.plot.clear()
        bars = pg.ErrorBarItem(
            x=numbers, y=counts.mean, height=2.0 * counts.spread, beam=0.18,
            pen=pg.mkPen(colours.muted, width=1.2),
        )  # fmt: skip
        self.plot.addItem(bars)
        self.plot.addItem(
            pg.PlotDataItem(
                numbers, counts.mean, pen=pg.mkPen(colours.accent, width=2), symbol="o",
                symbolSize=7, symbolBrush=colours.accent, symbolPen=None,
            )
        )  # fmt: skip
        ticks = [(number, str(number)) for number in counts.topics]
        self.plot.getPlotItem().getAxis("bottom").setTicks([ticks])
        if counts.suggestion is not None:
            self._suggestion = counts.suggestion
            best = counts.topics.index(counts.suggestion)
            self.plot.addItem(
                pg.PlotDataItem(
                    [numbers[best]], [counts.mean[best]], symbol="o", symbolSize=15, pen=None,
                    symbolBrush=None, symbolPen=pg.mkPen(colours.warning, width=2.5),
                )
            )  # fmt: skip
        self.progress.hide()
        self.reason.setText(counts.reason)
        known = counts.suggestion is not None
        same = known and counts.suggestion == present
        self.take.setEnabled(known and not same)
        words = f"Take {counts.suggestion} topics" if known else "Take it"
        self.take.setText("You have them already" if same else words)
        if self.take.isEnabled():
            self.take.setDefault(True)
            self.take.setFocus()

    def set_failed(self, sentence: str) -> None:
        """Say why there is no answer."""
        self.progress.hide()
        self.reason.setText(sentence)

    @Slot()
    def _take(self) -> None:
        self.taken.emit(self._suggestion)
        self.accept()
