"""Corrects the gain by an empirical table over range and grazing angle.

What a sonar records of an even seabed depends on the range (spreading, absorption,
time-varying gain) and on the grazing angle (beam pattern, backscatter).  Both are
measured together in all lines: medians in cells of range and angle, block by block
along the track, are split into a level of the block, a part of the range and a part
of the angle.  Only the last two are taken out, so differences along the track stay.
What a recorder has evened out already leaves nothing to take out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.swath import RecordedSwath

__all__ = ["Curve", "GainCurves", "GainTable", "levels_out", "measure_gain", "with_even_gain"]

Array = NDArray[np.float64]

# Ranges are counted in steps of an octave, from this range on.
STEPS_PER_OCTAVE = 32
NEAREST, FARTHEST = 2.0**-6, 2.0**14
RANGES = int(np.log2(FARTHEST / NEAREST) * STEPS_PER_OCTAVE)
ANGLE_STEP = np.radians(1.5)
ANGLES = round(np.pi / 2 / ANGLE_STEP)
BLOCK_ROWS = 16
MOST_BLOCKS = 400
LEAST_SAMPLES = 12
LEAST_SPREAD = 0.02
# Samples darker than this share of their cell's median are taken for shadow.
SHADOW = 0.3
LARGEST_GAIN = 60.0
POWERS = (np.log(0.5), np.log(2.0))
SMOOTH_RANGE, SMOOTH_ANGLE = 3.0, 0.1
RIDGE = 1e-3
ROBUST_PASSES = 4
OUTLIER = 6.0  # times the typical residual
ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Curve:
    """A sum of what depends on the range, (RANGES,), and on the grazing angle, (ANGLES,)."""

    by_range: tuple[float, ...]
    by_angle: tuple[float, ...]

    def __post_init__(self) -> None:
        fits = len(self.by_range) == RANGES and len(self.by_angle) == ANGLES
        if not fits or not np.isfinite([*self.by_range, *self.by_angle]).all():
            raise PmldaError("A curve of the gain table has the wrong length or no numbers.")

    def at(self, ranges: Array, angles: Array) -> Array:
        """The sum at slant ranges and grazing angles (radians, NaN if unknown)."""
        by_angle = np.interp(
            np.nan_to_num(angles, nan=0.0), (np.arange(ANGLES) + 0.5) * ANGLE_STEP, self.by_angle
        )
        by_range = np.interp(_steps(ranges), np.arange(RANGES) + 0.5, self.by_range)
        return np.asarray(by_range + np.where(np.isnan(angles), 0.0, by_angle))


@dataclass(frozen=True)
class GainCurves:
    """Of one channel: the median of ln amplitude, and the ln of its quartiles' distance."""

    level: Curve
    spread: Curve


@dataclass(frozen=True)
class GainTable:
    """Curves of each sonar, channel and frequency, and the level and spread all are brought to.

    `in_metres` tells whether ranges are metres; samples otherwise.
    """

    level: float
    spread: float
    curves: Mapping[str, GainCurves]
    in_metres: bool = True


def _steps(ranges: Array) -> Array:
    return np.asarray(
        np.log2(np.clip(ranges, NEAREST, FARTHEST * 0.999) / NEAREST) * STEPS_PER_OCTAVE
    )


@dataclass(frozen=True, eq=False)
class _Medians:
    """Medians of ln amplitude in cells of range and angle, block by block."""

    block: NDArray[np.int64]
    range: NDArray[np.int64]
    angle: NDArray[np.int64]  # -1 where unknown
    median: Array
    spread: Array
    count: Array


