"""The words in the plane of two chosen features, coloured by membership, with the topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.frame import ScatterPicture
from pmlda_gui.gui.widgets.plots import PLOT_MARGINS, dress, show_ticks

__all__ = ["ScatterView"]

_MEAN_SIZE = 13


class ScatterView(QWidget):
    """Shows what the worker painted; `features_chosen` carries the numbers of two features."""

    features_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scatter_view")
        self.setAccessibleName("Words by feature")
        self._names: tuple[str, ...] = ()
        self._shown: ScatterPicture | None = None
        self._plot = pg.PlotWidget(self, background=None)
        self._plot.setMinimumSize(140, 90)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Dropped files go on to the window, which knows what to do with them.
        self._plot.setAcceptDrops(False)
        self._plot.setAccessibleName("Plot of words by two features")
        item = self._plot.getPlotItem()
        item.setContentsMargins(*PLOT_MARGINS)
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        self._image = pg.ImageItem(axisOrder="row-major")
        item.addItem(self._image)
        self._means = pg.ScatterPlotItem(size=_MEAN_SIZE, symbol="o")
        item.addItem(self._means)
        self._across, self._up = QComboBox(self), QComboBox(self)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._plot, 1, 0, 1, 2)
        # Each box stands at the end of its axis and has the whole width for its long name.
        for row, name, box in ((0, "Up", self._up), (2, "Across", self._across)):
            label = QLabel(name, self)
            label.setBuddy(box)
            box.setAccessibleName(f"Feature {name.lower()}")
            box.setToolTip(f"The feature that goes {name.lower()} in the plot of words.")
            # The list that opens shows even the longest names in full.
            box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            box.view().setTextElideMode(Qt.TextElideMode.ElideNone)
            box.currentIndexChanged.connect(self._choose)
            layout.addWidget(label, row, 0)
            layout.addWidget(box, row, 1)
        layout.setColumnStretch(1, 1)
        layout.setRowStretch(1, 1)
        self._follow_palette()
        show_ticks(self._plot, False)

    @property
    def chosen(self) -> tuple[int, int]:
        """The numbers of the features across and up."""
        return max(self._across.currentIndex(), 0), max(self._up.currentIndex(), 0)

    def set_features(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer these features."""
        if tuple(names) == self._names:
            return
        self._names = tuple(names)
        for box, first in ((self._across, 0), (self._up, 1)):
            with QSignalBlocker(box):
                box.clear()
                for row, (name, unit) in enumerate(zip(names, units, strict=True)):
                    box.addItem(name.replace("_", " "))
                    box.setItemData(row, f"In the unit: {unit}.", Qt.ItemDataRole.ToolTipRole)
                box.setCurrentIndex(min(first, len(names) - 1))
        self.features_chosen.emit(self.chosen)

    def set_scatter(self, scatter: ScatterPicture) -> None:
        """Show a picture of the words, with a disc at each topic's mean."""
        # Frames come more often than scatters, and axes are slow to paint.
        if scatter is self._shown:
            return
        self._shown = scatter
        show_ticks(self._plot, True)
        self._image.setImage(scatter.picture, autoLevels=False)
        self._image.setRect(QRectF(*scatter.extent))
        self._means.setData(
            pos=np.asarray(scatter.means),
            brush=[pg.mkBrush(*topic.colour) for topic in scatter.topics],
            pen=pg.mkPen(self.palette().color(QPalette.ColorRole.Text), width=1.5),
        )
        left, bottom, width, height = scatter.extent
        self._plot.setRange(QRectF(left, bottom, width, height), padding=0.0)

    def clear(self) -> None:
        """Show nothing."""
        self._shown = None
        self._image.clear()
        self._means.clear()
        show_ticks(self._plot, False)

    @Slot()
    def _choose(self) -> None:
        self.features_chosen.emit(self.chosen)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_up"):
            self._follow_palette()

    def _follow_palette(self) -> None:
        dress(self._plot)
