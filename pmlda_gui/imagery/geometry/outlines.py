"""The track of a line and the outline of what it covers, as points on the map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.geometry.pings import PingGeometry

__all__ = ["coverage", "runs", "track_line"]

LEAST_RUN = 2


def runs(good: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First row and end of each unbroken run of good rows, at least two long."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    found = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(start, end) for start, end in found if end - start >= LEAST_RUN]


def track_line(geometry: PingGeometry) -> NDArray[np.float64]:
    """Easting and northing of the sonar, (rows, 2)."""
    return np.column_stack([geometry.easting, geometry.northing])


def coverage(
    geometry: PingGeometry, good: NDArray[np.bool_], metres: float = 1.0
) -> list[NDArray[np.float64]]:
    """A closed ring (points, 2) around each run of good rows, a point every `metres` or so."""
    port, starboard = geometry.edges()
    rings = []
    for start, end in runs(good):
        length = geometry.along[end - 1] - geometry.along[start]
        count = int(np.clip(length / metres, 2, end - start))
        rows = np.unique(np.linspace(start, end - 1, count).round().astype(np.int64))
        ring = np.concatenate([port[rows], starboard[rows[::-1]]])
        rings.append(np.concatenate([ring, ring[:1]]))
    return rings
