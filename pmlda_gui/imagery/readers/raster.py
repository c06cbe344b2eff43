"""Rasters that GDAL reads: bands, layers, colours and places.

Missing data are honoured however they are written: as a nodata value, a mask, or
transparency in `raster_sources`; as values no sonar measures in `strips`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.arrays import choose_band
from pmlda_gui.imagery.readers.gdal import opened
from pmlda_gui.imagery.readers.georeference import georeference_of, pixel_size_of
from pmlda_gui.imagery.readers.netcdf_axes import upright
from pmlda_gui.imagery.readers.options import Band, Probe, ReadOptions
from pmlda_gui.imagery.readers.pixel_reader import Pixels, read_pixels
from pmlda_gui.imagery.readers.raster_formats import raster_format_of
from pmlda_gui.imagery.readers.raster_sources import band_source, colour_source
from pmlda_gui.imagery.readers.regular_files import printable

__all__ = ["is_grey", "open_raster", "probe_raster"]

# Variables that say where the others lie.
COORDINATES = {"lat", "lon", "latitude", "longitude", "x", "y", "easting", "northing", "time"}
MOST_LAYERS = 64


@dataclass(frozen=True)
class _Place:
    """Where a band is stored: its number in a layer, None for the file itself."""

    layer: str | None
    number: int


def probe_raster(path: Path, progress: Progress) -> Probe:
    """Describe a raster file from its header."""
    with opened(path) as stored:
        dataset = upright(path, stored)
        offered = _offered(path, dataset, progress)
        first = offered[0][0]
        return Probe(
            path=path,
            format=_format_name(dataset),
            height=first.height,
            width=first.width,
            dtype=first.dtype,
            colours=3 if dataset.count and _shows_colour(dataset) else 1,
            bands=tuple(band for band, _ in offered),
        )


def open_raster(
    path: Path, options: ReadOptions, progress: Progress, part: Window | None = None
) -> Image:
    """Read a raster file, or the pixels of a part of it: one band, or red, green and blue.

    Whether a colour picture is grey throughout cannot be seen in a part, which stays coloured.
    """
    with opened(path) as stored:
        dataset = upright(path, stored)
        if options.band is None and dataset.count and _shows_colour(dataset):
            return _open_colour(path, dataset, options, progress, part)
        offered = _offered(path, dataset, progress)
        bands = [band for band, _ in offered]
        chosen = choose_band(path.name, bands, options.band)
        band, place = offered[chosen]
        notes: list[str] = []
        if options.band is None and _pictures(dataset, bands) > 1:
            others = ", ".join(each.description for each in bands[1:6])
            notes.append(f"Shown is '{band.description}'; the file also offers {others}.")
        if place.layer is None:
            return _open_band(path, dataset, place.number, band, notes, options, progress, part)
    with opened(path, place.layer) as layer:
        dataset = upright(path, layer)
        return _open_band(path, dataset, place.number, band, notes, options, progress, part)


def _open_band(
    path: Path,
    dataset: Any,
    number: int,
    band: Band,
    notes: list[str],
    options: ReadOptions,
    progress: Progress,
    part: Window | None,
) -> Image:
    source = band_source(path.name, dataset, number, part)
    unit = dataset.units[number - 1]
    scale, offset = dataset.scales[number - 1], dataset.offsets[number - 1]
    if (scale, offset) != (1.0, 0.0):
        shown = f" ({printable(unit)})" if unit else ""
        notes.append(f"Stored numbers are multiplied by {scale:g} and {offset:g} is added{shown}.")
    pixels = read_pixels(source, options, progress)
    return _image(path, dataset, pixels, (band.description,), notes, options, part)


def _open_colour(
    path: Path, dataset: Any, options: ReadOptions, progress: Progress, part: Window | None
) -> Image:
    pixels = read_pixels(colour_source(path.name, dataset, part), options, progress)
    names: tuple[str, ...] = ("red", "green", "blue")
    if part is None and is_grey(pixels.values):
        pixels = replace(pixels, values=np.ascontiguousarray(pixels.values[:, :, 0]))
        names = ("grey",)
    return _image(path, dataset, pixels, names, [], options, part)


def _image(
    path: Path,
    dataset: Any,
    pixels: Pixels,
    names: tuple[str, ...],
    notes: list[str],
    options: ReadOptions,
    part: Window | None,
) -> Image:
    if dataset.count and len(dataset.subdatasets) > 1 and dataset.driver in ("GTiff", "NITF"):
        notes.append(f"The file holds {len(dataset.subdatasets)} images; this is the first.")
    georeference = georeference_of(path, dataset, options.reduce)
    height = pixels.values.shape[0] if part is None else dataset.height
    pixel_size = pixel_size_of(georeference, height, notes)
    if part is not None and georeference is not None:
        georeference = georeference.moved(part.row, part.column)
    return Image(
        pixels=pixels.values,
        valid=pixels.valid,
        pixel_size=pixel_size,
        georeference=georeference,
        band_names=names,
        source=path,
        notes=(*notes, *pixels.notes),
    )


def _format_name(dataset: Any) -> str:
    title = raster_format_of(dataset.driver).title
    if dataset.driver == "GTiff" and dataset.tags(ns="IMAGE_STRUCTURE").get("LAYOUT") == "COG":
        return "COG"
    return "GeoTIFF" if dataset.driver == "GTiff" and dataset.crs is not None else title


def _offered(path: Path, dataset: Any, progress: Progress) -> list[tuple[Band, _Place]]:
    """Every band of the file and where it is; coordinates come last."""
    if dataset.count:
        return [(band, _Place(None, k)) for k, band in enumerate(_bands(dataset), start=1)]
    found: list[tuple[Band, _Place]] = []
    for layer in dataset.subdatasets[:MOST_LAYERS]:
        progress.check()
        # The name of a layer follows the last colon of its address.
        named = layer.rsplit(":", 1)[-1]
        with opened(path, layer) as opened_layer:
            found += [
                (band, _Place(layer, k))
                for k, band in enumerate(_bands(upright(path, opened_layer), named), start=1)
            ]
    if not found:
        raise PmldaError(
            f"{path.name} holds no raster of two dimensions; save one, or export it as a GeoTIFF."
        )
    return sorted(found, key=lambda each: each[0].description.lower() in COORDINATES)


def _pictures(dataset: Any, bands: list[Band]) -> int:
    """How many bands there are to look at."""
    if dataset.count == 0:
        return len(bands)
    return sum(meaning.name != "alpha" or dataset.count == 1 for meaning in dataset.colorinterp)


def _bands(dataset: Any, layer: str = "") -> tuple[Band, ...]:
    # Each of these asks all bands, so it is asked for once.
    meanings, dtypes, descriptions = dataset.colorinterp, dataset.dtypes, dataset.descriptions
    variable = dataset.tags(1).get("NETCDF_VARNAME", layer)
    return tuple(
        Band(
            printable(descriptions[place] or "")
            or _variable_or_number(variable, meaning.name, place + 1, dataset.count),
            dtypes[place],
            dataset.height,
            dataset.width,
        )
        for place, meaning in enumerate(meanings)
    )


def _variable_or_number(variable: str, meaning: str, number: int, count: int) -> str:
    """What a band without a description is called."""
    if variable:
        return printable(variable) if count == 1 else f"{printable(variable)} {number}"
    return meaning if meaning in ("red", "green", "blue", "alpha") else f"band {number}"


def _shows_colour(dataset: Any) -> bool:
    """Whether the file is a colour picture: red, green and blue, or a palette."""
    meanings = [meaning.name for meaning in dataset.colorinterp]
    return meanings[:3] == ["red", "green", "blue"] or meanings == ["palette"]


def is_grey(values: NDArray[np.float32]) -> bool:
    """Whether three colour bands repeat one grey band, as many viewers save it."""
    red = values[:, :, 0]
    return np.array_equal(red, values[:, :, 1]) and np.array_equal(red, values[:, :, 2])
