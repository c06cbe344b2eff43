"""Borders of the seabed that lie at one range on one side of the track, all along the lines.

The sides of a sonar share their gain, but seldom a seabed: where the level of one side jumps
and that of the other goes on smoothly, the jump is the seabed's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.gain_cells import SideCells, weighted_median

__all__ = ["Border", "next_border"]

Array = NDArray[np.float64]

# Levels are compared over so many steps of the range before and behind a place.
WINDOW = 6
# In ln amplitude, and in units of what the sides' jumps typically differ by.
LEAST_JUMP, CLEAR_JUMP = 0.4, 4.0
# The other side may jump by this part of it at most.
OTHER_SIDE = 0.5
# Nearer to nadir the first return comes and goes with the altitude, on each side in its own way.
STEEPEST = np.radians(45.0)


class Border(NamedTuple):
    """The first range step beyond a border, and the side that it lies on."""

    side: int
    range: int


def next_border(
    sides: Sequence[SideCells],
    levels: Sequence[Array],
    residuals: Sequence[Array],
    known: Sequence[Border],
) -> Border | None:
    """The clearest border that is not known yet, None without one or for a single side.

    `levels` of the cells are those of the blocks apart, `residuals` what a fit leaves of them.
    """
    if len(sides) != 2:
        return None
    first = min(int(side.range.min()) for side in sides)
    last = max(int(side.range.max()) for side in sides)
    port, starboard = (
        _jumps(side, each, first, last) for side, each in zip(sides, residuals, strict=True)
    )
    apart = np.abs(port - starboard)
    seen = np.isfinite(apart) & ~_steep(sides, first, last)
    if not seen.any():
        return None
    least = max(LEAST_JUMP, CLEAR_JUMP * float(np.median(apart[seen])))
    bends = [
        _bends(_jumps(side, each, first, last)) for side, each in zip(sides, levels, strict=True)
    ]
    for place in np.argsort(-np.where(seen, apart, -1.0)):
        if not apart[place] >= least:
            return None
        sizes = [float(each[place]) for each in bends]
        larger = int(np.argmax(np.abs(sizes)))
        clear = abs(sizes[1 - larger]) < OTHER_SIDE * abs(sizes[larger])
        found = Border(larger, first + int(place))
        new = all(abs(found.range - border.range) >= WINDOW for border in known)
        if clear and new and abs(sizes[larger]) >= LEAST_JUMP:
            return found
    return None


def _steep(sides: Sequence[SideCells], first: int, last: int) -> NDArray[np.bool_]:
    """Ranges at which any cell lies near nadir, (last - first + 1,)."""
    steep = np.zeros(last - first + 1, dtype=bool)
    for side in sides:
        steep[side.range[side.angle > STEEPEST] - first] = True
    return steep


def _jumps(side: SideCells, values: Array, first: int, last: int) -> Array:
    """How much higher values lie behind than before each range, NaN where not known."""
    typical = np.full(last - first + 1, np.nan)
    order = np.argsort(side.range, kind="stable")
    ranges, starts = np.unique(side.range[order], return_index=True)
    for number, cells in zip(ranges, np.split(order, starts[1:]), strict=True):
        typical[number - first] = weighted_median(values[cells], side.count[cells])
    jumps = np.full(len(typical), np.nan)
    for place in range(WINDOW, len(typical) - WINDOW + 1):
        before, behind = typical[place - WINDOW : place], typical[place : place + WINDOW]
        if np.isfinite(before).all() and np.isfinite(behind).all():
            jumps[place] = float(np.median(behind) - np.median(before))
    return jumps


def _bends(jumps: Array) -> Array:
    """Jumps apart from the slope around them."""
    padded = np.pad(jumps, WINDOW, constant_values=np.nan)
    around = np.stack([padded[: -2 * WINDOW], padded[2 * WINDOW :]])
    count = np.isfinite(around).sum(axis=0)
    slope = np.where(count > 0, np.nansum(around, axis=0) / np.maximum(count, 1), 0.0)
    return np.asarray(np.nan_to_num(jumps - slope))
