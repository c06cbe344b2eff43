"""The files beside a raster that may be read with it; no file that it merely names.

Some formats name another file inside.  Such a name could lead anywhere on the
operator's disk, so it is looked at here, before GDAL would follow it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.netcdf_header import classic_variables
from pmlda_gui.imagery.readers.raster_formats import RasterFormat
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["bytes_present", "require_own_files"]

LONGEST_ER_HEADER = 1_000_000
MOST_ENTRIES = 20_000
_DATA_FILE = re.compile(r"datafile", re.IGNORECASE)
_PLAIN_DATA_FILE = re.compile(
    r"^[ \t]*DataFile[ \t]*=[ \t]*(\"?)([\w][\w .+-]*)\1[ \t]*\r?$", re.IGNORECASE | re.MULTILINE
)
_ERDAS_ENTRY = struct.Struct("<6I64s32s")


def require_own_files(path: Path, found: RasterFormat) -> None:
    """Refuse a raster that takes data from a file which is not its own, or claims too much."""
    for beside in _files_beside(path, found):
        # Opened for a moment: a pipe or a device under that name would never end.
        with open_regular(beside):
            pass
    if found.driver == "ERS":
        _er_mapper_data_name(path)
    elif found.driver == "HFA":
        _require_inner_data(path)
    elif found.driver == "netCDF" and _begins(path, b"CDF"):
        classic_variables(path)


def _begins(path: Path, signature: bytes) -> bool:
    with open_regular(path) as stream:
        return stream.read(len(signature)) == signature


def bytes_present(path: Path, found: RasterFormat) -> int:
    """How long a raster is, together with the files that belong to it."""
    beside = {each.resolve() for each in _files_beside(path, found)}
    return path.stat().st_size + sum(each.stat().st_size for each in beside)


def _files_beside(path: Path, found: RasterFormat) -> list[Path]:
    candidates = [
        path.with_suffix(ending)
        for lower in found.beside
        for ending in dict.fromkeys((lower, lower.upper()))
    ]
    if found.driver == "ENVI":
        candidates.append(path.with_name(f"{path.name}.hdr"))
    elif found.driver == "ERS" and (named := _er_mapper_data_name(path)):
        candidates.append(path.with_name(named))
    return [each for each in candidates if each != path and each.exists()]


def _er_mapper_data_name(path: Path) -> str | None:
    """The file that an ER Mapper header names, None if it names none."""
    with open_regular(path) as stream:
        content = stream.read(LONGEST_ER_HEADER + 1)
    if len(content) > LONGEST_ER_HEADER:
        raise PmldaError(f"{path.name} is too long for an ER Mapper header; export it again.")
    text = content.decode("latin-1")
    if re.search("translated", text, re.IGNORECASE):
        raise PmldaError(
            f"{path.name} is a header for an image of another format; open that image itself."
        )
    mentions, plain = _DATA_FILE.findall(text), _PLAIN_DATA_FILE.findall(text)
    if not mentions:
        return None
    if len(mentions) > 1 or len(plain) != 1 or plain[0][1].lower().endswith(".ers"):
        raise PmldaError(
            f"{path.name} names a data file outside its own folder; put both into one folder and "
            "write the name alone."
        )
    return str(plain[0][1]).strip()


def _require_inner_data(path: Path) -> None:
    """Refuse an Erdas Imagine file whose pixels or pyramids lie in a file that it names."""
    with open_regular(path) as stream:
        for name, kind, data in _erdas_entries(stream):
            if "ExternalRasterDMS" in (name, kind) or kind == "ImgExternalRaster":
                raise PmldaError(
                    f"{path.name} keeps its pixels in another file (.ige), which is not opened; "
                    "export it as a GeoTIFF."
                )
            if name == "RRDNamesList" and re.search(rb"[/\\]|\.\.", data):
                raise PmldaError(
                    f"{path.name} names a pyramid outside its own folder; build its pyramids again "
                    "or export it as a GeoTIFF."
                )


def _erdas_entries(stream: BinaryIO) -> Iterator[tuple[str, str, bytes]]:
    """Name, type and content of every entry in the tree of an Erdas Imagine file."""
    stream.seek(16)
    (header,) = _unpacked("<I", stream)
    stream.seek(header + 8)
    (root,) = _unpacked("<I", stream)
    waiting, seen = [root], set()
    while waiting:
        place = waiting.pop()
        if place == 0 or place in seen:
            continue
        seen.add(place)
        if len(seen) > MOST_ENTRIES:
            raise ValueError("the tree of entries does not end")
        stream.seek(place)
        following, _, _, child, data, length, name, kind = _ERDAS_ENTRY.unpack(
            stream.read(_ERDAS_ENTRY.size)
        )
        waiting += [following, child]
        stream.seek(data)
        content = stream.read(min(length, 100_000)) if data else b""
        yield _text(name), _text(kind), content


def _unpacked(layout: str, stream: BinaryIO) -> tuple[int, ...]:
    return struct.unpack(layout, stream.read(struct.calcsize(layout)))


def _text(content: bytes) -> str:
    return content.split(b"\0")[0].decode("latin-1")
