"""The outlines of documents, as a map of pixels and as lines along pixel sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit

__all__ = ["outline_map", "outline_segments"]


@njit(nogil=True, cache=True)
def _sides(
    height: int, width: int, offsets: NDArray[np.int64], pixels: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The pixel sides where a document ends.

    The first array (height + 1, width) has the side above each pixel, the second
    (height, width + 1) the side left of it.
    """
    above = np.zeros((height + 1, width), dtype=np.bool_)
    left = np.zeros((height, width + 1), dtype=np.bool_)
    member = np.full((height, width), -1, dtype=np.int64)
    for document in range(offsets.size - 1):
        for index in range(offsets[document], offsets[document + 1]):
            member[pixels[index] // width, pixels[index] % width] = document
        for index in range(offsets[document], offsets[document + 1]):
            row, column = pixels[index] // width, pixels[index] % width
            if row == 0 or member[row - 1, column] != document:
                above[row, column] = True
            if row == height - 1 or member[row + 1, column] != document:
                above[row + 1, column] = True
            if column == 0 or member[row, column - 1] != document:
                left[row, column] = True
            if column == width - 1 or member[row, column + 1] != document:
                left[row, column + 1] = True
    return above, left


def outline_map(
    shape: tuple[int, int], offsets: NDArray[np.int64], pixels: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The pixels of documents that lie on an outline, (height, width).

    Of two documents' pixels on either side of an outline the upper or left one is
    marked, so that lines are one pixel wide; the image's frame is not an outline.
    """
    above, left = _sides(*shape, offsets, pixels)
    covered = np.zeros(shape, dtype=np.bool_)
    covered.flat[pixels] = True
    marked = np.zeros(shape, dtype=np.bool_)
    marked[:-1] |= above[1:-1]
    marked[:, :-1] |= left[:, 1:-1]
    marked[1:] |= above[1:-1] & ~covered[:-1]
    marked[:, 1:] |= left[:, 1:-1] & ~covered[:, :-1]
    return marked & covered


def outline_segments(
    shape: tuple[int, int], offsets: NDArray[np.int64], pixels: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The outlines as straight lines, (S, 2, 2): two ends of (column, row) in pixel corners."""
    above, left = _sides(*shape, offsets, pixels)
    row, first, last = _runs(above)
    column, top, bottom = _runs(left.T)
    horizontal = np.stack([first, row, last, row], axis=1)
    vertical = np.stack([column, top, column, bottom], axis=1)
    return np.concatenate([horizontal, vertical]).reshape(-1, 2, 2).astype(np.float32)


def _runs(
    sides: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The unbroken runs along the second axis: line, beginning, end (exclusive)."""
    padded = np.pad(sides.astype(np.int8), ((0, 0), (1, 1)))
    change = np.diff(padded, axis=1)
    line, first = np.nonzero(change == 1)
    last = np.nonzero(change == -1)[1]
    return line, first, last
