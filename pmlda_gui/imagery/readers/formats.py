"""What a file is, by its first bytes and never by its name.

A name can lie; the opening bytes of every format we read are distinctive.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.recorders import HEAD_BYTES, recorder_of
from pmlda_gui.imagery.readers.regular_files import open_regular, shown_name

__all__ = ["Family", "family_of", "raster_driver", "recognised_family"]

RASTER_DRIVERS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"BM": "BMP",
    b"II*\x00": "GTiff",
    b"MM\x00*": "GTiff",
    b"II+\x00": "GTiff",
    b"MM\x00+": "GTiff",
    b"NITF": "NITF",
    b"NSIF": "NITF",
}
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
OFFERED = "PNG, JPEG, BMP, TIFF, NITF, MAT, NPY, NPZ, XTF, JSF, SL2, SL3 or Humminbird DAT"


class Family(Enum):
    """A group of formats that one module reads."""

    RASTER = "raster"
    MAT5 = "MAT 5"
    HDF5 = "HDF5"
    NPY = "NPY"
    NPZ = "NPZ"
    RECORDING = "recording"


@dataclass(frozen=True)
class _Signature:
    family: Family
    offset: int
    content: bytes


SIGNATURES = (
    *(_Signature(Family.RASTER, 0, content) for content in RASTER_DRIVERS),
    _Signature(Family.NPY, 0, b"\x93NUMPY"),
    _Signature(Family.NPZ, 0, b"PK\x03\x04"),
    # MATLAB puts 512 bytes of its own before the HDF5 signature of a 7.3 file.
    _Signature(Family.HDF5, 0, HDF5_SIGNATURE),
    _Signature(Family.HDF5, 512, HDF5_SIGNATURE),
    # Bytes 124 to 127 of a MAT 5 file: version 1.0 and the order of bytes.
    _Signature(Family.MAT5, 124, b"\x00\x01IM"),
    _Signature(Family.MAT5, 124, b"\x01\x00MI"),
)


def recognised_family(path: Path) -> Family | None:
    """The family of a file, None for what is not imagery we read."""
    return _family(path, _head(path))


def _family(path: Path, head: bytes) -> Family | None:
    for signature in SIGNATURES:
        if head.startswith(signature.content, signature.offset):
            return signature.family
    return Family.RECORDING if recorder_of(head, path.suffix) else None


def raster_driver(path: Path) -> str:
    """The one GDAL driver that may open a raster file, by its signature."""
    head = _head(path)
    for content, driver in RASTER_DRIVERS.items():
        if head.startswith(content):
            return driver
    raise PmldaError(f"{path.name} is not a raster image; save it as {OFFERED}.")


def family_of(path: Path) -> Family:
    """The family of a file; what is missing, empty or unknown is refused in a sentence."""
    if path.is_dir():
        raise PmldaError(
            f"{shown_name(path)} is a folder; open it as a survey or choose a file in it."
        )
    try:
        head = _head(path)
    except FileNotFoundError:
        raise PmldaError(
            f"{shown_name(path)} is not there; check the name and the folder."
        ) from None
    if not head:
        raise PmldaError(f"{path.name} is empty (0 bytes); copy or save the file again.")
    family = _family(path, head)
    if family is None:
        raise PmldaError(
            f"{path.name} is not in a format this program reads; save it as {OFFERED}."
        )
    return family


def _head(path: Path) -> bytes:
    with open_regular(path) as stream:
        return stream.read(HEAD_BYTES)
