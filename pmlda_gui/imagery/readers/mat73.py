"""MAT files of version 7.3, which are HDF5 files, through h5py.

Only numeric arrays are offered; structures, cells and objects are passed over.
Links to other files are never followed, and what a header claims is held
against the bytes stored before it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import (
    StoredArray,
    is_number,
    open_stored_array,
    probe_stored_arrays,
)
from pmlda_gui.imagery.readers.number_streams import RowReader
from pmlda_gui.imagery.readers.options import Probe, ReadOptions

__all__ = ["open_hdf5", "probe_hdf5"]

# Deflate cannot expand a byte into more than this.
GREATEST_EXPANSION = 1032
LARGEST_CHUNK_BYTES = 256 * 2**20
MOST_DATASETS = 1000


def probe_hdf5(path: Path, progress: Progress) -> Probe:
    """Describe the numeric datasets of a version 7.3 file."""
    import h5py

    with h5py.File(path, "r") as file:
        found = [stored for stored, _ in _datasets(path, file, progress)]
        return probe_stored_arrays(path, "MAT 7.3", found)


def open_hdf5(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """Read one dataset of a version 7.3 file; MATLAB's columns come first in it."""
    import h5py

    with h5py.File(path, "r") as file:
        found = list(_datasets(path, file, progress))
        by_name = {stored.name: dataset for stored, dataset in found}

        def load(stored: StoredArray) -> RowReader:
            dataset = by_name[stored.name]

            def rows(start: int, stop: int, index: int | None) -> NDArray[np.generic]:
                where = (
                    (..., slice(start, stop)) if index is None else (index, ..., slice(start, stop))
                )
                return _as_plain_numbers(np.asarray(dataset[where])).T

            return rows

        return open_stored_array(path, [stored for stored, _ in found], load, options, progress)


def _datasets(path: Path, file: Any, progress: Progress) -> Iterator[tuple[StoredArray, Any]]:
    """Numeric datasets at the top of a file, with MATLAB's order of extents."""
    import h5py

    for name in islice(file, MOST_DATASETS):
        progress.check()
        # A soft or external link could name anything on the operator's disk.
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            continue
        dataset = file[name]
        if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
            continue
        if dataset.is_virtual or dataset.external or not _is_numeric(dataset):
            continue
        if dataset.chunks and math.prod(dataset.chunks) * dataset.dtype.itemsize > (
            LARGEST_CHUNK_BYTES
        ):
            raise PmldaError(
                f"{path.name} stores '{name}' in pieces of more than "
                f"{LARGEST_CHUNK_BYTES // 2**20} MB; save it again with smaller chunks."
            )
        claimed = math.prod(dataset.shape) * dataset.dtype.itemsize
        if claimed > dataset.id.get_storage_size() * GREATEST_EXPANSION:
            raise PmldaError(
                f"{path.name} is damaged: '{name}' claims {claimed} bytes and next to none are "
                "there; save it again."
            )
        kind = "complex" if dataset.dtype.names else str(dataset.dtype)
        yield StoredArray(name, tuple(int(extent) for extent in dataset.shape[::-1]), kind), dataset


def _as_plain_numbers(values: NDArray[Any]) -> NDArray[np.generic]:
    """Values as they are, or complex ones from MATLAB's pairs of real and imag."""
    if values.dtype.names is None:
        return values
    complex_values = np.empty(values.shape, dtype=np.complex64)
    complex_values.real = values["real"]
    complex_values.imag = values["imag"]
    return complex_values


def _is_numeric(dataset: Any) -> bool:
    if dataset.attrs.get("MATLAB_class", b"") in (b"char", b"cell", b"struct"):
        return False
    fields = dataset.dtype.names
    if fields is None:
        return is_number(dataset.dtype)
    return set(fields) == {"real", "imag"} and all(
        is_number(dataset.dtype[field]) for field in fields
    )
