"""The light: a disc in red, amber or green, what it means, and a button that unfolds details."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.light import Light

__all__ = ["LightLabel"]

# Told apart with colour-deficient vision too: they differ in brightness, and in their sign.
_COLOURS = {"red": "#c8372d", "amber": "#f0a51e", "green": "#2f9e58", "": "#8a949c"}
_SIGNS = {"red": "…", "amber": "≈", "green": "✓", "": ""}
_SIDE = 18


class _Disc(QWidget):
    """The coloured disc itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.colour = ""
        self.setFixedSize(QSize(_SIDE, _SIDE))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(_COLOURS[self.colour]))
        area = QRectF(1, 1, _SIDE - 2, _SIDE - 2)
        painter.drawEllipse(area)
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor("#1b262e" if self.colour == "amber" else "#ffffff"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, _SIGNS[self.colour])


class LightLabel(QWidget):
    """Shows a light; `details` is the button that unfolds what it rests on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("light")
        self._disc = _Disc(self)
        self.text = QLabel("no map yet", self)
        self.text.setObjectName("light_label")
        self.text.setAccessibleName("Where the maps stand")
        self.text.setWordWrap(True)
        self.details = QToolButton(self)
        self.details.setObjectName("light_details")
        self.details.setAutoRaise(True)
        self.details.setCheckable(True)
        self.details.setArrowType(Qt.ArrowType.RightArrow)
        self.details.setToolTip("Show what this rests on")
        self.details.setAccessibleName("Details of the verdict")
        self.details.toggled.connect(self._turn_arrow)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._disc, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        row.addWidget(self.details, 0, Qt.AlignmentFlag.AlignTop)

    def set_light(self, light: Light | None) -> None:
        """Show a light, None while there is no map."""
        colour, words = ("", "no map yet") if light is None else (light.colour, light.text)
        if (colour, words) != (self._disc.colour, self.text.text()):
            self._disc.colour = colour
            self._disc.update()
            self.text.setText(words)

    @property
    def colour(self) -> str:
        """The colour that is shown, "" for none."""
        return self._disc.colour

    @Slot(bool)
    def _turn_arrow(self, shown: bool) -> None:
        self.details.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
