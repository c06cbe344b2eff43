"""What s and m mean, in two small figures and one sentence that follow the sliders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QPolygonF, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.panels.explain_figures import (
    CENTRES,
    VALUES,
    explain,
    landscape,
    membership_density,
)
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.gui.theme import theme_colours
from pmlda_gui.imagery.display import colour_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExplainPanel"]

_DELAY_MILLISECONDS = 30
_SMALL_TEXT = 0.85
# What stands left of the figures: as wide in both, so that they line up.
_LEFT_TEXTS = ("all A", "all B", "often", "rare")


class ExplainPanel(QWidget):
    """The log-likelihood landscape, the density of memberships, and what they mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explain_panel")
        self.setAccessibleName("What the parameters mean")
        self._parameters = Parameters(topics=2)
        self._learned: float | None = None
        self.landscape = _LandscapeFigure(self)
        self.density = _DensityFigure(self)
        self.sentence = note("", self)
        self.sentence.setObjectName("explain_sentence")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.landscape, 5)
        layout.addWidget(self.density, 4)
        layout.addWidget(self.sentence)
        # A drag sends many values; only the last one of each moment is worth drawing.
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MILLISECONDS)
        self._timer.timeout.connect(self._draw)

    def set_parameters(self, parameters: Parameters) -> None:
        """Explain these parameters, as soon as the panel can be seen."""
        self._parameters = parameters
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def set_learned(self, scaling: float | None) -> None:
        """The scaling that the document under the cursor has learned, None without one."""
        if scaling != self._learned:
            self._learned = scaling
            self.set_parameters(self._parameters)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 (Qt's name)
        """Draw what was set while nobody looked."""
        super().showEvent(event)
        self._timer.start()

    @Slot()
    def _draw(self) -> None:
        explained = explain(self._parameters, self._learned)
        self.landscape.set_landscape(*landscape(explained))
        self.density.set_curve(*membership_density(explained))
        self.sentence.setText(explained.sentence)


class _Figure(QWidget):
    """A framed area with a title above it and the ends of its axes beside it."""

    title = ""
    bottom_texts: tuple[tuple[float, str], ...] = ()
    left_texts: tuple[tuple[float, str], ...] = ()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(96)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _SMALL_TEXT)
        self.setFont(font)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(260, 140)

    def _plot_area(self) -> QRectF:
        line = self.fontMetrics().height()
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in _LEFT_TEXTS)
        return QRectF(self.rect()).adjusted(widest + 6, line + 2, -4, -line - 3)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme_colours()
        area = self._plot_area()
        painter.fillRect(area, QColor(colours.base))
        self._paint_content(painter, area)
        painter.setPen(QColor(colours.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
        painter.setPen(QColor(colours.muted))
        line = self.fontMetrics().height()
        painter.drawText(QPointF(area.left(), area.top() - 4), self.title)
        for place, text in self.bottom_texts:
            width = self.fontMetrics().horizontalAdvance(text)
            left = area.left() + place * area.width() - width / 2
            left = min(max(left, area.left()), area.right() - width)
            painter.drawText(QPointF(left, area.bottom() + line - 1), text)
        for place, text in self.left_texts:
            width = self.fontMetrics().horizontalAdvance(text)
            middle = area.bottom() - place * area.height() + line / 3
            middle = min(max(middle, area.top() + 0.7 * line), area.bottom())
            painter.drawText(QPointF(area.left() - width - 4, middle), text)

    def _paint_content(self, painter: QPainter, area: QRectF) -> None:
        raise NotImplementedError


def _across(value: float) -> float:
    """Where a value lies between the two ends of the axis of values, 0 to 1."""
    low, high = VALUES
    return (value - low) / (high - low)


class _LandscapeFigure(_Figure):
    title = "Likelihood of a membership, by pixel value"
    bottom_texts = ((_across(CENTRES[0]), "like A"), (_across(CENTRES[1]), "like B"))
    left_texts = ((1.0, _LEFT_TEXTS[0]), (0.0, _LEFT_TEXTS[1]))

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._image: QImage | None = None
        self._ridge: NDArray[np.float64] = np.zeros(0)

    def set_landscape(self, heights: NDArray[np.float64], ridge: NDArray[np.float64]) -> None:
        """Show heights from 0 to 1, (memberships, values), and the ridge over the values."""
        picture = np.ascontiguousarray(colour_table("cividis")[np.rint(heights * 255).astype(int)])
        rows, columns, _ = picture.shape
        image = QImage(picture.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
        # The copy owns its pixels; the array goes away with this call.
        self._image = image.copy()
        self._ridge = ridge
        self.update()

    def _paint_content(self, painter: QPainter, area: QRectF) -> None:
        if self._image is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(area, self._image)
        steps = np.linspace(area.left(), area.right(), len(self._ridge))
        line = QPolygonF(
            [
                QPointF(x, area.bottom() - membership * area.height())
                for x, membership in zip(steps, self._ridge, strict=True)
            ]
        )
        painter.setPen(QPen(QColor("white"), 1.6, Qt.PenStyle.DashLine))
        painter.drawPolyline(line)


class _DensityFigure(_Figure):
    title = "How common each membership is (density)"
    bottom_texts = ((0.0, "all B"), (0.5, "half and half"), (1.0, "all A"))
    left_texts = ((1.0, _LEFT_TEXTS[2]), (0.0, _LEFT_TEXTS[3]))

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._curve: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def set_curve(self, memberships: NDArray[np.float64], density: NDArray[np.float64]) -> None:
        """Show a density (highest point 1) over memberships from 0 to 1."""
        self._curve = (memberships, density)
        self.update()

    def _paint_content(self, painter: QPainter, area: QRectF) -> None:
        if self._curve is None:
            return
        points = [
            QPointF(
                area.left() + membership * area.width(),
                area.bottom() - 0.94 * height * area.height(),
            )
            for membership, height in zip(*self._curve, strict=True)
        ]
        accent = QColor(theme_colours().accent)
        filled = QColor(accent)
        filled.setAlpha(60)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(filled)
        painter.drawPolygon(QPolygonF([area.bottomLeft(), *points, area.bottomRight()]))
        painter.setPen(QPen(accent, 1.6))
        painter.drawPolyline(QPolygonF(points))
