"""Areas and lengths on the ground, in metres, of what is drawn in an image's coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference, Image

__all__ = ["NO_GEOREFERENCE", "Ground", "signed_area", "transformed"]

NO_GEOREFERENCE = Georeference("", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
"""The place of an image without one: coordinates are column and row of pixel corners."""

Ring = NDArray[np.float64]
# WGS 84; other ellipsoids differ by less than a thousandth.
_SEMI_MAJOR, _ECCENTRICITY = 6378137.0, 0.0818191908426


@dataclass(frozen=True)
class Ground:
    """How the coordinates of an image measure the ground.

    `metres` is the length of one unit of the coordinates, None where it is unknown, and
    `degrees` says that coordinates are longitude and latitude.  `sides` are the height and
    width of a pixel in metres, None where they are unknown.
    """

    metres: float | None
    degrees: bool
    sides: tuple[float, float] | None

    @classmethod
    def of(cls, image: Image) -> Ground:
        """What is known about the ground under an image."""
        place, size = image.georeference, image.pixel_size
        if place is None or not place.crs:
            a, b, _, d, e, _ = (place or NO_GEOREFERENCE).transform
            unit = None if size is None else size / math.sqrt(abs(a * e - b * d))
            return cls(unit, False, None if size is None else (size, size))
        from rasterio.crs import CRS

        reference = CRS.from_wkt(place.crs)
        a, b, _, d, e, f = place.transform
        if not reference.is_geographic:
            unit = float(reference.linear_units_factor[1])
            return cls(unit, False, (unit * math.hypot(b, e), unit * math.hypot(a, d)))
        height, width = image.shape
        middle = math.radians(d * width / 2 + e * height / 2 + f)
        east, north = _metres_per_degree(middle)
        sides = (math.hypot(b * east, e * north), math.hypot(a * east, d * north))
        return cls(None, True, sides)

    def area(self, polygon: Sequence[Ring]) -> float | None:
        """The square metres of an outer ring without its holes; None where unknown."""
        if self.degrees:
            polygon = [_equal_area(ring) for ring in polygon]
        elif self.metres is None:
            return None
        outer, *holes = (abs(signed_area(ring)) for ring in polygon)
        unit = 1.0 if self.metres is None else self.metres
        return (outer - sum(holes)) * unit**2


def transformed(ring: Ring, place: Georeference) -> Ring:
    """Corners (n, 2) given as column and row, in the coordinates of a place."""
    a, b, c, d, e, f = place.transform
    x, y = ring.T
    return np.column_stack([a * x + b * y + c, d * x + e * y + f])


def signed_area(ring: Ring) -> float:
    """The area within a closed ring (n, 2), positive where it turns from x to y."""
    # Far from the origin, products of coordinates would lose the small area between them.
    x, y = (ring - ring[0]).T
    return 0.5 * float(x[:-1] @ y[1:] - x[1:] @ y[:-1])


def _metres_per_degree(latitude: float) -> tuple[float, float]:
    """East and north at a latitude in radians."""
    bent = 1.0 - (_ECCENTRICITY * math.sin(latitude)) ** 2
    east = _SEMI_MAJOR * math.cos(latitude) / math.sqrt(bent)
    north = _SEMI_MAJOR * (1.0 - _ECCENTRICITY**2) / bent**1.5
    return math.radians(east), math.radians(north)


def _equal_area(ring: Ring) -> Ring:
    """Longitude and latitude in degrees as metres of a cylinder that keeps areas."""
    longitude, sine = np.radians(ring[:, 0]), np.sin(np.radians(ring[:, 1]))
    bent = _ECCENTRICITY * sine
    height = 0.5 * (sine / (1.0 - bent**2) + np.arctanh(bent) / _ECCENTRICITY)
    return np.column_stack(
        [_SEMI_MAJOR * longitude, _SEMI_MAJOR * (1.0 - _ECCENTRICITY**2) * height]
    )
