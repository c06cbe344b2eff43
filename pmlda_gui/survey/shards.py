"""Shards of a survey: whole documents with all their words, read from the features' tiles.

Words are those half a window apart.  A shard holds neighbouring documents of one image, or
several small images; documents of different shards do not act on one another's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.shard import Shard, ShardSums
from pmlda_gui.core.state import Globals
from pmlda_gui.imagery.document_field import DocumentField, LatticeLayout
from pmlda_gui.imagery.features import Standardisation
from pmlda_gui.imagery.map_averaging import sampled
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.similar_ground import averaging_reach
from pmlda_gui.survey.learned import labelled, load_field
from pmlda_gui.survey.samples import tiles_around, word_samples
from pmlda_gui.survey.store import Store, read_arrays
from pmlda_gui.workspace.tiled_preparation import middles, middles_in

__all__ = ["Part", "ShardTask", "ShardWorker", "parts_of"]

Indices = NDArray[np.int64]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """The documents `first` to `end` of an image, counted within it, and the image's tiles."""

    image: int
    shape: tuple[int, int]
    tiles: tuple[Window, ...]
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class ShardTask:
    """What a shard is made from: files and a few numbers, never words.

    Features are stored on every `step`-th row and column, and every `every`-th of these is a
    word.  Cells are `factor` pixels wide; `window` is the features' in cells.
    """

    store: Store
    parts: tuple[Part, ...]
    step: int
    every: int
    factor: int
    window: float
    standardisation: Standardisation
    parameters: Parameters
    prior: TopicPrior
    seed: int


def parts_of(
    sizes: Sequence[NDArray[np.int64]],
    shapes: Sequence[tuple[int, int]],
    tiles: Sequence[tuple[Window, ...]],
    most: int,
) -> list[tuple[Part, ...]]:
    """Which documents make each shard, of at most so many words where documents allow it.

    `sizes` are about how many words each document of each image has.
    """
    shards: list[tuple[Part, ...]] = []
    now: list[Part] = []
    held = 0
    for image, mine in enumerate(sizes):
        for document, size in enumerate(mine.tolist()):
            if now and held + size > most:
                shards.append(tuple(now))
                now, held = [], 0
            first = now.pop().first if now and now[-1].image == image else document
            now.append(Part(image, shapes[image], tiles[image], first, document + 1))
            held += size
    return [*shards, tuple(now)]


class ShardWorker:
    """A shard where it lives: it reads its words when it is made."""

    def __init__(self, task: ShardTask) -> None:
        self._task = task
        self._corpus = _corpus(task)
        self._shard: Shard | None = None

    def size(self) -> int:
        """How many words it has."""
        return self._corpus.size

    def begin(self, start: Globals, first_word: int, first_document: int, followed: int) -> None:
        """Begin with these topics and documents; so many come before it in the survey."""
        task = self._task
        self._shard = Shard(
            self._corpus, task.parameters, start, task.prior, task.seed,
            first_word, first_document, followed,
        )  # fmt: skip

    def sweep(self, number: int, means: Array, variance: float) -> ShardSums:
        """See `Shard`."""
        assert self._shard is not None
        return self._shard.sweep(number, means, variance)

    def documents(self) -> tuple[tuple[Array, Array], ...]:
        """See `Shard`."""
        assert self._shard is not None
        return self._shard.documents


def _corpus(task: ShardTask) -> Corpus:
    words, sizes, images, rows, columns, fields = [], [], [], [], [], []
    before = 0
    for number, part in enumerate(task.parts):
        known = load_field(task.store, part.image)
        found = _words_of(task, part, known.labels)
        words.append(task.standardisation.apply(found.values))
        sizes.append(np.bincount(found.owners, minlength=part.end - part.first))
        images.append(np.full(len(found.owners), number))
        rows.append(found.rows)
        columns.append(found.columns)
        fields.append(_alone(known, part, before))
        before += part.end - part.first
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    layout = LatticeLayout(
        tuple(fields), task.window, np.concatenate(images), np.concatenate(rows),
        np.concatenate(columns), offsets, task.factor,
    )  # fmt: skip
    return Corpus(np.concatenate(words), offsets, layout=layout)


