"""The points of a GeoPackage: an SQLite file with geometries as well-known binary."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["PointTable", "quoted", "read_package", "without_head"]

MOST_POINTS = 1_000_000
# Steps of the database after which a query is taken to have no end.
MOST_STEPS = 2_000_000_000
_STEPS_BETWEEN = 1_000_000
# Bytes of the bounding box in a geometry's head, by the number that says which it is.
_BOX_BYTES = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
_POINT = 1


class PointTable(NamedTuple):
    """Names of the columns, rows as text, places, and the reference system as WKT."""

    head: list[str]
    rows: list[list[str]]
    across: NDArray[np.float64]
    down: NDArray[np.float64]
    system: str


def read_package(path: Path) -> PointTable:
    """The first table of points in a GeoPackage."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    steps = 0

    def too_long() -> bool:
        nonlocal steps
        steps += _STEPS_BETWEEN
        return steps > MOST_STEPS

    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.set_progress_handler(too_long, _STEPS_BETWEEN)
            return _points_in(path, database)
    except sqlite3.Error as error:
        raise PmldaError(
            f"{path.name} is a damaged or locked GeoPackage; save or copy it again."
        ) from error


def _points_in(path: Path, database: sqlite3.Connection) -> PointTable:
    found = database.execute(
        "SELECT g.table_name, g.column_name, s.definition FROM gpkg_geometry_columns g "
        "JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id "
        "WHERE upper(g.geometry_type_name) IN ('POINT', 'GEOMETRY') LIMIT 1"
    ).fetchone()
    if found is None:
        raise PmldaError(f"{path.name} holds no layer of points; save the ground truth as points.")
    table, geometry, system = map(str, found)
    selected = database.execute(f"SELECT * FROM {quoted(table)} LIMIT {MOST_POINTS}")
    names = [str(column[0]) for column in selected.description]
    if geometry not in names:
        raise PmldaError(f"{path.name} is damaged: its layer has no geometry; save it again.")
    place = names.index(geometry)
    rows, points = [], []
    for row in selected:
        points.append(_point(row[place]))
        rows.append(
            ["" if value is None else str(value) for value in row[:place] + row[place + 1 :]]
        )
    places = np.array(points, dtype=np.float64).reshape(-1, 2)
    return PointTable(names[:place] + names[place + 1 :], rows, places[:, 0], places[:, 1], system)


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def without_head(blob: object) -> bytes | None:
    """The well-known binary of a geometry, None if it is none."""
    if not isinstance(blob, bytes) or len(blob) < 8 or blob[:2] != b"GP":
        return None
    box = _BOX_BYTES.get((blob[3] >> 1) & 7)
    return None if box is None else blob[8 + box :]


def _point(blob: object) -> tuple[float, float]:
    """The place of a geometry, not numbers if it is no point."""
    nowhere = (float("nan"), float("nan"))
    body = without_head(blob)
    if body is None or len(body) < 21:
        return nowhere
    order = "<" if body[0] == 1 else ">"
    (kind,) = struct.unpack_from(f"{order}I", body, 1)
    if kind % 1000 != _POINT:
        return nowhere
    x, y = struct.unpack_from(f"{order}2d", body, 5)
    return float(x), float(y)
