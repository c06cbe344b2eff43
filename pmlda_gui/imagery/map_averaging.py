"""Maps averaged over the neighbourhood: what share each seabed has of the ground around.

A membership is a share of ground, and features measured over a window tell nothing finer
than about that window: what varies from pixel to pixel is noise, or patches of one seabed
in another, whose share is what is asked for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel

__all__ = ["average_maps", "average_planes", "reach"]

_WIDTHS = 3.0
# How much of the variance of memberships over the ground counts as not known.  By the law of
# total variance all of it would, but about half is noise, which the deviation holds already.
_GROUND_SHARE = 0.5


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
    varied = np.maximum(squares - mean**2, np.float32(0.0))
    return mean, np.sqrt(spread**2 + np.float32(_GROUND_SHARE) * varied)


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
