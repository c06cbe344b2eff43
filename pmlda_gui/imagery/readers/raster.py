"""PNG, JPEG, BMP, TIFF, GeoTIFF and NITF: bands, masks, colours and places.

Missing data are honoured however they are written: as a nodata value, a mask, or
transparency here; as values no sonar measures in `strips`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers.arrays import choose_band
from pmlda_gui.imagery.readers.gdal import opened
from pmlda_gui.imagery.readers.options import Band, Probe, ReadOptions, Task
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.strips import PixelSource, read_pixels

__all__ = ["open_raster", "probe_raster"]

FORMAT_NAMES = {"GTiff": "TIFF", "NITF": "NITF", "PNG": "PNG", "JPEG": "JPEG", "BMP": "BMP"}
METRES_PER_DEGREE = 111_320.0
WORLD_FILE_ENDINGS = {
    "GTiff": (".tfw", ".tifw", ".wld"),
    "PNG": (".pgw", ".pngw", ".wld"),
    "JPEG": (".jgw", ".jpgw", ".wld"),
    "BMP": (".bpw", ".bmpw", ".wld"),
    "NITF": (".wld",),
}
LONGEST_WORLD_FILE = 1000


def probe_raster(path: Path, task: Task) -> Probe:
    """Describe a raster file from its header."""
    with opened(path) as dataset:
        bands = _bands(dataset)
        return Probe(
            path=path,
            format=_format_name(dataset),
            height=dataset.height,
            width=dataset.width,
            dtype=dataset.dtypes[0],
            colours=3 if _shows_colour(dataset) else 1,
            bands=bands,
        )


def open_raster(path: Path, options: ReadOptions, task: Task) -> Image:
    """Read a raster file: one band, or red, green and blue."""
    with opened(path) as dataset:
        bands = _bands(dataset)
        notes: list[str] = []
        names: tuple[str, ...]
        if options.band is None and _shows_colour(dataset):
            names = ("red", "green", "blue")
            source = _colour_source(path.name, dataset)
        else:
            chosen = choose_band(path.name, bands, options.band)
            names = (bands[chosen].description,)
            source = _band_source(path.name, dataset, chosen + 1)
            if options.band is None and len(_data_bands(dataset)) > 1:
                others = ", ".join(band.description for band in bands[1:6])
                notes.append(f"Shown is '{names[0]}'; the file also offers {others}.")
        if len(dataset.subdatasets) > 1:
            notes.append(f"The file holds {len(dataset.subdatasets)} images; this is the first.")
        pixels = read_pixels(source, options, task)
        georeference = _georeference(path, dataset, options.reduce)
        pixel_size = _pixel_size(georeference, pixels.values.shape[0], notes)
    values = pixels.values
    if values.ndim == 3 and _is_grey(values):
        values, names = np.ascontiguousarray(values[:, :, 0]), ("grey",)
    return Image(
        pixels=values,
        valid=pixels.valid,
        pixel_size=pixel_size,
        georeference=georeference,
        band_names=names,
        source=path,
        notes=(*notes, *pixels.notes),
    )


def _format_name(dataset: Any) -> str:
    if dataset.driver == "GTiff" and dataset.crs is not None:
        return "GeoTIFF"
    return FORMAT_NAMES[dataset.driver]


def _data_bands(dataset: Any) -> list[int]:
    """Numbers of the bands that hold a picture rather than its transparency."""
    return [
        number
        for number, meaning in enumerate(dataset.colorinterp, start=1)
        if meaning.name != "alpha" or dataset.count == 1
    ]


def _bands(dataset: Any) -> tuple[Band, ...]:
    # Each of these asks all bands, so it is asked for once.
    meanings, dtypes, descriptions = dataset.colorinterp, dataset.dtypes, dataset.descriptions
    return tuple(
        Band(
            descriptions[place] or _colour_or_number(meaning.name, place + 1),
            dtypes[place],
            dataset.height,
            dataset.width,
        )
        for place, meaning in enumerate(meanings)
    )


def _colour_or_number(meaning: str, number: int) -> str:
    """What a band without a description is called."""
    return meaning if meaning in ("red", "green", "blue", "alpha") else f"band {number}"


def _shows_colour(dataset: Any) -> bool:
    """Whether the file is a colour picture: red, green and blue, or a palette."""
    meanings = [meaning.name for meaning in dataset.colorinterp]
    return meanings[:3] == ["red", "green", "blue"] or meanings == ["palette"]


def _colour_source(name: str, dataset: Any) -> PixelSource:
    if dataset.count == 1:
        return _palette_source(name, dataset)

    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        rows = _window(dataset, start, stop)
        values = np.moveaxis(dataset.read([1, 2, 3], window=rows), 0, 2)
        return values, _declared_valid(dataset, (1, 2, 3), rows)

    return PixelSource(
        name, dataset.height, dataset.width, 3, read_rows, False, _block_rows(dataset)
    )


def _palette_source(name: str, dataset: Any) -> PixelSource:
    table = np.zeros((65536, 4), dtype=np.uint8)
    for index, colour in dataset.colormap(1).items():
        table[index] = colour

    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        indices = dataset.read(1, window=_window(dataset, start, stop))
        colours = table[indices]
        return colours[:, :, :3], colours[:, :, 3] > 0

    return PixelSource(
        name, dataset.height, dataset.width, 3, read_rows, False, _block_rows(dataset)
    )


def _band_source(name: str, dataset: Any, number: int) -> PixelSource:
    def read_rows(start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
        rows = _window(dataset, start, stop)
        return dataset.read(number, window=rows), _declared_valid(dataset, (number,), rows)

    unstated = dataset.nodatavals[number - 1] is None
    return PixelSource(
        name, dataset.height, dataset.width, 1, read_rows, unstated, _block_rows(dataset)
    )


def _window(dataset: Any, start: int, stop: int) -> Any:
    from rasterio.windows import Window

    return Window(0, start, dataset.width, stop - start)


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


def _is_grey(values: NDArray[np.float32]) -> bool:
    """Whether three colour bands repeat one grey band, as many viewers save it."""
    red = values[:, :, 0]
    return np.array_equal(red, values[:, :, 1]) and np.array_equal(red, values[:, :, 2])


def _georeference(path: Path, dataset: Any, reduce: int) -> Georeference | None:
    """The file's own georeference, or that of a world file beside it."""
    from rasterio.transform import from_gcps

    transform, crs = dataset.transform, dataset.crs
    if transform.is_identity:
        points, points_crs = dataset.gcps
        if len(points) >= 3:
            transform, crs = from_gcps(points), points_crs
    coefficients = tuple(float(number) for number in transform[:6])
    if transform.is_identity:
        from_world_file = _world_file(path, WORLD_FILE_ENDINGS[dataset.driver])
        if from_world_file is None:
            return None
        coefficients = from_world_file
    if not all(math.isfinite(number) for number in coefficients):
        return None
    a, b, c, d, e, f = coefficients
    return Georeference(
        crs=crs.to_wkt() if crs is not None else "",
        transform=(a * reduce, b * reduce, c, d * reduce, e * reduce, f),
    )


