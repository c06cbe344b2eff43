"""Splits levels of cells into those of blocks and curves over range and grazing angle.

The sides of one sonar are fitted together: a curve that they share, and for each its
difference, which must be smooth.  Both sides are made alike, so a sharp edge in the
difference is most likely a border of the seabed along the track.  Clear ones are fitted as
such, and are no part of the curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.gain_borders import Border, next_border
from pmlda_gui.imagery.gain_cells import (
    ANGLE_STEP,
    ANGLES,
    NEAREST,
    RANGES,
    SHADOW,
    STEPS_PER_OCTAVE,
    SideCells,
    weighted_median,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Fit", "altitude_exponents", "fitted", "shared_part", "with_altitude"]

Array = NDArray[np.float64]

# Weights of second differences, of the shared curves and of the sides' differences.
SMOOTH_RANGE, SMOOTH_ANGLE = 3.0, 0.1
SMOOTH_RANGE_DIFFERENCE, SMOOTH_ANGLE_DIFFERENCE = 1e5, 1e3
DIFFERENCE_RIDGE = 1e-4
BLOCK_RIDGE = 1e-3
ROBUST_PASSES = 4
OUTLIER = 6.0  # times the typical residual
# Levels of neighbouring blocks are alike: so many count as one.
BLOCKS_ALIKE = 4.0
TYPICAL_EXPONENT, LARGEST_EXPONENT = 1.5, 3.0


@dataclass(frozen=True, eq=False)
class Fit:
    """Of each side: its part of the range, (RANGES,), of the angle, (ANGLES,), its blocks' levels.

    `levels` (blocks,) are NaN for blocks without cells; their mean is 0.  `scatter` is the
    mean distance of cells from the fit.
    """

    by_range: tuple[Array, ...]
    by_angle: tuple[Array, ...]
    levels: tuple[Array, ...]
    scatter: float


def fitted(sides: Sequence[SideCells], values: Sequence[Array], most_borders: int = 0) -> Fit:
    """Curves and levels of values in cells of the sides, by reweighted least squares.

    At most so many borders of the seabed on one side alone are told from the curves.
    """
    borders: list[Border] = []
    while True:
        fit, levels, residuals = _fitted(sides, values, borders)
        if len(borders) == most_borders:
            return fit
        found = next_border(sides, levels, residuals, borders)
        if found is None:
            return fit
        borders.append(found)


def _fitted(
    sides: Sequence[SideCells], values: Sequence[Array], borders: Sequence[Border]
) -> tuple[Fit, list[Array], list[Array]]:
    """The fit with borders of the seabed, the cells' values apart from levels, and residuals."""
    from scipy import sparse

    count = np.concatenate([side.count for side in sides])
    first = min(int(side.range.min()) for side in sides)
    last = max(int(side.range.max()) for side in sides)
    steps = last - first + 1
    blocks = max(int(side.block.max()) for side in sides) + 1
    size = steps + ANGLES
    shared = _design(sides, first, steps)
    number = np.repeat(np.arange(len(sides)), [len(side.count) for side in sides])
    block = np.concatenate([side.block for side in sides]) + blocks * number
    columns = [shared]
    alone = len(sides) == 1
    if not alone:
        columns += [
            sparse.diags((number == which).astype(float)) @ shared for which in range(len(sides))
        ]
    ranges = np.concatenate([side.range for side in sides])
    columns += [
        sparse.csr_matrix(((number == side) & (ranges >= start)).astype(float)[:, np.newaxis])
        for side, start in borders
    ]
    design = sparse.hstack(columns, format="csr")
    typical = float(np.sqrt(count).sum()) / max(steps, 1) / len(sides)
    penalty = np.zeros((design.shape[1],) * 2)
    _add_curvature(penalty, 0, steps, SMOOTH_RANGE * typical * len(sides))
    _add_curvature(penalty, steps, ANGLES, SMOOTH_ANGLE * typical * len(sides))
    for which in range(0 if alone else len(sides)):
        start = size * (1 + which)
        _add_curvature(penalty, start, steps, SMOOTH_RANGE_DIFFERENCE * typical)
        _add_curvature(penalty, start + steps, ANGLES, SMOOTH_ANGLE_DIFFERENCE * typical)
        places = np.arange(start, start + size)
        penalty[places, places] += DIFFERENCE_RIDGE * typical
    penalty[np.diag_indices(len(penalty))] += 1e-7 * typical
    of_block = sparse.csr_matrix(
        (np.ones(len(block)), (np.arange(len(block)), block)),
        shape=(len(block), blocks * len(sides)),
    )
    middles = [weighted_median(each, side.count) for each, side in zip(values, sides, strict=True)]
    target = np.concatenate([each - middle for each, middle in zip(values, middles, strict=True)])
    weights = np.sqrt(count)
    for _ in range(ROBUST_PASSES):
        weighted = sparse.diags(weights)
        # Levels of blocks are eliminated: each acts on the cells of its own block only.
        total = np.asarray(of_block.T @ weights) + BLOCK_RIDGE * typical
        across = np.asarray((of_block.T @ weighted @ design).todense())
        sums = np.asarray(of_block.T @ (weights * target))
        normal = np.asarray((design.T @ weighted @ design).todense()) + penalty
        normal -= across.T @ (across / total[:, np.newaxis])
        right = design.T @ (weights * target) - across.T @ (sums / total)
        curves = np.linalg.solve(normal, right)
        levels = (sums - across @ curves) / total
        beyond = target - design @ curves - levels[block]
        residual = np.abs(beyond)
        scale = OUTLIER * max(weighted_median(residual, count), 1e-6)
        # Cells in shadow all over, or on another seabed than their block, count for little.
        weights = np.sqrt(count) / (1.0 + (residual / scale) ** 2)
        weights[beyond < np.log(SHADOW)] = 0.0
    scatter = float(np.average(np.minimum(residual, scale), weights=count))
    parts = _of_sides(sides, curves, levels.reshape(len(sides), blocks), middles, (first, steps))
    cuts = np.cumsum([len(side.count) for side in sides])[:-1]
    apart = np.split(target - levels[block], cuts)
    return Fit(*parts, scatter), apart, np.split(beyond, cuts)


