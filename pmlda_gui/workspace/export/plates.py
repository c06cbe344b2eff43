"""The plate: one picture that shows a whole result.

The image with its documents, the map of each topic with one colour bar for all,
and the composite, with names, and a scale bar where the size of a pixel is known.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.display import colour_table, to_rgb
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.rendering import composite, membership_picture, outlined
from pmlda_gui.imagery.segmentation import Segmentation

if TYPE_CHECKING:
    from PIL import Image as Pillow
    from PIL import ImageDraw, ImageFont

__all__ = ["draw_plate"]

Colour = tuple[int, int, int]
PAPER: Colour = (255, 255, 255)
INK: Colour = (28, 32, 38)
FADED: Colour = (96, 104, 114)
# Between paper and ink, and in none of the maps: where nothing is known.
MISSING: Colour = (226, 222, 230)
OUTLINE: Colour = (255, 214, 64)
_MAP_COLOURS = "cividis"
_MARGIN, _GAP, _CAPTION, _HEADER, _FOOTER = 28, 22, 30, 68, 64
_WIDEST_PLATE = 1800
_LONGEST_SIDE, _SHORTEST_SIDE = 560, 60
_MOST_ENLARGED = 4.0
# What the plate's width over its height should be near to.
_ASPECT = 1.5
_SCALE_BAR_SHARE = 0.3


class _Layout(NamedTuple):
    """How panels of `width` x `height` pixels are arranged."""

    columns: int
    rows: int
    width: int
    height: int


@dataclass(frozen=True)
class _Panel:
    title: str
    picture: Pillow.Image
    colour: Colour | None = None


def draw_plate(
    image: Image,
    segmentation: Segmentation,
    topic_names: Sequence[str],
    colours: NDArray[np.uint8],
    title: str,
    subtitle: str,
    progress: Progress,
) -> bytes:
    """The plate as the content of a PNG file.

    `image` and `segmentation` have the same size in pixels; `colours` are (K, 3).
    `progress` receives the share that is done after each panel.
    """
    from PIL import Image as Pillow
    from PIL import ImageDraw

    rows, columns = _occupied(segmentation.valid)
    maps = segmentation.memberships[:, rows, columns]
    shape = maps.shape[1:]
    count = len(maps) + 2
    layout = _arrange(count, (shape[0] * image.aspect, shape[1]))
    panels = _panels(image, segmentation, (rows, columns), topic_names, colours, layout)

    width = 2 * _MARGIN + layout.columns * layout.width + (layout.columns - 1) * _GAP
    width = max(width, 640)
    height = _HEADER + layout.rows * (layout.height + _CAPTION + _GAP) + _FOOTER
    plate = Pillow.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(plate)
    _fitted(draw, (_MARGIN, 16), title, 26, INK, width - 2 * _MARGIN)
    _fitted(draw, (_MARGIN, 46), subtitle, 15, FADED, width - 2 * _MARGIN)
    metres = None if image.pixel_size is None else image.pixel_size * shape[1] / layout.width
    for number, panel in enumerate(panels):
        row, column = divmod(number, layout.columns)
        left = _MARGIN + column * (layout.width + _GAP)
        top = _HEADER + row * (layout.height + _CAPTION + _GAP)
        _draw_panel(plate, draw, panel, (left, top), layout)
        if number == 0 and metres is not None:
            _draw_scale_bar(draw, (left, top + _CAPTION + layout.height), layout.width, metres)
        progress.report((number + 1) / count)
    _draw_colour_bar(plate, draw, (_MARGIN, height - _FOOTER + 4))
    shares = [
        f"{name} {share:.0%}"
        for name, share in zip(topic_names, segmentation.area_fractions, strict=True)
    ]
    _draw_legend(draw, (_MARGIN + 330, height - _FOOTER + 6), width - _MARGIN, shares, colours)
    content = io.BytesIO()
    plate.save(content, "PNG")
    return content.getvalue()


def _occupied(valid: NDArray[np.bool_]) -> tuple[slice, slice]:
    """The rows and columns that hold something: the empty frame is not worth its paper."""
    spans = []
    for axis in (1, 0):
        found = np.flatnonzero(valid.any(axis=axis))
        spans.append(slice(int(found[0]), int(found[-1]) + 1) if len(found) else slice(None))
    return spans[0], spans[1]


def _arrange(count: int, shape: tuple[float, float]) -> _Layout:
    """The arrangement of `count` panels that gives a plate of agreeable proportions.

    `shape` is height and width in widths of a pixel.
    """
    height, width = shape

    def layout(columns: int) -> _Layout:
        room = (_WIDEST_PLATE - 2 * _MARGIN - (columns - 1) * _GAP) / columns
        scale = min(room / width, _LONGEST_SIDE / height, _MOST_ENLARGED)
        return _Layout(
            columns,
            -(-count // columns),
            max(_SHORTEST_SIDE, round(width * scale)),
            max(_SHORTEST_SIDE, round(height * scale)),
        )

    def awkwardness(each: _Layout) -> float:
        across = each.columns * (each.width + _GAP)
        down = each.rows * (each.height + _CAPTION + _GAP)
        empty = each.columns * each.rows - count
        return abs(math.log(across / down / _ASPECT)) + 0.15 * empty

    return min((layout(columns) for columns in range(1, count + 1)), key=awkwardness)


def _panels(
    image: Image,
    segmentation: Segmentation,
    window: tuple[slice, slice],
    topic_names: Sequence[str],
    colours: NDArray[np.uint8],
    layout: _Layout,
) -> Iterator[_Panel]:
    """Everything that is shown, one after the other, brought to the size of the panels."""
    photograph = to_rgb(image)
    photograph[~image.valid] = MISSING
    shown = np.asarray(_resized(photograph[window], layout))
    title = "image"
    if segmentation.documents is not None:
        lines = segmentation.documents.outlines()[window].astype(np.uint8) * np.uint8(255)
        # Thin lines fade when many pixels become one; some of that is given back.
        cover = (
            np.asarray(_resized(lines, layout)) / 255.0 * max(1.0, lines.shape[1] / layout.width)
        )
        shown = outlined(shown, 0.75 * np.minimum(cover, 1.0), OUTLINE)
        title = f"image and its {segmentation.documents.count} documents"
    yield _Panel(title, _picture(shown))
    table = colour_table(_MAP_COLOURS)
    maps = segmentation.memberships[(slice(None), *window)]
    for name, each, (red, green, blue) in zip(topic_names, maps, colours.tolist(), strict=False):
        picture = _resized(membership_picture(each, table, MISSING), layout)
        yield _Panel(name, picture, (red, green, blue))
    together = _resized(composite(maps, colours[: len(maps)], MISSING), layout)
    yield _Panel("all topics in their colours", together)


def _picture(pixels: NDArray[np.uint8]) -> Pillow.Image:
    from PIL import Image as Pillow

    return Pillow.fromarray(np.ascontiguousarray(pixels))


def _resized(pixels: NDArray[np.uint8], layout: _Layout) -> Pillow.Image:
    """Means where it shrinks, crisp pixels where it grows."""
    from PIL import Image as Pillow

    shrinks = pixels.shape[1] > layout.width
    method = Pillow.Resampling.BOX if shrinks else Pillow.Resampling.NEAREST
    return _picture(pixels).resize((layout.width, layout.height), method)


def _draw_panel(
    plate: Pillow.Image,
    draw: ImageDraw.ImageDraw,
    panel: _Panel,
    corner: tuple[int, int],
    layout: _Layout,
) -> None:
    left, top = corner
    indent = 0
    if panel.colour is not None:
        draw.rounded_rectangle((left, top + 7, left + 14, top + 21), 3, fill=panel.colour)
        indent = 22
    _fitted(draw, (left + indent, top + 5), panel.title, 16, INK, layout.width - indent)
    plate.paste(panel.picture, (left, top + _CAPTION))


def _draw_scale_bar(
    draw: ImageDraw.ImageDraw, corner: tuple[int, int], width: int, metres: float
) -> None:
    """A bar of a round length above the lower left `corner`; `metres` is that of a pixel."""
    length = _round_length(_SCALE_BAR_SHARE * width * metres)
    pixels = round(length / metres)
    text = (
        f"{length / 1000:g} km"
        if length >= 1000
        else (f"{length:g} m" if length >= 1 else f"{length * 100:g} cm")
    )
    font = _font(15)
    left, bottom = corner[0] + 12, corner[1] - 12
    broad = max(pixels, round(draw.textlength(text, font=font)))
    draw.rounded_rectangle(
        (left - 7, bottom - 30, left + broad + 7, bottom + 6), 4, fill=(20, 22, 26)
    )
    draw.rectangle((left, bottom - 4, left + pixels, bottom), fill=PAPER)
    draw.text((left, bottom - 26), text, font=font, fill=PAPER)


def _round_length(wanted: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `wanted`."""
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (5, 2, 1) if step * power <= wanted * (1 + 1e-9))