def _world_file(path: Path, endings: tuple[str, ...]) -> tuple[float, ...] | None:
    """Six numbers in a text file beside the image; its c, f are a pixel's centre."""
    for ending in endings:
        for candidate in (path.with_suffix(ending), path.with_suffix(ending.upper())):
            try:
                with open_regular(candidate) as stream:
                    text = stream.read(LONGEST_WORLD_FILE + 1)
                if len(text) > LONGEST_WORLD_FILE:
                    continue
                a, d, b, e, c, f = map(float, text.decode("ascii").split())
            except (OSError, ValueError):
                continue
            return (a, b, c - (a + b) / 2, d, e, f - (d + e) / 2)
    return None


def _pixel_size(georeference: Georeference | None, height: int, notes: list[str]) -> float | None:
    """Side of a pixel in metres where the units are known."""
    from rasterio.crs import CRS

    if georeference is None:
        return None
    if not georeference.crs:
        notes.append("The coordinates have no stated reference system, so metres are unknown.")
        return None
    crs = CRS.from_wkt(georeference.crs)
    a, b, _, d, e, f = georeference.transform
    across, along = math.hypot(a, d), math.hypot(b, e)
    if crs.is_geographic:
        latitude = f + e * height / 2
        across *= METRES_PER_DEGREE * math.cos(math.radians(latitude))
        along *= METRES_PER_DEGREE
        notes.append(f"Pixels are in degrees; metres are those at latitude {latitude:.2f}.")
    else:
        _, metres = crs.linear_units_factor
        across, along = across * metres, along * metres
    size = math.sqrt(abs(across * along))
    if not 0 < size < math.inf:
        return None
    if max(across, along) > 1.01 * min(across, along):
        notes.append(f"Pixels are {across:.4g} x {along:.4g} m, not square; {size:.4g} m is taken.")
    return size