def _design(sides: Sequence[SideCells], first: int, steps: int) -> csr_matrix:
    from scipy import sparse

    ranges = np.concatenate([side.range for side in sides]) - first
    angles = np.concatenate([side.angle for side in sides])
    known = np.isfinite(angles)
    place = np.clip(np.nan_to_num(angles) / ANGLE_STEP - 0.5, 0.0, ANGLES - 1.0)
    lower = np.minimum(place.astype(np.int64), ANGLES - 2)
    part = place - lower
    rows = np.arange(len(ranges))
    return sparse.csr_matrix(
        (
            np.concatenate([np.ones(len(rows)), known * (1.0 - part), known * part]),
            (
                np.tile(rows, 3),
                np.concatenate([ranges, steps + lower, steps + lower + 1]),
            ),
        ),
        shape=(len(rows), steps + ANGLES),
    )


def _of_sides(
    sides: Sequence[SideCells],
    curves: Array,
    levels: Array,
    middles: Sequence[float],
    extent: tuple[int, int],
) -> tuple[tuple[Array, ...], tuple[Array, ...], tuple[Array, ...]]:
    """Of each side the curves over range and angle and the levels of its blocks."""
    first, steps = extent
    size = steps + ANGLES
    by_range, by_angle, kept = [], [], []
    for which, side in enumerate(sides):
        own = curves[:size].copy()
        if len(sides) > 1:
            own += curves[size * (1 + which) : size * (2 + which)]
        mean = float(np.average(levels[which][side.block], weights=side.count))
        full = np.interp(np.arange(RANGES), np.arange(first, first + steps), own[:steps])
        by_range.append(full + middles[which] + mean)
        by_angle.append(own[steps:])
        present = np.bincount(side.block, minlength=levels.shape[1]) > 0
        kept.append(np.where(present, levels[which] - mean, np.nan))
    return tuple(by_range), tuple(by_angle), tuple(kept)


