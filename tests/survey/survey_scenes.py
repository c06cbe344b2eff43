"""Small surveys for the tests: files of two lines, cut into tiles of a few dozen pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.gdal import quiet
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.batch.options import Options, settings_from

TILE = 96
OPTIONS: Options = {"features": "mean,std", "sweeps": 20, "document_count": 12}
SETTINGS = settings_from(**OPTIONS)
PLACE = rasterio.Affine(0.5, 0.0, 600_000.0, 0.0, -0.5, 4_700_000.0)


def write_line(path: Path, seed: int = 0, shape: tuple[int, int] = (300, 260)) -> Path:
    """A line of a survey as a GeoTIFF; a corner has no data."""
    pixels = make_scene("mosaic-edge", shape, seed=seed).image.pixels.copy()
    pixels[:70, :40] = -1.0
    with rasterio.open(
        path, "w", driver="GTiff", height=shape[0], width=shape[1], count=1, dtype="float32",
        nodata=-1, crs="EPSG:32618", transform=PLACE, compress="deflate", tiled=True,
        blockxsize=64, blockysize=64,
    ) as raster:  # fmt: skip
        raster.write(pixels, 1)
    return path


def read_maps(out: Path, ending: str = "tif") -> dict[str, NDArray[np.float32]]:
    """All rasters of a folder by name."""
    found = {}
    for path in sorted(out.glob(f"*.{ending}")):
        with quiet(), rasterio.open(path) as raster:
            found[path.stem] = raster.read()
    return found


def require_same(found: dict[str, NDArray], expected: dict[str, NDArray]) -> None:
    """The same rasters with the same bits."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert np.array_equal(found[name], values, equal_nan=values.dtype.kind == "f"), name
