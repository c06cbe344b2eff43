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
from pmlda_gui.core.map_pass import Places
from pmlda_gui.imagery.document_field_kernels import (
    blurred_cells,
    cell_grid,
    mixed_cells,
    places_in_cells,
    word_weights,
)
from pmlda_gui.imagery.documents.documents import Documents

__all__ = ["CellField", "DocumentField", "LatticeLayout"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# Cells to a blur's width.
_CELLS_PER_WIDTH = 3.0


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
        mixed_cells(documents, chosen, self.starts, self.documents, self.weights, result)
        return result

    def places(self, rows: Indices, columns: Indices, finer: int = 1) -> Places:
        """Where pixels of the image, or of one so many times `finer`, lie between the cells."""
        filled = np.diff(self.starts) > 0
        return Places(*places_in_cells(rows, columns, self.size * finer, self.row, self.column,
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
        """The field blurred by `width` pixels, on the cells of a rectangle of pixels.

        That of the whole image is kept until it is asked for with another width.
        """
        if window is not None:
            return self._blurred(width, *window)
        if width not in self._whole:
            height, breadth = self.labels.shape
            found = self._blurred(width, slice(0, height), slice(0, breadth))
            self._whole.clear()
            self._whole[width] = found
            return found
        return self._whole[width]

    @cached_property
    def _whole(self) -> dict[float, CellField]:
        return {}

    def _blurred(self, width: float, rows: slice, columns: slice) -> CellField:
        size = max(1, int(width / _CELLS_PER_WIDTH))
        # The document of each cell: that of the valid pixel nearest to its middle.
        grid = cell_grid(self.labels, size)
        # One cell more on each side than the pixels need.
        top, left = max(rows.start // size - 1, 0), max(columns.start // size - 1, 0)
        bottom = min((rows.stop - 1) // size + 2, grid.shape[0])
        right = min((columns.stop - 1) // size + 2, grid.shape[1])
        starts, documents, weights = blurred_cells(
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
            word, document, weight = word_weights(
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
