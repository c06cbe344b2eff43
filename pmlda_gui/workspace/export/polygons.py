"""Documents as polygons in a GeoPackage, with what the model found in each.

A GeoPackage is an SQLite file with a few prescribed tables (OGC 12-128r19); it is
small enough to be put together in memory with the standard library alone.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.segmentation import Segmentation

__all__ = ["LAYER", "document_polygons"]

LAYER = "documents"
_APPLICATION = 0x47504B47  # "GPKG"
_VERSION = 10301
_UNDEFINED_CARTESIAN = -1
# Systems without a code of their own are numbered from here.
_OWN_SYSTEM = 100_000
_NO_GEOREFERENCE = Georeference("", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
_WGS84 = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],'
    'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'
)

Ring = NDArray[np.float64]  # (corners, 2), the first corner again at the end
Polygon = list[Ring]  # the outer ring, then the holes


class _System(NamedTuple):
    """A row of the table of spatial reference systems."""

    name: str
    number: int
    organisation: str
    code: int
    definition: str


def document_polygons(
    image: Image, segmentation: Segmentation, topic_names: Sequence[str]
) -> bytes:
    """A GeoPackage with one polygon a document: the content of the file.

    Coordinates are those of the image's reference system, or (column, row) of pixel
    corners where it has no georeference.  Columns: the document's number and pixels,
    its likeliest topic, its scaling, and for topic k its proportion and mean
    membership.  Sliding windows are their bounding rectangles.
    """
    assert segmentation.documents is not None
    place = image.georeference or _NO_GEOREFERENCE
    polygons = list(_polygons(segmentation.documents, place))
    facts = _facts(segmentation, topic_names)
    system = _system(place)
    with closing(sqlite3.connect(":memory:")) as database:
        _make_tables(database, system, _extent(polygons))
        columns = ", ".join(f'"{name}" {kind}' for name, kind, _ in facts)
        database.execute(
            f'CREATE TABLE "{LAYER}" (fid INTEGER PRIMARY KEY AUTOINCREMENT, geom POLYGON, '
            f"{columns})"
        )
        names = ", ".join(f'"{name}"' for name, _, _ in facts)
        marks = ", ".join("?" * (len(facts) + 1))
        database.executemany(
            f'INSERT INTO "{LAYER}" (geom, {names}) VALUES ({marks})',
            zip(
                (_geometry(polygon, system.number) for polygon in polygons),
                *(values for _, _, values in facts),
                strict=True,
            ),
        )
        database.commit()
        return database.serialize()


def _facts(
    segmentation: Segmentation, topic_names: Sequence[str]
) -> list[tuple[str, str, list[Any]]]:
    """The columns besides the geometry: name, type in SQL, values."""
    documents = segmentation.documents
    assert documents is not None
    means = _mean_memberships(segmentation.memberships, documents)
    facts: list[tuple[str, str, list[Any]]] = [
        ("document", "INTEGER", list(range(1, documents.count + 1))),
        ("pixels", "INTEGER", documents.sizes.tolist()),
        ("topic", "TEXT", [topic_names[topic] for topic in means.argmax(axis=1)]),
    ]
    if segmentation.scaling is not None:
        facts.append(("scaling", "REAL", segmentation.scaling.tolist()))
    tables = {"proportion": segmentation.proportions, "membership": means}
    for name, table in tables.items():
        if table is not None:
            facts += [
                (f"{name}_{topic}", "REAL", values.tolist())
                for topic, values in enumerate(table.T, 1)
            ]
    return facts


def _mean_memberships(
    memberships: NDArray[np.float32], documents: Documents
) -> NDArray[np.float64]:
    """The mean membership of each document's pixels, (D, K)."""
    words = memberships.reshape(len(memberships), -1)[:, documents.pixels].astype(np.float64)
    sums: NDArray[np.float64] = np.add.reduceat(words, documents.offsets[:-1], axis=1)
    return (sums / documents.sizes).T


def _polygons(documents: Documents, place: Georeference) -> Iterator[Polygon]:
    """The outline of each document in the coordinates of `place`."""
    shapes = _traced(documents) if documents.is_partition else _rectangles(documents)
    a, b, c, d, e, f = place.transform
    for rings in shapes:
        yield [
            np.column_stack([a * x + b * y + c, d * x + e * y + f])
            for x, y in (ring.T for ring in rings)
        ]


def _traced(documents: Documents) -> list[Polygon]:
    """Documents that do not overlap, along the sides of their pixels."""
    from rasterio.features import shapes

    labels = documents.labels
    traced: list[Polygon] = [[] for _ in range(documents.count)]
    for geometry, label in shapes(labels, mask=labels >= 0, connectivity=4):
        # A document is connected through pixel sides, so there is one shape of each.
        traced[int(label)] = [np.array(ring, dtype=np.float64) for ring in geometry["coordinates"]]
    return traced


def _rectangles(documents: Documents) -> Iterator[Polygon]:
    """Documents that may overlap, as the rectangles they span."""
    rows, columns = np.divmod(documents.pixels, documents.shape[1])
    starts = documents.offsets[:-1]
    top, left = np.minimum.reduceat(rows, starts), np.minimum.reduceat(columns, starts)
    bottom, right = (np.maximum.reduceat(each, starts) + 1 for each in (rows, columns))
    for y0, x0, y1, x1 in zip(top, left, bottom, right, strict=True):
        corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0), (x0, y0)]
        yield [np.array(corners, dtype=np.float64)]


def _geometry(polygon: Polygon, system: int) -> bytes:
    """A polygon as GeoPackages store it: their header with the envelope, then WKB."""
    outer = polygon[0]
    (left, bottom), (right, top) = outer.min(axis=0), outer.max(axis=0)
    flags = 0b0000_0011  # little endian, envelope of x and y
    header = struct.pack("<2sBBi4d", b"GP", 0, flags, system, left, right, bottom, top)
    rings = b"".join(
        struct.pack("<I", len(ring)) + np.ascontiguousarray(ring, dtype="<f8").tobytes()
        for ring in polygon
    )
    return header + struct.pack("<BII", 1, 3, len(polygon)) + rings


def _extent(polygons: Sequence[Polygon]) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of everything."""
    corners = np.concatenate([polygon[0] for polygon in polygons])
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


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


def _make_tables(
    database: sqlite3.Connection, system: _System, extent: tuple[float, float, float, float]
) -> None:
    """Everything a GeoPackage must hold beside its layer."""
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
            last_change DATETIME NOT NULL, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE,
            max_y DOUBLE, srs_id INTEGER REFERENCES gpkg_spatial_ref_sys (srs_id));
        CREATE TABLE gpkg_geometry_columns (
            table_name TEXT NOT NULL UNIQUE REFERENCES gpkg_contents (table_name),
            column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
            srs_id INTEGER NOT NULL REFERENCES gpkg_spatial_ref_sys (srs_id),
            z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
        """
    )
    prescribed = (
        _System("Undefined Cartesian", _UNDEFINED_CARTESIAN, "NONE", -1, "undefined"),
        _System("Undefined geographic", 0, "NONE", 0, "undefined"),
        _System("WGS 84", 4326, "EPSG", 4326, _WGS84),
    )
    database.executemany(
        "INSERT OR REPLACE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)",
        (*prescribed, system),
    )
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    database.execute(
        "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, ?)",
        (LAYER, LAYER, now, *extent, system.number),
    )
    database.execute(
        "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'POLYGON', ?, 0, 0)",
        (LAYER, system.number),
    )
