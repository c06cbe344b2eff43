"""NPY and NPZ files: plain numbers only, never pickled objects.

Headers are parsed by numpy's own format module, which reads literals and nothing
else.  What a header claims is compared with the bytes present before any memory
is taken, so neither a torn file nor a zip bomb costs more than its own size.
"""

from __future__ import annotations

import math
import os
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import (
    StoredArray,
    is_number,
    open_stored_array,
    probe_stored_arrays,
    require_loadable,
    rows_of,
)
from pmlda_gui.imagery.readers.number_streams import (
    RowReader,
    column_rows,
    read_numbers,
    row_stream,
)
from pmlda_gui.imagery.readers.options import Probe, ReadOptions
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["open_npy", "open_npz", "probe_npy", "probe_npz"]

LONGEST_HEADER = 10_000
MOST_MEMBERS = 1000
# Deflate cannot expand a byte into more than this.
GREATEST_EXPANSION = 1032


def probe_npy(path: Path, progress: Progress) -> Probe:
    """Describe an NPY file from its header."""
    with open_regular(path) as stream:
        return probe_stored_arrays(path, "NPY", [_stored_in_npy(path, stream)])


def open_npy(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """Read an NPY file strip by strip."""
    with open_regular(path) as stream:
        stored = _stored_in_npy(path, stream)

        def load(stored: StoredArray) -> RowReader:
            stream.seek(0)
            shape, columns_first, dtype = _read_header(stream)
            offset = stream.tell()
            if columns_first:
                return column_rows(stream, offset, shape, dtype, progress)
            return row_stream(
                stream, shape, dtype, progress, lambda place: stream.seek(offset + place)
            )

        return open_stored_array(path, [stored], load, options, progress)


def probe_npz(path: Path, progress: Progress) -> Probe:
    """Describe the arrays of an NPZ file from their headers."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive:
        return probe_stored_arrays(path, "NPZ", _stored_in_npz(path, archive, progress))


def open_npz(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """Read one array of an NPZ file as it is unpacked; one stored by columns is held whole."""
    with ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(open_regular(path))))

        def load(stored: StoredArray) -> RowReader:
            stream = stack.enter_context(archive.open(f"{stored.name}.npy"))
            shape, columns_first, dtype = _read_header(stream)
            if not columns_first:
                return row_stream(stream, shape, dtype, progress)
            require_loadable(path, stored, options)
            held = read_numbers(stream, dtype, math.prod(shape), progress)
            return rows_of(path, stored, held.reshape(shape, order="F"))

        return open_stored_array(
            path, _stored_in_npz(path, archive, progress), load, options, progress
        )


def _stored_in_npy(path: Path, stream: BinaryIO) -> StoredArray:
    shape, _, dtype = _read_header(stream)
    present = os.fstat(stream.fileno()).st_size - stream.tell()
    _require_numbers(path.name, path.stem, dtype)
    _require_bytes(path.name, path.stem, shape, dtype, present)
    return StoredArray(path.stem, shape, str(dtype))


def _stored_in_npz(path: Path, archive: zipfile.ZipFile, progress: Progress) -> list[StoredArray]:
    members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    if not members:
        raise PmldaError(
            f"{path.name} is a zip archive without NumPy arrays; "
            "unpack it and open the images inside."
        )
    if len(members) > MOST_MEMBERS:
        raise PmldaError(
            f"{path.name} holds {len(members)} arrays, more than {MOST_MEMBERS}; "
            "save the image in a file of its own."
        )
    stored = []
    for member in members:
        progress.check()
        name = member.filename.removesuffix(".npy")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise PmldaError(
                f"{path.name} packs '{name}' in a way NumPy does not write; "
                "save it again with numpy.savez."
            )
        with archive.open(member) as stream:
            shape, _, dtype = _read_header(stream)
        if not is_number(dtype):
            continue  # text and objects may stand beside the image
        present = min(member.file_size, member.compress_size * GREATEST_EXPANSION)
        _require_bytes(path.name, name, shape, dtype, present)
        stored.append(StoredArray(name, shape, str(dtype)))
    return stored


def _read_header(
    stream: IO[bytes],
) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Shape, whether columns come first, and type; the stream then stands at the data."""
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        header = np.lib.format.read_array_header_1_0(stream, max_header_size=LONGEST_HEADER)
    elif version == (2, 0):
        header = np.lib.format.read_array_header_2_0(stream, max_header_size=LONGEST_HEADER)
    else:
        raise ValueError(f"unknown NPY version {version}")
    shape, columns_first, dtype = header
    if any(extent < 0 for extent in shape):
        raise ValueError("negative extent")
    return shape, columns_first, dtype


def _require_numbers(file_name: str, name: str, dtype: np.dtype[np.generic]) -> None:
    if not is_number(dtype):
        raise PmldaError(
            f"{file_name} holds '{name}' as {dtype}, which is not plain numbers; "
            "save it as an array of integers or floats."
        )


def _require_bytes(
    file_name: str,
    name: str,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    present: int,
) -> None:
    needed = math.prod(shape) * dtype.itemsize
    if needed > present:
        raise PmldaError(
            f"{file_name} is cut short: '{name}' needs {needed} bytes and at most {present} "
            "are there; copy or save the file again."
        )
