"""The weights of documents at the pixels around them: blurred document maps.

The image is laid out in square cells, small against the blur.  The weight of document d at
a cell is the share it has of the cells around, counted with a Gaussian of the given width;
at a pixel it lies between those of the four nearest cells.  Without blur a document acts
on its own pixels alone.  Images have nothing to do with one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.field import Influence, by_document
from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.map_pass import Places
from pmlda_gui.imagery.documents.documents import Documents

__all__ = ["CellField", "DocumentField", "LatticeLayout"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# Cells to a blur's width, and how many widths the blur reaches.
_CELLS_PER_WIDTH = 3.0
_REACH = 2.5
# Documents with less weight than this at a cell are left out there.
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True, eq=False)
class CellField:
    """The weights of documents at the cells of a rectangle of one image.

    Cell c has the documents `documents[starts[c]:starts[c + 1]]`, numbered as in the corpus,
    with `weights` that sum to 1.  Cells are `size` pixels wide; those of the rectangle begin
    at (`row`, `column`) and there are `rows` times `columns`.
    """

    size: int
    row: int
    column: int
    rows: int
    columns: int
    starts: Indices
    documents: Indices
    weights: Array

    @property
    def count(self) -> int:
        """Number of cells C."""
        return self.starts.size - 1

    def concentration(self, documents: Array, cells: Indices | None = None) -> Array:
        """s pi of the documents (R, D, K) as it comes to each of these cells, (R, C, K)."""
        chosen = np.arange(self.count) if cells is None else cells
        result = np.zeros((documents.shape[0], chosen.size, documents.shape[2]))
        _mix(documents, chosen, self.starts, self.documents, self.weights, result)
        return result

    def places(self, rows: Indices, columns: Indices, finer: int = 1) -> Places:
        """Where pixels of the image, or of one so many times `finer`, lie between the cells."""
        filled = np.diff(self.starts) > 0
        return Places(*_place(rows, columns, self.size * finer, self.row, self.column,
                              self.rows, self.columns, filled))  # fmt: skip


@dataclass(frozen=True, eq=False)
class DocumentField:
    """The documents of one image as a field; `first` is the corpus' number of its first.

    `fringed` (height, width) are their labels where these reach a little farther than the
    documents themselves.
    """

    documents: Documents
    first: int
    fringed: NDArray[np.int32] | None = None

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The document of each pixel, (height, width), -1 where there is none.

        Of windows that overlap, a pixel belongs to the one whose middle is nearest.
        """
        if self.fringed is not None:
            return self.fringed
        if self.documents.is_partition:
            return self.documents.labels
        return _nearest_window(self.documents)

    def cells(self, width: float, window: tuple[slice, slice] | None = None) -> CellField:
        """The field blurred by `width` pixels, on the cells of a rectangle of pixels."""
        height, breadth = self.labels.shape
        rows, columns = window or (slice(0, height), slice(0, breadth))
        size = max(1, int(width / _CELLS_PER_WIDTH))
        grid = self._grid(size)
        # One cell more on each side than the pixels need.
        top, left = max(rows.start // size - 1, 0), max(columns.start // size - 1, 0)
        bottom = min((rows.stop - 1) // size + 2, grid.shape[0])
        right = min((columns.stop - 1) // size + 2, grid.shape[1])
        starts, documents, weights = _blur(
            grid, top, bottom, left, right, width / size, self.documents.count
        )
        return CellField(
            size, top, left, bottom - top, right - left, starts, documents + self.first, weights
        )

    def hard_cells(self, rows: Indices, columns: Indices) -> tuple[CellField, Places]:
        """Each document as one cell, in which its pixels lie: the field without a blur."""
        count = self.documents.count
        numbers = np.arange(count + 1)
        field = CellField(1, 0, 0, 1, count, numbers, numbers[:-1] + self.first, np.ones(count))
        cells = np.zeros((4, rows.size), np.int32)
        cells[0] = self.labels[rows, columns]
        shares = np.zeros((4, rows.size), np.float32)
        shares[0] = 1.0
        return field, Places(cells, shares)

    def _grid(self, size: int) -> NDArray[np.int32]:
        """The document of each cell: that of the valid pixel nearest to its middle."""
        return _grid(self.labels, size)

    def neighbours(self) -> Indices:
        """Pairs (P, 2) of documents that share a side of a pixel, numbered as in the corpus."""
        labels = self.labels
        pairs = np.concatenate(
            [
                np.column_stack([labels[:, :-1].ravel(), labels[:, 1:].ravel()]),
                np.column_stack([labels[:-1].ravel(), labels[1:].ravel()]),
            ]
        )
        pairs = pairs[(pairs[:, 0] != pairs[:, 1]) & (pairs.min(axis=1) >= 0)].astype(np.int64)
        codes = np.unique(pairs.min(axis=1) * self.documents.count + pairs.max(axis=1))
        return np.column_stack(np.divmod(codes, self.documents.count)) + self.first


@dataclass(frozen=True, eq=False)
class LatticeLayout:
    """Where the words of a corpus lie: image, row and column of each, and its document.

    `window` is the side of the features' window in pixels, the unit of smoothness.  Rows and
    columns may be those of images `finer` times as fine as the fields.
    """

    fields: tuple[DocumentField, ...]
    window: float
    images: Indices
    rows: Indices
    columns: Indices
    offsets: Indices
    finer: int = 1

    def subset(self, words: Indices) -> LatticeLayout:
        """The layout of some of the words."""
        return LatticeLayout(
            self.fields, self.window, self.images[words], self.rows[words], self.columns[words],
            np.searchsorted(words, self.offsets), self.finer,
        )  # fmt: skip

    def nearest(self, other: LatticeLayout, words: Indices) -> Indices:
        """The word of this layout nearest to each of these words of another."""
        from scipy.spatial import cKDTree

        found = np.zeros(words.size, np.int64)
        for number in range(len(self.fields)):
            mine = np.flatnonzero(self.images == number)
            theirs = np.flatnonzero(other.images[words] == number)
            if mine.size and theirs.size:
                tree = cKDTree(np.column_stack([self.rows[mine], self.columns[mine]]))
                places = np.column_stack([other.rows[words], other.columns[words]])[theirs]
                found[theirs] = mine[tree.query(places)[1]]
        return found

    @cached_property
    def _neighbours(self) -> tuple[Indices, Indices]:
        """For each document where its neighbours begin, and all of them."""
        count = self.offsets.size - 1
        pairs = np.concatenate([field.neighbours() for field in self.fields])
        both = np.concatenate([pairs, pairs[:, ::-1]])
        starts, near, _ = by_document(both[:, 1], both[:, 0], np.ones(len(both)), count)
        return starts, near

    def influence(self, smoothness: float) -> Influence:
        """How documents act on the words; `smoothness` is in units of the features' window."""
        if smoothness == 0.0:
            return Influence.hard(self.offsets, self._neighbours)
        words, documents, weights = [], [], []
        for number, field in enumerate(self.fields):
            mine = np.flatnonzero(self.images == number)
            cells = field.cells(smoothness * self.window)
            places = cells.places(self.rows[mine], self.columns[mine], self.finer)
            word, document, weight = _weights(
                places.cells, places.weights, cells.starts, cells.documents, cells.weights
            )
            words.append(mine[word])
            documents.append(document)
            weights.append(weight)
        table = by_document(
            np.concatenate(words), np.concatenate(documents), np.concatenate(weights),
            self.offsets.size - 1,
        )  # fmt: skip
        return Influence(self.rows.size, *table, *self._neighbours)


def _nearest_window(documents: Documents) -> NDArray[np.int32]:
    height, width = documents.shape
    owner = np.full(height * width, -1, np.int32)
    nearest = np.full(height * width, np.inf)
    for number in range(documents.count):
        pixels = documents.pixels[documents.offsets[number] : documents.offsets[number + 1]]
        row, column = np.divmod(pixels, width)
        away = (row - row.mean()) ** 2 + (column - column.mean()) ** 2
        closer = away < nearest[pixels]
        nearest[pixels[closer]] = away[closer]
        owner[pixels[closer]] = number
    return owner.reshape(height, width)


@kernel
def _grid(labels: NDArray[np.int32], size: int) -> NDArray[np.int32]:
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
def _blur(
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
            total = 0.0
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
                            total += weight
            if used + found > room:
                room = max(2 * room, used + found)
                more_documents = np.empty(room, np.int64)
                more_weights = np.empty(room)
                more_documents[:used] = documents[:used]
                more_weights[:used] = weights[:used]
                documents, weights = more_documents, more_weights
            begin = used
            kept = 0.0
            for i in range(found):
                document = touched[i]
                share = scores[document] / total
                scores[document] = 0.0
                if share >= _LEAST_WEIGHT:
                    documents[used] = document
                    weights[used] = share
                    kept += share
                    used += 1
            for i in range(begin, used):
                weights[i] /= kept
            starts[(r - top) * (right - left) + c - left + 1] = used
    return starts, documents[:used].copy(), weights[:used].copy()


@kernel
def _mix(
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
def _place(
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
def _weights(
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
