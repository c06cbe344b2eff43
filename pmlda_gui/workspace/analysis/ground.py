"""Lengths, areas and directions on the ground, from places in an image.

Where the image is georeferenced, pixels may be of any shape and lie at any angle; around
a place they are a linear map from steps of columns and rows to metres east and north.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.earth_positions import latitude_longitude
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.workspace.shapes import Point

__all__ = ["Ground", "Measured", "ground_at", "measure"]

# The ellipsoid of WGS 84: its half axis at the equator in metres, and its eccentricity squared.
_EQUATOR, _ECCENTRICITY = 6378137.0, 0.00669437999014


@dataclass(frozen=True)
class Ground:
    """Metres (or pixels) to the right or east and up or north, for a step of a column, a row.

    `unit` is "m" where pixels have a size, else "px".  `is_true` says whether up is true north.
    """

    column: tuple[float, float]
    row: tuple[float, float]
    unit: str
    is_true: bool

    def steps(self, points: Sequence[Point]) -> NDArray[np.float64]:
        """From point to point, (n - 1, 2): right or east, and up or north."""
        matrix = np.array([self.column, self.row])
        moved: NDArray[np.float64] = np.diff(np.asarray(points, np.float64), axis=0) @ matrix
        return moved

    def length(self, points: Sequence[Point]) -> float:
        """The length of a path."""
        return float(np.hypot(*self.steps(points).T).sum())

    def area(self, corners: Sequence[Point]) -> float:
        """The area of a polygon, positive whichever way it runs."""
        x, y = np.asarray(corners, np.float64).T
        doubled = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
        return abs(doubled) / 2 * self.pixel_area

    @property
    def pixel_area(self) -> float:
        """The area of a pixel."""
        return abs(self.column[0] * self.row[1] - self.column[1] * self.row[0])

    @property
    def pixel_side(self) -> float:
        """The shorter side of a pixel."""
        return min(math.hypot(*self.column), math.hypot(*self.row))

    def bearing(self, start: Point, end: Point) -> float:
        """The direction from start to end in degrees, 0 to 360, clockwise from north or up."""
        ((right, up),) = self.steps([start, end])
        return math.degrees(math.atan2(right, up)) % 360.0


@dataclass(frozen=True)
class Measured:
    """A path: its length, its bearing from first to last point, and the area it encloses.

    The bearing is None where the path comes back to its start, the area (in squares of
    `unit`) where it has less than three points.
    """

    length: float
    bearing: float | None
    area: float | None
    unit: str
    is_true: bool


def measure(ground: Ground, points: Sequence[Point]) -> Measured:
    """The length, bearing and area of a path."""
    return Measured(
        ground.length(points),
        None if points[0] == points[-1] else ground.bearing(points[0], points[-1]),
        ground.area(points) if len(points) > 2 else None,
        ground.unit,
        ground.is_true,
    )


def ground_at(image: Image, points: Sequence[Point]) -> Ground:
    """The ground around the middle of these points."""
    if image.georeference is not None and image.georeference.crs:
        found = _on_earth(image.georeference, np.asarray(points, np.float64).mean(axis=0))
        if found is not None:
            return found
    if image.pixel_size is None:
        return Ground((1.0, 0.0), (0.0, -1.0), "px", is_true=False)
    width, height = _sides(image)
    return Ground((width, 0.0), (0.0, -height), "m", is_true=False)


def _sides(image: Image) -> tuple[float, float]:
    """Width and height of a pixel in metres, whose geometric mean is the pixel size."""
    assert image.pixel_size is not None
    if image.georeference is None:
        return image.pixel_size, image.pixel_size
    a, b, _, d, e, _ = image.georeference.transform
    width, height = math.hypot(a, d), math.hypot(b, e)
    if not (width > 0.0 and height > 0.0):
        return image.pixel_size, image.pixel_size
    ratio = math.sqrt(width / height)
    return image.pixel_size * ratio, image.pixel_size / ratio


def _on_earth(place: Georeference, middle: NDArray[np.float64]) -> Ground | None:
    """The ground around a place whose latitude is known; None where it is not."""
    column, row = middle - 0.5
    try:
        found = latitude_longitude(
            place, [row, row, row - 0.5, row + 0.5], [column - 0.5, column + 0.5, column, column]
        )
    except PmldaError:
        return None
    if found is None or not all(np.isfinite(each).all() for each in found):
        return None
    latitudes, longitudes = (np.radians(each) for each in found)
    latitude = float(latitudes.mean())
    if not abs(latitude) < math.radians(89.9):
        return None
    flattened = 1.0 - _ECCENTRICITY * math.sin(latitude) ** 2
    across = _EQUATOR / math.sqrt(flattened) * math.cos(latitude)
    along = _EQUATOR * (1.0 - _ECCENTRICITY) / flattened**1.5
    # A step across the date line is not one around the Earth.
    turns = np.diff(longitudes)[::2]
    east = across * ((turns + math.pi) % (2.0 * math.pi) - math.pi)
    north = along * np.diff(latitudes)[::2]
    ground = Ground(
        (float(east[0]), float(north[0])), (float(east[1]), float(north[1])), "m", is_true=True
    )
    return ground if ground.pixel_area > 0.0 else None
