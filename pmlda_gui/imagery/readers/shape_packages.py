"""Points, lines and polygons of a GeoPackage with what its tables say about each."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.point_packages import quoted, without_head

__all__ = ["PackagedShape", "read_shapes"]

LARGEST_FILE = 50_000_000
MOST_SHAPES = 100_000
_POINT, _LINE, _POLYGON = 1, 2, 3
_COLLECTIONS = (4, 5, 6, 7)
_DEEPEST = 8
# Systems in which coordinates are those of a picture and not of the Earth.
_UNDEFINED = "undefined"


@dataclass(frozen=True, eq=False)
class PackagedShape:
    """A point, line or polygon: `parts` are its (points, 2) coordinates, holes after the outside.

    `crs` is empty where coordinates are columns and rows; `values` are the table's texts by the
    names of its columns in small letters.
    """

    kind: Literal["point", "line", "polygon"]
    parts: tuple[NDArray[np.float64], ...]
    crs: str
    values: Mapping[str, str]


def read_shapes(path: Path) -> list[PackagedShape]:
    """All shapes of all layers of a GeoPackage."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PmldaError(f"{path.name} is too large for shapes drawn by hand; simplify it.")
        with closing(sqlite3.connect(address, uri=True)) as database:
            layers = database.execute(
                "SELECT g.table_name, g.column_name, s.definition FROM gpkg_geometry_columns g "
                "JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id"
            ).fetchall()
            found: list[PackagedShape] = []
            for table, column, system in layers:
                crs = "" if str(system) == _UNDEFINED else str(system)
                found += _layer(database, str(table), str(column), crs)
    except OSError as error:
        raise PmldaError(f"{path.name} cannot be read ({error.strerror or error}).") from error
    except (sqlite3.Error, struct.error, ValueError, IndexError, RecursionError) as error:
        raise PmldaError(
            f"{path.name} is no GeoPackage, or it is damaged; save or copy it again."
        ) from error
    return found


def _layer(
    database: sqlite3.Connection, table: str, geometry: str, crs: str
) -> list[PackagedShape]:
    selected = database.execute(f"SELECT * FROM {quoted(table)} LIMIT {MOST_SHAPES}")
    names = [str(column[0]) for column in selected.description]
    place = names.index(geometry)
    found = []
    for row in selected:
        values = {
            name.casefold(): "" if value is None else str(value)
            for name, value in zip(names, row, strict=True)
            if name != geometry
        }
        body = without_head(row[place])
        if body is not None:
            found += [PackagedShape(kind, parts, crs, values) for kind, parts in _shapes(body)]
    return found


Parsed = tuple[Literal["point", "line", "polygon"], tuple[NDArray[np.float64], ...]]


def _shapes(body: bytes) -> list[Parsed]:
    """The shapes of well-known binary, those of collections one by one."""
    found: list[Parsed] = []
    _parse(body, 0, found, 0)
    return found


def _parse(body: bytes, at: int, found: list[Parsed], depth: int) -> int:
    order = "<" if body[at] == 1 else ">"
    (code,) = struct.unpack_from(f"{order}I", body, at + 1)
    kind, numbers = code % 1000, 2 + (code // 1000 in (1, 2)) + 2 * (code // 1000 == 3)
    at += 5
    if kind == _POINT:
        points, at = _points(body, at, 1, numbers, order)
        if np.isfinite(points).all():
            found.append(("point", (points,)))
        return at
    (count,) = struct.unpack_from(f"{order}I", body, at)
    at += 4
    if kind == _LINE:
        points, at = _points(body, at, count, numbers, order)
        found.append(("line", (points,)))
    elif kind == _POLYGON:
        rings = []
        for _ in range(count):
            (corners,) = struct.unpack_from(f"{order}I", body, at)
            ring, at = _points(body, at + 4, corners, numbers, order)
            rings.append(ring)
        found.append(("polygon", tuple(rings)))
    elif kind in _COLLECTIONS and depth < _DEEPEST:
        for _ in range(count):
            at = _parse(body, at, found, depth + 1)
    else:
        raise ValueError("a geometry of another kind")
    return at


def _points(
    body: bytes, at: int, count: int, numbers: int, order: str
) -> tuple[NDArray[np.float64], int]:
    values = np.frombuffer(body, f"{order}f8", count * numbers, at).reshape(count, numbers)
    return values[:, :2].astype(np.float64), at + 8 * count * numbers
