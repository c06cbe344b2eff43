"""The line above a picture: its name, a detail, and what its colours mean."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from pmlda_gui.gui.views.colour_key import ColourKey, Key

__all__ = ["PictureHeader"]

Colour = tuple[int, int, int]
_SWATCH = 12
_MARGINS = 16
_GAP = 8


class PictureHeader(QWidget):
    """Where the picture is narrow, first the detail goes, then the key, then the title ends
    in dots."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = parent
        self.named: tuple[str, Colour | None] = (title, None)
        self._swatch = QLabel(self)
        self._swatch.setFixedSize(_SWATCH, _SWATCH)
        self._swatch.hide()
        self.title = QLabel(title, self)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setMinimumWidth(10)
        self.detail = QLabel(self)
        self.detail.setProperty("role", "note")
        self.key = ColourKey(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 2, 6, 2)
        row.setSpacing(_GAP)
        row.addWidget(self._swatch)
        row.addWidget(self.title, 1)
        row.addWidget(self.detail)
        row.addWidget(self.key)

    def set_title(self, title: str, colour: Colour | None) -> None:
        """Name the picture; a colour stands before the name as a square."""
        self.named = (title, colour)
        self.title.setToolTip(title)
        self._swatch.setVisible(colour is not None)
        if colour is not None:
            self._swatch.setStyleSheet(f"background: {QColor(*colour).name()}; border-radius: 2px;")
        self.fit()

    def set_detail(self, text: str) -> None:
        """A few words at the right of the title."""
        if text != self.detail.text():
            self.detail.setText(text)
            self.detail.setToolTip(text)
            self.fit()

    def set_key(self, key: Key | None) -> None:
        """What the colours mean."""
        if key is not self.key.key:
            self.key.set_key(key)
            self.fit()

    def fit(self) -> None:
        """Show as much as there is room for."""
        title, colour = self.named
        room = self._picture.width() - _MARGINS
        room -= 0 if colour is None else _SWATCH + _GAP
        metrics = self.title.fontMetrics()
        # The advance is rounded, and a title that is a fraction too wide would end in dots.
        left = room - metrics.horizontalAdvance(title) - 2
        key = self.key.fit(left - _GAP)
        left -= key + _GAP if key else 0
        detail = metrics.horizontalAdvance(self.detail.text()) + _GAP
        self.detail.setVisible(bool(self.detail.text()) and detail <= left)
        widest = room - (key + _GAP if key else 0)
        self.title.setText(metrics.elidedText(title, Qt.TextElideMode.ElideRight, widest))
