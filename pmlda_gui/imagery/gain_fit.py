"""Splits levels of cells into those of blocks and curves over range and grazing angle.

Each side of a sonar has curves of its own.  Both sides are made alike, so only what is
smooth in them may differ: of sharper detail, that is taken which the curves share.  A sharp
edge in one of them alone is most likely a border of the seabed along the track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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

__all__ = [
    "Fit",
    "altitude_exponents",
    "fitted",
    "shared_part",
    "with_altitude",
    "with_shared_detail",
]

Array = NDArray[np.float64]

# Weights of second differences.
SMOOTH_RANGE, SMOOTH_ANGLE = 3.0, 0.1
BLOCK_RIDGE, LEAST_RIDGE = 1e-3, 1e-7
# What is smoother than half an octave, or than 12 degrees, may differ between the sides.
SMOOTH_STEPS_OF_RANGE, SMOOTH_STEPS_OF_ANGLE = 16.0, 8.0
ROBUST_PASSES = 4
OUTLIER = 6.0  # times the typical residual
# Levels of neighbouring blocks are alike: so many count as one.
BLOCKS_ALIKE = 4.0
TYPICAL_EXPONENT, LARGEST_EXPONENT = 1.5, 3.0


@dataclass(frozen=True, eq=False)
class Fit:
    """Of one side: its part of the range, (RANGES,), of the angle, (ANGLES,), its blocks' levels.

    `levels` (blocks,) are NaN for blocks without cells; their mean is 0.  `scatter` is the
    mean distance of cells from the fit.
    """

    by_range: Array
    by_angle: Array
    levels: Array
    scatter: float


def fitted(side: SideCells, values: Array, blocks: int) -> Fit:
    """Curves and levels of values in the cells of a side, by reweighted least squares."""
    from scipy import sparse

    first, last = int(side.range.min()), int(side.range.max())
    steps = last - first + 1
    design = _design(side, first, steps)
    typical = float(np.sqrt(side.count).sum()) / max(steps, 1)
    penalty = np.zeros((design.shape[1],) * 2)
    _add_curvature(penalty, 0, steps, SMOOTH_RANGE * typical)
    _add_curvature(penalty, steps, ANGLES, SMOOTH_ANGLE * typical)
    penalty[np.diag_indices(len(penalty))] += LEAST_RIDGE * typical
    of_block = sparse.csr_matrix(
        (np.ones(len(side.block)), (np.arange(len(side.block)), side.block)),
        shape=(len(side.block), blocks),
    )
    middle = weighted_median(values, side.count)
    target = values - middle
    weights = np.sqrt(side.count)
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
        beyond = target - design @ curves - levels[side.block]
        residual = np.abs(beyond)
        scale = OUTLIER * max(weighted_median(residual, side.count), 1e-6)
        # Cells in shadow all over, or on another seabed than their block, count for little.
        weights = np.sqrt(side.count) / (1.0 + (residual / scale) ** 2)
        weights[beyond < np.log(SHADOW)] = 0.0
    mean = float(np.average(levels[side.block], weights=side.count))
    by_range = np.interp(np.arange(RANGES), np.arange(first, last + 1), curves[:steps])
    present = np.bincount(side.block, minlength=blocks) > 0
    return Fit(
        by_range + middle + mean,
        curves[steps:],
        np.where(present, levels - mean, np.nan),
        float(np.average(np.minimum(residual, scale), weights=side.count)),
    )


def with_shared_detail(fits: Sequence[Fit]) -> list[Fit]:
    """The curves of two sides, of whose sharper detail only what they share is kept."""
    if len(fits) != 2:
        return list(fits)
    ranges = _shared_detail([fit.by_range for fit in fits], SMOOTH_STEPS_OF_RANGE)
    angles = _shared_detail([fit.by_angle for fit in fits], SMOOTH_STEPS_OF_ANGLE)
    return [
        replace(fit, by_range=by_range, by_angle=by_angle)
        for fit, by_range, by_angle in zip(fits, ranges, angles, strict=True)
    ]


def _shared_detail(curves: Sequence[Array], steps: float) -> list[Array]:
    """Each curve smoothed over so many steps, and the detail that both have in common."""
    from scipy.linalg import solveh_banded

    count = len(curves[0])
    bands = np.zeros((3, count))
    weight = steps**4 / 16.0
    # The rows of second differences' penalty, of which those at the ends differ.
    diagonal = np.full(count, 6.0)
    diagonal[[0, -1]], diagonal[[1, -2]] = 1.0, 5.0
    beside = np.full(count, -4.0)
    beside[[1, -1]] = -2.0
    bands[2] = 1.0 + weight * diagonal
    bands[1] = weight * beside
    bands[0] = weight
    smooth = [np.asarray(solveh_banded(bands, curve)) for curve in curves]
    detail = [curve - each for curve, each in zip(curves, smooth, strict=True)]
    shared = shared_part(detail[0], detail[1])
    return [each + shared for each in smooth]


def shared_part(one: Array, other: Array) -> Array:
    """The smaller of both where they have the same sign, 0 elsewhere and where unknown."""
    smaller = np.where(np.abs(one) < np.abs(other), one, other)
    with np.errstate(invalid="ignore"):
        return np.where(one * other > 0, np.nan_to_num(smaller), 0.0)


def _design(side: SideCells, first: int, steps: int) -> csr_matrix:
    """What of the curves acts on each cell: its range, and the two nearest steps of angle."""
    from scipy import sparse

    known = np.isfinite(side.angle)
    place = np.clip(np.nan_to_num(side.angle) / ANGLE_STEP - 0.5, 0.0, ANGLES - 1.0)
    lower = np.minimum(place.astype(np.int64), ANGLES - 2)
    part = place - lower
    rows = np.arange(len(place))
    values = np.concatenate([np.ones(len(rows)), known * (1.0 - part), known * part])
    columns = np.concatenate([side.range - first, steps + lower, steps + lower + 1])
    return sparse.csr_matrix((values, (np.tile(rows, 3), columns)), (len(rows), steps + ANGLES))


def altitude_exponents(
    sides: Sequence[SideCells], of_sides: Sequence[Array]
) -> tuple[list[float], float]:
    """How levels `of_sides`' blocks grow with ln altitude, and the typical altitude.

    Range is altitude / sin(angle), so a power of the range, the angle and the altitude
    cannot be told apart within a block.  Levels that follow the altitude through a line are
    most likely the sonar's; the less sure that is, the less of them is taken.
    """
    height = np.full(len(of_sides[0]), np.nan)
    for side in sides:
        height[side.block] = side.height
    known = np.isfinite(height) & (height > 0)
    if known.sum() < 2:
        return [0.0] * len(sides), 1.0
    logarithm = np.where(known, np.log(np.where(known, height, 1.0)), np.nan)
    present = np.isfinite(of_sides)
    counts = np.maximum(present.sum(axis=0), 1)
    # Belts aslant to the track are out of step on the two sides: together they tell more.
    mean = np.where(
        present.any(axis=0), np.where(present, of_sides, 0.0).sum(axis=0) / counts, np.nan
    )
    shared = _slope(logarithm, mean)
    own = [shared + _slope(logarithm, levels - shared * logarithm) for levels in of_sides]
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
