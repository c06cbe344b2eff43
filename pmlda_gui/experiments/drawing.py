"""A drawing as a list of simple things, written as PNG or as SVG.

Both come from the same list, so they look alike; lines and letters stay sharp in the
SVG, and pictures lie inside it.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image as Pillow
    from PIL import ImageFont

__all__ = ["Box", "Colour", "Drawing", "Line", "Picture", "Text", "text_width", "wrapped"]

Colour = tuple[int, int, int]
Anchor = Literal["start", "middle", "end"]
_PAPER: Colour = (255, 255, 255)
_INK: Colour = (28, 32, 38)
_PILLOW_ANCHORS: dict[Anchor, str] = {"start": "ls", "middle": "ms", "end": "rs"}
# Lines of the PNG are drawn at this size and reduced, which smooths them.
_OVERSAMPLING = 3


@dataclass(frozen=True, eq=False)
class Picture:
    """Pixels (height, width, 3) shown in a rectangle."""

    left: float
    top: float
    width: float
    height: float
    pixels: NDArray[np.uint8]


@dataclass(frozen=True)
class Text:
    """One line of text; (`left`, `bottom`) is the point of its baseline that `anchor` names."""

    left: float
    bottom: float
    text: str
    size: int = 14
    colour: Colour = _INK
    anchor: Anchor = "start"


@dataclass(frozen=True)
class Line:
    """A line through points (x, y)."""

    points: tuple[tuple[float, float], ...]
    colour: Colour = _INK
    width: float = 1.5


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    left: float
    top: float
    width: float
    height: float
    colour: Colour


@dataclass
class Drawing:
    """Things in the order in which they are drawn, on a sheet of so many pixels."""

    width: int
    height: int
    things: list[Picture | Text | Line | Box] = field(default_factory=list)

    def add(self, *things: Picture | Text | Line | Box) -> None:
        """Draw these on top."""
        self.things.extend(things)

    def to_png(self) -> bytes:
        """The drawing as the content of a PNG file."""
        from PIL import Image as Pillow
        from PIL import ImageDraw

        sheet = Pillow.new("RGB", (self.width, self.height), _PAPER)
        draw = ImageDraw.Draw(sheet)
        for thing in self.things:
            if isinstance(thing, Picture):
                sheet.paste(_resized(thing), (round(thing.left), round(thing.top)))
            elif isinstance(thing, Box):
                right, bottom = thing.left + thing.width, thing.top + thing.height
                draw.rectangle((thing.left, thing.top, right, bottom), fill=thing.colour)
            elif isinstance(thing, Text):
                draw.text(
                    (thing.left, thing.bottom),
                    thing.text,
                    fill=thing.colour,
                    font=_font(thing.size),
                    anchor=_PILLOW_ANCHORS[thing.anchor],
                )
            else:
                _draw_smoothly(sheet, thing)
        content = io.BytesIO()
        sheet.save(content, "PNG")
        return content.getvalue()

    def to_svg(self) -> bytes:
        """The drawing as the content of an SVG file."""
        body = "\n".join(_svg(thing) for thing in self.things)
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' height='{self.height}' "
            f"viewBox='0 0 {self.width} {self.height}' font-family='sans-serif'>\n"
            f"<rect width='100%' height='100%' fill='{_hexadecimal(_PAPER)}'/>\n{body}\n</svg>\n"
        ).encode()


def text_width(text: str, size: int) -> float:
    """The width of a line of text in pixels."""
    return float(_font(size).getlength(text))


def wrapped(text: str, size: int, width: float) -> list[str]:
    """The text in lines no wider than `width` pixels, broken between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _hexadecimal(colour: Sequence[int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def _resized(picture: Picture) -> Pillow.Image:
    """Means where it shrinks, crisp pixels where it grows."""
    from PIL import Image as Pillow

    size = (max(1, round(picture.width)), max(1, round(picture.height)))
    shrinks = picture.pixels.shape[1] > size[0]
    method = Pillow.Resampling.BOX if shrinks else Pillow.Resampling.NEAREST
    return Pillow.fromarray(np.ascontiguousarray(picture.pixels)).resize(size, method)


def _draw_smoothly(sheet: Pillow.Image, line: Line) -> None:
    from PIL import Image as Pillow
    from PIL import ImageDraw

    corners = np.array(line.points)
    margin = int(np.ceil(line.width)) + 1
    left, top = np.floor(corners.min(axis=0)).astype(int) - margin
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + margin
    size = (int(right - left), int(bottom - top))
    mask = Pillow.new("L", (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING))
    path = [tuple(point) for point in (corners - (left, top)) * _OVERSAMPLING]
    ImageDraw.Draw(mask).line(
        path, fill=255, width=max(1, round(line.width * _OVERSAMPLING)), joint="curve"
    )
    cover = mask.resize(size, Pillow.Resampling.BOX)
    sheet.paste(Pillow.new("RGB", size, line.colour), (int(left), int(top)), cover)


def _svg(thing: Picture | Text | Line | Box) -> str:
    if isinstance(thing, Text):
        return (
            f"<text x='{thing.left:.1f}' y='{thing.bottom:.1f}' font-size='{thing.size}' "
            f"fill='{_hexadecimal(thing.colour)}' text-anchor='{thing.anchor}'>"
            f"{escape(thing.text)}</text>"
        )
    if isinstance(thing, Line):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in thing.points)
        return (
            f"<polyline points='{points}' fill='none' stroke='{_hexadecimal(thing.colour)}' "
            f"stroke-width='{thing.width:g}' stroke-linejoin='round'/>"
        )
    place = (
        f"x='{thing.left:.1f}' y='{thing.top:.1f}' width='{thing.width:.1f}' "
        f"height='{thing.height:.1f}'"
    )
    if isinstance(thing, Box):
        return f"<rect {place} fill='{_hexadecimal(thing.colour)}'/>"
    return (
        f"<image {place} preserveAspectRatio='none' style='image-rendering:pixelated' "
        f"href='data:image/png;base64,{base64.b64encode(_png(thing.pixels)).decode()}'/>"
    )


def _png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image as Pillow

    content = io.BytesIO()
    Pillow.fromarray(np.ascontiguousarray(pixels)).save(content, "PNG")
    return content.getvalue()
