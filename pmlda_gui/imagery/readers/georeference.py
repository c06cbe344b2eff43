"""The georeference of a raster: its own, or that of small files beside it.

A world file gives the place of pixels and a .prj file the reference system, whatever
the format; both are read here, as text, and by no driver.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Georeference
from pmlda_gui.imagery.readers.format_detection import text_beside
from pmlda_gui.imagery.readers.netcdf_axes import in_degrees
from pmlda_gui.imagery.readers.raster_formats import raster_format_of
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["georeference_of", "pixel_size_of"]

METRES_PER_DEGREE = 111_320.0
LONGEST_WORLD_FILE = 1000


def georeference_of(path: Path, dataset: Any, reduce: int) -> Georeference | None:
    """The file's own georeference, or that of a world file beside it."""
    from rasterio.transform import from_gcps

    transform, crs = dataset.transform, dataset.crs
    if transform.is_identity:
        points, points_crs = dataset.gcps
        if len(points) >= 3:
            transform, crs = from_gcps(points), points_crs
    coefficients = tuple(float(number) for number in transform[:6])
    if transform.is_identity:
        endings = (*raster_format_of(dataset.driver).world_file, ".wld")
        from_world_file = _world_file(path, endings)
        if from_world_file is None:
            return None
        coefficients = from_world_file
    if not all(math.isfinite(number) for number in coefficients):
        return None
    a, b, c, d, e, f = coefficients
    return Georeference(
        crs=crs.to_wkt() if crs is not None else _unstated_reference(path, dataset),
        transform=(a * reduce, b * reduce, c, d * reduce, e * reduce, f),
    )


def _unstated_reference(path: Path, dataset: Any) -> str:
    """What is known of the reference system if the raster does not state it."""
    from rasterio.crs import CRS

    if in_degrees(path, dataset):
        # What longitude and latitude mean unless somebody says otherwise.
        return str(CRS.from_epsg(4326).to_wkt())
    return _reference_beside(path)


def _reference_beside(path: Path) -> str:
    """The reference system in a .prj file beside the image, empty if there is none."""
    from rasterio.crs import CRS
    from rasterio.errors import CRSError

    text = (text_beside(path, ".prj") or "").strip()
    # Only a description in the file itself: a name could be looked up elsewhere.
    if not text.upper().startswith(("PROJCS[", "GEOGCS[", "PROJCRS[", "GEOGCRS[", "COMPD_CS[")):
        return ""
    try:
        return str(CRS.from_wkt(text).to_wkt())
    except CRSError:
        return ""


def _world_file(path: Path, endings: tuple[str, ...]) -> tuple[float, ...] | None:
    """Six numbers in a text file beside the image; its c, f are a pixel's centre."""
    for ending in endings:
        for candidate in (path.with_suffix(ending), path.with_suffix(ending.upper())):
            try:
                with open_regular(candidate) as stream:
                    text = stream.read(LONGEST_WORLD_FILE + 1)
                if len(text) > LONGEST_WORLD_FILE:
                    continue
                a, d, b, e, c, f = map(float, text.decode("ascii").split())
            except (OSError, ValueError, PmldaError):
                continue
            return (a, b, c - (a + b) / 2, d, e, f - (d + e) / 2)
    return None


def pixel_size_of(georeference: Georeference | None, height: int, notes: list[str]) -> float | None:
    """Side of a pixel in metres where the units are known."""
    from rasterio.crs import CRS

    if georeference is None:
        return None
    if not georeference.crs:
        notes.append("The coordinates have no stated reference system, so metres are unknown.")
        return None
    crs = CRS.from_wkt(georeference.crs)
    a, b, _, d, e, f = georeference.transform
    across, along = math.hypot(a, d), math.hypot(b, e)
    if crs.is_geographic:
        latitude = f + e * height / 2
        across *= METRES_PER_DEGREE * math.cos(math.radians(latitude))
        along *= METRES_PER_DEGREE
        notes.append(f"Pixels are in degrees; metres are those at latitude {latitude:.2f}.")
    elif crs.is_projected:
        _, metres = crs.linear_units_factor
        across, along = across * metres, along * metres
    else:
        notes.append("The reference system is not one of the Earth, so metres are unknown.")
        return None
    size = math.sqrt(abs(across * along))
    if not 0 < size < math.inf:
        return None
    if max(across, along) > 1.01 * min(across, along):
        notes.append(f"Pixels are {across:.4g} x {along:.4g} m, not square; {size:.4g} m is taken.")
    return size
