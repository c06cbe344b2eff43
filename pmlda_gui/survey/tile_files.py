"""The files of one tile: a part of the memberships, of their uncertainty and of the labels.

They are GeoTIFFs.  Where the whole image fits into one file they are the pieces it is
made of; where it does not, a virtual raster (VRT) shows them as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.gdal import opened, quiet
from pmlda_gui.workspace.export.atomic import appearing
from pmlda_gui.workspace.export.geotiff import NO_LABEL, label_palette, labels_of, place_settings
from pmlda_gui.workspace.export.result import Tile

__all__ = ["PRODUCTS", "TileFiles", "TilePaths", "read_tile", "write_tile"]

PRODUCTS = ("memberships", "uncertainty", "labels")
_BLOCK = 256


TilePaths = tuple[Path, Path | None, Path | None]
"""A tile's file for each of PRODUCTS, None for those that are not wanted."""


@dataclass(frozen=True)
class TileFiles:
    """Where a tile's files are written, and what they say.

    `tags` say where the maps come from.
    """

    paths: TilePaths
    georeference: Georeference | None
    names: tuple[str, ...]
    colours: tuple[tuple[int, int, int], ...]
    tags: tuple[tuple[str, str], ...]

    @property
    def there(self) -> bool:
        """Whether all of them are."""
        return all(path.is_file() for path in self.paths if path is not None)


def write_tile(tile: Tile, files: TileFiles) -> None:
    """Write the files of a tile; each appears whole."""
    palette: Any = label_palette(np.array(files.colours, np.uint8))
    labels = labels_of(tile.memberships)[None]
    for path, values, missing in zip(
        files.paths,
        (tile.memberships, tile.uncertainty, labels),
        (float("nan"), float("nan"), NO_LABEL),
        strict=True,
    ):
        if path is None or values is None:
            continue
        names = files.names if len(values) == len(files.names) else ("most likely topic",)
        colours = palette if values is labels else None
        _write(path, values, missing, files, names, colours)


def _write(
    path: Path,
    values: NDArray[Any],
    missing: float,
    files: TileFiles,
    names: tuple[str, ...],
    palette: Any,
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
            raster.update_tags(**dict(files.tags))
            if palette is not None:
                raster.write_colormap(1, palette)
            raster.write(values)
        # A disk that is full when GDAL closes a file is not always reported.
        with rasterio.open(unfinished) as written:
            block = written.block_shapes[0]
            last = ((height - 1) // block[0], (width - 1) // block[1])
            for band in range(1, count + 1):
                written.read(band, window=written.block_window(band, *last))


def read_tile(window: Window, memberships: Path, uncertainty: Path | None) -> Tile:
    """The maps of a tile from its files."""
    maps = [None if path is None else _read(path) for path in (memberships, uncertainty)]
    assert maps[0] is not None
    return Tile(window.row, window.column, maps[0], maps[1])


def _read(path: Path) -> NDArray[np.float32]:
    with opened(path) as raster:
        values: NDArray[np.float32] = raster.read()
    return values
