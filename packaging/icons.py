"""Draws the program's icon, from the same waves as in its window, in every format needed."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
from PySide6.QtSvg import QSvgRenderer

from pmlda_gui.resources import resource

SIDE = 1024
_WATER, _DEEP, _WAVES = QColor("#2f7f9e"), QColor("#143f5c"), b"#f6e7c1"


def write_icons(folder: Path) -> None:
    """pmlda-gui.png, .ico and .icns."""
    image = Image.open(BytesIO(_drawn()))
    image.resize((512, 512), Image.Resampling.LANCZOS).save(folder / "pmlda-gui.png")
    image.save(folder / "pmlda-gui.ico", sizes=[(side, side) for side in (16, 32, 48, 64, 256)])
    image.save(folder / "pmlda-gui.icns")


def _drawn() -> bytes:
    """The icon as PNG: sand-coloured waves on a rounded square of water."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    water = QLinearGradient(0, 0, 0, SIDE)
    water.setColorAt(0, _WATER)
    water.setColorAt(1, _DEEP)
    painter.setBrush(water)
    painter.setPen(Qt.PenStyle.NoPen)
    edge, corner = SIDE / 16, SIDE / 5
    painter.drawRoundedRect(QRectF(edge, edge, SIDE - 2 * edge, SIDE - 2 * edge), corner, corner)
    waves = resource("icons", "seabed.svg").read_bytes().replace(b"currentColor", _WAVES)
    inset = SIDE / 7
    QSvgRenderer(QByteArray(waves)).render(
        painter, QRectF(inset, inset, SIDE - 2 * inset, SIDE - 2 * inset)
    )
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
