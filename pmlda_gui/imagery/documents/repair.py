"""Repairs a label map, so that it keeps what every division into documents guarantees.

Each document is connected through pixel sides, the count asked for is the count
given, and none is small: see `minimum_size`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents.merging import absorb_fragments, merge_smallest
from pmlda_gui.imagery.documents.splitting import split_largest

__all__ = [
    "LARGEST_MINIMUM",
    "Ground",
    "connected_parts",
    "find_ground",
    "minimum_size",
    "repair",
    "without_specks",
]

# A patch of valid pixels that stands alone is worth a document from 5 x 5 pixels on.
LARGEST_MINIMUM = 25


@dataclass(frozen=True, eq=False)
class Ground:
    """The pixels that documents are made of.

    `usable` (height, width) marks the valid pixels outside the specks too small
    for a document, and no document has fewer than `minimum_size`.
    """

    usable: NDArray[np.bool_]
    minimum_size: int

    @property
    def area(self) -> int:
        """The number of usable pixels."""
        return int(np.count_nonzero(self.usable))


def minimum_size(pixels: int, count: int) -> int:
    """The least number of pixels in a document when `pixels` are divided into `count`.

    A document has at least a quarter of the mean size, except that a patch of valid
    pixels which stands alone is a document of its own from 25 pixels (or that quarter,
    if it is less) on.  Smaller patches are specks and belong to no document.
    """
    return max(1, min(LARGEST_MINIMUM, _quarter(pixels, count)))


def _quarter(pixels: int, count: int) -> int:
    return max(1, pixels // (4 * count))


def connected_parts(labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """The connected parts of every region, numbered from 0 in reading order; -1 stays."""
    from skimage.measure import label

    parts: NDArray[np.int32] = label(labels, background=-1, connectivity=1).astype(np.int32)
    return parts - np.int32(1)


def without_specks(valid: NDArray[np.bool_], least: int, name: str) -> NDArray[np.bool_]:
    """The mask without its connected patches of fewer than `least` pixels.

    `name` is the image's, for the message where nothing remains.
    """
    if not valid.any():
        raise PmldaError(
            f"The image {name} has no valid pixel to make documents of; "
            "open another band or change what is masked."
        )
    patches = connected_parts(np.where(valid, np.int32(0), np.int32(-1)))
    large = np.bincount(patches[valid]) >= least
    if not large.any():
        raise PmldaError(
            f"The valid pixels of the image {name} lie scattered in specks of fewer than {least} "
            "pixels, too small for a document; ask for more documents or mend its mask."
        )
    return valid & large[patches]


def find_ground(valid: NDArray[np.bool_], count: int, name: str) -> Ground:
    """The pixels of the mask `valid` that `count` documents can be made of."""
    usable = without_specks(valid, minimum_size(int(np.count_nonzero(valid)), count), name)
    return Ground(usable, minimum_size(int(np.count_nonzero(usable)), count))


def repair(
    labels: NDArray[np.int32], ground: Ground, count: int | None, tolerance: float = 0.0
) -> NDArray[np.int32]:
    """A partition near to `labels` that keeps every promise, numbered in reading order.

    `labels` (height, width) may hold anything; usable pixels below 0 are shared out
    among their neighbours.  With `count` None the number of documents is free.  A
    number within `tolerance` (a fraction) of `count` is left alone.  The count is met
    exactly unless there are fewer pixels or more separate patches than that.
    """
    regions = connected_parts(np.where(ground.usable, np.maximum(labels, -1) + 1, np.int32(-1)))
    if count is None:
        return connected_parts(absorb_fragments(regions, ground.minimum_size))
    count = min(count, ground.area)
    quarter = _quarter(ground.area, count)
    regions = absorb_fragments(regions, quarter)
    found = int(regions.max()) + 1
    if abs(found - count) > tolerance * count:
        regions = merge_smallest(regions, count)
        regions = split_largest(regions, count, quarter)
    return connected_parts(regions)
