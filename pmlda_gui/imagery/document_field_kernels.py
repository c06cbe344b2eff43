"""The compiled loops of `document_field`: cells, their blur, and weights at pixels and words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel

__all__ = ["blurred_cells", "cell_grid", "mixed_cells", "places_in_cells", "word_weights"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# How many widths the blur reaches.
_REACH = 2.5
# Documents with less than this fraction of the largest weight at a cell are left out there.
_LEAST_WEIGHT = 0.04


@kernel
def cell_grid(labels: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """The document of each cell: that of the valid pixel nearest to its middle, -1 for none."""
    height, width = labels.shape
    rows, columns = -(-height // size), -(-width // size)
    grid = np.full((rows, columns), np.int32(-1))
    for r in range(rows):
        for c in range(columns):
            middle_row, middle_column = r * size + (size - 1) * 0.5, c * size + (size - 1) * 0.5
            best = np.inf
            for y in range(r * size, min((r + 1) * size, height)):
                for x in range(c * size, min((c + 1) * size, width)):
                    if labels[y, x] >= 0:
                        away = (y - middle_row) ** 2 + (x - middle_column) ** 2
                        if away < best:
                            best = away
                            grid[r, c] = labels[y, x]
    return grid


@kernel
def blurred_cells(
    grid: NDArray[np.int32], top: int, bottom: int, left: int, right: int, width: float, count: int
) -> tuple[Indices, Indices, Array]:
    """Weights of the documents at each cell of a rectangle, a row of cells after the other."""
    reach = int(np.ceil(_REACH * width)) if width > 0.0 else 0
    taps = np.ones(reach + 1)
    for i in range(1, reach + 1):
        taps[i] = np.exp(-0.5 * (i / width) ** 2)
    cells = (bottom - top) * (right - left)
    starts = np.zeros(cells + 1, np.int64)
    room = max(4 * cells, 64)
    documents = np.empty(room, np.int64)
    weights = np.empty(room)
    scores = np.zeros(count)
    touched = np.empty(count, np.int64)
    used = 0
    for r in range(top, bottom):
        for c in range(left, right):
            found = 0
            if grid[r, c] >= 0:
                for y in range(max(r - reach, 0), min(r + reach + 1, grid.shape[0])):
                    tap = taps[abs(y - r)]
                    for x in range(max(c - reach, 0), min(c + reach + 1, grid.shape[1])):
                        document = grid[y, x]
                        if document >= 0:
                            if scores[document] == 0.0:
                                touched[found] = document
                                found += 1
                            weight = tap * taps[abs(x - c)]
                            scores[document] += weight
            if used + found > room:
                room = max(2 * room, used + found)
                more_documents = np.empty(room, np.int64)
                more_weights = np.empty(room)
                more_documents[:used] = documents[:used]
                more_weights[:used] = weights[:used]
                documents, weights = more_documents, more_weights
            begin = used
            kept, largest = 0.0, 0.0
            for i in range(found):
                largest = max(largest, scores[touched[i]])
            for i in range(found):
                document = touched[i]
                weight = scores[document]
                scores[document] = 0.0
                if weight >= _LEAST_WEIGHT * largest:
                    documents[used] = document
                    weights[used] = weight
                    kept += weight
                    used += 1
            for i in range(begin, used):
                weights[i] /= kept
            starts[(r - top) * (right - left) + c - left + 1] = used
    return starts, documents[:used].copy(), weights[:used].copy()


@kernel
def mixed_cells(
    documents: Array,
    cells: Indices,
    starts: Indices,
    numbers: Indices,
    weights: Array,
    result: Array,
) -> None:
    for draw in range(result.shape[0]):
        for i in range(cells.size):
            for place in range(starts[cells[i]], starts[cells[i] + 1]):
                for k in range(result.shape[2]):
                    result[draw, i, k] += weights[place] * documents[draw, numbers[place], k]


@kernel
def places_in_cells(
    rows: Indices,
    columns: Indices,
    size: int,
    first_row: int,
    first_column: int,
    cell_rows: int,
    cell_columns: int,
    filled: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The four cells around each pixel and their shares; empty cells have none."""
    cells = np.zeros((4, rows.size), np.int32)
    shares = np.zeros((4, rows.size), np.float32)
    for i in range(rows.size):
        # In units of cells, from the middle of the first.
        y = (rows[i] + 0.5) / size - 0.5 - first_row
        x = (columns[i] + 0.5) / size - 0.5 - first_column
        y = min(max(y, 0.0), cell_rows - 1.0)
        x = min(max(x, 0.0), cell_columns - 1.0)
        top = min(int(y), max(cell_rows - 2, 0))
        left = min(int(x), max(cell_columns - 2, 0))
        down, across = y - top, x - left
        total = 0.0
        for corner in range(4):
            r = min(top + corner // 2, cell_rows - 1)
            c = min(left + corner % 2, cell_columns - 1)
            share = (down if corner // 2 else 1.0 - down) * (across if corner % 2 else 1.0 - across)
            cell = r * cell_columns + c
            cells[corner, i] = cell
            if filled[cell]:
                shares[corner, i] = share
                total += share
        for corner in range(4):
            shares[corner, i] = shares[corner, i] / total if total > 0.0 else 0.0
    return cells, shares


@kernel
def word_weights(
    cells: NDArray[np.int32],
    shares: NDArray[np.float32],
    starts: Indices,
    documents: Indices,
    weights: Array,
) -> tuple[Indices, Indices, Array]:
    """(word, document, weight) of each document that acts on each word; weights sum to 1."""
    room = 16 * cells.shape[1] + 64
    words_out = np.empty(room, np.int64)
    documents_out = np.empty(room, np.int64)
    weights_out = np.empty(room)
    used = 0
    for i in range(cells.shape[1]):
        begin = used
        total = 0.0
        for corner in range(4):
            share = np.float64(shares[corner, i])
            if share <= 0.0:
                continue
            cell = cells[corner, i]
            for place in range(starts[cell], starts[cell + 1]):
                at = begin
                while at < used and documents_out[at] != documents[place]:
                    at += 1
                if at == used:
                    if used == room:
                        words_out = np.concatenate((words_out, np.empty_like(words_out)))
                        documents_out = np.concatenate(
                            (documents_out, np.empty_like(documents_out))
                        )
                        weights_out = np.concatenate((weights_out, np.empty_like(weights_out)))
                        room *= 2
                    words_out[used] = i
                    documents_out[used] = documents[place]
                    weights_out[used] = 0.0
                    used += 1
                weights_out[at] += share * weights[place]
                total += share * weights[place]
        for at in range(begin, used):
            weights_out[at] /= total
    return words_out[:used].copy(), documents_out[:used].copy(), weights_out[:used].copy()
