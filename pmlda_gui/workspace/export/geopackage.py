"""GeoPackages, put together in memory with the standard library alone.

A GeoPackage is an SQLite file with a few prescribed tables (OGC 12-128r19).  Each layer
has a spatial index, and may have a style, which QGIS finds in the table `layer_styles`
and uses without being asked.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference

__all__ = ["Column", "Layer", "geopackage"]

_APPLICATION = 0x47504B47  # "GPKG"
_VERSION = 10301
_UNDEFINED_CARTESIAN = -1
# Systems without a code of their own are numbered from here.
_OWN_SYSTEM = 100_000
_WGS84 = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],'
    'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'
)
_RTREE = "http://www.geopackage.org/spec120/#extension_rtree"
_TIME = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

Ring = NDArray[np.float64]  # (corners, 2), the first corner again at the end
Shape = list[Ring]  # a polygon's outer ring, then its holes; or one line
Box = tuple[float, float, float, float]  # left, right, bottom, top


class Column(NamedTuple):
    """What is told about every shape of a layer; `kind` is a type of SQL."""

    name: str
    kind: str
    values: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Layer:
    """Polygons, or lines with `lines`, in the coordinates of `place`.

    `style` is a QGIS style (QML), "" for none.
    """

    name: str
    place: Georeference
    shapes: Sequence[Shape]
    columns: Sequence[Column]
    description: str = ""
    style: str = ""
    lines: bool = False


class _System(NamedTuple):
    """A row of the table of spatial reference systems."""

    name: str
    number: int
    organisation: str
    code: int
    definition: str


def geopackage(layers: Sequence[Layer]) -> bytes:
    """The content of a file with these layers."""
    with closing(sqlite3.connect(":memory:")) as database:
        _make_tables(database)
        for layer in layers:
            _add_layer(database, layer)
        if any(layer.style for layer in layers):
            _add_styles(database, layers)
        database.commit()
        return database.serialize()


def _make_tables(database: sqlite3.Connection) -> None:
    """Everything a GeoPackage must hold beside its layers."""
    database.executescript(
        f"""
        PRAGMA application_id = {_APPLICATION};
        PRAGMA user_version = {_VERSION};
        CREATE TABLE gpkg_spatial_ref_sys (
            srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
            organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
            description TEXT);
        CREATE TABLE gpkg_contents (
            table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,
            identifier TEXT UNIQUE, description TEXT DEFAULT '',
            last_change DATETIME NOT NULL DEFAULT ({_TIME}),
            min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE,
            srs_id INTEGER REFERENCES gpkg_spatial_ref_sys (srs_id));
        CREATE TABLE gpkg_geometry_columns (
            table_name TEXT NOT NULL UNIQUE REFERENCES gpkg_contents (table_name),
            column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
            srs_id INTEGER NOT NULL REFERENCES gpkg_spatial_ref_sys (srs_id),
            z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
        CREATE TABLE gpkg_extensions (
            table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,
            definition TEXT NOT NULL, scope TEXT NOT NULL,
            UNIQUE (table_name, column_name, extension_name));
        """
    )
    prescribed = (
        _System("Undefined Cartesian", _UNDEFINED_CARTESIAN, "NONE", -1, "undefined"),
        _System("Undefined geographic", 0, "NONE", 0, "undefined"),
        _System("WGS 84", 4326, "EPSG", 4326, _WGS84),
    )
    for system in prescribed:
        _add_system(database, system)


def _add_system(database: sqlite3.Connection, system: _System) -> None:
    database.execute(
        "INSERT OR REPLACE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)", system
    )


def _add_layer(database: sqlite3.Connection, layer: Layer) -> None:
    system = _system(layer.place)
    _add_system(database, system)
    kind = "LINESTRING" if layer.lines else "POLYGON"
    boxes = [_box(shape[0]) for shape in layer.shapes]
    database.execute(
        "INSERT INTO gpkg_contents VALUES (?, 'features', ?, ?, ?, ?, ?, ?, ?, ?)",
        (layer.name, layer.name, layer.description, _now(), *_extent(boxes), system.number),
    )
    database.execute(
        "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, ?, 0, 0)",
        (layer.name, kind, system.number),
    )
    columns = "".join(f', "{column.name}" {column.kind}' for column in layer.columns)
    database.execute(
        f'CREATE TABLE "{layer.name}" (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, '
        f"geom {kind}{columns})"
    )
    names = "".join(f', "{column.name}"' for column in layer.columns)
    marks = ", ".join("?" * (len(layer.columns) + 2))
    database.executemany(
        f'INSERT INTO "{layer.name}" (fid, geom{names}) VALUES ({marks})',
        zip(
            range(1, len(boxes) + 1),
            (
                _geometry(shape, box, system.number, lines=layer.lines)
                for shape, box in zip(layer.shapes, boxes, strict=True)
            ),
            *(column.values for column in layer.columns),
            strict=True,
        ),
    )
    _add_index(database, layer.name, boxes)


def _add_index(database: sqlite3.Connection, table: str, boxes: Sequence[Box]) -> None:
    """The R-tree of a layer, with the triggers by which other programs keep it right."""
    index = f"rtree_{table}_geom"
    database.execute(f'CREATE VIRTUAL TABLE "{index}" USING rtree(id, minx, maxx, miny, maxy)')
    database.executemany(
        f'INSERT INTO "{index}" VALUES (?, ?, ?, ?, ?)',
        ((number, *box) for number, box in enumerate(boxes, 1)),
    )
    database.execute(
        "INSERT INTO gpkg_extensions VALUES (?, 'geom', 'gpkg_rtree_index', ?, 'write-only')",
        (table, _RTREE),
    )
    filled = "NEW.geom NOTNULL AND NOT ST_IsEmpty(NEW.geom)"
    empty = "(NEW.geom ISNULL OR ST_IsEmpty(NEW.geom))"
    put = (
        f'INSERT OR REPLACE INTO "{index}" VALUES (NEW.fid, ST_MinX(NEW.geom), '
        "ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom));"
    )
    drop_old = f'DELETE FROM "{index}" WHERE id = OLD.fid;'
    same, other = "OLD.fid = NEW.fid", "OLD.fid != NEW.fid"
    triggers = (
        ("insert", "AFTER INSERT", filled, put),
        ("update1", "AFTER UPDATE OF geom", f"{same} AND ({filled})", put),
        ("update2", "AFTER UPDATE OF geom", f"{same} AND {empty}", drop_old),
        ("update3", "AFTER UPDATE", f"{other} AND ({filled})", drop_old + put),
        (
            "update4",
            "AFTER UPDATE",
            f"{other} AND {empty}",
            f'DELETE FROM "{index}" WHERE id IN (OLD.fid, NEW.fid);',
        ),
        ("delete", "AFTER DELETE", "OLD.geom NOT NULL", drop_old),
    )
    for name, event, condition, action in triggers:
        database.execute(
            f'CREATE TRIGGER "{index}_{name}" {event} ON "{table}" WHEN {condition} '
            f"BEGIN {action} END"
        )


def _add_styles(database: sqlite3.Connection, layers: Sequence[Layer]) -> None:
    """The table in which QGIS keeps styles, with those of the layers."""
    database.execute(
        "CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "
        "f_table_catalog TEXT(256), f_table_schema TEXT(256), f_table_name TEXT(256), "
        "f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT, styleSLD TEXT, "
        "useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30), "
        f"update_time DATETIME DEFAULT ({_TIME}))"
    )
    database.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, last_change) "
        "VALUES ('layer_styles', 'attributes', 'layer_styles', ?)",
        (_now(),),
    )
    database.executemany(
        "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, "
        "f_geometry_column, styleName, styleQML, styleSLD, useAsDefault, description, owner, "
        "update_time) VALUES ('', '', ?, 'geom', ?, ?, '', 1, ?, '', ?)",
        (
            (layer.name, layer.name, layer.style, layer.description, _now())
            for layer in layers
            if layer.style
        ),
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _box(corners: Ring) -> Box:
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(right), float(bottom), float(top)


def _extent(boxes: Sequence[Box]) -> tuple[float | None, ...]:
    """Left, bottom, right and top of everything, unknown where there is nothing."""
    if not boxes:
        return (None,) * 4
    left, right, bottom, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


def _geometry(shape: Shape, box: Box, system: int, *, lines: bool) -> bytes:
    """A shape as GeoPackages store it: their header with the envelope, then WKB."""
    flags = 0b0000_0011  # little endian, envelope of x and y
    header = struct.pack("<2sBBi4d", b"GP", 0, flags, system, *box)
    parts = b"".join(
        struct.pack("<I", len(part)) + np.ascontiguousarray(part, dtype="<f8").tobytes()
        for part in shape
    )
    if lines:
        return header + struct.pack("<BI", 1, 2) + parts
    return header + struct.pack("<BII", 1, 3, len(shape)) + parts


def _system(place: Georeference) -> _System:
    """The reference system, under its EPSG code only where it is exactly that system."""
    if not place.crs:
        return _System(
            "Undefined Cartesian", _UNDEFINED_CARTESIAN, "NONE", _UNDEFINED_CARTESIAN, "undefined"
        )
    from rasterio.crs import CRS
    from rasterio.enums import WktVersion

    reference = CRS.from_wkt(place.crs)
    definition = reference.to_wkt(version=WktVersion.WKT1_GDAL)
    name = definition.split('"')[1]
    code = reference.to_epsg()
    if code is not None and CRS.from_epsg(code) == reference:
        return _System(name, code, "EPSG", code, definition)
    return _System(name, _OWN_SYSTEM, "NONE", _OWN_SYSTEM, definition)
