"""The geometry of a recording by its path, for an image that was opened from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.geometry.pings import PingGeometry, SwathLayout, ping_geometry
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.dispatch import guarded
from pmlda_gui.imagery.readers.navigation import navigation_from_headers
from pmlda_gui.imagery.readers.options import ReadOptions, Task
from pmlda_gui.imagery.readers.recorders import index_recording

__all__ = ["recording_geometry"]


def recording_geometry(
    path: str | Path, image: Image, options: ReadOptions, **choices: Any
) -> PingGeometry:
    """The geometry of an image that `open_image(path, options)` gave; no sample is read.

    `choices` are those of `ping_geometry`.  The height over a picture of slant range is
    where its masked water column ends.
    """
    path = Path(path)
    with guarded(path):
        index = index_recording(path, Task(path.name))
        navigation, _ = navigation_from_headers(index.pings, index.navigation_units)
        if image.pixel_size is None:
            raise PmldaError(
                f"{path.name} states no range, so its pixels have no size; it cannot be placed."
            )
        rows = -(-len(index.pings) // options.reduce)
        if rows != image.shape[0]:
            raise PmldaError(
                f"The image has {image.shape[0]} rows and {path.name} read so has {rows}; open "
                "the recording again."
            )
        one_sided = len(options.channels) == 1 or options.band is not None
        if one_sided:
            raise PmldaError(
                f"Only one side of {path.name} is shown; open both sides to place it on a map."
            )
        side = image.shape[1] // 2
        layout = SwathLayout(
            side,
            image.shape[1] - side,
            image.pixel_size,
            options.correct_slant_range,
            options.reduce,
        )
        if not layout.ground and options.mask_water_column and "height" not in choices:
            choices["height"] = _height_of_mask(image.valid, layout)
        return ping_geometry(navigation, layout, **choices)


def _height_of_mask(valid: NDArray[np.bool_], layout: SwathLayout) -> NDArray[np.float64]:
    """Metres above the bottom in each row, (rows,): to the first pixel that is not water."""
    sides = [valid[:, : layout.port][:, ::-1], valid[:, layout.port :]]
    first = np.min([np.argmax(side, axis=1) for side in sides if side.shape[1]], axis=0)
    return np.asarray(np.where(valid.any(axis=1), first * layout.pixel, np.nan))
