"""Two results of one image on top of each other, parted by a line that can be dragged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QStyle, QWidget

__all__ = ["SwipeView"]

_STEP = 0.02
_HANDLE = 9
_MARGIN = 8
_TAG = QColor(0, 0, 0, 170)
_HINT = "Drag the line, or press the arrow keys; Esc goes back"


class SwipeView(QWidget):
    """Left of the line is one picture, right of it the other; Escape ends the comparison.

    The line follows the mouse button or the arrow keys.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("swipe_view")
        self.setAccessibleName("Comparison of two results")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 120)
        self._images: tuple[QImage, QImage] | None = None
        self._names = ("", "")
        self._share = 0.5

    @property
    def share(self) -> float:
        """How much of the width shows the left picture, 0 to 1."""
        return self._share

    def compare(
        self,
        left: NDArray[np.uint8],
        right: NDArray[np.uint8],
        left_name: str,
        right_name: str,
    ) -> None:
        """Show two pictures (height, width, 3) of the same image."""
        self._images = (_image_of(left), _image_of(right))
        self._names = (left_name, right_name)
        self._share = 0.5
        self.setAccessibleName(f"Comparison of {left_name} with {right_name}")
        self.update()

    def set_share(self, share: float) -> None:
        """Move the line."""
        self._share = min(max(share, 0.0), 1.0)
        self.update()

    def _area(self, image: QImage) -> QRectF:
        """Where the pictures lie: as large as fits, in the middle."""
        scale = min(self.width() / image.width(), self.height() / image.height())
        width, height = image.width() * scale, image.height() * scale
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Base))
        if self._images is not None:
            self._paint_pictures(painter, *self._images)
        painter.end()

    def _paint_pictures(self, painter: QPainter, left: QImage, right: QImage) -> None:
        area = self._area(left)
        border = area.left() + self._share * area.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(area, right)
        painter.save()
        painter.setClipRect(QRectF(area.left(), area.top(), border - area.left(), area.height()))
        painter.drawImage(area, left)
        painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(0, 0, 0, 160), 4))
        painter.drawLine(QPointF(border, area.top()), QPointF(border, area.bottom()))
        painter.setPen(QPen(Qt.GlobalColor.white, 2))
        painter.drawLine(QPointF(border, area.top()), QPointF(border, area.bottom()))
        painter.setBrush(Qt.GlobalColor.white)
        painter.setPen(QPen(QColor(0, 0, 0, 160), 1))
        painter.drawEllipse(QPointF(border, area.center().y()), _HANDLE, _HANDLE)
        half = area.width() / 2 - 2 * _MARGIN
        align = Qt.AlignmentFlag
        _paint_tag(painter, area, self._names[0], half, align.AlignTop | align.AlignLeft)
        _paint_tag(painter, area, self._names[1], half, align.AlignTop | align.AlignRight)
        window = QRectF(self.rect())
        _paint_tag(painter, window, _HINT, window.width(), align.AlignBottom | align.AlignHCenter)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(event)

    def _drag(self, event: QMouseEvent) -> None:
        if self._images is not None:
            area = self._area(self._images[0])
            self.set_share((event.position().x() - area.left()) / max(area.width(), 1.0))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP}
        if event.key() in steps:
            self.set_share(self._share + steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


def _image_of(picture: NDArray[np.uint8]) -> QImage:
    height, width, _ = picture.shape
    rgb = np.ascontiguousarray(picture[..., :3])
    return QImage(rgb.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _paint_tag(
    painter: QPainter, area: QRectF, words: str, widest: float, place: Qt.AlignmentFlag
) -> None:
    """Words on a dark ground, readable on any picture, at an edge of the area."""
    metrics = painter.fontMetrics()
    text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(widest) - 2 * _MARGIN)
    size = QSize(metrics.horizontalAdvance(text) + 2 * _MARGIN, metrics.height() + _MARGIN)
    inside = area.toRect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    box = QStyle.alignedRect(Qt.LayoutDirection.LeftToRight, place, size, inside)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_TAG)
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(Qt.GlobalColor.white)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
