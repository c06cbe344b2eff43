"""Line icons that take the theme's text colour at the moment they are painted.

They are drawn from SVG at the size and pixel density asked for, so they are sharp
on every screen and change sides with the theme without being made anew.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from pmlda_gui.resources import resource

__all__ = ["IconLabel", "colour_icon", "icon"]

_SWATCH = 16


@cache
def icon(name: str) -> QIcon:
    """The icon drawn in `resources/icons/NAME.svg`."""
    return QIcon(_LineIconEngine(resource("icons", f"{name}.svg").read_text(encoding="utf-8")))


def colour_icon(colour: tuple[int, int, int]) -> QIcon:
    """A square of one colour (red, green, blue), for lists of topics and colours."""
    pixmap = QPixmap(2 * _SWATCH, 2 * _SWATCH)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QApplication.palette().color(QPalette.ColorRole.Mid))
    painter.setBrush(QColor(*colour))
    painter.drawRoundedRect(QRectF(1.5, 1.5, _SWATCH - 3, _SWATCH - 3), 3, 3)
    painter.end()
    swatch = QIcon()
    # The same picture when chosen: a tint would show a colour that is not the topic's.
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected, QIcon.Mode.Active):
        swatch.addPixmap(pixmap, mode)
    return swatch


class IconLabel(QLabel):
    """An icon that stands alone, `size` pixels a side, and follows the theme."""

    def __init__(self, name: str, size: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._size = QSize(size, size)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 (Qt's name)
        """Draw the icon in the colour of the new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        super().changeEvent(event)

    def _draw(self) -> None:
        self.setPixmap(icon(self._name).pixmap(self._size, self.devicePixelRatio()))


class _LineIconEngine(QIconEngine):
    """Paints one SVG whose strokes are `currentColor`."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source = source

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        group = (
            QPalette.ColorGroup.Disabled
            if mode == QIcon.Mode.Disabled
            else QPalette.ColorGroup.Active
        )
        role = (
            QPalette.ColorRole.HighlightedText
            if mode == QIcon.Mode.Selected
            else QPalette.ColorRole.WindowText
        )
        colour = QApplication.palette().color(group, role).name()
        coloured = self._source.replace("currentColor", colour)
        QSvgRenderer(QByteArray(coloured.encode())).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _LineIconEngine(self._source)
