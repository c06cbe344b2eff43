"""Memberships, their uncertainty and the most likely topics as cloud optimised GeoTIFFs.

They lie exactly where the source lies, and can be written piece by piece, so that an
image need not fit into memory with its maps.  The pieces go uncompressed into a file of
their own, which gets statistics and overviews; from it GDAL makes the raster, compressed
on all cores, since there the overviews come before what they are made from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers.gdal import quiet
from pmlda_gui.imagery.segmentation import UNKNOWN_BELOW
from pmlda_gui.workspace.disk import cannot_write
from pmlda_gui.workspace.export.atomic import appearing
from pmlda_gui.workspace.export.provenance import program_tags
from pmlda_gui.workspace.export.result import ImageResult, Tile

__all__ = [
    "NO_DATA",
    "NO_LABEL",
    "UNKNOWN_BANDS",
    "UNKNOWN_TAGS",
    "created_raster",
    "label_palette",
    "labels_of",
    "place_settings",
    "remove_old",
    "unknown_planes",
    "write_rasters",
]

NO_DATA = float("nan")
"""The value of pixels without data in every raster of numbers."""

NO_LABEL = 255
"""The label of pixels without a topic; topic k, counted from 1, has the label k."""

UNKNOWN_BANDS = ("unknown", "tail probability")
UNKNOWN_TAGS = {"UNKNOWN_BELOW": f"{UNKNOWN_BELOW:g}"}
"""What the raster of the unknown says about itself."""

_BLOCK = 256
# Higher levels take twice the time and save 2 % on memberships.
_DEFLATE_LEVEL = 1
_PIECES = "pieces.tif"


def write_rasters(
    folder: Path,
    stem: str,
    result: ImageResult,
    topic_names: Sequence[str],
    colours: NDArray[np.uint8],
    progress: Progress,
    tags: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write the memberships, their uncertainty if known, and the labels of one image.

    `progress` receives the share that is done after each tile; `tags` say where the maps
    come from.
    """
    memberships, uncertainty, labels, unknown = (
        folder / f"{stem}_{ending}.tif"
        for ending in ("memberships", "uncertainty", "labels", "unknown")
    )
    written = [memberships, *([uncertainty] if result.has_uncertainty else []), labels]
    if not result.has_uncertainty:
        # That of an earlier run would lie beside maps it does not belong to.
        remove_old(uncertainty)
    if result.segmentation.unknown is None:
        remove_old(unknown)
    with ExitStack() as stack:
        maps = []
        for path in written[:-1]:
            raster = stack.enter_context(
                created_raster(
                    path,
                    result.image,
                    tags,
                    count=len(topic_names),
                    dtype="float32",
                    nodata=NO_DATA,
                )
            )
            raster.descriptions = tuple(topic_names)
            maps.append(raster)
        palette = stack.enter_context(
            created_raster(labels, result.image, tags, count=1, dtype="uint8", nodata=NO_LABEL)
        )
        palette.write_colormap(1, label_palette(colours[: len(topic_names)]))
        palette.descriptions = ("most likely topic",)
        strange = None
        if result.segmentation.unknown is not None:
            strange = stack.enter_context(_unknown_raster(unknown, result.image, tags))
        done = 0
        for tile in result.tiles():
            _write_tile(tile, maps, palette, strange)
            done += tile.memberships[0].size
            progress.report(done / result.image.valid.size)
    return written if strange is None else [*written, unknown]


@contextmanager
def _unknown_raster(path: Path, image: Image, tags: Mapping[str, str] | None) -> Iterator[Any]:
    """What none of the given topics explains: 1 or 0, and how likely words so far away are."""
    with created_raster(path, image, tags, count=2, dtype="float32", nodata=NO_DATA) as raster:
        raster.descriptions = UNKNOWN_BANDS
        raster.update_tags(**UNKNOWN_TAGS)
        yield raster


@contextmanager
def created_raster(
    path: Path, image: Image, tags: Mapping[str, str] | None = None, **settings: Any
) -> Iterator[Any]:
    """A new cloud optimised GeoTIFF of an image's size and place, there once it is complete."""
    import rasterio
    from rasterio.shutil import copy

    height, width = image.shape
    place = place_settings(image.georeference)
    with appearing(path) as unfinished:
        pieces = unfinished.with_name(_PIECES)
        # Having no place is as right for the maps as it is for their image.
        with quiet(), rasterio.Env(GDAL_PAM_ENABLED="NO", GDAL_CACHEMAX=256):
            with rasterio.open(
                pieces,
                "w",
                driver="GTiff",
                height=height,
                width=width,
                tiled=True,
                blockxsize=_BLOCK,
                blockysize=_BLOCK,
                interleave="pixel",
                bigtiff="IF_SAFER",
                **place,
                **settings,
            ) as raster:
                raster.update_tags(**{**program_tags(), **(tags or {})})
                yield raster
            _complete(pieces, image.shape, settings["dtype"])
            _require_complete(pieces)
            copy(pieces, unfinished, driver="COG", **_layout(settings["dtype"]))
            pieces.unlink()
        _require_complete(unfinished)


