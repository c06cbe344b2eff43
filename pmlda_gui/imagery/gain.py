"""Corrects the gain by an empirical table over range and grazing angle.

What a sonar records of an even seabed depends on the range (spreading, absorption,
time-varying gain) and on the grazing angle (beam pattern, backscatter).  Both are
measured together in all lines: medians in cells of range and angle, block by block
along the track, are split into a level of the block, a part of the range and a part
of the angle.  Only the last two are taken out, so differences along the track stay,
unless they follow the altitude.  What a recorder has evened out already leaves nothing
to take out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.gain_cells import (
    ANGLE_STEP,
    ANGLES,
    BLOCK_ROWS,
    RANGES,
    SideCells,
    joined,
    range_steps,
    side_cells,
    weighted_median,
)
from pmlda_gui.imagery.gain_fit import altitude_exponents, fitted, with_altitude
from pmlda_gui.imagery.gain_residue import MirroredPart
from pmlda_gui.imagery.image import Image

__all__ = ["Curve", "GainCurves", "GainTable", "levels_out", "measure_gain", "with_even_gain"]

Array = NDArray[np.float64]

MOST_BLOCKS = 400
LARGEST_GAIN = 60.0
POWERS = (np.log(0.5), np.log(2.0))
ROWS_AT_ONCE = 256
# The roll is turned the way that leaves less scatter, if it is less by so much.
ROLL_HELPS = 0.99
# Borders of the seabed at one range on one side, all along the lines.
MOST_BORDERS = 4


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
        by_range = np.interp(range_steps(ranges), np.arange(RANGES) + 0.5, self.by_range)
        return np.asarray(by_range + np.where(np.isnan(angles), 0.0, by_angle))


@dataclass(frozen=True)
class GainCurves:
    """Of one channel: the median of ln amplitude, and the ln of its quartiles' distance.

    `roll` is the sign with which the recorded roll turns its beams, 0 if it does not.
    """

    level: Curve
    spread: Curve
    roll: int = 0


@dataclass(frozen=True)
class GainTable:
    """Curves of each sonar, channel and frequency, and the level and spread all are brought to.

    `in_metres` tells whether ranges are metres; samples otherwise.
    """

    level: float
    spread: float
    curves: Mapping[str, GainCurves]
    in_metres: bool = True


def measure_gain(images: Sequence[Image], check: Callable[[], None] | None = None) -> GainTable:
    """The table of all recordings among these images; `check` may raise to stop."""
    swaths = [(image, image.swath) for image in images if image.swath is not None]
    if not swaths:
        raise PmldaError("There is no recording to measure the gain of; open at least one.")
    rows = sum(len(swath.heights) for _, swath in swaths)
    block_rows = max(BLOCK_ROWS, -(-rows // MOST_BLOCKS))
    found: dict[str, list[tuple[int, SideCells]]] = {}
    first = 0
    for image, swath in swaths:
        for key, columns in swath.sides():
            if check is not None:
                check()
            cells = side_cells(image.valid, swath, columns, block_rows)
            found.setdefault(key, []).append((first, cells))
        first += -(-len(image.valid) // block_rows)
    sides = {
        key: joined([cells for _, cells in parts], [first for first, _ in parts])
        for key, parts in found.items()
    }
    sides = {key: cells for key, cells in sides.items() if len(cells.median)}
    in_metres = swaths[0][1].metres
    if not sides:
        return GainTable(0.0, 0.0, {}, in_metres)
    curves: dict[str, GainCurves] = {}
    for keys in _keys_together([swath.keys for _, swath in swaths]):
        curves.update(_curves({key: sides[key] for key in sorted(keys) if key in sides}, check))
    counts = [side.count for side in sides.values()]
    level = _middle([side.median for side in sides.values()], counts)
    spread = _middle([side.spread for side in sides.values()], counts)
    return GainTable(level, spread, curves, in_metres)


def _middle(parts: Sequence[Array], counts: Sequence[Array]) -> float:
    """The median of what is known of the values, 0 of nothing."""
    values, weights = np.concatenate(parts), np.concatenate(counts)
    known = np.isfinite(values)
    return weighted_median(values[known], weights[known]) if known.any() else 0.0


def _keys_together(of_swaths: Sequence[tuple[str, ...]]) -> list[set[str]]:
    """Keys that are sides of one sonar, as far as swaths show them together."""
    groups: list[set[str]] = []
    for keys in of_swaths:
        together = set(keys).union(*(group for group in groups if group & set(keys)))
        groups = [group for group in groups if not group & together] + [together]
    return groups


def _curves(
    found: Mapping[str, SideCells], check: Callable[[], None] | None
) -> dict[str, GainCurves]:
    """The curves of the sides of one sonar."""
    if not found:
        return {}
    sides = list(found.values())
    medians = [side.median for side in sides]
    level, sign = fitted(sides, medians), 0
    rolls = any(side.roll.any() for side in sides)
    for turn in (-1, 1) if rolls else ():
        if check is not None:
            check()
        turned = fitted([side.rolled(turn) for side in sides], medians)
        if turned.scatter < level.scatter * ROLL_HELPS:
            level, sign = turned, turn
    sides = [side.rolled(sign) for side in sides]
    level = fitted(sides, medians, MOST_BORDERS)
    middle = _middle([side.spread for side in sides], [side.count for side in sides])
    # Where bright samples were cut off, nothing is known of the spread: it is left alone.
    spread = fitted(sides, [np.nan_to_num(side.spread, nan=middle) for side in sides])
    exponents, typical = altitude_exponents(sides, level)
    return {
        key: GainCurves(
            _curve(*with_altitude(level.by_range[at], level.by_angle[at], exponents[at], typical)),
            _curve(spread.by_range[at], spread.by_angle[at]),
            sign,
        )
        for at, key in enumerate(found)
    }


def _curve(by_range: Array, by_angle: Array) -> Curve:
    return Curve(tuple(by_range.tolist()), tuple(by_angle.tolist()))


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
        for rows in _row_parts(len(pixels)):
            ranges, angles = swath.ranges_and_angles(columns, rows)
            turned = angles + curves.roll * swath.turned(columns, rows)[:, np.newaxis]
            place = ranges, np.clip(turned, 0.0, np.pi / 2)
            level = curves.level.at(*place)
            power = np.exp(np.clip(table.spread - curves.spread.at(*place), *POWERS))
            level = np.clip(level, table.level - largest, table.level + largest)
            part = pixels[rows, columns]
            seen = part > 0
            contrast = np.log(part, where=seen, out=np.zeros(part.shape)) - level
            pixels[rows, columns] = np.where(seen, np.exp(table.level + power * contrast), part)
    mirrored = MirroredPart(pixels, image.valid, swath)
    for _, columns in swath.sides():
        for rows in _row_parts(len(pixels)):
            pixels[rows, columns] *= np.exp(-mirrored.at(columns, rows))
    return replace(image, pixels=pixels)


def _row_parts(count: int) -> list[slice]:
    return [slice(start, start + ROWS_AT_ONCE) for start in range(0, count, ROWS_AT_ONCE)]


def levels_out(table: GainTable, image: Image) -> bool:
    """Whether the table's gain makes levels within blocks of a recording more even."""
    swath = image.swath
    assert swath is not None
    before = after = 0.0
    for key, columns in swath.sides():
        found = side_cells(image.valid, swath, columns, BLOCK_ROWS)
        if not len(found.median):
            continue
        curves = table.curves[key]
        level = curves.level.at(found.ranges(), found.rolled(curves.roll).angle)
        before += _scatter_within(found, found.median)
        after += _scatter_within(found, found.median - level)
    return after <= before


def _scatter_within(found: SideCells, values: Array) -> float:
    """The sum of squares of values around the mean of their block."""
    blocks = int(found.block.max()) + 1
    counts = np.maximum(np.bincount(found.block, found.count, blocks), 1e-9)
    means = np.bincount(found.block, found.count * values, blocks) / counts
    return float((found.count * (values - means[found.block]) ** 2).sum())
