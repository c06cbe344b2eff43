"""NetCDF rasters upright, whichever of their axes was stored first.

GDAL takes the last axis of a variable for the one from west to east.  Where a file
says otherwise, the raster is turned here, so that rows run from west to east and
north is up.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.sniffing import HDF5_SIGNATURE

__all__ = ["upright"]

_EAST = {"x", "lon", "longitude", "easting", "projection_x_coordinate", "degrees_east"}
_NORTH = {"y", "lat", "latitude", "northing", "projection_y_coordinate", "degrees_north"}
_TELLING = ("standard_name", "axis", "units")
# Bytes a value, padded to four: of characters and numbers by the format's own types.
_TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_CHARACTERS = 2
MOST_ITEMS = 10_000


def upright(path: Path, dataset: Any) -> Any:
    """The dataset, turned if its file stores the axis from west to east first."""
    if dataset.driver != "netCDF" or not dataset.count:
        return dataset
    first, last = _last_axes(path, dataset.tags(1).get("NETCDF_VARNAME", ""))
    return _Turned(dataset) if first in _EAST and last in _NORTH else dataset


class _Turned:
    """A rasterio dataset whose columns are the rows of another, both in order of place."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        place = dataset.transform
        # What it calls x is the true y and the other way round.
        self._flip_rows, self._flip_columns = place.a > 0, place.e < 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    @property
    def height(self) -> int:
        return int(self._dataset.width)

    @property
    def width(self) -> int:
        return int(self._dataset.height)

    @property
    def block_shapes(self) -> list[tuple[int, int]]:
        return [(columns, rows) for rows, columns in self._dataset.block_shapes]

    @property
    def transform(self) -> Any:
        from rasterio import Affine

        place = self._dataset.transform
        if place.is_identity:
            return place
        left = place.f + (place.e * self.width if self._flip_columns else 0.0)
        top = place.c + (place.a * self.height if self._flip_rows else 0.0)
        return Affine(abs(place.e), 0.0, left, 0.0, -abs(place.a), top)

    def read(self, bands: Any, window: Any) -> NDArray[np.generic]:
        return self._turned(self._dataset.read(bands, window=self._stored(window)))

    def read_masks(self, bands: Any, window: Any) -> NDArray[np.generic]:
        return self._turned(self._dataset.read_masks(bands, window=self._stored(window)))

    def _stored(self, window: Any) -> Any:
        from rasterio.windows import Window

        first = window.row_off
        if self._flip_rows:
            first = self.height - window.row_off - window.height
        return Window(first, 0, window.height, self.width)

    def _turned(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        turned = np.swapaxes(values, -1, -2)
        turned = turned[..., ::-1, :] if self._flip_rows else turned
        return turned[..., ::-1] if self._flip_columns else turned


def _last_axes(path: Path, variable: str) -> tuple[str, str]:
    """What the last two axes of a variable are called, by the words in _EAST and _NORTH."""
    with open_regular(path) as stream:
        is_hdf5 = stream.read(8) == HDF5_SIGNATURE
        axes = None if is_hdf5 else _classic_axes(stream, variable)
    if is_hdf5:
        axes = _hdf5_axes(path, variable)
    return (axes[-2], axes[-1]) if axes is not None and len(axes) >= 2 else ("", "")


def _known(name: str, attributes: dict[str, str]) -> str:
    """The word that tells which way an axis runs, else its name."""
    words = [attributes.get(each, "").lower() for each in _TELLING]
    return next((each for each in words if each in _EAST | _NORTH), name.lower())


def _hdf5_axes(path: Path, variable: str) -> list[str] | None:
    import h5py

    with h5py.File(path, "r") as file:
        item = file.get(variable)
        if not isinstance(item, h5py.Dataset) or "DIMENSION_LIST" not in item.attrs:
            return None
        axes = []
        for scales in item.dims:
            scale = scales[0] if len(scales) else None
            if scale is None:
                axes.append("")
                continue
            said = {each: _plain(scale.attrs.get(each)) for each in _TELLING}
            axes.append(_known(str(scale.name).rsplit("/", 1)[-1], said))
        return axes


def _plain(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.flat[0] if value.size else ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value or "")


def _classic_axes(stream: BinaryIO, variable: str) -> list[str] | None:
    """The axes of a variable of a NetCDF 3 file, from its header."""
    header = _Header(stream)
    dimensions = [(header.name(), header.count())[0] for _ in header.items()]
    header.attributes()
    chosen: list[int] | None = None
    told: dict[str, dict[str, str]] = {}
    for _ in header.items():
        name = header.name()
        axes = [header.count() for _ in range(min(header.count(), MOST_ITEMS))]
        told[name] = header.attributes()
        header.skip_place()
        chosen = axes if name == variable else chosen
    if chosen is None or any(axis >= len(dimensions) for axis in chosen):
        return None
    names = [dimensions[axis] for axis in chosen]
    return [_known(name, told.get(name, {})) for name in names]


class _Header:
    """The header of a NetCDF 3 file, read from its beginning."""

    def __init__(self, stream: BinaryIO) -> None:
        stream.seek(3)
        self._stream = stream
        version = stream.read(1)[0]
        self._wide_counts, self._wide_places = version == 5, version != 1
        self.count()

    def _number(self, wide: bool) -> int:
        size = 8 if wide else 4
        return int(struct.unpack(">Q" if wide else ">I", self._stream.read(size))[0])

    def count(self) -> int:
        return self._number(self._wide_counts)

    def items(self) -> range:
        """One turn for each item of a list."""
        self._number(wide=False)
        return range(min(self.count(), MOST_ITEMS))

    def name(self) -> str:
        return self._padded(self.count()).decode("latin-1")

    def attributes(self) -> dict[str, str]:
        found = {}
        for _ in self.items():
            name, kind = self.name(), self._number(wide=False)
            content = self._padded(self.count() * _TYPE_BYTES[kind])
            if kind == _CHARACTERS:
                found[name] = content.rstrip(b"\0").decode("latin-1")
        return found

    def skip_place(self) -> None:
        """Pass over the type, size and place of a variable."""
        self._number(wide=False)
        self.count()
        self._number(self._wide_places)

    def _padded(self, length: int) -> bytes:
        content = self._stream.read(length)
        self._stream.read(-length % 4)
        return content
