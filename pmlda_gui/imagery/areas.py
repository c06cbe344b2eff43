"""Areas of interest: polygons on the Earth; pixels outside are masked.

GeoJSON holds degrees on WGS 84; a GeoPackage says in which system its polygons are.
Images are masked before anything is measured in them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.earth_positions import WGS84, pixels_at
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.point_packages import without_head
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["Areas", "inside_of", "masked_to", "read_areas"]

Ring = NDArray[np.float64]
LARGEST_FILE = 50_000_000
# Text becomes objects that take many times as much memory.
LARGEST_GEOJSON = 16_000_000
MOST_POLYGONS = 100_000
_POLYGON, _MULTIPOLYGON = 3, 6


@dataclass(frozen=True, eq=False)
class Areas:
    """Polygons, each an outer ring and its holes of (points, 2) x and y in `crs`."""

    name: str
    crs: str
    polygons: tuple[tuple[Ring, ...], ...]


def read_areas(path: Path) -> Areas:
    """The polygons of a GeoJSON or GeoPackage file."""
    try:
        with open_regular(path) as stream:
            start = stream.read(16)
            is_package = start == b"SQLite format 3\0"
            most = LARGEST_FILE if is_package else LARGEST_GEOJSON
            if os.fstat(stream.fileno()).st_size > most:
                raise PmldaError(f"{path.name} is too large for areas of interest; simplify it.")
            rest = b"" if is_package else stream.read(most)
        crs, polygons = _package(path) if is_package else (WGS84, list(_geojson(start + rest)))
    except PmldaError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise PmldaError(
            f"{path.name} cannot be read as polygons; give a GeoJSON or GeoPackage file."
        ) from error
    except (sqlite3.Error, struct.error) as error:
        raise PmldaError(f"{path.name} is a damaged GeoPackage; save or copy it again.") from error
    if not polygons:
        raise PmldaError(f"{path.name} holds no polygon; draw at least one area of interest.")
    return Areas(path.name, crs, tuple(polygons[:MOST_POLYGONS]))


def _geojson(content: bytes) -> Iterator[tuple[Ring, ...]]:
    values = json.loads(content)
    kinds = {"FeatureCollection": "features", "GeometryCollection": "geometries"}
    waiting: list[Any] = [values]
    while waiting:
        each = waiting.pop()
        kind = each["type"]
        if kind in kinds:
            waiting += each[kinds[kind]][::-1]
        elif kind == "Feature":
            waiting += [each["geometry"]] if each["geometry"] else []
        elif kind == "Polygon":
            yield _rings(each["coordinates"])
        elif kind == "MultiPolygon":
            for part in each["coordinates"]:
                yield _rings(part)


def _rings(coordinates: Sequence[Any]) -> tuple[Ring, ...]:
    return tuple(_ring(np.array([point[:2] for point in ring])) for ring in coordinates)


def _ring(points: NDArray[Any]) -> Ring:
    ring = np.asarray(points, dtype=np.float64)
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.isfinite(ring).all():
        raise ValueError("a ring without an area")
    return ring


def _package(path: Path) -> tuple[str, list[tuple[Ring, ...]]]:
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        found = database.execute(
            "SELECT g.table_name, g.column_name, s.definition FROM gpkg_geometry_columns g "
            "JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id "
            "WHERE upper(g.geometry_type_name) LIKE '%POLYGON%' LIMIT 1"
        ).fetchone()
        if found is None:
            raise PmldaError(f"{path.name} holds no layer of polygons; draw areas in one.")
        table, column = (str(name).replace('"', '""') for name in found[:2])
        rows = database.execute(f'SELECT "{column}" FROM "{table}" LIMIT {MOST_POLYGONS}')
        polygons: list[tuple[Ring, ...]] = []
        for (blob,) in rows:
            body = without_head(blob)
            if body is not None:
                polygons += _polygons_in(body, 0)[0]
    return str(found[2]), polygons


def _polygons_in(body: bytes, at: int) -> tuple[list[tuple[Ring, ...]], int]:
    """The polygons of well-known binary from byte `at` on, and where it ends."""
    order = "<" if body[at] == 1 else ">"
    kind, count = struct.unpack_from(f"{order}2I", body, at + 1)
    numbers = 2 + (kind // 1000 in (1, 2)) + 2 * (kind // 1000 == 3)
    at += 9
    if kind % 1000 == _MULTIPOLYGON:
        found = []
        for _ in range(count):
            parts, at = _polygons_in(body, at)
            found += parts
        return found, at
    if kind % 1000 != _POLYGON:
        return [], len(body)
    rings = []
    for _ in range(count):
        (points,) = struct.unpack_from(f"{order}I", body, at)
        values = np.frombuffer(body, f"{order}f8", points * numbers, at + 4)
        rings.append(_ring(values.reshape(points, numbers)[:, :2]))
        at += 4 + 8 * points * numbers
    return [tuple(rings)], at


def masked_to(image: Image, areas: Areas) -> Image:
    """The image with pixels outside of all areas left out."""
    inside = inside_of(image, areas)
    if not (inside & image.valid).any():
        raise PmldaError(f"The areas in {areas.name} leave nothing of {image.name}.")
    valid = image.valid & inside
    kept = valid if not image.is_colour else valid[:, :, np.newaxis]
    zero = np.float32(0.0)
    return replace(
        image,
        valid=valid,
        pixels=np.where(kept, image.pixels, zero),
        further=tuple(np.where(valid, band, zero) for band in image.further),
    )


def inside_of(image: Image, areas: Areas) -> NDArray[np.bool_]:
    """Which pixels of an image lie in any of the areas."""
    if image.swath is not None and image.swath.geometry is not None:
        return _inside_of_swath(image, areas)
    if image.georeference is None or not image.georeference.crs:
        raise PmldaError(
            f"{image.name} has no place on the Earth, so the areas in {areas.name} cannot be "
            "found in it; give an image with a georeference, or leave them out."
        )
    reference = image.georeference

    def to_pixels(ring: Ring) -> Ring:
        rows, columns = pixels_at(reference, ring[:, 0], ring[:, 1], areas.crs)
        return np.column_stack([columns, rows])

    return _drawn(areas, to_pixels, image.shape)


def _inside_of_swath(image: Image, areas: Areas) -> NDArray[np.bool_]:
    """Each pixel of a recording looked up on a map as fine as its own pixels."""
    from pmlda_gui.imagery.geometry import grid_over

    assert image.swath is not None
    geometry = image.swath.geometry
    assert geometry is not None
    grid = grid_over([geometry], image.swath.cell)

    def to_pixels(ring: Ring) -> Ring:
        rows, columns = pixels_at(grid.georeference, ring[:, 0], ring[:, 1], areas.crs)
        return np.column_stack([columns, rows])

    drawn = _drawn(areas, to_pixels, (grid.height, grid.width))
    ground = np.nan_to_num(replace(geometry, height=image.swath.heights).ground())
    rows = np.broadcast_to(np.arange(len(geometry), dtype=np.float64)[:, None], ground.shape)
    easting, northing = geometry.place(rows, ground)
    column = np.clip((easting - grid.left) / grid.pixel_size, 0, grid.width - 1)
    row = np.clip((grid.top - northing) / grid.pixel_size, 0, grid.height - 1)
    return np.asarray(drawn[row.astype(np.int64), column.astype(np.int64)])


def _drawn(areas: Areas, to_pixels: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    from rasterio.features import rasterize

    shapes = []
    for polygon in areas.polygons:
        rings = [to_pixels(ring).tolist() for ring in polygon]
        shapes.append({"type": "Polygon", "coordinates": [[*ring, ring[0]] for ring in rings]})
    return np.asarray(rasterize(shapes, shape, fill=0, default_value=1, dtype="uint8") > 0)
