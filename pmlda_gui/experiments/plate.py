"""A figure plate: panels in rows and columns, with a title above and a caption below.

A panel is a picture or a chart; charts draw themselves into the place they get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.experiments.drawing import Drawing, Picture, Text, text_width, wrapped
from pmlda_gui.imagery.display import colour_table
from pmlda_gui.workspace.export.plates import FADED, INK

__all__ = ["Chart", "Place", "Row", "draw_rows"]

_MARGIN, _GAP, _ROW_GAP, _LABEL = 28, 10, 14, 118
_TITLE_SIZE, _CAPTION_SIZE, _HEAD_SIZE, _LABEL_SIZE = 24, 15, 14, 14
_CAPTION_LINE, _LABEL_LINE = 21, 18
_NARROWEST = 720
_BAR_WIDTH = 180


@dataclass(frozen=True)
class Place:
    """A rectangle on the sheet, in pixels."""

    left: float
    top: float
    width: float
    height: float


class Chart(Protocol):
    """Something that draws itself."""

    def draw_into(self, drawing: Drawing, place: Place) -> None:
        """Draw within this place."""


Panel = NDArray[np.uint8] | Chart | None


@dataclass(frozen=True, eq=False)
class Row:
    """Panels beside each other, with what is written to their left."""

    label: str
    panels: Sequence[Panel]


def draw_rows(
    title: str,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Row],
    panel: tuple[int, int],
    bar: str | None = "membership",
) -> Drawing:
    """Rows of panels of `panel` (width, height) pixels, each column under its head.

    `bar` names the quantity that the colours of maps stand for, from 0 to 1.
    """
    width, height = panel
    columns = max(len(row.panels) for row in rows)
    label_width = _LABEL if any(row.label for row in rows) else 0
    sheet = max(2 * _MARGIN + label_width + columns * (width + _GAP) - _GAP, _NARROWEST)
    title_lines = wrapped(title, _TITLE_SIZE, sheet - 2 * _MARGIN)
    head_lines = [wrapped(head, _HEAD_SIZE, width) for head in heads]
    head_height = max((len(lines) for lines in head_lines), default=0) * _LABEL_LINE
    body = _MARGIN + len(title_lines) * 30 + 8 + head_height + 6
    labels = [wrapped(row.label, _LABEL_SIZE, label_width - 12) for row in rows]
    heights = [max(height, len(lines) * _LABEL_LINE) + _ROW_GAP for lines in labels]
    bar_top = body + sum(heights) + 4
    caption_top = bar_top + (44 if bar else 0)
    lines = wrapped(caption, _CAPTION_SIZE, sheet - 2 * _MARGIN)
    drawing = Drawing(sheet, caption_top + len(lines) * _CAPTION_LINE + _MARGIN)
    for number, line in enumerate(title_lines):
        drawing.add(Text(_MARGIN, _MARGIN + 18 + 30 * number, line, _TITLE_SIZE, INK))
    for column, lines_of_head in enumerate(head_lines):
        left = _MARGIN + label_width + column * (width + _GAP)
        for number, line in enumerate(reversed(lines_of_head)):
            drawing.add(Text(left, body - 8 - number * _LABEL_LINE, line, _HEAD_SIZE, INK))
    for number, row in enumerate(rows):
        top = body + sum(heights[:number])
        for place, line in enumerate(labels[number]):
            drawing.add(Text(_MARGIN, top + 16 + place * _LABEL_LINE, line, _LABEL_SIZE, INK))
        for column, content in enumerate(row.panels):
            left = _MARGIN + label_width + column * (width + _GAP)
            _draw_panel(drawing, content, Place(left, top, width, height))
    if bar:
        _draw_bar(drawing, bar, _MARGIN + label_width, bar_top)
    for number, line in enumerate(lines):
        bottom = caption_top + 14 + number * _CAPTION_LINE
        drawing.add(Text(_MARGIN, bottom, line, _CAPTION_SIZE, FADED))
    return drawing


def _draw_panel(drawing: Drawing, content: Panel, place: Place) -> None:
    if content is None:
        return
    if not isinstance(content, np.ndarray):
        content.draw_into(drawing, place)
        return
    high, wide = content.shape[:2]
    scale = min(place.width / wide, place.height / high)
    drawing.add(Picture(place.left, place.top, wide * scale, high * scale, content))


def _draw_bar(drawing: Drawing, name: str, left: float, top: float) -> None:
    table = np.asarray(colour_table("cividis"))[None]
    start = left + text_width(name, 14) + 12
    drawing.add(
        Text(left, top + 13, name, 14, FADED), Picture(start, top + 2, _BAR_WIDTH, 13, table)
    )
    for share, text in ((0.0, "0"), (0.5, "0.5"), (1.0, "1")):
        middle = start + share * _BAR_WIDTH
        drawing.add(Text(middle, top + 30, text, 13, FADED, "middle"))
