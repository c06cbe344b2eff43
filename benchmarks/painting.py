"""An operator who paints by rule: short strokes where the map is wrong and the seabed is pure.

The first strokes show each topic once, in the middle of its largest pure region.  The others
go to the middle of the region that the present map gets most wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.workspace.strokes import Stroke

__all__ = ["Painter"]

Maps = NDArray[np.floating]
Mask = NDArray[np.bool_]
# Pure is what has this share of the purest there is; wrong is a membership so much too low.
_PURE, _WRONG = 0.9, 0.25
_DIRECTIONS = np.arange(8) * math.pi / 8


class Painter:
    """Paints on an image whose memberships (K, height, width) are known, stroke after stroke."""

    def __init__(self, truth: Maps, length: float = 40.0, radius: float = 6.0) -> None:
        self._truth = np.nan_to_num(truth)
        self._length, self._radius = length, radius
        best = self._truth.argmax(axis=0)
        self._pure = [_pure(each, best == k) for k, each in enumerate(self._truth)]
        self.strokes: list[Stroke] = []

    @property
    def pixels(self) -> int:
        """How many pixels are painted."""
        return int(np.count_nonzero(self._painted))

    @property
    def _painted(self) -> Mask:
        mask = np.zeros(self._truth.shape[1:], np.bool_)
        for stroke in self.strokes:
            mask.flat[stroke.pixels(mask.shape)] = True
        return mask

    def show_each(self, strength: float) -> None:
        """One stroke for each topic."""
        for topic, pure in enumerate(self._pure):
            self._paint(pure, topic, strength)

    def correct(self, maps: Maps, strength: float) -> bool:
        """One stroke where the maps are most wrong; False if there is no room for any."""
        from scipy.ndimage import distance_transform_edt, label

        free = distance_transform_edt(~self._painted) > self._length / 2
        regions: list[tuple[float, int, Mask]] = []
        for topic, pure in enumerate(self._pure):
            missing = self._truth[topic] - np.nan_to_num(maps[topic])
            numbered, count = label(pure & free & (missing > _WRONG))
            for number in range(1, count + 1):
                region = numbered == number
                regions.append((float(missing[region].sum()), topic, region))
            # Where nothing is wrong, what is least right.
            regions.append((float(missing[pure & free].sum()) / 1e6, topic, pure & free))
        regions.sort(key=lambda each: -each[0])
        return any(self._paint(region, topic, strength) for _, topic, region in regions)

    def _paint(self, where: Mask, topic: int, strength: float) -> bool:
        stroke = _stroke(where, topic, strength, self._length, self._radius)
        if stroke is not None:
            self.strokes.append(stroke)
        return stroke is not None


def _pure(share: Maps, mine: Mask) -> Mask:
    if not mine.any():
        return mine
    pure: Mask = mine & (share >= _PURE * np.quantile(share[mine], 0.98))
    return pure


def _stroke(
    where: Mask, topic: int, strength: float, length: float, radius: float
) -> Stroke | None:
    """A short line through the middle of a region, as long as it stays well inside."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(where, 1))[1:-1, 1:-1]
    y, x = (int(each) for each in np.unravel_index(depth.argmax(), depth.shape))
    deepest = float(depth[y, x])
    if deepest < 1.5:
        return None
    least = min(radius, deepest / 2)
    best, ends = -1.0, (0.0, 0.0)
    for half in (length / 2, length / 4, 0.0):
        for direction in _DIRECTIONS:
            step = half * math.cos(direction), half * math.sin(direction)
            inside = _least_depth(depth, (x, y), step)
            if inside >= least and half * min(inside, radius) > best:
                best, ends = half * min(inside, radius), step
    middle = np.array([x + 0.5, y + 0.5])
    first, last = middle - ends, middle + ends
    points = ((float(first[0]), float(first[1])), (float(last[0]), float(last[1])))
    width = float(min(radius, max(deepest - 0.5, 1.0)))
    return Stroke(0, "brush", "is", topic, strength, points, width)


def _least_depth(
    depth: NDArray[np.float64], middle: Sequence[int], step: tuple[float, float]
) -> float:
    """How deep a line stays in a region; negative if it leaves the image."""
    along = np.linspace(-1.0, 1.0, 9)
    columns, rows = (np.floor(middle[axis] + along * step[axis]).astype(int) for axis in (0, 1))
    height, width = depth.shape
    if rows.min() < 0 or columns.min() < 0 or rows.max() >= height or columns.max() >= width:
        return -1.0
    return float(depth[rows, columns].min())
