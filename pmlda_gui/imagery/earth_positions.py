"""Positions: from the pixels of a georeferenced image to coordinates on the Earth and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Georeference

__all__ = ["WGS84", "latitude_longitude", "pixels_at"]

WGS84 = "EPSG:4326"
Numbers = NDArray[np.float64]


def latitude_longitude(
    georeference: Georeference, rows: ArrayLike, columns: ArrayLike
) -> tuple[Numbers, Numbers] | None:
    """Latitudes and longitudes (WGS 84) of pixels, counted from 0 to their middles.

    None where the image does not say in which reference system it lies.
    """
    if not georeference.crs:
        return None
    a, b, c, d, e, f = georeference.transform
    right = np.atleast_1d(np.asarray(columns, dtype=np.float64)) + 0.5
    down = np.atleast_1d(np.asarray(rows, dtype=np.float64)) + 0.5
    found = _transformed(
        georeference.crs, WGS84, a * right + b * down + c, d * right + e * down + f
    )
    return found[1], found[0]


def pixels_at(
    georeference: Georeference, x: ArrayLike, y: ArrayLike, crs: str | None = None
) -> tuple[Numbers, Numbers]:
    """Rows and columns, with fractions, of coordinates in `crs`, or in the image's own.

    The middle of the first pixel is at 0.5.
    """
    east, north = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if crs is not None:
        if not georeference.crs:
            raise PmldaError(
                "The image does not say in which reference system it lies, so points in another "
                "cannot be placed: give their rows and columns, or x and y of the image."
            )
        east, north = _transformed(crs, georeference.crs, east, north)
    a, b, c, d, e, f = georeference.transform
    size = a * e - b * d
    if size == 0.0:
        raise PmldaError("The image's pixels have no size on the map: georeference it again.")
    across, up = east - c, north - f
    return (a * up - d * across) / size, (e * across - b * up) / size


def _transformed(source: str, target: str, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    from rasterio.crs import CRS
    from rasterio.errors import CRSError, RasterioError
    from rasterio.warp import transform

    try:
        found = transform(CRS.from_user_input(source), CRS.from_user_input(target), x, y)
    except (CRSError, RasterioError) as error:
        raise PmldaError(
            "The points cannot be brought into the reference system of the image: give their rows "
            "and columns instead."
        ) from error
    return np.asarray(found[0], np.float64), np.asarray(found[1], np.float64)
