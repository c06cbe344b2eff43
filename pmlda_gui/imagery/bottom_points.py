"""A bottom track that goes through the points an operator set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["FADE_PINGS", "through_points"]

FADE_PINGS = 30.0
"""So many pings beyond the first and the last point, the track is as it was found."""


def through_points(
    track: NDArray[np.float64] | None,
    pings: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
) -> NDArray[np.float64]:
    """The track (rows,) moved so that it goes through points (ping, height).

    `pings` (rows,) are the pings of the rows.  Between points the shift is interpolated, so
    what was found between them keeps its shape; beyond them it fades.  Without a track the
    points are joined by straight lines.
    """
    at, heights = np.array(points, dtype=np.float64).reshape(-1, 2).T
    if track is None:
        return np.asarray(np.interp(pings, at, heights))
    shift = heights - np.interp(at, pings, track)
    places = np.concatenate([[at[0] - FADE_PINGS], at, [at[-1] + FADE_PINGS]])
    moved = track + np.interp(pings, places, np.concatenate([[0.0], shift, [0.0]]))
    return np.asarray(np.maximum(moved, 0.0))
