"""A plain grid of nearly square cells, laid over the usable part of an image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.documents.repair import Ground, repair

__all__ = ["grid_labels"]

# A plain grid has rows times columns cells; so near to the count asked for it stays plain.
PLAIN_TOLERANCE = 0.1


def grid_labels(
    ground: Ground, count: int, tolerance: float = PLAIN_TOLERANCE
) -> NDArray[np.int32]:
    """A partition of the usable pixels into about `count` cells of a grid.

    Cells that the mask leaves (nearly) empty are not counted, so a masked image is
    cut more finely than a full one.  Beyond `tolerance` (a fraction of `count`)
    single cells are split or joined.
    """
    used_rows = np.flatnonzero(ground.usable.any(axis=1))
    used_columns = np.flatnonzero(ground.usable.any(axis=0))
    top, left = used_rows[0], used_columns[0]
    box = ground.usable[top : used_rows[-1] + 1, left : used_columns[-1] + 1]
    rows, columns = _choose_division(box, min(count, ground.area))
    row_edges, column_edges = _edges(box.shape[0], rows), _edges(box.shape[1], columns)
    cell_row = np.repeat(np.arange(rows, dtype=np.int32), np.diff(row_edges))
    cell_column = np.repeat(np.arange(columns, dtype=np.int32), np.diff(column_edges))
    cells = np.full(ground.usable.shape, -1, dtype=np.int32)
    cells[top : top + box.shape[0], left : left + box.shape[1]] = (
        cell_row[:, None] * np.int32(columns) + cell_column
    )
    return repair(cells, ground, count, tolerance)


def _edges(length: int, parts: int) -> NDArray[np.int64]:
    """Where `length` pixels are cut into `parts` of equal length, within a pixel."""
    return np.round(np.linspace(0, length, parts + 1)).astype(np.int64)


def _choose_division(box: NDArray[np.bool_], count: int) -> tuple[int, int]:
    """The rows and columns that give the number of occupied cells nearest to `count`."""
    height, width = box.shape
    total = np.zeros((height + 1, width + 1), dtype=np.int64)
    total[1:, 1:] = box.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)

    def occupied(rows: int, columns: int) -> int:
        # A cell with less than a quarter of its pixels will be joined to another.
        corners = total[np.ix_(_edges(height, rows), _edges(width, columns))]
        held = np.diff(np.diff(corners, axis=0), axis=1)
        return int(np.count_nonzero(4 * held * rows * columns >= height * width))

    def square_columns(rows: int) -> int:
        return int(np.clip(round(rows * width / height), 1, width))

    fewest, most = 1, height
    while fewest < most:
        middle = (fewest + most) // 2
        if occupied(middle, square_columns(middle)) < count:
            fewest = middle + 1
        else:
            most = middle
    candidates = [
        (rows, square_columns(rows) + change)
        for rows in range(max(1, fewest - 2), min(height, fewest + 1) + 1)
        for change in (0, -1, 1)
        if 1 <= square_columns(rows) + change <= width
    ]
    return min(candidates, key=lambda division: abs(occupied(*division) - count))
