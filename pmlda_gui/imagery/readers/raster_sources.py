"""The rows of raster bands and colour pictures, with what their files declare valid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.pixel_reader import PixelSource
from pmlda_gui.imagery.readers.raster_formats import raster_format_of

__all__ = ["band_source", "colour_source"]


def colour_source(name: str, dataset: Any, part: Window | None = None) -> PixelSource:
    """The rows of a colour picture, or of a part of it."""
    part = part or _all_of(dataset)
    if dataset.count == 1:
        return _palette_source(name, dataset, part)

    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        rows = _window(part, start, stop)
        values = np.moveaxis(dataset.read([1, 2, 3], window=rows), 0, 2)
        return values, _declared_valid(dataset, (1, 2, 3), rows)

    return PixelSource(name, part.height, part.width, 3, read_rows, False, _block_rows(dataset))


def _palette_source(name: str, dataset: Any, part: Window) -> PixelSource:
    table = np.zeros((65536, 4), dtype=np.uint8)
    for index, colour in dataset.colormap(1).items():
        table[index] = colour

    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        indices = dataset.read(1, window=_window(part, start, stop))
        colours = table[indices]
        return colours[:, :, :3], colours[:, :, 3] > 0

    return PixelSource(name, part.height, part.width, 3, read_rows, False, _block_rows(dataset))


def band_source(name: str, dataset: Any, number: int, part: Window | None = None) -> PixelSource:
    """The rows of one band, or of a part of it, in its own unit."""
    part = part or _all_of(dataset)
    nodata = dataset.nodatavals[number - 1]
    scale, offset = dataset.scales[number - 1], dataset.offsets[number - 1]
    scaled = (scale, offset) != (1.0, 0.0)

    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        rows = _window(part, start, stop)
        values = dataset.read(number, window=rows)
        if raster_format_of(dataset.driver).beside:
            # To ask GDAL for a mask would let it look for one in files beside the image.
            valid = None if nodata is None else np.asarray(values != nodata)
        else:
            valid = _declared_valid(dataset, (number,), rows)
        return (values * scale + offset if scaled else values), valid

    return PixelSource(
        name,
        part.height,
        part.width,
        1,
        read_rows,
        nodata is None and not scaled,
        _block_rows(dataset),
    )


def _all_of(dataset: Any) -> Window:
    return Window(0, 0, int(dataset.height), int(dataset.width))


def _window(part: Window, start: int, stop: int) -> Any:
    """Rows of a part, counted from its first, as rasterio asks for them."""
    from rasterio import windows

    return windows.Window(part.column, part.row + start, part.width, stop - start)


def _block_rows(dataset: Any) -> int:
    """Rows of the file's own blocks, so that none is decoded twice."""
    return min(int(dataset.block_shapes[0][0]), int(dataset.height))


def _declared_valid(dataset: Any, numbers: tuple[int, ...], rows: Any) -> NDArray[np.bool_] | None:
    """What nodata values, mask bands and transparency leave valid; None is everything."""
    flags = {flag.name for number in numbers for flag in dataset.mask_flag_enums[number - 1]}
    if flags == {"all_valid"}:
        return None
    masks = dataset.read_masks(list(numbers), window=rows)
    # A colour pixel is missing where all three bands are: black is a colour too.
    return np.asarray((masks > 0).any(axis=0))
