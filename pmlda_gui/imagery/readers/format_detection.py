"""Detects the format of a raster where its first bytes are not enough.

HDF5 and SQLite files are looked into with libraries of our own before GDAL sees them;
rasters without a head of their own are known by the header that lies beside them.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.raster_formats import (
    RASTER_FORMATS,
    RasterFormat,
    raster_format_of,
)
from pmlda_gui.imagery.readers.regular_files import open_regular, printable

__all__ = ["HDF5_SIGNATURE", "header_beside", "sniffed_format", "text_beside"]

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
SQLITE_SIGNATURE = b"SQLite format 3\x00"
LONGEST_HEADER = 100_000
MOST_HDF5_OBJECTS = 5_000
_ASCII_GRID = re.compile(
    rb"\s*(ncols|nrows|xllcorner|yllcorner|xllcenter|yllcenter|cellsize|dx|dy)\s+[-+\d.]",
    re.IGNORECASE,
)
_ER_MAPPER = re.compile(rb"\s*DatasetHeader\s+Begin", re.IGNORECASE)
_ROWS_AND_COLUMNS = (
    re.compile(r"^\s*nrows\s+\d", re.I | re.M),
    re.compile(r"^\s*ncols\s+\d", re.I | re.M),
)
_RAW_ENDINGS = (
    *(".bil", ".bip", ".bsq", ".flt", ".dat", ".envi", ".img", ".raw", ".bin", ".sdat", ""),
)


def sniffed_format(path: Path, head: bytes) -> RasterFormat | None:
    """The raster format of a file with this head, None if it is none of them.

    An HDF5 file that nobody here reads is refused in a sentence.
    """
    by_header = _format_by_header(path) if path.suffix.lower() in _RAW_ENDINGS else None
    for each in RASTER_FORMATS:
        # Pixels without a head may begin like anything short.
        if by_header is not None and len(each.signatures[:1]) and len(each.signatures[0]) < 8:
            continue
        if each.signatures and head.startswith(each.signatures):
            return each
    if head.startswith(HDF5_SIGNATURE):
        return raster_format_of(_hdf5_driver(path))
    if head.startswith(SQLITE_SIGNATURE):
        return _tiles_format(path)
    if _ASCII_GRID.match(head):
        return raster_format_of("AAIGrid")
    if _ER_MAPPER.match(head):
        return raster_format_of("ERS")
    return by_header


def header_beside(path: Path, ending: str) -> Path | None:
    """The file beside `path` that has its name but for the ending."""
    for candidate in (path.with_suffix(ending), path.with_suffix(ending.upper())):
        # A name with another ending may be too long for the system.
        with suppress(OSError):
            if candidate.exists():
                return candidate
    return None


def text_beside(path: Path, ending: str) -> str | None:
    """The text of a small file beside `path`; None where there is none that is."""
    beside = header_beside(path, ending)
    if beside is None:
        return None
    try:
        with open_regular(beside) as stream:
            content = stream.read(LONGEST_HEADER + 1)
    except (OSError, PmldaError):
        return None
    return None if len(content) > LONGEST_HEADER else content.decode("latin-1")


def _format_by_header(path: Path) -> RasterFormat | None:
    ending = path.suffix.lower()
    if ending == ".sdat" and "CELLCOUNT_X" in (text_beside(path, ".sgrd") or ""):
        return raster_format_of("SAGA")
    header = text_beside(path, ".hdr") or ""
    if header.startswith("ENVI"):
        return raster_format_of("ENVI")
    if all(line.search(header) for line in _ROWS_AND_COLUMNS):
        return raster_format_of("EHdr")
    return None


def _hdf5_driver(path: Path) -> str:
    """The driver for an HDF5 file without MATLAB's head; its links must stay inside it."""
    import h5py

    with h5py.File(path, "r") as file:
        _require_self_contained(path, file)
        if "BAG_root" in file:
            return "BAG"
        if "_NCProperties" in file.attrs or any(_is_dimension(file[name]) for name in file):
            return "netCDF"
    raise PmldaError(
        f"{path.name} is an HDF5 file, but neither BAG, NetCDF nor MATLAB's; save it as one of "
        "these or as a GeoTIFF."
    )


def _is_dimension(item: Any) -> bool:
    return item.attrs.get("CLASS") == b"DIMENSION_SCALE"


def _require_self_contained(path: Path, file: Any) -> None:
    """Refuse links and datasets through which a file could show another one."""
    import h5py

    waiting, seen = [file], 0
    while waiting:
        group = waiting.pop()
        for name in group:
            seen += 1
            if seen > MOST_HDF5_OBJECTS:
                raise PmldaError(
                    f"{path.name} holds more than {MOST_HDF5_OBJECTS} objects; save the raster in "
                    "a file of its own."
                )
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise _refers_elsewhere(path)
            item = group[name]
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset) and (item.is_virtual or item.external):
                raise _refers_elsewhere(path)


def _refers_elsewhere(path: Path) -> PmldaError:
    return PmldaError(
        f"{path.name} takes data from other files, which are not opened; save it with its own data."
    )


def _tiles_format(path: Path) -> RasterFormat | None:
    """GeoPackage or MBTiles, if the database holds tiles."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            return _tiles_in(path.name, database)
    except sqlite3.Error as error:
        raise PmldaError(
            f"{path.name} is a damaged or locked database; save or copy it again."
        ) from error


def _tiles_in(name: str, database: sqlite3.Connection) -> RasterFormat | None:
    found = database.execute("SELECT type, lower(name), sql FROM sqlite_master LIMIT 10000")
    rows = found.fetchall()
    names = {each for _, each, _ in rows}
    is_package = "gpkg_contents" in names
    if not is_package and not {"tiles", "metadata"} <= names:
        return None
    for kind, view, sql in rows:
        # A query that calls itself need never end.
        if kind == "view" and re.search(r"\bwith\b", str(sql), re.IGNORECASE):
            raise PmldaError(
                f"{name} computes '{printable(str(view))}' instead of storing it; save it with "
                "plain tables."
            )
    if not is_package:
        return raster_format_of("MBTiles")
    (held,) = database.execute(
        "SELECT count(*) FROM gpkg_contents WHERE data_type IN ('tiles', '2d-gridded-coverage')"
    ).fetchone()
    return raster_format_of("GPKG") if held else None
