"""Computes the memberships of every pixel of a large image, tile by tile.

Given draws of topics and documents, words no longer depend on one another, so memberships
are drawn tile by tile.  Memory is bounded by the image, one
tile and the coarse grid, whatever the number of topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.imagery.document_field import DocumentField
from pmlda_gui.imagery.features import Features
from pmlda_gui.imagery.map_averaging import (
    average_maps,
    average_samples,
    reach,
    sample_step,
    sampled,
    spread_of,
    stood_for,
)
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.similar_ground import averaged_alike, averaging_reach
from pmlda_gui.workspace.export.result import Tile
from pmlda_gui.workspace.hints import hints_on_pixels
from pmlda_gui.workspace.maps import MapSource, map_of
from pmlda_gui.workspace.tiled_preparation import Reduced, Window, tile_features, tile_windows
from pmlda_gui.workspace.topic_set import TopicSet
from pmlda_gui.workspace.unknown_words import unknown_words

__all__ = ["FinePass", "fringed"]

# A pixel outside all cells with a document takes one of a cell this near, in cells.
_FARTHEST_CELL = 2.0


def fringed(known: DocumentField) -> DocumentField:
    """The documents of cells with a narrow fringe.

    Valid pixels at the edge of the mask may lie in cells whose middle is not.
    """
    from scipy.ndimage import distance_transform_edt

    away, nearest = distance_transform_edt(known.labels < 0, return_indices=True)
    labels = np.where(away <= _FARTHEST_CELL, known.labels[tuple(nearest)], np.int32(-1))
    return DocumentField(known.documents, known.first, labels)


@dataclass(frozen=True, eq=False)
class FinePass:
    """The maps of all pixels, given the draws of topics and documents in `source`.

    `cells` are the maps made of them on the cells, in which topics are numbered by `order`
    (K) as in what is given out.  Once `progress` is cancelled, the tiles that are left repeat what
    is known of their cells.  The hints of `source` are on pixels of the images.  With `given`
    topics the tiles say what is unknown, too.
    """

    reduced: Reduced
    source: MapSource
    cells: Sequence[Segmentation]
    order: NDArray[np.int64]
    threads: int | None = None
    progress: Progress = UNWATCHED
    given: TopicSet | None = None

    def tiles(self, number: int) -> Iterator[Tile]:
        """The maps of image `number`, piece by piece."""
        image, factor = self.reduced.images[number], self.reduced.factor
        field = self.fringed_field(number)
        pool = ThreadPool(self.threads)
        windows = tile_windows(image.shape)
        for position, window in enumerate(windows):
            if self.progress.cancelled:
                inside = field.labels[window.cells(factor)] >= 0
                yield self._repeated(number, window, inside & image.valid[window.slices])
            else:
                yield self._drawn(number, field, window, pool)
            done = number + (position + 1) / len(windows)
            self.progress.tell(done / len(self.reduced.images))
        pool.close()

    def fringed_field(self, number: int) -> DocumentField:
        """The documents of the cells with a narrow fringe."""
        return fringed(self.reduced.prepared.fields[number])

    def _repeated(self, number: int, window: Window, inside: NDArray[np.bool_]) -> Tile:
        """A tile made of its cells' values."""
        rows, columns = window.cells(self.reduced.factor)
        known = self.cells[number]
        maps = [
            None if each is None else np.where(inside, each[:, rows, columns], np.float32(np.nan))
            for each in (known.memberships, known.uncertainty)
        ]
        assert maps[0] is not None
        unknown = None
        if known.unknown is not None:
            unknown = np.where(inside, known.unknown[rows, columns], np.float32(np.nan))
        return Tile(window.row, window.column, maps[0], maps[1], unknown)

    def _drawn(
        self,
        number: int,
        field: DocumentField,
        window: Window,
        pool: ThreadPool,
    ) -> Tile:
        """A tile whose memberships are drawn from the features of its pixels."""
        prepared, factor = self.reduced.prepared, self.reduced.factor
        image = self.reduced.images[number]
        around_words = prepared.averaging(self.source.smoothness) * factor
        deviation = around_words if self.source.kind == "mean" else 0.0
        reached = around_words if self.given is not None else deviation
        wider = window.widened(reach(reached), image.shape)
        inside = field.labels[wider.cells(factor)] >= 0
        inside &= image.valid[wider.slices]
        top, left = window.row - wider.row, window.column - wider.column
        inner = (slice(top, top + window.height), slice(left, left + window.width))
        planes = [
            np.full((len(self.order), window.height, window.width), np.nan, np.float32)
            for _ in range(2)
        ]
        unknown = None if self.given is None else planes[0][0].copy()
        found = _averaged_tile(self.reduced, number, wider)
        if found is not None and inside.any():
            around = (
                slice(wider.row // factor, (wider.row + wider.height - 1) // factor + 1),
                slice(wider.column // factor, (wider.column + wider.width - 1) // factor + 1),
            )
            cells = field.cells(self.source.smoothness * prepared.unit, around)

            def mapped(at: NDArray[np.bool_]) -> tuple[Planes, Planes]:
                """Memberships and deviations (K, N) of some pixels."""
                words = prepared.standardisation.apply(found.values[at]).T
                rows, columns = (each + start for each, start in zip(
                    np.nonzero(at), (wider.row, wider.column), strict=True))  # fmt: skip
                said = hints_on_pixels(
                    self.source.hints,
                    self.source.topic_ids,
                    number,
                    rows * image.shape[1] + columns,
                )
                places = cells.places(rows, columns, factor)
                words = np.ascontiguousarray(words)
                maps = map_of(self.source, words, cells, places, pool, hints=said)
                assert maps is not None
                spread = (
                    np.zeros_like(maps.memberships) if maps.deviation is None else maps.deviation
                )
                return maps.memberships[self.order], spread[self.order]

            step = self._step(deviation)
            wanted = inside[inner]
            topics = len(self.order)
            planes = _averaged(mapped, inside, wider, inner, deviation, step, topics)
            # Where no sample is near, every pixel is mapped.
            bare = np.zeros_like(inside)
            bare[inner] = wanted & np.isnan(planes[0][0])
            if bare.any():
                for plane, values in zip(planes, mapped(bare), strict=True):
                    plane[:, bare[inner]] = values
            for plane in planes:
                plane[:, ~wanted] = np.nan
            if self.given is not None:
                words = prepared.standardisation.apply(found.values[inside]).T
                unknown = unknown_words(words, inside, self.given, around_words)[inner]
        uncertainty = planes[1] if self.source.kind == "mean" else None
        return Tile(window.row, window.column, planes[0], uncertainty, unknown)

    def _step(self, deviation: float) -> int:
        """Every how many rows and columns are mapped: averages make up for the others.

        Hints are about single pixels, so with these all are mapped.
        """
        if self.source.hints or deviation == 0.0:
            return 1
        return sample_step(deviation, self.reduced.prepared.feature_choice.scaled_window)


Planes = NDArray[np.float32]


def _averaged(
    mapped: Callable[[NDArray[np.bool_]], tuple[Planes, Planes]],
    inside: NDArray[np.bool_],
    wider: Window,
    inner: tuple[slice, slice],
    deviation: float,
    step: int,
    topics: int,
) -> list[Planes]:
    """Memberships and deviations of a tile, `inner` in the `wider` one, from its samples.

    Pixels without a sample in reach are NaN.
    """
    rows, columns = (
        sampled(start, length, step) - start
        for start, length in ((wider.row, wider.height), (wider.column, wider.width))
    )
    at = np.zeros_like(inside)
    at[np.ix_(rows, columns)] = inside[np.ix_(rows, columns)]
    shape = (inner[0].stop - inner[0].start, inner[1].stop - inner[1].start)
    if not at.any():
        return [np.full((topics, *shape), np.nan, np.float32) for _ in range(2)]
    memberships, spread = (np.full((topics, *inside.shape), np.nan, np.float32) for _ in range(2))
    memberships[:, at], spread[:, at] = mapped(at)
    if deviation == 0.0:
        return [memberships[:, *inner], spread[:, *inner]]
    if step == 1:
        return [each[:, *inner] for each in average_maps(memberships, spread, inside, deviation)]
    weights = stood_for(inside, rows, columns, step) * at[np.ix_(rows, columns)]
    first = (int(rows[0]) - inner[0].start, int(columns[0]) - inner[1].start)

    def spread_out(plane: Planes) -> Planes:
        samples = np.ascontiguousarray(plane[:, rows[:, None], columns[None, :]])
        return average_samples(samples, weights.astype(np.float32), first, step, shape, deviation)

    mean = spread_out(memberships)
    return [mean, spread_of(mean, spread_out(spread), spread_out(memberships**2))]


def _averaged_tile(reduced: Reduced, number: int, tile: Window) -> Features | None:
    """What words of a tile of an image are made of; None where nothing is valid."""
    image, choice = reduced.images[number], reduced.prepared.feature_choice
    how = reduced.prepared.standardisation
    if how.guide is None:
        return tile_features(image, tile, choice, reduced.levels)
    around = tile.widened(averaging_reach(choice.scaled_window), image.shape)
    found = tile_features(image, around, choice, reduced.levels)
    if found is None or not image.valid[tile.slices].any():
        return None
    valid, origin = image.valid[around.slices], (around.row, around.column)
    averaged = averaged_alike(found, how, valid, choice.scaled_window, origin)
    return Features(averaged.values[tile.within(around)], found.names, found.units)