def shared_part(one: Array, other: Array) -> Array:
    """The smaller of both where they have the same sign, 0 elsewhere and where unknown."""
    smaller = np.where(np.abs(one) < np.abs(other), one, other)
    with np.errstate(invalid="ignore"):
        return np.where(one * other > 0, np.nan_to_num(smaller), 0.0)


def altitude_exponents(sides: Sequence[SideCells], fit: Fit) -> tuple[list[float], float]:
    """How levels of each side's blocks grow with ln altitude, and the typical altitude.

    Range is altitude / sin(angle), so a power of the range, the angle and the altitude
    cannot be told apart within a block.  Levels that follow the altitude through a line are
    most likely the sonar's; the less sure that is, the less of them is taken.
    """
    blocks = len(fit.levels[0])
    height = np.full(blocks, np.nan)
    for side in sides:
        height[side.block] = side.height
    known = np.isfinite(height) & (height > 0)
    if known.sum() < 2:
        return [0.0] * len(sides), 1.0
    logarithm = np.where(known, np.log(np.where(known, height, 1.0)), np.nan)
    present = np.isfinite(fit.levels)
    counts = np.maximum(present.sum(axis=0), 1)
    # Belts aslant to the track are out of step on the two sides: together they tell more.
    mean = np.where(
        present.any(axis=0), np.where(present, fit.levels, 0.0).sum(axis=0) / counts, np.nan
    )
    shared = _slope(logarithm, mean)
    own = [shared + _slope(logarithm, levels - shared * logarithm) for levels in fit.levels]
    limited = [float(np.clip(each, -LARGEST_EXPONENT, LARGEST_EXPONENT)) for each in own]
    return limited, float(np.exp(np.nanmean(logarithm)))


def _slope(x: Array, y: Array) -> float:
    """The slope of y over x where both are known, nearer to 0 the less sure it is."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return 0.0
    x, y = x[known] - x[known].mean(), y[known] - y[known].mean()
    weights = np.ones(len(x))
    slope = certainty = 0.0
    for _ in range(ROBUST_PASSES):
        spread = float((weights * x**2).sum())
        if spread <= 1e-9:
            break
        slope = float((weights * x * y).sum()) / spread
        residual = np.abs(y - slope * x)
        scale = OUTLIER / 2 * max(float(np.median(residual)), 1e-6)
        weights = 1.0 / (1.0 + (residual / scale) ** 2)
        noise = BLOCKS_ALIKE * float(np.average(residual**2, weights=weights))
        certainty = spread / (spread + noise / TYPICAL_EXPONENT**2)
    return slope * certainty


def with_altitude(
    by_range: Array, by_angle: Array, exponent: float, typical: float
) -> tuple[Array, Array]:
    """Curves that also hold `exponent` times ln of the altitude over a typical one."""
    ranges = NEAREST * 2.0 ** ((np.arange(RANGES) + 0.5) / STEPS_PER_OCTAVE)
    angles = (np.arange(ANGLES) + 0.5) * ANGLE_STEP
    return (
        by_range + exponent * (np.log(ranges) - np.log(typical)),
        by_angle + exponent * np.log(np.sin(angles)),
    )


def _add_curvature(penalty: Array, start: int, count: int, weight: float) -> None:
    """Penalise second differences of `count` unknowns from `start` on."""
    for place in range(start, start + count - 2):
        bend = np.array([1.0, -2.0, 1.0])
        penalty[place : place + 3, place : place + 3] += weight * np.outer(bend, bend)
