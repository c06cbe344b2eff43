"""Regions of a map as polygons whose common borders stay common when simplified.

A border between two regions is cut at the corners where three or more meet.  Each such
arc runs through the middles of the pixels' sides, which turns stairs into slopes, and is
simplified once for both its regions: so there are neither gaps nor overlaps.  Arcs that
would cross or touch others after that are left as they were.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.workspace.export.line_crossings import crossing_lines

__all__ = ["TOLERANCE", "region_polygons", "simplified"]

TOLERANCE = 0.5
"""How far, in pixels, a border may move when it is simplified."""

Points = NDArray[np.float64]
Polygon = list[Points]
_MOST_ROUNDS = 20


def region_polygons(regions: NDArray[np.int32], tolerance: float = TOLERANCE) -> dict[int, Polygon]:
    """The outer ring and the holes of each region, by its number; negative ones are left out.

    A region must be connected through pixel sides.  Corners are (column, row), rings closed.
    """
    from rasterio.features import shapes

    junctions = _junctions(regions)
    network = _Network()
    rings: dict[int, list[list[tuple[int, bool]]]] = {}
    for geometry, value in shapes(regions, mask=regions >= 0, connectivity=4):
        rings[int(value)] = [
            network.add_ring(_unit_steps(np.asarray(ring, dtype=np.int64)), junctions)
            for ring in geometry["coordinates"]
        ]
    lines = network.simplified(tolerance)
    return {
        value: [_joined([lines[arc][::-1] if back else lines[arc] for arc, back in ring])
                for ring in parts]
        for value, parts in rings.items()
    }  # fmt: skip


def _junctions(regions: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The pixel corners (height + 1, width + 1) where borders meet, and the image's own."""
    framed = np.pad(np.where(regions < 0, np.int32(-1), regions), 1, constant_values=-1)
    upright = framed[:, :-1] != framed[:, 1:]
    level = framed[:-1] != framed[1:]
    meeting = (
        upright[:-1].astype(np.int8) + upright[1:] + level[:, :-1] + level[:, 1:]
    )  # borders that leave each corner
    found: NDArray[np.bool_] = meeting > 2
    found[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    return found


def _unit_steps(ring: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every pixel corner along a closed ring, without the first again at the end."""
    steps = np.diff(ring, axis=0)
    lengths = np.abs(steps).sum(axis=1)
    along = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    unit: NDArray[np.int64] = np.repeat(ring[:-1], lengths, axis=0)
    return unit + np.repeat(np.sign(steps), lengths, axis=0) * along[:, None]


class _Network:
    """Arcs, each kept once, whichever region they are met from."""

    def __init__(self) -> None:
        self._paths: list[Points] = []
        self._closed: list[bool] = []
        self._known: dict[tuple[int, ...], int] = {}

    def add_ring(
        self, corners: NDArray[np.int64], junctions: NDArray[np.bool_]
    ) -> list[tuple[int, bool]]:
        """The arcs of a ring in order, each with whether it is run through backwards."""
        cuts = np.flatnonzero(junctions[corners[:, 1], corners[:, 0]])
        if not len(cuts):
            first = int(np.lexsort(corners.T)[0])
            looped = np.roll(corners, -first, axis=0)
            return [self._add(np.vstack([looped, looped[:1]]), closed=True)]
        turned = np.roll(corners, -cuts[0], axis=0)
        turned = np.vstack([turned, turned[:1]])
        bounds = [*(cuts - cuts[0]), len(corners)]
        return [self._add(turned[start : end + 1], closed=False) for start, end in pairwise(bounds)]

    def _add(self, arc: NDArray[np.int64], *, closed: bool) -> tuple[int, bool]:
        ahead = (*arc[0].tolist(), *arc[1].tolist())
        behind = (*arc[-1].tolist(), *arc[-2].tolist())
        back = behind < ahead
        key = behind if back else ahead
        if key not in self._known:
            self._known[key] = len(self._paths)
            self._paths.append(_through_middles(arc[::-1] if back else arc, closed))
            self._closed.append(closed)
        return self._known[key], back

    def simplified(self, tolerance: float) -> list[Points]:
        """All arcs, as simple as they can be without meeting one another."""
        lines = [
            _simplified_loop(path, tolerance) if closed else simplified(path, tolerance)
            for path, closed in zip(self._paths, self._closed, strict=True)
        ]
        for _ in range(_MOST_ROUNDS):
            crossing = [arc for arc in crossing_lines(lines) if lines[arc] is not self._paths[arc]]
            if not crossing:
                return lines
            for arc in crossing:
                lines[arc] = self._paths[arc]
        return self._paths


def _through_middles(arc: NDArray[np.int64], closed: bool) -> Points:
    """The line through the middles of an arc's unit steps, with its ends unless it is closed."""
    if len(arc) == 2:
        return arc.astype(np.float64)
    middles: Points = (arc[:-1] + arc[1:]).astype(np.float64) / 2.0
    if closed:
        return np.vstack([middles, middles[:1]])
    return np.vstack([arc[:1], middles, arc[-1:]])


def simplified(line: Points, tolerance: float) -> Points:
    """Those points (n, 2) of a line that keep it within the tolerance: Douglas and Peucker."""
    keep = np.zeros(len(line), dtype=np.bool_)
    keep[[0, -1]] = True
    waiting = [(0, len(line) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        away = _distances(line[first + 1 : last], line[first], line[last])
        worst = int(away.argmax())
        if away[worst] > tolerance:
            middle = first + 1 + worst
            keep[middle] = True
            waiting += [(first, middle), (middle, last)]
    return line[keep]


def _distances(points: Points, start: Points, end: Points) -> Points:
    """How far points (n, 2) lie from the segment between two others."""
    along = end - start
    length = float(along @ along)
    place = (points - start) @ along / length if length > 0.0 else np.zeros(len(points))
    nearest = start + np.clip(place, 0.0, 1.0)[:, None] * along
    away: Points = np.hypot(*(points - nearest).T)
    return away


def _simplified_loop(line: Points, tolerance: float) -> Points:
    """A closed line simplified between its first point and the one farthest from that."""
    farthest = int(np.hypot(*(line - line[0]).T).argmax())
    halves = simplified(line[: farthest + 1], tolerance), simplified(line[farthest:], tolerance)
    found = np.vstack([halves[0], halves[1][1:]])
    return found if len(found) > 3 else line


def _joined(lines: list[Points]) -> Points:
    """Lines, each of which begins where the one before it ends, as one ring."""
    return np.vstack([*(line[:-1] for line in lines), lines[-1][-1:]])
