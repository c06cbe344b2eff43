"""What an operator paints on an image: strokes in the session, and the pixels they mean.

A stroke is kept as it was painted, so it is small and can be undone; `painted` turns strokes
into the hints that a run takes.  Later strokes lie over earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.shapes import Point

__all__ = ["DEFAULT_STRENGTH", "Mark", "Span", "Stroke", "check_strokes", "painted", "spans_of"]

Mark = Literal["is", "not", "erase"]
Span = tuple[int, int, int]
"""Row, first column, and the column after the last."""

DEFAULT_STRENGTH = 10.0
_MOST_STROKES, _MOST_POINTS, _MOST_SPANS = 5000, 20_000, 200_000
_MOST_STRENGTH, _FARTHEST, _MOST_RADIUS = 1000.0, 1e7, 10_000.0


@dataclass(frozen=True)
class Stroke:
    """One stroke on the image with this number, counted from 0, for or against a topic.

    A brush has the path of its middle and a `radius` in pixels, a polygon its corners, and
    what was imported or taken from a document the `spans` of its rows.
    """

    image: int
    kind: Literal["brush", "polygon", "spans"]
    mark: Mark = "is"
    topic: int = 0
    strength: float = DEFAULT_STRENGTH
    points: tuple[Point, ...] = ()
    radius: float = 0.0
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if self.image < 0 or self.topic < 0:
            raise PmldaError("A hint names images and topics by numbers of 0 or more.")
        if not 0.0 < self.strength <= _MOST_STRENGTH:
            raise PmldaError(
                f"The strength of a hint must lie above 0 and be at most {_MOST_STRENGTH:g}."
            )
        least = {"brush": 1, "polygon": 3, "spans": 0}[self.kind]
        if not least <= len(self.points) <= _MOST_POINTS or len(self.spans) > _MOST_SPANS:
            raise PmldaError("A hint has too few or too many points: paint it again.")
        if (self.kind == "spans") != bool(self.spans):
            raise PmldaError("A hint has no pixels: paint it again.")
        if not all(math.isfinite(x) and abs(x) <= _FARTHEST for at in self.points for x in at):
            raise PmldaError("A point of a hint does not lie on any image.")
        if not 0.0 <= self.radius <= _MOST_RADIUS:
            raise PmldaError(f"The radius of a brush must be 0 to {_MOST_RADIUS:g} pixels.")
        if not all(row >= 0 and 0 <= first < end for row, first, end in self.spans):
            raise PmldaError("The rows of a hint do not lie on any image.")

    def pixels(self, shape: tuple[int, int]) -> NDArray[np.int64]:
        """The flat pixels, ascending, of an image of this shape; those beside it are left out."""
        if self.kind == "brush":
            mask = _brushed(self.points, self.radius, shape)
        elif self.kind == "polygon":
            mask = _filled(self.points, shape)
        else:
            mask = np.zeros(shape, np.bool_)
            for row, first, end in self.spans:
                if row < shape[0]:
                    mask[row, first:end] = True
        return np.flatnonzero(mask)


def check_strokes(strokes: tuple[Stroke, ...]) -> None:
    """Refuse more strokes than any hand paints."""
    if len(strokes) > _MOST_STROKES:
        raise PmldaError(
            f"There are {len(strokes)} hints, but at most {_MOST_STROKES} are kept: clear some."
        )


def spans_of(mask: NDArray[np.bool_]) -> tuple[Span, ...]:
    """The rows of a mask (height, width) in pieces."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, firsts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    return tuple(zip(rows.tolist(), firsts.tolist(), ends.tolist(), strict=True))


def painted(
    strokes: Sequence[Stroke], shapes: Sequence[tuple[int, int]]
) -> tuple[PaintedHint, ...]:
    """The hints that are left of strokes on images of these shapes.

    "This is k" takes the place of all that lies under it, "not k" of what was said of k there,
    and an eraser leaves nothing.
    """
    left: list[PaintedHint] = []
    for stroke in strokes:
        if stroke.image >= len(shapes):
            continue
        pixels = stroke.pixels(shapes[stroke.image])
        if pixels.size == 0:
            continue
        left = [_without(hint, stroke, pixels) for hint in left]
        if stroke.mark != "erase":
            left.append(
                PaintedHint(
                    stroke.image, pixels.astype(np.int32), stroke.topic, stroke.strength,
                    stroke.mark == "not",
                )
            )  # fmt: skip
    return tuple(hint for hint in left if hint.pixels.size)


def _without(hint: PaintedHint, stroke: Stroke, pixels: NDArray[np.int64]) -> PaintedHint:
    if hint.image != stroke.image or (stroke.mark == "not" and hint.topic != stroke.topic):
        return hint
    kept = hint.pixels[~np.isin(hint.pixels, pixels, assume_unique=True)]
    return hint if kept.size == hint.pixels.size else replace(hint, pixels=kept)


def _brushed(points: Sequence[Point], radius: float, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels whose middle lies within the radius of a path, and those it runs through."""
    mask = np.zeros(shape, np.bool_)
    reach = max(radius, 0.5)
    for (x0, y0), (x1, y1) in pairwise(points) if len(points) > 1 else [(points[0], points[0])]:
        top, bottom = _range(min(y0, y1) - reach, max(y0, y1) + reach, shape[0])
        left, right = _range(min(x0, x1) - reach, max(x0, x1) + reach, shape[1])
        rows, columns = np.ogrid[top:bottom, left:right]
        across, down = columns + 0.5 - x0, rows + 0.5 - y0
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along: float | NDArray[np.float64] = 0.0
        if length > 0.0:
            along = np.clip((across * (x1 - x0) + down * (y1 - y0)) / length, 0.0, 1.0)
        away = np.hypot(across - along * (x1 - x0), down - along * (y1 - y0))
        mask[top:bottom, left:right] |= away <= reach
    return mask


def _range(low: float, high: float, size: int) -> tuple[int, int]:
    return min(max(math.floor(low), 0), size), min(max(math.ceil(high), 0), size)


def _filled(corners: Sequence[Point], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels whose middle lies in a polygon (even-odd)."""
    mask = np.zeros(shape, np.bool_)
    top, bottom = _range(min(y for _, y in corners), max(y for _, y in corners), shape[0])
    middles = np.arange(shape[1]) + 0.5
    edges = list(pairwise([*corners, corners[0]]))
    for row in range(top, bottom):
        y = row + 0.5
        for (x0, y0), (x1, y1) in edges:
            if (y0 <= y) != (y1 <= y):
                mask[row] ^= middles > x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    return mask