def _draw_colour_bar(
    plate: Pillow.Image, draw: ImageDraw.ImageDraw, corner: tuple[int, int]
) -> None:
    from PIL import Image as Pillow

    left, top = corner
    bar = _picture(np.asarray(colour_table(_MAP_COLOURS)[None])).resize(
        (180, 14), Pillow.Resampling.NEAREST
    )
    font = _font(14)
    draw.text((left, top), "membership", font=font, fill=FADED)
    start = left + 92
    plate.paste(bar, (start, top + 2))
    for share, text in ((0.0, "0"), (0.5, "0.5"), (1.0, "1")):
        middle = start + share * 180
        draw.line((middle, top + 16, middle, top + 20), fill=FADED)
        draw.text((middle, top + 21), text, font=font, fill=FADED, anchor="ma")


def _draw_legend(
    draw: ImageDraw.ImageDraw,
    corner: tuple[int, int],
    right: int,
    texts: Sequence[str],
    colours: NDArray[np.uint8],
) -> None:
    """The topics with their area fractions, in at most two lines."""
    font = _font(14)
    left, top = corner
    place = left
    for text, colour in zip(texts, colours, strict=False):
        needed = 22 + round(draw.textlength(text, font=font)) + 20
        if place + needed > right and place > left:
            place, top = left, top + 20
            if top > corner[1] + 20:
                return
        draw.rounded_rectangle(
            (place, top, place + 13, top + 13),
            3,
            fill=(int(colour[0]), int(colour[1]), int(colour[2])),
        )
        draw.text((place + 19, top - 2), text, font=font, fill=INK)
        place += needed


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own face, so that the plate looks alike on machines without fonts."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _fitted(
    draw: ImageDraw.ImageDraw,
    corner: tuple[int, int],
    text: str,
    size: int,
    colour: Colour,
    width: int,
) -> None:
    """Write a line, shortened at its end where it does not fit."""
    font = _font(size)
    if draw.textlength(text, font=font) > width:
        while text and draw.textlength(text + "…", font=font) > width:
            text = text[:-1]
        text += "…"
    draw.text(corner, text, font=font, fill=colour)
