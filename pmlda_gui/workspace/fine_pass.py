"""Memberships of every pixel of a large image, under topics found on some of them.

With topics and documents held at their estimates, words no longer depend on one
another, so memberships are drawn tile by tile.  Memory is bounded by the image, one
tile and the coarse grid, whatever the number of topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.crew import Crew
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.passes import Passes
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.state import Estimate
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.export.result import Tile
from pmlda_gui.workspace.large import Reduced, Window, tile_features, tile_windows

__all__ = ["FinePass"]

# A pixel outside all cells with a document takes one of a cell this near, in cells.
_FARTHEST_CELL = 2.0
_SETTLING_ROUNDS, _MODE_ROUNDS = 3, 12
_SWEEPS_UNCOUNTED, _SWEEPS_COUNTED = 2, 12
# A use of random streams that no sampler has.
_FOR_TILES = 4
# More than the sweeps of a tile, so that no two tiles share a stream.
_STREAMS_PER_TILE = 64
_TILES_PER_IMAGE = 1 << 20


@dataclass(frozen=True, eq=False)
class FinePass:
    """The maps of all pixels, given topics and documents.

    `estimate` is that of the chain on the cells and `cells` the maps made of it, in
    which topics are numbered by `order` (K) as in what is given out.  Once `cancel`
    says so, the tiles that are left repeat what is known of their cells.
    """

    reduced: Reduced
    estimate: Estimate
    cells: Sequence[Segmentation]
    order: NDArray[np.int64]
    fuzzifier: float
    seed: int
    threads: int | None = None
    cancel: Callable[[], bool] | None = None
    report: Callable[[float], None] | None = None

    def tiles(self, number: int) -> Iterator[Tile]:
        """The maps of image `number`, piece by piece."""
        image, factor = self.reduced.images[number], self.reduced.factor
        labels = self.cell_documents(number)
        crew = Crew(self.threads)
        windows = tile_windows(image.shape)
        for position, window in enumerate(windows):
            documents = labels[window.cells(factor)]
            documents[~image.valid[window.slices]] = -1
            if self.cancel is not None and self.cancel():
                yield self._repeated(number, window, documents >= 0)
            else:
                yield self._drawn(number, position, window, documents, crew)
            if self.report is not None:
                done = number + (position + 1) / len(windows)
                self.report(done / len(self.reduced.images))
        crew.close()

    def cell_documents(self, number: int) -> NDArray[np.int32]:
        """The document of each cell, in the numbers of the corpus, with a narrow fringe.

        Valid pixels at the edge of the mask may lie in cells whose middle is not.
        """
        from scipy.ndimage import distance_transform_edt

        prepared = self.reduced.prepared
        labels = prepared.documents[number].labels
        away, nearest = distance_transform_edt(labels < 0, return_indices=True)
        fringed = labels[tuple(nearest)] + np.int32(prepared.documents_of(number).start)
        return np.where(away <= _FARTHEST_CELL, fringed, np.int32(-1))

    def _repeated(self, number: int, window: Window, inside: NDArray[np.bool_]) -> Tile:
        """A tile made of its cells' values."""
        rows, columns = window.cells(self.reduced.factor)
        known = self.cells[number]
        maps = [
            None if each is None else np.where(inside, each[:, rows, columns], np.float32(np.nan))
            for each in (known.memberships, known.uncertainty)
        ]
        assert maps[0] is not None
        return Tile(window.row, window.column, maps[0], maps[1])

    def _drawn(
        self,
        number: int,
        position: int,
        window: Window,
        documents: NDArray[np.int32],
        crew: Crew,
    ) -> Tile:
        """A tile whose memberships are drawn from the features of its pixels."""
        prepared, single = self.reduced.prepared, self.estimate.uncertainty is None
        maps = np.full((2, len(self.order), documents.size), np.nan, np.float32)
        found = tile_features(
            self.reduced.images[number], window, prepared.feature_choice, self.reduced.levels
        )
        if found is not None and (documents >= 0).any():
            order = np.argsort(documents, axis=None, kind="stable")
            pixels = order[np.count_nonzero(documents < 0) :]
            words = prepared.standardisation.apply(
                found.values.reshape(-1, found.values.shape[2])[pixels]
            )
            passes = self._sampled(
                words, documents.ravel()[pixels], number * _TILES_PER_IMAGE + position, crew
            )
            maps[0][:, pixels] = passes.average[self.order]
            maps[1][:, pixels] = np.sqrt(passes.spread[self.order])
        memberships, uncertainty = maps.reshape(2, -1, window.height, window.width)
        return Tile(window.row, window.column, memberships, None if single else uncertainty)

    def _sampled(
        self, words: NDArray[np.float32], documents: NDArray[np.int32], tile: int, crew: Crew
    ) -> Passes:
        """Passes over words (N, p) of ascending `documents` (N), with their running estimate."""
        estimate, topics = self.estimate, len(self.order)
        held = Globals(estimate.proportions, estimate.scaling, estimate.means, estimate.variance)
        present, sizes = np.unique(documents, return_counts=True)
        passes = Passes(Corpus(words, np.concatenate([[0], np.cumsum(sizes)])), topics, crew)
        fixed = (held.concentration[present], held.means, held.variance, self.fuzzifier)
        single = estimate.uncertainty is None
        passes.climb(passes.logs, *fixed, _MODE_ROUNDS if single else _SETTLING_ROUNDS)
        passes.measure(held.means, self.fuzzifier, gain=1.0)
        for sweep in range(0 if single else _SWEEPS_UNCOUNTED + _SWEEPS_COUNTED):
            stream = tile * _STREAMS_PER_TILE + sweep
            keys = stream_keys(self.seed, stream, _FOR_TILES, topics * MOST_TRIES)
            # The first sweeps replace the estimate, the others are averaged.
            gain = 1.0 / max(1, sweep - _SWEEPS_UNCOUNTED + 1)
            passes.sweep(slice_sweep, *fixed, keys.reshape(topics, MOST_TRIES), gain)
        return passes
