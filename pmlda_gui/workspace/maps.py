"""Maps on demand: any part of an image, at any step, from the kept draws of a chain.

Nothing is learned here.  What is asked for is computed and no more: what is on the screen
first, at its resolution, then finer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.map_pass import MapResult, Places, map_estimate, map_mean
from pmlda_gui.core.state import Estimate, Globals
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.imagery.document_field import CellField
from pmlda_gui.imagery.map_averaging import average_maps, average_planes, reach
from pmlda_gui.workspace.hints import PaintedHint, hints_on_pixels
from pmlda_gui.workspace.preparation import Prepared

__all__ = ["ImageMaps", "MapMaker", "MapSource", "Window", "map_of", "thinned"]

Cancel = Callable[[], bool]
# Concentrations of cells, over all draws and topics, that are held at once: 64 MB.
_MOST_CONCENTRATIONS = 8_000_000
_WORDS_AT_A_TIME = 1 << 17
Window = tuple[slice, slice]
"""Rows and columns of an image, without steps."""


@dataclass(frozen=True, eq=False)
class MapSource:
    """What maps are made from: the draws of a chain, and how documents act.

    `kind` "mean" gives mean and deviation over all draws, "map" each pixel's mode and
    "paper-map" one sample of its memberships, both under the first draw.  `hints` are what
    was painted, with the topics' numbers in `topic_ids`.
    """

    draws: tuple[Globals, ...]
    fuzzifier: float
    smoothness: float
    seed: int
    kind: str = "mean"
    topic_ids: tuple[int, ...] = ()
    hints: tuple[PaintedHint, ...] = ()


@dataclass(frozen=True, eq=False)
class ImageMaps:
    """Maps of the pixels on every `step`-th row and column of a rectangle of an image.

    `memberships` and `deviation` are (K, rows, columns), NaN outside the documents;
    `deviation` is None for single points.  `rows` and `columns` are the pixels' places.
    `kept` (draws, K, rows, columns) are draws of the map in 255 levels, if asked for.
    """

    memberships: NDArray[np.float32]
    deviation: NDArray[np.float32] | None
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    step: int
    kept: NDArray[np.uint8] | None = None


class MapMaker:
    """Makes the maps of prepared images; remembers what the same images need again."""

    def __init__(self, prepared: Prepared, pool: ThreadPool) -> None:
        self._prepared = prepared
        self._pool = pool
        self._cells: dict[tuple[int, float], CellField] = {}

    def maps(
        self,
        source: MapSource,
        image: int,
        step: int = 1,
        window: Window | None = None,
        *,
        keep: bool = False,
        cancel: Cancel | None = None,
    ) -> ImageMaps | None:
        """The maps of (a part of) an image; None once `cancel` says True."""
        labels = self._prepared.fields[image].labels
        part = window or (slice(0, labels.shape[0]), slice(0, labels.shape[1]))
        deviation = 0.0
        if source.kind == "mean":
            deviation = self._prepared.averaging(source.smoothness) / step
        wider, inner = _with_margin(part, labels.shape, step, reach(deviation))
        rows, columns = (_places(each, step) for each in wider)
        inside = labels[np.ix_(rows, columns)] >= 0
        at = np.flatnonzero(inside)
        row, column = rows[at // len(columns)], columns[at % len(columns)]
        words = np.ascontiguousarray(self._prepared.words_at(image, row, column))
        found = self._mapped(source, image, words, row, column, keep, cancel)
        if found is None:
            return None

        def laid_out(values: NDArray[np.float32]) -> NDArray[np.float32]:
            maps = np.full((len(values), inside.size), np.nan, np.float32)
            maps[:, at] = values
            return maps.reshape(-1, *inside.shape)

        shown = (slice(None), *inner)
        memberships = laid_out(found.memberships)
        uncertainty = None if found.deviation is None else laid_out(found.deviation)
        if deviation > 0.0:
            assert uncertainty is not None
            memberships, uncertainty = average_maps(memberships, uncertainty, inside, deviation)
        kept = None
        if keep:
            levels = [laid_out(each.astype(np.float32)) for each in found.kept]
            if deviation > 0.0:
                levels = [average_planes(each, inside, deviation) for each in levels]
            kept = np.nan_to_num(np.rint([each[shown] for each in levels])).astype(np.uint8)
        return ImageMaps(
            memberships[shown],
            None if uncertainty is None else uncertainty[shown],
            rows[inner[0]],
            columns[inner[1]],
            step,
            kept,
        )

    def _mapped(
        self,
        source: MapSource,
        image: int,
        words: NDArray[np.float32],
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        keep: bool,
        cancel: Cancel | None,
    ) -> MapResult | None:
        if source.smoothness == 0.0:
            cells, places = self._prepared.fields[image].hard_cells(rows, columns)
        else:
            cells = self._field(image, source.smoothness)
            places = cells.places(rows, columns)
        width = self._prepared.images[image].shape[1]
        said = hints_on_pixels(source.hints, source.topic_ids, image, rows * width + columns)
        return map_of(source, words, cells, places, self._pool, keep, cancel, said)

    def _field(self, image: int, smoothness: float) -> CellField:
        """The cells of an image; those of the last smoothness are kept."""
        wanted = (image, smoothness)
        if wanted not in self._cells:
            self._cells = {key: each for key, each in self._cells.items() if key[1] == smoothness}
            width = smoothness * self._prepared.unit
            self._cells[wanted] = self._prepared.fields[image].cells(width)
        return self._cells[wanted]


def map_of(
    source: MapSource,
    words: NDArray[np.float32],
    cells: CellField,
    places: Places,
    pool: ThreadPool,
    keep: bool = False,
    cancel: Cancel | None = None,
    hints: WordHints | None = None,
) -> MapResult | None:
    """The map of words (p, N) that lie at these places between the cells, with their hints."""
    documents = np.array([g.concentration for g in source.draws])
    few = places.cells.size < cells.count
    if not few and documents.shape[0] * documents.shape[2] * cells.count <= _MOST_CONCENTRATIONS:
        return _map_part(
            source, words, cells.concentration(documents), places, pool, keep, cancel, hints
        )
    # A coarse pass, or small cells under many draws: only those that some of the words need.
    parts = []
    for first in range(0, max(words.shape[1], 1), _WORDS_AT_A_TIME):
        mine = slice(first, first + _WORDS_AT_A_TIME)
        used, at = np.unique(places.cells[:, mine], return_inverse=True)
        found = _map_part(
            source, np.ascontiguousarray(words[:, mine]),
            cells.concentration(documents, used.astype(np.int64)),
            Places(
                at.reshape(4, -1).astype(np.int32), np.ascontiguousarray(places.weights[:, mine])
            ),
            pool, keep, cancel,
            None if hints is None else replace(hints, places=hints.places[mine].copy()),
        )  # fmt: skip
        if found is None:
            return None
        parts.append(found)
    deviations = [part.deviation for part in parts if part.deviation is not None]
    return MapResult(
        np.concatenate([part.memberships for part in parts], axis=1),
        np.concatenate(deviations, axis=1) if deviations else None,
        np.concatenate([part.kept for part in parts], axis=2),
    )


def _map_part(
    source: MapSource,
    words: NDArray[np.float32],
    concentration: NDArray[np.float64],
    places: Places,
    pool: ThreadPool,
    keep: bool,
    cancel: Cancel | None,
    hints: WordHints | None,
) -> MapResult | None:
    """The map of words under the concentrations (R, C, K) of the cells."""
    if source.kind == "map":
        return map_estimate(
            words, places, concentration[0], source.draws[0], source.fuzzifier, pool, cancel, hints
        )
    found = map_mean(
        words, places, concentration, source.draws, source.fuzzifier, source.seed, pool,
        sweeps=1 if source.kind == "paper-map" else None, keep=keep, hints=hints, cancel=cancel,
    )  # fmt: skip
    if found is None or source.kind == "mean":
        return found
    return replace(found, deviation=None)


def _with_margin(
    part: Window, shape: tuple[int, ...], step: int, margin: int
) -> tuple[Window, Window]:
    """A rectangle with so many more steps around it, and where it lies in that."""
    wider, inner = [], []
    for each, size in zip(part, shape, strict=True):
        before = min(margin, each.start // step)
        start = each.start - before * step
        stop = min(each.stop + margin * step, size)
        count = -(-(each.stop - each.start) // step)
        if stop > each.stop:
            # Whole steps only, so that the last of the rectangle is where it would be without.
            stop = min(each.start + (count + margin) * step, size)
        wider.append(slice(start, stop))
        inner.append(slice(before, before + count))
    return (wider[0], wider[1]), (inner[0], inner[1])


def _places(part: slice, step: int) -> NDArray[np.int64]:
    """The middle of every run of `step` rows or columns, the last one where it ends."""
    starts = np.arange(part.start, part.stop, step)
    middles: NDArray[np.int64] = np.minimum(starts + step // 2, part.stop - 1)
    return middles


def thinned(
    estimate: Estimate, prepared: Prepared, image: int, step: int, window: Window | None
) -> ImageMaps:
    """The maps that a chain on all pixels has itself."""
    memberships, deviation = (
        None if values is None else prepared.words.scatter(values)[image]
        for values in (estimate.memberships, estimate.uncertainty)
    )
    assert memberships is not None
    height, width = memberships.shape[1:]
    rows, columns = (
        np.arange(part.start, part.stop, step)
        for part in window or (slice(0, height), slice(0, width))
    )
    at = np.ix_(np.arange(len(memberships)), rows, columns)
    return ImageMaps(
        memberships[at].astype(np.float32),
        None if deviation is None else deviation[at].astype(np.float32),
        rows,
        columns,
        step,
    )