def measure_gain(images: Sequence[Image], check: Callable[[], None] | None = None) -> GainTable:
    """The table of all recordings among these images; `check` may raise to stop."""
    swaths = [(image, image.swath) for image in images if image.swath is not None]
    if not swaths:
        raise PmldaError("There is no recording to measure the gain of; open at least one.")
    rows = sum(len(swath.heights) for _, swath in swaths)
    block_rows = max(BLOCK_ROWS, -(-rows // MOST_BLOCKS))
    found: dict[str, list[_Medians]] = {}
    for image, swath in swaths:
        for key, columns in swath.sides():
            if check is not None:
                check()
            found.setdefault(key, []).append(_medians(image.valid, swath, columns, block_rows))
    in_metres = swaths[0][1].metres
    channels = {key: _joined(parts) for key, parts in found.items()}
    channels = {key: each for key, each in channels.items() if len(each.median)}
    if not channels:
        return GainTable(0.0, 0.0, {}, in_metres)
    curves = {
        key: GainCurves(_fitted(each, each.median), _fitted(each, each.spread))
        for key, each in channels.items()
    }
    weights = np.concatenate([each.count for each in channels.values()])
    level, spread = (
        _weighted_median(np.concatenate(values), weights)
        for values in (
            [each.median for each in channels.values()],
            [each.spread for each in channels.values()],
        )
    )
    return GainTable(level, spread, curves, in_metres)


def with_even_gain(image: Image, table: GainTable) -> Image:
    """The recording with the table's gain taken out of its recorded pixels."""
    swath = image.swath
    if swath is None:
        return image
    pixels = swath.recorded.copy()
    largest = np.log(LARGEST_GAIN)
    for key, columns in swath.sides():
        curves = table.curves.get(key)
        if curves is None:
            continue
        for start in range(0, len(pixels), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            place = swath.ranges_and_angles(columns, rows)
            level = curves.level.at(*place)
            power = np.exp(np.clip(table.spread - curves.spread.at(*place), *POWERS))
            level = np.clip(level, table.level - largest, table.level + largest)
            part = pixels[rows, columns]
            seen = part > 0
            contrast = np.log(part, where=seen, out=np.zeros(part.shape)) - level
            pixels[rows, columns] = np.where(seen, np.exp(table.level + power * contrast), part)
    return replace(image, pixels=pixels)


def levels_out(table: GainTable, image: Image) -> bool:
    """Whether the table's gain makes levels within blocks of a recording more even."""
    swath = image.swath
    assert swath is not None
    before = after = 0.0
    for key, columns in swath.sides():
        found = _medians(image.valid, swath, columns, BLOCK_ROWS)
        if not len(found.median):
            continue
        ranges = NEAREST * 2.0 ** ((found.range + 0.5) / STEPS_PER_OCTAVE)
        angles = np.where(found.angle >= 0, (found.angle + 0.5) * ANGLE_STEP, np.nan)
        level = table.curves[key].level.at(ranges, angles)
        before += _scatter_within(found, found.median)
        after += _scatter_within(found, found.median - level)
    return after <= before


def _scatter_within(found: _Medians, values: Array) -> float:
    """The sum of squares of values around the mean of their block."""
    blocks = int(found.block.max()) + 1
    counts = np.maximum(np.bincount(found.block, found.count, blocks), 1e-9)
    means = np.bincount(found.block, found.count * values, blocks) / counts
    return float((found.count * (values - means[found.block]) ** 2).sum())


def _medians(
    valid: NDArray[np.bool_], swath: RecordedSwath, columns: slice, block_rows: int
) -> _Medians:
    parts: list[_Medians] = []
    for number, start in enumerate(range(0, len(valid), block_rows)):
        rows = slice(start, start + block_rows)
        ranges, angles = swath.ranges_and_angles(columns, rows)
        values = swath.recorded[rows, columns].astype(np.float64)
        known = np.isfinite(angles)
        # Where the height is known, what lies before the bottom is water.
        seen = valid[rows, columns] & (values > 0) & (known | np.isnan(swath.heights[rows, None]))
        angle = np.where(known, np.nan_to_num(angles) / ANGLE_STEP, -1).astype(np.int64)
        cell = _steps(ranges).astype(np.int64) * (ANGLES + 1) + np.minimum(angle, ANGLES - 1) + 1
        cells, medians, spreads, counts = _cell_medians(cell[seen], np.log(values[seen]))
        parts.append(
            _Medians(
                np.full(len(cells), number),
                cells // (ANGLES + 1),
                cells % (ANGLES + 1) - 1,
                medians,
                spreads,
                counts,
            )
        )
    return _joined(parts, renumber=False)


def _cell_medians(
    cell: NDArray[np.int64], values: Array
) -> tuple[NDArray[np.int64], Array, Array, Array]:
    """Cells with enough samples; without shadows their medians, spreads, and how many they have."""
    if not len(cell):
        nothing = np.empty(0)
        return np.empty(0, dtype=np.int64), nothing, nothing, nothing
    order = np.lexsort((values, cell))
    cell, values = cell[order], values[order]
    cells, first, counts = np.unique(cell, return_index=True, return_counts=True)
    # Values are sorted within each cell, so shadows are those at its beginning.
    dark = values < np.repeat(values[first + counts // 2] + np.log(SHADOW), counts)
    shadow = np.add.reduceat(dark, first, dtype=np.int64)
    first, counts = first + shadow, counts - shadow
    median, lower, upper = (values[first + counts * part // 4] for part in (2, 1, 3))
    spread = np.log(np.maximum(upper - lower, LEAST_SPREAD))
    enough = counts >= LEAST_SAMPLES
    return cells[enough], median[enough], spread[enough], counts[enough].astype(np.float64)


def _joined(parts: Sequence[_Medians], renumber: bool = True) -> _Medians:
    blocks, offset = [], 0
    for part in parts:
        blocks.append(part.block + offset)
        if renumber and len(part.block):
            offset += int(part.block.max()) + 1
    return _Medians(
        np.concatenate(blocks),
        np.concatenate([part.range for part in parts]),
        np.concatenate([part.angle for part in parts]),
        np.concatenate([part.median for part in parts]),
        np.concatenate([part.spread for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


def _fitted(found: _Medians, values: Array) -> Curve:
    """Levels of blocks, and the parts of range and angle, by reweighted least squares."""
    _, block = np.unique(found.block, return_inverse=True)
    first, last = int(found.range.min()), int(found.range.max())
    steps, blocks = last - first + 1, int(block.max()) + 1
    known = found.angle >= 0
    size = steps + ANGLES + blocks
    at = np.stack([found.range - first, steps + np.maximum(found.angle, 0), steps + ANGLES + block])
    on = np.stack([np.ones(len(block)), known.astype(np.float64), np.ones(len(block))])
    penalty = np.zeros((size, size))
    typical = float(np.sqrt(found.count).sum()) / max(steps, 1)
    _add_curvature(penalty, 0, steps, SMOOTH_RANGE * typical)
    _add_curvature(penalty, steps, ANGLES, SMOOTH_ANGLE * typical)
    # A level that follows the altitude could be the seabed's or the sonar's, which nothing
    # within a line tells apart; left to the blocks, it stays in the picture.
    ridge = np.concatenate([np.zeros(steps), np.full(ANGLES + blocks, RIDGE)]) + 1e-9
    penalty[np.diag_indices(size)] += ridge * typical
    middle = _weighted_median(values, found.count)
    values = values - middle
    weights = np.sqrt(found.count)
    for _ in range(ROBUST_PASSES):
        normal, right = penalty.copy(), np.zeros(size)
        for one in range(3):
            right += np.bincount(at[one], weights * on[one] * values, size)
            for two in range(3):
                pairs = at[one] * size + at[two]
                sums = np.bincount(pairs, weights * on[one] * on[two], size * size)
                normal += sums.reshape(size, size)
        solution = np.linalg.solve(normal, right)
        beyond = values - (solution[at] * on).sum(axis=0)
        residual = np.abs(beyond)
        scale = OUTLIER * max(_weighted_median(residual, found.count), 1e-6)
        # Cells in shadow all over, or on another seabed than their block, count for little.
        weights = np.sqrt(found.count) / (1.0 + (residual / scale) ** 2)
        weights[beyond < np.log(SHADOW)] = 0.0
    by_range = np.interp(np.arange(RANGES), np.arange(first, last + 1), solution[:steps])
    by_range += middle + float(np.average(solution[at[2]], weights=found.count))
    return Curve(tuple(by_range.tolist()), tuple(solution[steps : steps + ANGLES].tolist()))


def _add_curvature(penalty: Array, start: int, count: int, weight: float) -> None:
    """Penalise second differences of `count` unknowns from `start` on."""
    for place in range(start, start + count - 2):
        bend = np.array([1.0, -2.0, 1.0])
        penalty[place : place + 3, place : place + 3] += weight * np.outer(bend, bend)


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, sums[-1] / 2)])
