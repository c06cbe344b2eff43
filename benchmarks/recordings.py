"""Whether maps of recordings show the seabed: the share of memberships explained by the column.

Synthetic recordings of sonars with different physics are always measured, beside the share
that the true map of their seabeds has.  Real recordings are looked for in `xtf/*.xtf` of the
folder named by PMLDA_DATA, `../shared/data` without.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import show
from pmlda_gui import segment
from pmlda_gui.imagery.column_share import column_share
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes.recorded_seabed import (
    OTHER_SONARS,
    SONARS,
    recorded_seabed,
    two_seabeds,
)
from pmlda_gui.imagery.scenes.recordings import xtf_bytes
from pmlda_gui.imagery.segmentation import Segmentation

__all__ = ["run"]

Maps = NDArray[np.floating]

AS_RECORDED = ReadOptions(correct_slant_range=False, normalise_gain=False, square_pixels=False)


def _maps(image: Image, topics: int) -> Maps:
    found = segment(image, topics)
    assert isinstance(found, Segmentation)
    return found.memberships


def _share(image: Image, topics: int) -> float:
    return column_share(_maps(image, topics))


def _error(maps: Maps, truth: Maps) -> float:
    """Mean distance of memberships from the truth, 0 to 1, in the better order of two topics."""
    return float(min(np.nanmean(np.abs(each - truth[0])) for each in maps))


def _truth(image: Image) -> Maps:
    """The true map in the pixels of a synthetic recording."""
    assert image.swath is not None
    assert image.pixel_height is not None
    along = np.arange(image.shape[0])[:, np.newaxis] * image.pixel_height
    across = image.swath.across()[np.newaxis]
    bright = two_seabeds(along + 0 * across, across + 0 * along) != 1.0
    truth = np.where(image.valid, bright, np.nan)
    return np.stack([truth, 1 - truth])


def run(quick: bool = False) -> None:
    """Print the shares of every recording; `quick` takes short ones."""
    rows: list[tuple[str, float, float, object, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, sonar in {**SONARS, **OTHER_SONARS}.items():
            path = Path(folder) / "line.xtf"
            path.write_bytes(xtf_bytes(recorded_seabed(sonar, 300 if quick else 600)))
            image = open_image(path)
            recorded = _share(open_image(path, AS_RECORDED), 2)
            maps, truth = _maps(image, 2), _truth(image)
            shares = column_share(maps), column_share(truth)
            rows.append((name, recorded, *shares, _error(maps, truth)))
    data = Path(os.environ.get("PMLDA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    for path in sorted((data / "xtf").glob("*.xtf")):
        recorded = _share(open_image(path, AS_RECORDED), 3)
        rows.append((path.name, recorded, _share(open_image(path), 3), "unknown", "unknown"))
    show(
        "Share of the memberships' variance that the image column explains",
        ("recording", "as recorded", "by default", "truth", "error of maps"),
        rows,
    )