def _alone(known: DocumentField, part: Part, first: int) -> DocumentField:
    """The documents of a part as if there were no others."""
    labels = known.labels - np.int32(part.first)
    labels[(labels < 0) | (labels >= part.end - part.first)] = -1
    return labelled(labels, part.end - part.first, first)


@dataclass(frozen=True, eq=False)
class _Words:
    """Features (N, p) of words in the order of their documents, `owners`, and where they lie."""

    values: NDArray[np.float32]
    owners: Indices
    rows: Indices
    columns: Indices

    def of(self, chosen: NDArray[np.bool_] | Indices) -> _Words:
        """Some of them."""
        return _Words(
            self.values[chosen], self.owners[chosen], self.rows[chosen], self.columns[chosen]
        )


def _words_of(task: ShardTask, part: Part, labels: NDArray[np.int32]) -> _Words:
    """The words of a part; a document without any has that in the middle of its cells."""
    pieces, spare = [], []
    middle = _middle_cells(labels, part)
    cell_rows, cell_columns = middles(part.shape, task.factor)
    for tile, window in enumerate(part.tiles):
        down, across = (
            slice(start // task.factor, (start + length - 1) // task.factor + 1)
            for start, length in ((window.row, window.height), (window.column, window.width))
        )
        if not _in_part(labels[down, across], part).any():
            continue
        stored = read_arrays(task.store.path("features", part.image, tile))
        if not len(stored["names"]):
            continue
        pieces.append(_words_in(task, part, labels, tile))
        down, across = middles_in(window, cell_rows, cell_columns)
        here = np.zeros(labels.shape, np.bool_)
        here[down, across] = True
        mine = np.flatnonzero(here[middle])
        rows, columns = (each[mine] for each in middle)
        values = stored["middles"][rows - down.start, columns - across.start]
        spare.append(_Words(values, mine, cell_rows[rows], cell_columns[columns]))
    owned = np.concatenate([each.owners for each in pieces])
    pieces += [each.of(~np.isin(each.owners, owned)) for each in spare]
    together = _Words(
        np.concatenate([each.values for each in pieces]),
        np.concatenate([each.owners for each in pieces]),
        np.concatenate([each.rows for each in pieces]),
        np.concatenate([each.columns for each in pieces]),
    )
    return together.of(np.lexsort((together.columns, together.rows, together.owners)))


def _in_part(labels: NDArray[np.int32], part: Part) -> NDArray[np.bool_]:
    return (labels >= part.first) & (labels < part.end)


def _words_in(
    task: ShardTask,
    part: Part,
    labels: NDArray[np.int32],
    tile: int,
) -> _Words:
    """The words of a part in one tile."""
    window, side = part.tiles[tile], task.window * task.factor
    rows = sampled(window.row, window.height, task.step)
    columns = sampled(window.column, window.width, task.step)
    down, across = (
        np.flatnonzero(at // task.step % task.every == task.every // 2) for at in (rows, columns)
    )
    rows, columns = rows[down], columns[across]
    near = tiles_around(tile, part.tiles, part.shape, averaging_reach(side))
    values, _ = word_samples(
        task.store, part.image, part.shape, near, rows, columns, task.step,
        task.standardisation, side,
    )  # fmt: skip
    owners = labels[np.ix_(rows // task.factor, columns // task.factor)]
    usable = _in_part(owners, part) & ~np.isnan(values).any(axis=2)
    row, column = np.nonzero(usable)
    return _Words(
        values[usable], owners[usable].astype(np.int64) - part.first, rows[row], columns[column]
    )


def _middle_cells(labels: NDArray[np.int32], part: Part) -> tuple[Indices, Indices]:
    """Row and column of the cell in the middle of each document of a part, in reading order."""
    places = np.flatnonzero(_in_part(labels, part))
    owners = labels.ravel()[places]
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(part.first, part.end + 1))
    rows, columns = np.divmod(places[order][(bounds[:-1] + bounds[1:]) // 2], labels.shape[1])
    return rows, columns
