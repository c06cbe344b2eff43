"""Small images and results for the tests of what is written."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.workspace.batch.options import settings_from
from pmlda_gui.workspace.batch.segment import compute
from pmlda_gui.workspace.export import Result

UTM = Georeference("EPSG:32633", (0.5, 0.0, 400000.25, 0.0, -0.5, 6000000.75))


def synthetic_image(
    shape: tuple[int, int] = (48, 40),
    source: str | None = "line 7.tif",
    georeference: Georeference | None = None,
    seed: int = 0,
) -> Image:
    """Three bands of brightness with speckle; the upper left corner is missing."""
    rng = np.random.default_rng(seed)
    band = np.arange(shape[0])[:, None] * 3 // shape[0]
    pixels = ((1 + 2 * band) * rng.gamma(8, 1 / 8, shape)).astype(np.float32)
    valid = np.ones(shape, dtype=np.bool_)
    valid[: shape[0] // 6, : shape[1] // 4] = False
    if georeference is not None:
        from rasterio.crs import CRS

        wkt = CRS.from_user_input(georeference.crs).to_wkt() if georeference.crs else ""
        georeference = Georeference(wkt, georeference.transform)
    return Image(
        np.where(valid, pixels, np.float32(0)),
        valid,
        pixel_size=None if georeference is None else 0.5,
        georeference=georeference,
        band_names=("amplitude",),
        source=None if source is None else Path(source),
    )


@cache
def synthetic_result(
    georeference: Georeference | None = UTM,
    estimate: str = "mean",
    shape: tuple[int, int] = (48, 40),
) -> Result:
    """A short run on a small image."""
    settings = settings_from(document_count=8, sweeps=6, features="mean,std", estimate=estimate)
    return compute([synthetic_image(shape, georeference=georeference)], settings)
