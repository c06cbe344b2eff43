"""The position of a pixel as text: on the Earth, along and across a track, or in metres."""

from __future__ import annotations

import math

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.earth_positions import latitude_longitude
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.swath import RecordedSwath

__all__ = ["place_in_words"]


def place_in_words(image: Image, column: float, row: float) -> list[str]:
    """Lines about the place at (column, row), counted from the corner of the first pixel."""
    if image.swath is not None:
        return _on_swath(image, image.swath, column, row)
    if image.georeference is not None:
        return _on_map(image.georeference, column, row)
    if image.pixel_size is not None:
        down = image.pixel_size * image.aspect
        return [f"{column * image.pixel_size:.2f} m across, {row * down:.2f} m down"]
    return []


def _on_map(georeference: Georeference, column: float, row: float) -> list[str]:
    a, b, c, d, e, f = georeference.transform
    x, y = a * column + b * row + c, d * column + e * row + f
    if georeference.crs.lstrip().upper().startswith(("GEOGCS", "GEOGCRS", "GEODCRS")):
        return [_degrees(y, x)]
    lines = [f"x {x:.1f} {_unit(georeference.crs)}, y {y:.1f} {_unit(georeference.crs)}"]
    try:
        found = latitude_longitude(georeference, row - 0.5, column - 0.5)
    except PmldaError:
        return lines
    if found is not None and np.isfinite(found).all():
        lines.append(_degrees(float(found[0][0]), float(found[1][0])))
    return lines


def _unit(crs: str) -> str:
    """The unit of a projected system: metres where it does not say."""
    from rasterio.crs import CRS
    from rasterio.errors import CRSError

    if not crs:
        return "m"
    try:
        name, metres = CRS.from_wkt(crs).linear_units_factor
    except CRSError:
        return "m"
    return "m" if metres == 1.0 else str(name)


def _on_swath(image: Image, swath: RecordedSwath, column: float, row: float) -> list[str]:
    place = min(max(int(row), 0), image.shape[0] - 1)
    parts = [f"ping {int(row * swath.pings_a_row) + 1}"]
    geometry = swath.geometry
    if geometry is not None:
        along = float(np.interp(row - 0.5, np.arange(len(geometry)), geometry.along))
        parts.append(f"{along:.1f} m along")
    elif image.pixel_height is not None:
        parts.append(f"{row * image.pixel_height:.1f} m along")
    across = (column - swath.port) * swath.cell
    side = "starboard" if across >= 0 else "port"
    height = float(swath.heights[place])
    if not swath.ground and math.isfinite(height):
        if abs(across) <= height:
            return [", ".join([*parts, "in the water"])]
        across = math.copysign(math.sqrt(across**2 - height**2), across)
    if swath.metres:
        parts.append(f"{abs(across):.1f} m to {side}")
    lines = [", ".join(parts)]
    if geometry is not None and swath.metres:
        found = geometry.latitude_longitude(np.array([row - 0.5]), np.array([across]))
        lines.append(_degrees(float(found[0][0]), float(found[1][0])))
    return lines


def _degrees(latitude: float, longitude: float) -> str:
    return f"lat {latitude:.6f}°, lon {longitude:.6f}°"
