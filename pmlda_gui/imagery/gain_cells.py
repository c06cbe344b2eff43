"""Medians of a recording's amplitudes in cells of range and grazing angle, block by block.

A block is a few rows of the picture.  Water and shadows are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.swath import RecordedSwath

__all__ = [
    "ANGLES",
    "ANGLE_STEP",
    "BLOCK_ROWS",
    "NEAREST",
    "RANGES",
    "SHADOW",
    "STEPS_PER_OCTAVE",
    "SideCells",
    "cell_medians",
    "joined",
    "range_steps",
    "side_cells",
    "weighted_median",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

# Ranges are counted in steps of an octave, from this range on.
STEPS_PER_OCTAVE = 32
NEAREST, FARTHEST = 2.0**-6, 2.0**14
RANGES = int(np.log2(FARTHEST / NEAREST) * STEPS_PER_OCTAVE)
ANGLE_STEP = float(np.radians(1.5))
ANGLES = round(np.pi / 2 / ANGLE_STEP)
BLOCK_ROWS = 16
LEAST_SAMPLES = 12
LEAST_SPREAD = 0.02
SATURATED = 0.02  # nearer to the largest value than this, in ln amplitude
# Samples darker than this share of their cell's median are taken for shadow.
SHADOW = 0.3


@dataclass(frozen=True, eq=False)
class SideCells:
    """The cells of one side: `block` and `range` step, `angle` in radians (NaN if unknown).

    `median` is of ln amplitude, `spread` the ln of its quartiles' distance (NaN where the
    recorder has cut off the brighter ones), `count` how many samples a cell has.  `height` is
    the height above the bottom of each cell's block, `roll` how far its beams are turned up
    from the bottom, in radians.
    """

    block: Numbers
    range: Numbers
    angle: Array
    median: Array
    spread: Array
    count: Array
    height: Array
    roll: Array

    def rolled(self, sign: int) -> SideCells:
        """The same cells with angles in the sonar's own frame; `sign` is that of its roll."""
        return replace(self, angle=np.clip(self.angle + sign * self.roll, 0.0, np.pi / 2))

    def ranges(self) -> Array:
        """The slant range in the middle of each cell."""
        return np.asarray(NEAREST * 2.0 ** ((self.range + 0.5) / STEPS_PER_OCTAVE))


def range_steps(ranges: Array) -> Array:
    """Slant ranges in steps of the table."""
    return np.asarray(
        np.log2(np.clip(ranges, NEAREST, FARTHEST * 0.999) / NEAREST) * STEPS_PER_OCTAVE
    )


def side_cells(
    valid: NDArray[np.bool_], swath: RecordedSwath, columns: slice, block_rows: int
) -> SideCells:
    """The cells of one side of a recording, as it was recorded."""
    parts: list[SideCells] = []
    full = float(np.log(max(float(swath.recorded.max(initial=1.0)), 1e-30))) - SATURATED
    for number, start in enumerate(range(0, len(valid), block_rows)):
        rows = slice(start, start + block_rows)
        ranges, angles = swath.ranges_and_angles(columns, rows)
        values = swath.recorded[rows, columns].astype(np.float64)
        known = np.isfinite(angles)
        # Where the height is known, what lies before the bottom is water.
        seen = valid[rows, columns] & (values > 0) & (known | np.isnan(swath.heights[rows, None]))
        angle = np.where(known, np.nan_to_num(angles) / ANGLE_STEP, -1).astype(np.int64)
        cell = range_steps(ranges).astype(np.int64) * (ANGLES + 1)
        cell += np.minimum(angle, ANGLES - 1) + 1
        cells, medians, spreads, counts = cell_medians(cell[seen], np.log(values[seen]), full)
        step = cells % (ANGLES + 1) - 1
        heights = swath.heights[rows]
        height = float(np.mean(heights)) if np.isfinite(heights).all() else np.nan
        parts.append(
            SideCells(
                np.full(len(cells), number),
                cells // (ANGLES + 1),
                np.where(step >= 0, (step + 0.5) * ANGLE_STEP, np.nan),
                medians,
                spreads,
                counts,
                np.full(len(cells), height),
                np.full(len(cells), float(np.mean(swath.turned(columns, rows)))),
            )
        )
    return joined(parts)


def cell_medians(
    cell: Numbers, values: Array, full: float = np.inf
) -> tuple[Numbers, Array, Array, Array]:
    """Cells with enough samples; without shadows their medians, spreads, and how many they have.

    The spread of cells of which a tenth reaches `full` is NaN.
    """
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
    spread[values[first + counts * 9 // 10] >= full] = np.nan
    enough = counts >= LEAST_SAMPLES
    return cells[enough], median[enough], spread[enough], counts[enough].astype(np.float64)


def joined(parts: Sequence[SideCells], first_blocks: Sequence[int] | None = None) -> SideCells:
    """All cells together; blocks of each part are counted from `first_blocks`, 0 without."""
    offsets = [0] * len(parts) if first_blocks is None else first_blocks
    moved = [
        replace(part, block=part.block + offset)
        for part, offset in zip(parts, offsets, strict=True)
    ]
    return SideCells(
        np.concatenate([part.block for part in moved]),
        np.concatenate([part.range for part in moved]),
        np.concatenate([part.angle for part in moved]),
        np.concatenate([part.median for part in moved]),
        np.concatenate([part.spread for part in moved]),
        np.concatenate([part.count for part in moved]),
        np.concatenate([part.height for part in moved]),
        np.concatenate([part.roll for part in moved]),
    )


def weighted_median(values: Array, weights: Array) -> float:
    """The value below which half of the weight lies."""
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, sums[-1] / 2)])
