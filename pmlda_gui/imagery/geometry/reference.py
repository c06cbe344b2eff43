"""Coordinates on the Earth: degrees, the UTM zone of a place, and grids of map pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Georeference

if TYPE_CHECKING:
    from pmlda_gui.imagery.geometry.pings import PingGeometry

__all__ = ["MapGrid", "from_degrees", "grid_over", "to_degrees", "true_north", "utm_crs"]

WGS84 = "EPSG:4326"
MOST_MAP_PIXELS = 120_000_000
NORTHWARD = 1e-3  # degrees, over which a direction is measured


@dataclass(frozen=True)
class MapGrid:
    """Square pixels of `pixel_size` metres; `left` and `top` are the outer corner's place."""

    crs: str
    left: float
    top: float
    pixel_size: float
    height: int
    width: int

    @property
    def georeference(self) -> Georeference:
        return Georeference(
            self.crs, (self.pixel_size, 0.0, self.left, 0.0, -self.pixel_size, self.top)
        )


def utm_crs(latitude: float, longitude: float) -> str:
    """The UTM zone of a place, on WGS 84, as WKT."""
    from rasterio.crs import CRS

    if not (abs(latitude) <= 84 and math.isfinite(longitude)):
        raise PmldaError(
            f"UTM does not reach latitude {latitude:.4g}; choose another coordinate system."
        )
    zone = int((longitude + 180) % 360 // 6) + 1
    return str(CRS.from_epsg((32600 if latitude >= 0 else 32700) + zone).to_wkt())


def from_degrees(
    latitude: NDArray[np.float64], longitude: NDArray[np.float64], crs: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Easting and northing in `crs` of places on WGS 84."""
    from rasterio.warp import transform

    x, y = transform(WGS84, crs, longitude.tolist(), latitude.tolist())[:2]
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)


def true_north(latitude: float, longitude: float, crs: str) -> float:
    """The direction of true north at a place, in radians clockwise from the grid's north."""
    ends = np.array([latitude, latitude + NORTHWARD])
    easting, northing = from_degrees(ends, np.full(2, longitude), crs)
    return float(np.arctan2(easting[1] - easting[0], northing[1] - northing[0]))


def to_degrees(
    easting: NDArray[np.float64], northing: NDArray[np.float64], crs: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitude and longitude on WGS 84 of places in `crs`."""
    from rasterio.warp import transform

    shape = np.shape(easting)
    x, y = transform(crs, WGS84, np.ravel(easting).tolist(), np.ravel(northing).tolist())[:2]
    return np.reshape(y, shape), np.reshape(x, shape)


def grid_over(geometries: Sequence[PingGeometry], pixel_size: float) -> MapGrid:
    """The grid that holds all lines, its edges at whole multiples of the pixel size."""
    if not geometries:
        raise PmldaError("There is no line to lay on a map; choose at least one recording.")
    if not pixel_size > 0:
        raise PmldaError(f"A pixel of {pixel_size} m makes no map; choose a size above 0.")
    crs = geometries[0].crs
    if any(each.crs != crs for each in geometries):
        raise PmldaError(
            "The lines are in different coordinate systems; compute them all in that of the first."
        )
    places = [np.concatenate(each.edges(), axis=0) for each in geometries]
    corners = np.concatenate(places, axis=0)
    left, bottom = np.floor(corners.min(axis=0) / pixel_size) * pixel_size
    right, top = np.ceil(corners.max(axis=0) / pixel_size) * pixel_size
    width = max(1, round((right - left) / pixel_size))
    height = max(1, round((top - bottom) / pixel_size))
    if width * height > MOST_MAP_PIXELS:
        raise PmldaError(
            f"The map would have {width} x {height} pixels of {pixel_size:.3g} m; choose larger "
            "pixels or fewer lines."
        )
    return MapGrid(crs, float(left), float(top), pixel_size, height, width)
