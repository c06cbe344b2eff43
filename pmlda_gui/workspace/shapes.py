"""Lines and areas that an operator draws on an image: profiles, regions and measurements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pmlda_gui.core.errors import PmldaError

__all__ = ["MOST_SHAPES", "Kind", "Point", "Shape", "check_shapes", "next_id", "next_name"]

Kind = Literal["profile", "region", "measurement"]
Point = tuple[float, float]
"""Column and row in pixels; the corner of the first pixel is at (0, 0), its middle at (.5, .5)."""

MOST_SHAPES = 1000
_MOST_POINTS = 20_000
_FARTHEST = 1e7
_LONGEST_NAME = 200
_LEAST_POINTS = {"profile": 2, "region": 3, "measurement": 2}


@dataclass(frozen=True)
class Shape:
    """A shape on the image with this number, counted from 0.

    A profile is a straight line of two points, a region a closed polygon (without its first
    point repeated), a measurement a path; from three points on, the path also has an area.
    """

    id: int
    kind: Kind
    name: str
    image: int
    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        what = f"the {self.kind} {self.name!r}"
        if self.id < 0 or self.image < 0:
            raise PmldaError(f"The numbers of {what} and of its image must not be negative.")
        if not self.name.strip() or len(self.name) > _LONGEST_NAME:
            raise PmldaError(
                f"The name of a {self.kind} must have 1 to {_LONGEST_NAME} characters."
            )
        least, count = _LEAST_POINTS[self.kind], len(self.points)
        if not least <= count <= _MOST_POINTS:
            raise PmldaError(
                f"There are {count} points in {what}, but it needs {least} to {_MOST_POINTS}."
            )
        if self.kind == "profile" and count != 2:
            raise PmldaError(f"A profile is a straight line of two points, but {what} has {count}.")
        if not all(
            math.isfinite(each) and abs(each) <= _FARTHEST for at in self.points for each in at
        ):
            raise PmldaError(f"A point of {what} does not lie on any image.")
        if all(at == self.points[0] for at in self.points):
            raise PmldaError(f"All points of {what} are the same: draw it again.")


def check_shapes(shapes: tuple[Shape, ...]) -> None:
    """Refuse too many shapes, and two with the same number."""
    if len(shapes) > MOST_SHAPES:
        raise PmldaError(
            f"There are {len(shapes)} profiles, regions and measurements, but at most "
            f"{MOST_SHAPES} are kept: delete some."
        )
    if len({each.id for each in shapes}) != len(shapes):
        raise PmldaError("Two profiles, regions or measurements have the same number.")


def next_id(shapes: tuple[Shape, ...]) -> int:
    """A number that no shape has yet."""
    return max((each.id for each in shapes), default=-1) + 1


def next_name(shapes: tuple[Shape, ...], kind: Kind) -> str:
    """The first of "Profile 1", "Profile 2", ... that is free."""
    taken = {each.name for each in shapes}
    number = 1
    while (name := f"{kind.capitalize()} {number}") in taken:
        number += 1
    return name