def place_settings(georeference: Georeference | None) -> dict[str, Any]:
    """A place as rasterio wants it for a new raster."""
    import rasterio
    from rasterio.crs import CRS

    if georeference is None:
        return {}
    place: dict[str, Any] = {"transform": rasterio.Affine(*georeference.transform)}
    if georeference.crs:
        place["crs"] = CRS.from_wkt(georeference.crs)
    return place


def _complete(path: Path, shape: tuple[int, int], kind: str) -> None:
    """Add statistics, and overviews, each half the one before, down to one tile.

    Overviews made here are not compressed twice, which takes half the time.
    """
    import rasterio
    from rasterio.enums import Resampling
    from rasterio.errors import StatisticsError

    factors = [2**power for power in range(1, 32) if max(shape) > _BLOCK * 2 ** (power - 1)]
    # Between two labels lies no third.
    how = Resampling.average if kind.startswith("float") else Resampling.mode
    with rasterio.Env(GDAL_NUM_THREADS="ALL_CPUS"), rasterio.open(path, "r+") as raster:
        # A band without a valid pixel has none.
        with suppress(StatisticsError):
            for band, found in enumerate(raster.stats(), 1):
                raster.update_tags(
                    band,
                    STATISTICS_MINIMUM=found.min,
                    STATISTICS_MAXIMUM=found.max,
                    STATISTICS_MEAN=found.mean,
                    STATISTICS_STDDEV=found.std,
                )
        if factors:
            raster.build_overviews(factors, how)


def _layout(kind: str) -> dict[str, Any]:
    """How a raster of that type is laid out by GDAL's driver for cloud optimised GeoTIFFs."""
    numbers = kind.startswith("float")
    return {
        "blocksize": _BLOCK,
        "compress": "DEFLATE",
        "level": _DEFLATE_LEVEL,
        "predictor": "YES" if numbers else "NO",
        "overviews": "FORCE_USE_EXISTING",
        "num_threads": "ALL_CPUS",
        "bigtiff": "IF_SAFER",
    }


def remove_old(path: Path) -> None:
    """Remove what an earlier run has left under a name that this run does not write."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def _require_complete(path: Path) -> None:
    """Raise OSError unless every block lies within the file and the last can be read back.

    A disk that fills up while GDAL flushes its cache is not always reported.
    """
    from pmlda_gui.imagery.readers.gdal import opened

    try:
        size = path.stat().st_size
        with opened(path) as raster:
            # A block holds all bands, so those of the first are those of all.
            rows, columns = raster.block_shapes[0]
            for (row, column), _ in raster.block_windows(1):
                place, length = (
                    int(raster.get_tag_item(f"BLOCK_{what}_{column}_{row}", "TIFF", 1) or 0)
                    for what in ("OFFSET", "SIZE")
                )
                if length == 0 or place + length > size:
                    raise OSError("a part of it was not written")
            last = ((raster.height - 1) // rows, (raster.width - 1) // columns)
            raster.read(1, window=raster.block_window(1, *last))
    except PmldaError as error:
        raise OSError("a part of it was not written") from error


def label_palette(colours: NDArray[np.uint8]) -> dict[int, tuple[int, int, int, int]]:
    shown = {
        label: (int(red), int(green), int(blue), 255)
        for label, (red, green, blue) in enumerate(colours, 1)
    }
    return {**shown, NO_LABEL: (0, 0, 0, 0)}


def _write_tile(tile: Tile, maps: Sequence[Any], palette: Any, strange: Any | None) -> None:
    from rasterio.windows import Window

    _, height, width = tile.memberships.shape
    window = Window(tile.column, tile.row, width, height)
    for raster, values in zip(maps, (tile.memberships, tile.uncertainty), strict=False):
        raster.write(values, window=window)
    if strange is not None and tile.unknown is not None:
        strange.write(unknown_planes(tile.unknown), window=window)
    palette.write(labels_of(tile.memberships), 1, window=window)


def unknown_planes(tail: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is unknown, 1 or 0, and the tail probability (height, width) that says so."""
    marked = np.where(np.isnan(tail), np.nan, tail < UNKNOWN_BELOW)
    return np.stack([marked.astype(np.float32), tail])


def labels_of(memberships: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The most likely topic (height, width) of memberships (K, height, width), from 1 on."""
    missing = np.isnan(memberships[0])
    likeliest = np.nan_to_num(memberships).argmax(axis=0) + 1
    return np.where(missing, NO_LABEL, likeliest).astype(np.uint8)
