"""The words in the plane of two chosen features, coloured by membership, with the topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.snapshot import ScatterPicture

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
        self._plot = pg.PlotWidget(self, background=None)
        self._plot.setMinimumSize(140, 90)
        item = self._plot.getPlotItem()
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
        layout.addWidget(self._plot, 0, 0, 1, 4)
        for column, (name, box) in enumerate((("Across", self._across), ("Up", self._up))):
            label = QLabel(name, self)
            label.setBuddy(box)
            box.setAccessibleName(f"Feature {name.lower()}")
            # Names of features are long; the list that opens shows them in full.
            box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            box.view().setTextElideMode(Qt.TextElideMode.ElideNone)
            box.currentIndexChanged.connect(self._choose)
            layout.addWidget(label, 1, 2 * column)
            layout.addWidget(box, 1, 2 * column + 1)
            layout.setColumnStretch(2 * column + 1, 1)
        self._follow_palette()
        self._show_numbers(False)

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
                for name, unit in zip(names, units, strict=True):
                    box.addItem(f"{name} ({unit})" if unit else name)
                box.setCurrentIndex(min(first, len(names) - 1))
        self.features_chosen.emit(self.chosen)

    def set_scatter(self, scatter: ScatterPicture) -> None:
        """Show a picture of the words, with a disc at each topic's mean."""
        self._show_numbers(True)
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
        self._image.clear()
        self._means.clear()
        self._show_numbers(False)

    def _show_numbers(self, shown: bool) -> None:
        """Numbers beside an empty plot would only puzzle."""
        for side in ("left", "bottom"):
            self._plot.getPlotItem().getAxis(side).setStyle(showValues=shown)

    @Slot()
    def _choose(self) -> None:
        self.features_chosen.emit(self.chosen)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_up"):
            self._follow_palette()

    def _follow_palette(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.Text)
        self._plot.setBackground(self.palette().color(QPalette.ColorRole.Base))
        for side in ("left", "bottom"):
            axis = self._plot.getPlotItem().getAxis(side)
            axis.setPen(colour)
            axis.setTextPen(colour)
