"""A rectangle of an image's pixels, as tiles are cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Window"]


class Window(NamedTuple):
    """A rectangle of pixels, whose first is at (`row`, `column`)."""

    row: int
    column: int
    height: int
    width: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rectangle as indices of an image."""
        return (
            slice(self.row, self.row + self.height),
            slice(self.column, self.column + self.width),
        )

    def widened(self, margin: int, shape: tuple[int, int]) -> Window:
        """The rectangle with so many pixels more on each side, as far as the image goes."""
        top, left = max(self.row - margin, 0), max(self.column - margin, 0)
        bottom = min(self.row + self.height + margin, shape[0])
        right = min(self.column + self.width + margin, shape[1])
        return Window(top, left, bottom - top, right - left)

    def within(self, other: Window) -> tuple[slice, slice]:
        """The rectangle as indices of the pixels of another that holds it."""
        top, left = self.row - other.row, self.column - other.column
        return slice(top, top + self.height), slice(left, left + self.width)

    def cells(self, factor: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and columns of the cells, `factor` pixels wide, that its pixels lie in."""
        rows, columns = np.ogrid[self.slices]
        return rows // factor, columns // factor
