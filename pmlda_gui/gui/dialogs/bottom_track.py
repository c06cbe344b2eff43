"""The bottom track over the waterfall as it was recorded, to be dragged where it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

import pyqtgraph as pg  # isort: skip (after PySide6, so that it binds to it)

from pmlda_gui.gui.panels.sections import note
from pmlda_gui.imagery.bottom_points import FADE_PINGS, through_points

__all__ = ["BottomTrackDialog", "Points"]

Points = tuple[tuple[float, float], ...]
_TRACK, _POINT, _BAD = QColor(255, 221, 51), QColor(255, 120, 40), QColor(220, 40, 40, 70)
_REACH = 10.0  # points on the screen from the line to a mouse that takes it
_SAME = 5.0  # pings between two points that count as one
_WORDS = (
    "Drag the line to the first return of the bottom; drag elsewhere to move the picture. "
    f"Beyond the points set, the line returns to the track found within {FADE_PINGS:.0f} pings."
)
_BAD_WORDS = "Red rows are turns, gaps, wild speeds or lost positions; maps leave them out."


class _Box(pg.ViewBox):  # type: ignore[misc] # pyqtgraph has no types
    """A view that hands over what is dragged on the line."""

    dragged = Signal(float, float, bool)

    def __init__(self, dialog: BottomTrackDialog) -> None:
        super().__init__(invertY=True, enableMenu=False, defaultPadding=0.0)
        self._dialog = dialog
        self._on_line = False

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: N802 (its name)
        if event.button() == Qt.MouseButton.LeftButton and axis is None:
            if event.isStart():
                start = self.mapToView(event.buttonDownPos())
                self._on_line = self._dialog.is_on_line(start.x(), start.y())
            if self._on_line:
                event.accept()
                place = self.mapToView(event.pos())
                start = self.mapToView(event.buttonDownPos())
                # The ping is where the line was taken: only the height is dragged.
                self.dragged.emit(start.y(), place.x(), event.isFinish())
                return
        super().mouseDragEvent(event, axis)


class BottomTrackDialog(QDialog):
    """Shows a waterfall (pings, columns) with the track on either side of column `port`.

    `track` (pings,) is what was found, in samples, and `bad` (pings,) the pings left out of
    maps; `points` are those that were set, and then those the operator has set.
    """

    def __init__(
        self,
        name: str,
        picture: NDArray[np.uint8],
        port: int,
        track: NDArray[np.float64] | None,
        bad: NDArray[np.bool_],
        points: Points = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("bottom_track_dialog")
        self.setWindowTitle(f"Bottom track of {name}")
        self.points = points
        self._port, self._found = port, track
        self._pings = np.arange(len(picture), dtype=np.float64)
        self._two_sides = 0 < port < picture.shape[1]
        canvas = pg.GraphicsView(self, useOpenGL=False)
        canvas.setMinimumSize(480, 320)
        self._box = _Box(self)
        canvas.setCentralItem(self._box)
        self._box.addItem(pg.ImageItem(picture, axisOrder="row-major", levels=(0, 255)))
        for start, stop in _runs(bad):
            band = pg.QtWidgets.QGraphicsRectItem(QRectF(0, start, picture.shape[1], stop - start))
            band.setBrush(_BAD)
            band.setPen(QPen(Qt.PenStyle.NoPen))
            self._box.addItem(band, ignoreBounds=True)
        pen = pg.mkPen(_TRACK, width=2)
        self._curves = [pg.PlotCurveItem(pen=pen) for _ in range(2)]
        self._dots = pg.ScatterPlotItem(size=9, brush=_POINT, pen=None)
        for item in (*self._curves, self._dots):
            self._box.addItem(item, ignoreBounds=True)
        self._box.setRange(QRectF(0, 0, picture.shape[1], len(picture)), padding=0.0)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.Reset,
            self,
        )
        self._reset = buttons.button(QDialogButtonBox.StandardButton.Reset)
        self._reset.setText("Remove all points")
        self._reset.clicked.connect(self._remove_all)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(canvas, 1)
        layout.addWidget(note(_WORDS + (f" {_BAD_WORDS}" if bad.any() else ""), self))
        layout.addWidget(buttons)
        self._box.dragged.connect(self._drag)
        self.resize(900, 700)
        self._draw()

    @property
    def heights(self) -> NDArray[np.float64]:
        """The track through the points, (pings,) in samples."""
        if self.points:
            return through_points(self._found, self._pings, self.points)
        return np.zeros(len(self._pings)) if self._found is None else self._found

    def is_on_line(self, column: float, ping: float) -> bool:
        """Whether a place of the picture is so near the line that a drag takes it."""
        row = int(np.clip(ping, 0, len(self._pings) - 1))
        away = abs(abs(column - self._port) - self.heights[row])
        return bool(away <= _REACH * self._box.viewPixelSize()[0])

    def set_point(self, ping: float, samples: float) -> None:
        """Let the line go through a height at a ping, in place of points close by."""
        row = float(np.clip(np.floor(ping), 0, len(self._pings) - 1))
        others = [point for point in self.points if abs(point[0] - row) >= _SAME]
        self.points = tuple(sorted([*others, (row, max(float(samples), 0.0))]))
        self._draw()

    @Slot(float, float, bool)
    def _drag(self, ping: float, column: float, _done: bool) -> None:
        self.set_point(ping, abs(column - self._port))

    @Slot()
    def _remove_all(self) -> None:
        self.points = ()
        self._draw()

    def _draw(self) -> None:
        heights, signs = self.heights, self._signs()
        for curve, sign in zip(self._curves, signs, strict=False):
            curve.setData(self._port + sign * heights, self._pings + 0.5)
        dots = [(self._port + sign * h, ping + 0.5) for ping, h in self.points for sign in signs]
        self._dots.setData(pos=np.array(dots).reshape(-1, 2))
        self._reset.setEnabled(bool(self.points))

    def _signs(self) -> tuple[float, ...]:
        """Which sides of the track are shown: -1 for port, 1 for starboard."""
        return (-1.0, 1.0) if self._two_sides else ((-1.0,) if self._port else (1.0,))


def _runs(marked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
