"""Connected regions of a map of classes, none smaller than a stated number of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected_regions", "region_means", "without_small_regions"]

_SIEVINGS = 4


def without_small_regions(classes: NDArray[np.int32], least: int) -> NDArray[np.int32]:
    """The map with regions of fewer pixels given to their largest neighbour.

    Negative classes are outside, take part in nothing and stay as they are; small regions
    with nothing else around them become -1.
    """
    from rasterio.features import sieve

    if least < 2:
        return classes
    found = classes
    for _ in range(_SIEVINGS):
        # A neighbour may be small itself and is then given away the next time.
        before, found = found, sieve(found, least, mask=found >= 0, connectivity=4)
        if np.array_equal(before, found):
            break
    regions, of_class = connected_regions(found)
    sizes = np.bincount(regions[regions >= 0], minlength=len(of_class))
    small = np.append(sizes < least, False)
    return np.where(small[regions], np.int32(-1), found)


def connected_regions(
    classes: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of each pixel's region, -1 outside, and the class of each region.

    Pixels of a region are connected through their sides.
    """
    from scipy.ndimage import label

    regions = np.full(classes.shape, -1, dtype=np.int32)
    of_class: list[int] = []
    for each in np.unique(classes[classes >= 0]).tolist():
        numbers, count = label(classes == each)
        regions = np.where(numbers > 0, numbers + (len(of_class) - 1), regions).astype(np.int32)
        of_class += [each] * count
    return regions, np.array(of_class, dtype=np.int64)


def region_means(
    values: NDArray[np.floating], regions: NDArray[np.int32], count: int
) -> NDArray[np.float64]:
    """The mean of a map over each of `count` regions."""
    inside = regions >= 0
    sums = np.bincount(regions[inside], values[inside].astype(np.float64), count)
    means: NDArray[np.float64] = sums / np.maximum(np.bincount(regions[inside], None, count), 1)
    return means
