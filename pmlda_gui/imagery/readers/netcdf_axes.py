"""Puts NetCDF rasters north up, whichever axis the file stores first.

GDAL takes the last axis of a variable for the one from west to east.  Where a file
says otherwise, the raster is turned here, so that rows run from west to east and
north is up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.format_detection import HDF5_SIGNATURE
from pmlda_gui.imagery.readers.netcdf_header import classic_variables
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["in_degrees", "upright"]

_EAST = {"x", "lon", "longitude", "easting", "projection_x_coordinate", "degrees_east"}
_NORTH = {"y", "lat", "latitude", "northing", "projection_y_coordinate", "degrees_north"}
_TELLING = ("standard_name", "units", "axis")
_DEGREES = {"lon", "longitude", "degrees_east", "lat", "latitude", "degrees_north"}


def upright(path: Path, dataset: Any) -> Any:
    """The dataset, turned if its file stores the axis from west to east first."""
    if dataset.driver != "netCDF" or not dataset.count:
        return dataset
    first, last = _last_axes(path, dataset.tags(1).get("NETCDF_VARNAME", ""))
    return _Turned(dataset) if first in _EAST and last in _NORTH else dataset


def in_degrees(path: Path, dataset: Any) -> bool:
    """Whether the axes of a NetCDF raster are longitude and latitude."""
    if dataset.driver != "netCDF":
        return False
    return set(_last_axes(path, dataset.tags(1).get("NETCDF_VARNAME", ""))) <= _DEGREES


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
        left = window.col_off
        if self._flip_columns:
            left = self.width - window.col_off - window.width
        return Window(first, left, window.height, window.width)

    def _turned(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        turned = np.swapaxes(values, -1, -2)
        turned = turned[..., ::-1, :] if self._flip_rows else turned
        return turned[..., ::-1] if self._flip_columns else turned


def _last_axes(path: Path, variable: str) -> tuple[str, str]:
    """What the last two axes of a variable are called, by the words in _EAST and _NORTH."""
    with open_regular(path) as stream:
        is_hdf5 = stream.read(8) == HDF5_SIGNATURE
    axes = _hdf5_axes(path, variable) if is_hdf5 else _classic_axes(path, variable)
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


def _classic_axes(path: Path, variable: str) -> list[str] | None:
    variables = classic_variables(path)
    if variable not in variables:
        return None
    return [
        _known(axis, variables[axis].texts if axis in variables else {})
        for axis in variables[variable].axes
    ]
