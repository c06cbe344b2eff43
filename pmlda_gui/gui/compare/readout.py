"""The memberships of the pixel under the cursor by every method, as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from pmlda_gui.gui.view_request import ShownTopic

__all__ = ["MethodMemberships", "MethodReadout"]

_NAME, _BAR, _GAP = 17, 15, 5
_ROW = _NAME + _BAR + _GAP
_NARROWEST = 150
_BETWEEN = 14
_MOST_LINES = 4
_HINT = "Point at a picture to read its values."
# Below this lightness of a colour, white words on it are easier to read than black ones.
_DARK = 140


class MethodMemberships(NamedTuple):
    """A method's memberships at the cursor, one for each topic; none where it has no maps."""

    title: str
    shares: tuple[float, ...]


class MethodReadout(QWidget):
    """The place and value of a pixel, and its memberships by every method."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_readout")
        self.setAccessibleName("Read-out at the cursor")
        self.setToolTip("The memberships of the pixel under the cursor, by each method.")
        self._lines: tuple[str, ...] = ()
        self._wide = True
        self._text = QLabel(_HINT, self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._bars = _Bars(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self._text)
        layout.addWidget(self._bars)
        layout.addStretch(1)

    def set_wide(self, wide: bool) -> None:
        """Write on one line, or on as many as the column needs.

        The room for them is kept free, so that nothing moves when the cursor comes.
        """
        self._wide = wide
        self._text.setWordWrap(not wide)
        lines = 1 if wide else _MOST_LINES
        self._text.setMinimumHeight(lines * self._text.fontMetrics().lineSpacing())
        self._write()

    def _write(self) -> None:
        self._text.setText((",  " if self._wide else "\n").join(self._lines) or _HINT)

    @property
    def text(self) -> str:
        """What is said about the pixel in words."""
        return self._text.text()

    def set_reading(
        self,
        lines: Sequence[str],
        topics: Sequence[ShownTopic] = (),
        methods: Sequence[MethodMemberships] = (),
    ) -> None:
        """Show a reading; without lines, a hint."""
        self._lines = tuple(lines)
        self._write()
        self._bars.set_shares([topic.colour for topic in topics], methods)
        self.setAccessibleDescription("; ".join([*lines, *_in_words(topics, methods)]))


def _in_words(topics: Sequence[ShownTopic], methods: Sequence[MethodMemberships]) -> list[str]:
    return [
        f"{method.title}: "
        + ", ".join(
            f"{topic.name} {100 * share:.0f} %"
            for topic, share in zip(topics, method.shares, strict=True)
        )
        for method in methods
        if method.shares
    ]


class _Bars(QWidget):
    """Names over bars, in as many columns as there is room for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._colours: list[tuple[int, int, int]] = []
        self._methods: tuple[MethodMemberships, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_shares(
        self, colours: list[tuple[int, int, int]], methods: Sequence[MethodMemberships]
    ) -> None:
        grown = len(methods) != len(self._methods)
        self._colours, self._methods = colours, tuple(methods)
        if grown:
            self._fit()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(_NARROWEST, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    @property
    def _columns(self) -> int:
        return max(1, min(self.width() // _NARROWEST, len(self._methods)))

    def _fit(self) -> None:
        self.setFixedHeight(_ROW * math.ceil(len(self._methods) / self._columns))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        columns = self._columns
        width = (self.width() - (columns - 1) * _BETWEEN) / columns
        for number, method in enumerate(self._methods):
            row, column = divmod(number, columns)
            left, top = column * (width + _BETWEEN), row * _ROW
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            name = painter.fontMetrics().elidedText(
                method.title, Qt.TextElideMode.ElideRight, int(width)
            )
            painter.drawText(QRectF(left, top, width, _NAME), Qt.AlignmentFlag.AlignVCenter, name)
            self._paint_bar(painter, QRectF(left, top + _NAME, width, _BAR), method.shares)
        painter.end()

    def _paint_bar(self, painter: QPainter, area: QRectF, shares: Sequence[float]) -> None:
        painter.fillRect(area, self.palette().color(QPalette.ColorRole.AlternateBase))
        left = area.left()
        for colour, share in zip(self._colours, shares, strict=False):
            part = QRectF(left, area.top(), area.width() * share, area.height())
            filled = QColor(*colour)
            painter.fillRect(part, filled)
            left = part.right()
            text = f"{100 * share:.0f}"
            if painter.fontMetrics().horizontalAdvance(text) + 4 <= part.width():
                dark = QColor.fromRgb(filled.rgb()).lightness() < _DARK
                painter.setPen(Qt.GlobalColor.white if dark else Qt.GlobalColor.black)
                painter.drawText(part, Qt.AlignmentFlag.AlignCenter, text)
