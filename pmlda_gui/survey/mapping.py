"""Memberships by tile: each task maps the samples around its tile and writes its own files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.imagery.document_field import DocumentField
from pmlda_gui.imagery.map_averaging import average_samples, sampled, spread_of
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.survey.learned import Learned, load_learned
from pmlda_gui.survey.samples import word_samples
from pmlda_gui.survey.store import Store, read_arrays, write_arrays
from pmlda_gui.survey.tile_files import TileFiles, write_tile
from pmlda_gui.workspace.export.result import Tile
from pmlda_gui.workspace.maps import map_of
from pmlda_gui.workspace.run_view import MadeMaps
from pmlda_gui.workspace.tiled_preparation import middles, middles_in
from pmlda_gui.workspace.topic_distances import hull_distances, tail_probabilities

__all__ = ["MapTask", "map_tile", "read_cells"]

# Memberships are stored in steps finer than their sampling can tell: files are a quarter.
_STEPS = np.float32(8192.0)


@dataclass(frozen=True)
class MapTask:
    """A tile to map: the files with the features of those it overlaps, by number.

    `tiles` are the windows of these, the first of them the tile's own.
    """

    store: Store
    image: int
    shape: tuple[int, int]
    step: int
    tiles: tuple[tuple[int, Window], ...]
    files: TileFiles


def map_tile(task: MapTask) -> None:
    """Write the memberships of a tile, their uncertainty, and what is unknown."""
    learned, field = load_learned(task.store, task.image)
    number, window = task.tiles[0]
    stored = read_arrays(task.store.path("features", task.image, number))
    valid = np.unpackbits(stored["valid"], count=window.height * window.width).astype(np.bool_)
    inside = valid.reshape(window.height, window.width)
    inside &= field.labels[window.cells(learned.factor)] >= 0
    tile = _mapped(task, learned, field, window, inside)
    write_tile(tile, task.files)
    _write_cells(tile, task, window, learned.factor)


def _write_cells(tile: Tile, task: MapTask, window: Window, factor: int) -> None:
    """Store the maps in the middle of the cells, for the report."""
    rows, columns = middles(task.shape, factor)
    down, across = middles_in(window, rows, columns)
    at = (slice(None), rows[down, None] - window.row, columns[None, across] - window.column)
    arrays = {"memberships": tile.memberships[at]}
    if tile.uncertainty is not None:
        arrays["uncertainty"] = tile.uncertainty[at]
    if tile.unknown is not None:
        arrays["unknown"] = tile.unknown[at[1:]]
    write_arrays(task.files.cells, **arrays)


def read_cells(
    files: Sequence[TileFiles], windows: Sequence[Window], shape: tuple[int, int], factor: int
) -> MadeMaps:
    """The maps in the middle of an image's cells, put together from its tiles."""
    rows, columns = middles(shape, factor)
    whole: dict[str, NDArray[np.float32]] = {}
    for each, window in zip(files, windows, strict=True):
        place = middles_in(window, rows, columns)
        for name, values in read_arrays(each.cells).items():
            if name not in whole:
                size = (*values.shape[:-2], len(rows), len(columns))
                whole[name] = np.full(size, np.nan, np.float32)
            whole[name][..., *place] = values
    return MadeMaps(whole["memberships"], whole.get("uncertainty"), whole.get("unknown"))


def _mapped(
    task: MapTask,
    learned: Learned,
    field: DocumentField,
    window: Window,
    inside: NDArray[np.bool_],
) -> Tile:
    wider = window.widened(learned.reach, task.shape)
    rows = sampled(wider.row, wider.height, task.step)
    columns = sampled(wider.column, wider.width, task.step)
    samples, weights = word_samples(
        task.store, task.image, task.shape, task.tiles, rows, columns, task.step,
        learned.standardisation, learned.window,
    )  # fmt: skip
    known = ~np.isnan(samples[..., 0])
    known &= field.labels[np.ix_(rows // learned.factor, columns // learned.factor)] >= 0
    topics = len(learned.order)
    empty = np.full((topics, *inside.shape), np.nan, np.float32)
    has_uncertainty = learned.source.kind == "mean"
    if not (known.any() and inside.any()):
        unknown = None if learned.given is None else empty[0]
        return Tile(window.row, window.column, empty, empty if has_uncertainty else None, unknown)
    words = learned.standardisation.apply(samples[known]).T
    down, across = np.nonzero(known)
    factor = learned.factor
    around = (
        slice(wider.row // factor, (wider.row + wider.height - 1) // factor + 1),
        slice(wider.column // factor, (wider.column + wider.width - 1) // factor + 1),
    )
    cells = field.cells(learned.width, around)
    places = cells.places(rows[down], columns[across], factor)
    crew = ThreadPool(1)
    maps = map_of(learned.source, np.ascontiguousarray(words), cells, places, crew)
    crew.close()
    assert maps is not None

    first = (int(rows[0]) - window.row, int(columns[0]) - window.column)

    def averaged(values: NDArray[np.floating], deviation: float) -> NDArray[np.float32]:
        plane = np.full((len(values), *known.shape), np.nan, np.float32)
        plane[:, known] = values
        if deviation > 0.0:
            weighed = weights * known
            return average_samples(plane, weighed, first, task.step, inside.shape, deviation)
        top, left = first
        return plane[:, -top:, -left:][:, : inside.shape[0], : inside.shape[1]].copy()

    def rounded(plane: NDArray[np.float32]) -> NDArray[np.float32]:
        plane[:, ~inside] = np.nan
        plane *= _STEPS
        np.rint(plane, out=plane)
        plane /= _STEPS
        return plane

    drawn, deviation = maps.memberships[learned.order], learned.deviation
    memberships, uncertainty, unknown = averaged(drawn, deviation), None, None
    if has_uncertainty and maps.deviation is not None:
        uncertainty = averaged(maps.deviation[learned.order], deviation)
        if deviation > 0.0:
            squares = averaged(drawn**2, deviation)
            uncertainty = spread_of(memberships, uncertainty, squares)
        uncertainty = rounded(uncertainty)
    if learned.given is not None:
        given = learned.given
        away = hull_distances(words, given.means) / given.variance
        tail = tail_probabilities(averaged(away[None], given.deviation), given.distances.tolist())
        unknown = rounded(tail)[0]
    return Tile(window.row, window.column, rounded(memberships), uncertainty, unknown)
