"""A picture for a report: all its pixels with name, legend, scale and coordinates.

Small pictures are enlarged by whole numbers, so that pixels stay sharp; pixels that are
not square are drawn in true proportion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter

from pmlda_gui.gui.shown_pictures import ShownPicture
from pmlda_gui.gui.views.colour_key import key_width, paint_key
from pmlda_gui.gui.views.scale_bar import length_text, round_length
from pmlda_gui.imagery.display import INVALID_COLOUR

__all__ = ["PictureNotes", "draw_picture"]

_LEAST_WIDTH = 700
_MOST_PIXELS = 120_000_000
_MARGIN = 14
_LINE = 26
_LONGEST_BAR = 0.3
_PAPER, _INK = QColor(255, 255, 255), QColor(27, 38, 46)


@dataclass(frozen=True)
class PictureNotes:
    """What is written below a picture.

    `pixel_size` is in metres, None where unknown; `lines` are the image's name, coordinates
    and whatever else should stand there; `overlay` lies over the picture, opacity 0 to 1.
    A pixel is `aspect` times as high as wide.
    """

    lines: Sequence[str] = ()
    pixel_size: float | None = None
    overlay: ShownPicture | None = None
    opacity: float = 0.0
    aspect: float = 1.0


def draw_picture(shown: ShownPicture, notes: PictureNotes) -> QImage:
    """The picture with all its notes."""
    picture = _image_of(shown)
    height, width = shown.picture.shape[:2]
    stride = 1
    while width * height > _MOST_PIXELS * stride**2:
        stride += 1
    scale = max(1, -(-_LEAST_WIDTH // width)) / stride
    broad, high = width * scale, height * scale
    # Pixels that are not square are stretched, never shrunk, so that none is lost.
    if notes.aspect >= 1.0:
        high *= notes.aspect
    else:
        broad, scale = broad / notes.aspect, scale / notes.aspect
    drawn = QRectF(_MARGIN, _MARGIN, max(1, round(broad)), max(1, round(high)))
    font = QFont()
    font.setPixelSize(15)
    key = shown.key if notes.overlay is None else notes.overlay.key
    rows = 2 + len(notes.lines)
    page = QImage(
        max(round(drawn.width()) + 2 * _MARGIN, 420),
        round(drawn.height()) + 3 * _MARGIN + rows * _LINE,
        QImage.Format.Format_RGB32,
    )
    page.fill(_PAPER)
    painter = QPainter(page)
    painter.setFont(font)
    painter.fillRect(drawn, QColor(*INVALID_COLOUR))
    painter.drawImage(drawn, picture)
    title = shown.title
    if notes.overlay is not None:
        painter.setOpacity(notes.opacity)
        painter.drawImage(drawn, _image_of(notes.overlay))
        painter.setOpacity(1.0)
        title = f"{title} with {notes.overlay.title}, {100 * notes.opacity:.0f} %"
    painter.setPen(_INK)
    metrics = painter.fontMetrics()
    room = page.width() - 2 * _MARGIN
    top = drawn.bottom() + _MARGIN
    first = QRectF(_MARGIN, top, room, _LINE)
    painter.drawText(first, Qt.AlignmentFlag.AlignVCenter, _fitted(title, metrics, room))
    if key is not None:
        taken = key_width(key, metrics, room - metrics.horizontalAdvance(title) - _LINE)
        place = QRectF(page.width() - _MARGIN - taken, top, taken, _LINE)
        if taken:
            paint_key(painter, key, place, _INK)
    _draw_scale(painter, QRectF(_MARGIN, top + _LINE, room, _LINE), scale, notes.pixel_size)
    for number, line in enumerate(notes.lines):
        below = QRectF(_MARGIN, top + (2 + number) * _LINE, room, _LINE)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, _fitted(line, metrics, room))
    painter.end()
    return page


def _draw_scale(painter: QPainter, area: QRectF, scale: float, pixel_size: float | None) -> None:
    unit = (pixel_size or 1.0) / scale
    length = round_length(_LONGEST_BAR * area.width() * unit)
    bar = QRectF(area.left(), area.center().y() - 2, length / unit, 4)
    painter.fillRect(bar, _INK)
    painter.setPen(_INK)
    words = QRectF(bar.right() + 8, area.top(), area.width(), area.height())
    text = length_text(length, pixel_size is not None)
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, text)


def _fitted(words: str, metrics: QFontMetrics, room: float) -> str:
    return metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, int(room))


def _image_of(shown: ShownPicture) -> QImage:
    colours = np.ascontiguousarray(shown.colours())
    height, width, _ = colours.shape
    image = QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.copy()
