"""Averages maps over the neighbourhood of each pixel.

A membership is a share of ground, and features measured over a window tell nothing finer
than about that window: what varies from pixel to pixel is noise, or patches of one seabed
in another, whose share is what is asked for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel

__all__ = [
    "average_maps",
    "average_planes",
    "average_samples",
    "reach",
    "sample_step",
    "sampled",
    "spread_of",
    "stood_for",
]

_WIDTHS = 3.0
# Samples to a standard deviation of the average, and to a window of what is sampled.
_SAMPLES_PER_DEVIATION, _SAMPLES_PER_WINDOW = 1.4, 3.0
_WIDEST_STEP = 15
# How often the variance of memberships over the ground counts.  By the law of total variance it
# would be once, but words are averages over ground as well, so that maps hide as much again;
# twice gives the coverage that is stated on tuning scenes.
_GROUND = 2.0


def sample_step(deviation: float, window: int) -> int:
    """Every how many rows and columns must be known for the average to be that of all pixels.

    What is averaged, with a Gaussian of `deviation` pixels, was measured over windows of so
    many pixels, and so does not vary from one pixel to the next.
    """
    step = int(min(deviation / _SAMPLES_PER_DEVIATION, window / _SAMPLES_PER_WINDOW))
    # Only an odd number of pixels has one in the middle, which stands for them all.
    return max(1, min(step - (step + 1) % 2, _WIDEST_STEP))


def sampled(start: int, length: int, step: int) -> NDArray[np.int64]:
    """Which of `length` rows or columns from `start` on are samples, counted in the image."""
    first = step // 2
    begin = start + (first - start) % step
    return np.arange(begin, start + length, step)


def stood_for(
    valid: NDArray[np.bool_], rows: NDArray[np.int64], columns: NDArray[np.int64], step: int
) -> NDArray[np.uint16]:
    """How many valid pixels of the square around it each sample stands for."""
    sums = np.zeros((valid.shape[0] + 1, valid.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(valid, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    (top, bottom), (left, right) = (
        (np.clip(at - step // 2, 0, side), np.clip(at - step // 2 + step, 0, side))
        for at, side in ((rows, valid.shape[0]), (columns, valid.shape[1]))
    )
    counts = (
        sums[np.ix_(bottom, right)] - sums[np.ix_(top, right)]
        - sums[np.ix_(bottom, left)] + sums[np.ix_(top, left)]
    )  # fmt: skip
    return counts.astype(np.uint16)


def reach(deviation: float) -> int:
    """How many pixels away a Gaussian of that standard deviation, in pixels, still counts."""
    return math.ceil(_WIDTHS * deviation)


def average_planes(
    planes: NDArray[np.float32], valid: NDArray[np.bool_], deviation: float
) -> NDArray[np.float32]:
    """Planes (P, height, width) averaged with a Gaussian of `deviation` pixels, NaN outside.

    Pixels that are not `valid` lend nothing to the others.
    """
    taps = np.exp(-0.5 * (np.arange(reach(deviation) + 1) / max(deviation, 1e-9)) ** 2)
    filled = np.where(valid, planes, np.float32(0.0)).astype(np.float32)
    weights = _averaged(valid.astype(np.float32), taps.astype(np.float32))
    result = np.empty_like(filled)
    for number, plane in enumerate(filled):
        result[number] = _averaged(plane, taps.astype(np.float32))
    with np.errstate(invalid="ignore", divide="ignore"):
        result /= weights
    result[:, ~valid] = np.nan
    return result


def average_maps(
    memberships: NDArray[np.float32],
    uncertainty: NDArray[np.float32],
    valid: NDArray[np.bool_],
    deviation: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean memberships and their standard deviation (K, height, width), both averaged.

    An average over the ground says less about the pixel in its middle where memberships
    change within it: across a border, or where patches lie close together.  What they vary by
    is added to the deviation.
    """
    together = np.concatenate([memberships, uncertainty, memberships**2])
    mean, spread, squares = np.split(average_planes(together, valid, deviation), 3)
    return mean, spread_of(mean, spread, squares)


def spread_of(
    mean: NDArray[np.float32], spread: NDArray[np.float32], squares: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The deviation of averages, from those of memberships, deviations and squared memberships.

    What memberships vary by over the ground is added twice: see `_GROUND`.
    """
    varied = np.maximum(squares - mean**2, np.float32(0.0))
    found: NDArray[np.float32] = np.sqrt(spread**2 + np.float32(_GROUND) * varied)
    return found


def average_samples(
    samples: NDArray[np.float32],
    weights: NDArray[np.float32],
    first: tuple[int, int],
    step: int,
    shape: tuple[int, int],
    deviation: float,
) -> NDArray[np.float32]:
    """Averages (P, height, width) at every pixel of samples (P, rows, columns) of planes.

    Samples lie on every `step`-th row and column of the pixels, the first on the row and
    column `first`, which may lie outside.  `weights` (rows, columns) say how many pixels a
    sample stands for; one that stands for none lends nothing, and a pixel without any other
    in reach is NaN.
    """
    taps = np.exp(-0.5 * (np.arange(reach(deviation) + 1) / max(deviation, 1e-9)) ** 2)
    taps = taps.astype(np.float32)
    totals = _spread(weights, taps, *first, step, *shape)
    totals[totals <= 0.0] = np.nan
    result = np.empty((len(samples), *shape), np.float32)
    for number, plane in enumerate(samples):
        filled = np.where(weights > 0.0, plane, np.float32(0.0)) * weights
        result[number] = _spread(filled, taps, *first, step, *shape)
        result[number] /= totals
    return result


@kernel
def _spread(
    samples: NDArray[np.float32],
    taps: NDArray[np.float32],
    first_row: int,
    first_column: int,
    step: int,
    height: int,
    width: int,
) -> NDArray[np.float32]:
    """Samples times the taps along both axes, summed at every pixel."""
    rows, columns = samples.shape
    last = taps.size - 1
    both = np.empty(2 * last + 1, np.float32)
    for i in range(2 * last + 1):
        both[i] = taps[abs(i - last)]
    across = np.zeros((rows, width), np.float32)
    for r in range(rows):
        for c in range(columns):
            middle = first_column + c * step
            value = samples[r, c]
            for column in range(max(middle - last, 0), min(middle + last + 1, width)):
                across[r, column] += value * both[column - middle + last]
    result = np.zeros((height, width), np.float32)
    for row in range(height):
        # The first sample at most `last` rows above, and the last so many below.
        begin = max(-((first_row + last - row) // step), 0)
        end = min((row + last - first_row) // step + 1, rows)
        for r in range(begin, end):
            tap = taps[abs(first_row + r * step - row)]
            for column in range(width):
                result[row, column] += tap * across[r, column]
    return result


@kernel
def _averaged(plane: NDArray[np.float32], taps: NDArray[np.float32]) -> NDArray[np.float32]:
    """The plane times the taps along both axes; beyond its edges there is nothing."""
    height, width = plane.shape
    last = taps.size - 1
    down = np.zeros((height, width), np.float32)
    for row in range(height):
        for other in range(max(row - last, 0), min(row + last + 1, height)):
            tap = taps[abs(other - row)]
            for column in range(width):
                down[row, column] += tap * plane[other, column]
    result = np.zeros((height, width), np.float32)
    for row in range(height):
        for shift in range(-last, last + 1):
            tap = taps[abs(shift)]
            for column in range(max(-shift, 0), min(width - shift, width)):
                result[row, column] += tap * down[row, column + shift]
    return result
