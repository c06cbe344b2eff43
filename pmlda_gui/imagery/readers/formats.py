"""Detects the kind of a file by its first bytes, not by its name.

A name can lie; the opening bytes of most formats we read are distinctive.  Rasters
without a head of their own are known by the header beside them, see `format_detection`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.format_detection import HDF5_SIGNATURE, sniffed_format
from pmlda_gui.imagery.readers.raster_formats import RASTER_FORMATS, RasterFormat
from pmlda_gui.imagery.readers.recorders import HEAD_BYTES, recorder_of
from pmlda_gui.imagery.readers.regular_files import open_regular, shown_name

__all__ = [
    "Family",
    "family_of",
    "file_endings",
    "format_titles",
    "raster_format",
    "recognised_family",
]

MATLAB_HEAD = b"MATLAB 7.3"
OTHER_FORMATS = {
    "MAT": (".mat",),
    "NPY": (".npy",),
    "NPZ": (".npz",),
    "XTF": (".xtf",),
    "JSF": (".jsf",),
    "SL2": (".sl2",),
    "SL3": (".sl3",),
    "Humminbird": (".dat", ".son"),
}
"""Formats that readers of our own open, and the endings of their files."""


def format_titles() -> tuple[str, ...]:
    """What the formats we read are called, for lists."""
    return (*(each.title for each in RASTER_FORMATS), *OTHER_FORMATS)


def file_endings() -> tuple[str, ...]:
    """The endings that files of these formats usually have, each once."""
    rasters = (ending for each in RASTER_FORMATS for ending in each.endings)
    others = (ending for endings in OTHER_FORMATS.values() for ending in endings)
    return tuple(dict.fromkeys((*rasters, *others)))


OFFERED = "GeoTIFF, PNG, JPEG, NetCDF, BAG, MAT, NPY, XTF or another format that Help lists"


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
    _Signature(Family.NPY, 0, b"\x93NUMPY"),
    _Signature(Family.NPZ, 0, b"PK\x03\x04"),
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
    # MATLAB puts 512 bytes of its own before the HDF5 signature of a 7.3 file.
    if head.startswith(HDF5_SIGNATURE, 512) and head.startswith(MATLAB_HEAD):
        return Family.HDF5
    if head.startswith(HDF5_SIGNATURE):
        return Family.RASTER
    if recorder_of(head, path.suffix):
        return Family.RECORDING
    return Family.RASTER if sniffed_format(path, head) is not None else None


def raster_format(path: Path) -> RasterFormat:
    """The one raster format that a file may be opened as."""
    found = sniffed_format(path, _head(path))
    if found is None:
        raise PmldaError(f"{path.name} is not a raster image; save it as {OFFERED}.")
    return found


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
            f"{shown_name(path)} was not found; check the name and the folder."
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
