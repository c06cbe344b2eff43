"""The geometry of a recording by its path, for an image that was opened from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.geometry.pings import PingGeometry, SwathLayout, ping_geometry
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.navigation import navigation_from_headers
from pmlda_gui.imagery.readers.opening import guarded
from pmlda_gui.imagery.readers.recorders import index_recording

__all__ = ["recording_geometry"]


def recording_geometry(path: str | Path, image: Image, **choices: Any) -> PingGeometry:
    """The geometry of an image that was opened from `path`; no sample is read.

    `choices` are those of `ping_geometry`; without a layback it is the one the image was
    read with.  Pixels of slant range are placed by the heights found in reading.
    """
    path, swath = Path(path), image.swath
    if swath is None:
        raise PmldaError(f"{path.name} is not a side-scan recording; it cannot be placed by pings.")
    with guarded(path):
        index = index_recording(path, Progress())
        navigation, _ = navigation_from_headers(index.pings, index.navigation_units)
        if not swath.metres:
            raise PmldaError(
                f"{path.name} states no range, so its pixels have no size; it cannot be placed."
            )
        rows = -(-len(index.pings) // swath.pings_a_row)
        if rows != image.shape[0]:
            raise PmldaError(
                f"The image has {image.shape[0]} rows and {path.name} read so has {rows}; open "
                "the recording again."
            )
        if not (swath.port and swath.starboard):
            raise PmldaError(
                f"Only one side of {path.name} is shown; open both sides to place it on a map."
            )
        layout = SwathLayout(
            swath.port, swath.starboard, swath.cell, swath.ground, swath.pings_a_row
        )
        if choices.get("layback") is None and swath.layback is not None:
            choices["layback"] = swath.layback
        if not layout.ground:
            choices.setdefault("height", swath.heights)
        return ping_geometry(navigation, layout, **choices)
