"""The read-out of the pixel under the cursor: position, value, memberships, document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

__all__ = ["Bar", "Reading", "Readout"]

_WIDTH = 200
_ROW = 18
_VALUE_WIDTH = 42
_NAME_SHARE = 0.42


@dataclass(frozen=True)
class Bar:
    """A topic at the cursor: its membership and its document's proportion, 0 to 1 or None."""

    name: str
    colour: tuple[int, int, int]
    membership: float
    proportion: float | None


@dataclass(frozen=True)
class Reading:
    """Lines of text and the topics' bars."""

    lines: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    scaling: float | None = None


class _Bars(QWidget):
    """A row for each topic: name, membership as a bar, the document's proportion as a tick."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._bars: tuple[Bar, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_bars(self, bars: Sequence[Bar]) -> None:
        if len(bars) != len(self._bars):
            self.setFixedHeight(_ROW * len(bars))
        self._bars = tuple(bars)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(160, _ROW * len(self._bars))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        text = self.palette().color(QPalette.ColorRole.WindowText)
        groove = self.palette().color(QPalette.ColorRole.AlternateBase)
        names = self.width() * _NAME_SHARE
        length = self.width() - names - _VALUE_WIDTH
        for number, bar in enumerate(self._bars):
            top = number * _ROW
            painter.setPen(text)
            painter.drawText(
                QRectF(0, top, names - 6, _ROW),
                Qt.AlignmentFlag.AlignVCenter,
                painter.fontMetrics().elidedText(
                    bar.name, Qt.TextElideMode.ElideRight, int(names - 6)
                ),
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(groove)
            painter.drawRoundedRect(QRectF(names, top + 4, length, _ROW - 8), 2, 2)
            painter.setBrush(QColor(*bar.colour))
            painter.drawRoundedRect(QRectF(names, top + 4, length * bar.membership, _ROW - 8), 2, 2)
            if bar.proportion is not None:
                painter.setBrush(text)
                painter.drawRect(QRectF(names + length * bar.proportion - 1, top + 2, 2, _ROW - 4))
            painter.setPen(text)
            painter.drawText(
                QRectF(names + length, top, _VALUE_WIDTH, _ROW),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                f"{100 * bar.membership:.0f} %",
            )
        painter.end()


class Readout(QWidget):
    """Text and bars for the pixel under the cursor; `summary_changed` says it in one line."""

    summary_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readout")
        self.setMinimumWidth(_WIDTH)
        self.setAccessibleName("Read-out at the cursor")
        self.setToolTip(
            "Bars are the memberships of the pixel under the cursor; "
            "ticks are the proportions of its document."
        )
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._bars = _Bars(self)
        self._scaling = QLabel(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.addWidget(self._text)
        layout.addWidget(self._bars)
        layout.addWidget(self._scaling)
        layout.addStretch(1)
        self.set_reading(None)

    def set_reading(self, reading: Reading | None) -> None:
        """Show a reading, or with None a hint."""
        shown = reading or Reading(("Point at a picture to read its values.",))
        self._text.setText("\n".join(shown.lines))
        self._bars.set_bars(shown.bars)
        self._scaling.setText(
            "" if shown.scaling is None else f"scaling of the document {shown.scaling:.3g}"
        )
        self.summary_changed.emit("" if reading is None else _summary(reading))


def _summary(reading: Reading) -> str:
    """A reading in one line, with the two largest memberships."""
    largest = sorted(reading.bars, key=lambda bar: -bar.membership)[:2]
    shares = [f"{bar.name} {100 * bar.membership:.0f} %" for bar in largest]
    return "   ·   ".join((*reading.lines, *shares))
