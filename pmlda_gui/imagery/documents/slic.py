"""Superpixels by simple linear iterative clustering (Achanta and others, 2012).

Centres start in the cells of a grid over the usable pixels, which meets the count
under any mask, and the clustering can be stopped between its rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents.appearance import appearance
from pmlda_gui.imagery.documents.grid import grid_labels
from pmlda_gui.imagery.documents.repair import Ground, repair
from pmlda_gui.imagery.image import Image

__all__ = ["slic_labels", "smoothing_scale"]

ROUNDS = 10
# How many deviations of the appearance one superpixel's side of distance is worth: where
# superpixels are to follow the image, and where they are to be compact.
_FOLLOWING, _COMPACT = 1.5, 5.0


def smoothing_scale(area: int, count: int) -> float:
    """The deviation of the smoothing in pixels for `count` superpixels of `area` pixels.

    An eighth of a superpixel's side: beyond the speckle, within the superpixel.
    """
    return float(np.clip(np.sqrt(area / count) / 8, 0.5, 8.0))


@njit(nogil=True, cache=True)
def _update_centres(
    features: NDArray[np.float32], labels: NDArray[np.int32], centres: NDArray[np.float64]
) -> None:
    """Move each centre (row, column, features) to the mean of its pixels."""
    height, width, channels = features.shape
    sums = np.zeros(centres.shape)
    sizes = np.zeros(centres.shape[0])
    for row in range(height):
        for column in range(width):
            label = labels[row, column]
            if label < 0:
                continue
            sizes[label] += 1
            sums[label, 0] += row
            sums[label, 1] += column
            for channel in range(channels):
                sums[label, 2 + channel] += features[row, column, channel]
    for label in range(centres.shape[0]):
        if sizes[label] > 0:
            centres[label] = sums[label] / sizes[label]


@njit(nogil=True, cache=True)
def _assign(
    features: NDArray[np.float32],
    centres: NDArray[np.float64],
    side: float,
    compactness: float,
    labels: NDArray[np.int32],
    nearest: NDArray[np.float32],
) -> None:
    """Give each usable pixel the nearest centre that lies within a square of twice the side.

    A pixel that no centre reaches keeps its label.
    """
    height, width, channels = features.shape
    nearest[:] = np.inf
    reach = int(np.ceil(side))
    spatial = (compactness / side) ** 2
    for label in range(centres.shape[0]):
        centre_row, centre_column = centres[label, 0], centres[label, 1]
        first_row = max(0, int(centre_row) - reach)
        first_column = max(0, int(centre_column) - reach)
        for row in range(first_row, min(height, int(centre_row) + reach + 1)):
            for column in range(first_column, min(width, int(centre_column) + reach + 1)):
                if labels[row, column] < 0:
                    continue
                distance = spatial * ((row - centre_row) ** 2 + (column - centre_column) ** 2)
                for channel in range(channels):
                    difference = features[row, column, channel] - centres[label, 2 + channel]
                    distance += difference * difference
                if distance < nearest[row, column]:
                    nearest[row, column] = distance
                    labels[row, column] = label


def slic_labels(
    image: Image, ground: Ground, count: int, progress: Progress, compact: bool = False
) -> NDArray[np.int32]:
    """A partition of the usable pixels into `count` superpixels.

    Those that are `compact` follow the borders in the image less.
    """
    compactness = _COMPACT if compact else _FOLLOWING
    count = min(count, ground.area)
    features = appearance(image, ground.usable, smoothing_scale(ground.area, count))
    progress.report(0.3)
    labels = grid_labels(ground, count, tolerance=0.0)
    side = float(np.sqrt(ground.area / count))
    centres = np.zeros((int(labels.max()) + 1, 2 + features.shape[2]))
    nearest = np.empty(labels.shape, dtype=np.float32)
    for finished in range(ROUNDS):
        _update_centres(features, labels, centres)
        _assign(features, centres, side, compactness, labels, nearest)
        progress.report(0.4 + 0.5 * (finished + 1) / ROUNDS)
    return repair(labels, ground, count)
