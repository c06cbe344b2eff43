"""Ground truth at points: a table of places and classes, as CSV or as a GeoPackage.

Columns are found by their names; a class may be any text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.earth_positions import WGS84, pixels_at
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.format_detection import SQLITE_SIGNATURE
from pmlda_gui.imagery.readers.opening import guarded
from pmlda_gui.imagery.readers.point_packages import read_package
from pmlda_gui.imagery.readers.regular_files import open_regular, printable

__all__ = ["Points", "holds_points", "read_points"]

LARGEST_BYTES = 100_000_000
LONGEST_CLASS = 100
_TEXT_ENDINGS = (".csv", ".txt", ".tsv")
_CLASS_NAMES = ("class", "label", "truth", "type", "category", "habitat", "substrate", "sediment")
# Pairs of columns, across and down the map, and the reference system they are in.
_PLACES = (
    (("column", "col", "sample"), ("row", "line"), "pixels"),
    (("longitude", "lon", "long", "lng"), ("latitude", "lat"), WGS84),
    (("easting", "east", "x", "point_x"), ("northing", "north", "y", "point_y"), "image"),
)


@dataclass(frozen=True, eq=False)
class Points:
    """Points inside an image: the `rows` and `columns` of their pixels and their `classes`.

    `left_out` counts those that lie outside the image or have no class or place.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    classes: tuple[str, ...]
    left_out: int = 0


def holds_points(path: Path) -> bool:
    """Whether a file is a table of points rather than a raster."""
    if path.suffix.lower() in _TEXT_ENDINGS:
        return True
    try:
        with open_regular(path) as stream:
            is_database = stream.read(16) == SQLITE_SIGNATURE
    except OSError:
        return False
    return is_database and path.suffix.lower() == ".gpkg"


def read_points(path: Path, image: Image, class_column: str | None = None) -> Points:
    """The points of a file that lie in an image.

    `class_column` is the name of the column of classes, None for one that is called so.
    """
    with guarded(path):
        with open_regular(path) as stream:
            content = stream.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise PmldaError(
                f"{path.name} is longer than {LARGEST_BYTES // 10**6} MB; keep the points of this "
                "image only."
            )
        if content.startswith(SQLITE_SIGNATURE):
            table = read_package(path)
            head, rows, across, down, system = table
        else:
            head, rows = _text_table(path, content)
            across, down, system = _places(path, head, rows)
        classes = _classes(path, head, rows, class_column)
        return _placed(path, image, across, down, system, classes)


def _text_table(path: Path, content: bytes) -> tuple[list[str], list[list[str]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    if len(rows) < 2:
        raise PmldaError(
            f"{path.name} holds no table of points; save one with a line of names, such as "
            "longitude, latitude and class."
        )
    return rows[0], rows[1:]


def _places(
    path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    names = [name.strip().lower() for name in head]
    for across, down, system in _PLACES:
        first = next((names.index(name) for name in across if name in names), None)
        second = next((names.index(name) for name in down if name in names), None)
        if first is not None and second is not None:
            return _numbers(rows, first), _numbers(rows, second), system
    raise PmldaError(
        f"{path.name} has no columns that say where its points are; name two of them longitude and "
        "latitude, easting and northing, x and y, or column and row."
    )


def _numbers(rows: Sequence[Sequence[str]], column: int) -> NDArray[np.float64]:
    found = np.full(len(rows), np.nan)
    for place, row in enumerate(rows):
        try:
            found[place] = float(row[column])
        except (IndexError, ValueError):
            continue
    return found


def _classes(
    path: Path, head: Sequence[str], rows: Sequence[Sequence[str]], wanted: str | None
) -> list[str]:
    names = [name.strip().lower() for name in head]
    sought = _CLASS_NAMES if wanted is None else (wanted.strip().lower(),)
    column = next((names.index(name) for name in sought if name in names), None)
    if column is None:
        offered = ", ".join(printable(name)[:40] for name in head[:12])
        raise PmldaError(
            f"{path.name} has no column '{wanted or 'class'}'; say which of {offered} holds the "
            "classes."
        )
    return [printable(row[column].strip()) if column < len(row) else "" for row in rows]


def _placed(
    path: Path,
    image: Image,
    across: NDArray[np.float64],
    down: NDArray[np.float64],
    system: str,
    classes: Sequence[str],
) -> Points:
    height, width = image.shape
    if system == "pixels":
        rows, columns = down + 0.5, across + 0.5
    elif image.georeference is None:
        raise PmldaError(
            f"{image.name} has no georeference, so the points in {path.name} cannot be placed: "
            "give their row and column."
        )
    else:
        rows, columns = pixels_at(
            image.georeference, across, down, None if system == "image" else system
        )
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    inside &= np.array([bool(name) and len(name) <= LONGEST_CLASS for name in classes])
    if not inside.any():
        raise PmldaError(
            f"None of the {len(classes)} points in {path.name} lies in {image.name}; check their "
            "reference system and their classes."
        )
    return Points(
        np.floor(rows[inside]).astype(np.int64),
        np.floor(columns[inside]).astype(np.int64),
        tuple(name for name, kept in zip(classes, inside, strict=True) if kept),
        int(np.count_nonzero(~inside)),
    )
