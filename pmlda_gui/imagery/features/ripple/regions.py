"""The parts of an image whose ripples are measured one by one.

They are the documents, or overlapping square tiles where there are none.  Valid
pixels that no document holds can be gathered in a region of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features.feature_input import PixelGroups

__all__ = ["TILE", "Region", "left_out", "regions_of"]

TILE = 96
"""Side of a tile in pixels; tiles overlap by half."""


@dataclass(frozen=True, eq=False)
class Region:
    """`mask` marks the region's pixels within `box`, the rows and columns it spans."""

    box: tuple[slice, slice]
    mask: NDArray[np.bool_]

    @property
    def coordinates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns of the region's pixels in the whole image."""
        rows, columns = np.nonzero(self.mask)
        return rows + self.box[0].start, columns + self.box[1].start


def regions_of(valid: NDArray[np.bool_], documents: PixelGroups | None) -> Iterator[Region]:
    """The valid pixels of each document in order, or of each tile that has any."""
    if documents is None:
        yield from _tiles(valid)
        return
    for number, group in enumerate(np.split(documents.pixels, documents.offsets[1:-1])):
        held = group[valid.flat[group]]
        if not held.size:
            raise PmldaError(
                f"Document {number} has no valid pixel: make the documents from this image."
            )
        yield _region(held, valid.shape[1])


def left_out(valid: NDArray[np.bool_], documents: PixelGroups | None) -> Iterator[Region]:
    """The valid pixels that no document holds as one region, if there are any."""
    if documents is None:
        return
    remaining = valid.copy()
    remaining.flat[documents.pixels] = False
    if remaining.any():
        yield _region(np.flatnonzero(remaining), valid.shape[1])


def _region(pixels: NDArray[np.int64], width: int) -> Region:
    rows, columns = np.divmod(pixels, width)
    top, left = int(rows.min()), int(columns.min())
    mask = np.zeros((int(rows.max()) - top + 1, int(columns.max()) - left + 1), dtype=np.bool_)
    mask[rows - top, columns - left] = True
    return Region((slice(top, top + mask.shape[0]), slice(left, left + mask.shape[1])), mask)


def _starts(extent: int) -> list[int]:
    """Where tiles begin along one axis, the last one flush with the end."""
    last = max(extent - TILE, 0)
    return sorted({*range(0, last, TILE // 2), last})


def _tiles(valid: NDArray[np.bool_]) -> Iterator[Region]:
    for top in _starts(valid.shape[0]):
        for left in _starts(valid.shape[1]):
            mask = valid[top : top + TILE, left : left + TILE]
            if mask.any():
                box = (slice(top, top + mask.shape[0]), slice(left, left + mask.shape[1]))
                yield Region(box, mask)
