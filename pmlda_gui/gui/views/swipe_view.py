"""Two results of one image on either side of a line that can be dragged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
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
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QStyle, QVBoxLayout, QWidget

__all__ = ["SwipeView"]

_STEP = 0.02
_HANDLE = 9
_MARGIN = 8
_TAG = QColor(0, 0, 0, 170)
_HINT = "Drag the line, or press the arrow keys; Esc goes back"


class SwipeView(QWidget):
    """Left of the line is one picture, right of it the other; Escape ends the comparison.

    The line follows the mouse button or the arrow keys.  Where there are pictures to choose
    from, `chosen` carries the keys of the left and the right one.
    """

    closed = Signal()
    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("swipe_view")
        self.setAccessibleName("Comparison of two results")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 120)
        self._images: tuple[QImage, QImage] | None = None
        self._names = ("", "")
        self._share = 0.5
        self._build_bar()

    def _build_bar(self) -> None:
        self._bar = QWidget(self)
        self.left = _chooser("swipe_left", "Picture at the left", self._bar)
        self.right = _chooser("swipe_right", "Picture at the right", self._bar)
        self.exchange = _button("swipe_exchange", "Exchange", "Swap left and right", self._bar)
        self.back = _button("swipe_close", "Close", "Go back to the pictures (Esc)", self._bar)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(_MARGIN, 4, _MARGIN, 4)
        row.addWidget(self.left, 2)
        row.addWidget(self.exchange)
        row.addWidget(self.right, 2)
        row.addStretch(1)
        row.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._bar)
        column.addStretch(1)
        self._bar.hide()
        self.left.activated.connect(self._tell_chosen)
        self.right.activated.connect(self._tell_chosen)
        self.exchange.clicked.connect(self._exchange)
        self.back.clicked.connect(self.closed)

    def set_choices(self, choices: Mapping[str, str], left: str, right: str) -> None:
        """Offer pictures, their names by key, with two of them chosen; none hides the bar."""
        for box, key in ((self.left, left), (self.right, right)):
            with QSignalBlocker(box):
                if [box.itemData(row) for row in range(box.count())] != list(choices) or [
                    box.itemText(row) for row in range(box.count())
                ] != list(choices.values()):
                    box.clear()
                    for each, name in choices.items():
                        box.addItem(name, each)
                box.setCurrentIndex(box.findData(key))
        self._bar.setVisible(bool(choices))

    @Slot()
    def _tell_chosen(self) -> None:
        self.chosen.emit(self.left.currentData(), self.right.currentData())

    @Slot()
    def _exchange(self) -> None:
        self.chosen.emit(self.right.currentData(), self.left.currentData())

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
        """Show two pictures (height, width, 3) of the same image.

        The line stays where it is as long as the names do: the pictures may be live.
        """
        self._images = (_image_of(left), _image_of(right))
        if (left_name, right_name) != self._names:
            self._share = 0.5
        self._names = (left_name, right_name)
        self.setAccessibleName(f"Comparison of {left_name} with {right_name}")
        self.update()

    def set_share(self, share: float) -> None:
        """Move the line."""
        self._share = min(max(share, 0.0), 1.0)
        self.update()

    def _area(self, image: QImage) -> QRectF:
        """Where the pictures lie: as large as fits, in the middle."""
        top = self._bar.height() if self._bar.isVisible() else 0
        room = self.height() - top
        scale = min(self.width() / image.width(), room / image.height())
        width, height = image.width() * scale, image.height() * scale
        return QRectF((self.width() - width) / 2, top + (room - height) / 2, width, height)

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


def _chooser(name: str, words: str, parent: QWidget) -> QComboBox:
    box = QComboBox(parent)
    box.setObjectName(name)
    box.setAccessibleName(words)
    box.setToolTip(words)
    box.setMinimumContentsLength(8)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box


def _button(name: str, text: str, words: str, parent: QWidget) -> QPushButton:
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setToolTip(words)
    return button


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
