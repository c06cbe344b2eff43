"""The files of one tile: parts of the memberships, their uncertainty, the unknown and the labels.

They are GeoTIFFs.  Where the whole image fits into one file they are the pieces it is
made of; where it does not, a virtual raster (VRT) shows them as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.gdal import opened, quiet
from pmlda_gui.survey.sources import Source, stand_in
from pmlda_gui.workspace.export.atomic import appearing
from pmlda_gui.workspace.export.geotiff import (
    NO_LABEL,
    UNKNOWN_BANDS,
    UNKNOWN_TAGS,
    created_raster,
    label_palette,
    labels_of,
    place_settings,
    unknown_planes,
)
from pmlda_gui.workspace.export.result import Tile

__all__ = [
    "PRODUCTS",
    "RasterTask",
    "TileFiles",
    "TilePaths",
    "write_raster",
    "write_tile",
]

PRODUCTS = ("memberships", "uncertainty", "unknown", "labels")
_BLOCK = 256


TilePaths = Mapping[str, Path]
"""A tile's file for each of PRODUCTS that is wanted."""


@dataclass(frozen=True)
class TileFiles:
    """Where a tile's files are written, and what they say.

    `cells` is for the maps in the middle of its cells; `tags` say where the maps come from.
    """

    paths: TilePaths
    cells: Path
    georeference: Georeference | None
    names: tuple[str, ...]
    colours: tuple[tuple[int, int, int], ...]
    tags: tuple[tuple[str, str], ...]

    @property
    def all(self) -> tuple[Path, ...]:
        """All of them."""
        return *self.paths.values(), self.cells

    @property
    def there(self) -> bool:
        """Whether all of them are."""
        return all(path.is_file() for path in self.all)


def write_tile(tile: Tile, files: TileFiles) -> None:
    """Write the files of a tile; each appears whole."""
    for product, path in files.paths.items():
        if product == "labels":
            palette = label_palette(np.array(files.colours, np.uint8))
            labels = labels_of(tile.memberships)[None]
            _write(path, labels, NO_LABEL, files, ("most likely topic",), palette=palette)
        elif product == "unknown":
            assert tile.unknown is not None
            planes = unknown_planes(tile.unknown)
            _write(path, planes, float("nan"), files, UNKNOWN_BANDS, UNKNOWN_TAGS)
        else:
            values = tile.memberships if product == "memberships" else tile.uncertainty
            assert values is not None
            _write(path, values, float("nan"), files, files.names)


def _write(
    path: Path,
    values: NDArray[Any],
    missing: float,
    files: TileFiles,
    names: tuple[str, ...],
    tags: Mapping[str, str] | None = None,
    palette: Any = None,
) -> None:
    import rasterio

    count, height, width = values.shape
    numbers = values.dtype == np.float32
    with appearing(path) as unfinished, quiet(), rasterio.Env(GDAL_PAM_ENABLED="NO"):
        with rasterio.open(
            unfinished, "w", driver="GTiff", count=count, height=height, width=width,
            dtype=values.dtype, nodata=missing, tiled=True, blockxsize=_BLOCK, blockysize=_BLOCK,
            compress="deflate", zlevel=1, predictor=3 if numbers else 1, interleave="band",
            **place_settings(files.georeference),
        ) as raster:  # fmt: skip
            raster.descriptions = names
            raster.update_tags(**{**dict(files.tags), **(tags or {})})
            if palette is not None:
                raster.write_colormap(1, palette)
            raster.write(values)
        # A disk that is full when GDAL closes a file is not always reported.
        with rasterio.open(unfinished) as written:
            block = written.block_shapes[0]
            last = ((height - 1) // block[0], (width - 1) // block[1])
            for band in range(1, count + 1):
                written.read(band, window=written.block_window(band, *last))


@dataclass(frozen=True, eq=False)
class RasterTask:
    """A raster to be put together from the tiles of a file, whose `windows` are given.

    Labels are made from memberships.  `like` is one of the tiles.
    """

    target: Path
    product: str
    source: Source
    windows: tuple[Window, ...]
    tiles: tuple[Path, ...]
    like: TileFiles


def write_raster(task: RasterTask) -> None:
    """Write the raster; it appears whole."""
    from rasterio.windows import Window as Place

    labels, like = task.product == "labels", task.like
    names = {"labels": ("most likely topic",), "unknown": UNKNOWN_BANDS}.get(
        task.product, like.names
    )
    with created_raster(
        task.target,
        stand_in(task.source),
        dict(like.tags),
        count=len(names),
        dtype="uint8" if labels else "float32",
        nodata=NO_LABEL if labels else float("nan"),
    ) as raster:
        raster.descriptions = names
        if labels:
            raster.write_colormap(1, label_palette(np.array(like.colours, np.uint8)))
        elif task.product == "unknown":
            raster.update_tags(**UNKNOWN_TAGS)
        for window, path in zip(task.windows, task.tiles, strict=True):
            with opened(path) as tile:
                values = tile.read()
            place = Place(window.column, window.row, window.width, window.height)
            raster.write(labels_of(values)[None] if labels else values, window=place)
