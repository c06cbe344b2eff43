"""The first passes over the pixels, a tile a task: counting, cells, features.

A task is given a file, a rectangle and what to do, never pixels; what it finds it returns
as a few numbers or writes into a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pmlda_gui.core.thread_pool import one_thread
from pmlda_gui.imagery.features import Levels, middle_part_window
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.map_averaging import sampled, stood_for
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.raster import is_grey
from pmlda_gui.survey.sources import Source
from pmlda_gui.survey.store import write_arrays
from pmlda_gui.workspace.preparation import FeatureChoice
from pmlda_gui.workspace.tiled_preparation import (
    colour_scale,
    inner_features,
    middle_pixels,
    middles,
    middles_in,
    reduced_image,
    surroundings,
)

__all__ = [
    "Count",
    "Measure",
    "count_pixels",
    "counted",
    "make_cells",
    "measure_tile",
    "middle_of",
]


@dataclass(frozen=True)
class Count:
    """What a tile's pixels tell before anything is measured.

    `valid` is how many are valid, `highest` the highest value of all, and `grey` whether
    its colours, if it has any, are all greys.
    """

    valid: int
    highest: float
    grey: bool


def count_pixels(source: Source, window: Window) -> Count:
    """Look at all pixels of a tile; a file that is damaged anywhere is found now."""
    image = source.read(window)
    return Count(
        int(np.count_nonzero(image.valid)),
        float(image.pixels.max(initial=0.0)),
        image.is_colour and is_grey(image.pixels),
    )


def counted(source: Source, counts: Sequence[Count]) -> Source:
    """A file of which all pixels were looked at."""
    colour = source.header.is_colour
    grey = colour and all(count.grey for count in counts)
    if not colour or grey:
        return replace(source, grey=grey)
    return replace(source, scale=colour_scale(max(count.highest for count in counts)))


def middle_of(source: Source, most_pixels: int) -> Image:
    """The middle of an image, for choosing features; see `middle_part`."""
    return source.read(middle_part_window(source.shape, most_pixels)).taken(np.s_[:, :])


def make_cells(source: Source, window: Window, factor: int, target: Path) -> None:
    """Store the means of a tile's cells, `factor` pixels wide, and the pixels in their middle."""
    image = source.read(window)
    cells = reduced_image(image, factor, source.scale)
    inner = middle_pixels(image, factor, source.scale)
    write_arrays(
        target,
        pixels=cells.pixels,
        valid=cells.valid,
        further=np.array(cells.further, np.float32),
        middles=inner.pixels,
        further_middles=np.array(inner.further, np.float32),
    )


@dataclass(frozen=True)
class Measure:
    """What is measured: features, kept for the middles of cells `factor` pixels wide, to learn
    from, and on every `step`-th row and column, to map."""

    choice: FeatureChoice
    levels: Levels
    factor: int
    step: int


def measure_tile(source: Source, tile: Window, asked: Measure, target: Path) -> None:
    """Store the features of a tile, computed with what lies around it, and its mask."""
    around = surroundings(tile, asked.choice, source.shape)
    image = source.read(around)
    valid = image.valid[tile.within(around)]
    if not valid.any():
        write_arrays(target, valid=np.packbits(valid), names=np.array([], np.str_))
        return
    with one_thread():
        piece = image.taken(np.s_[:, :], source.scale)
        found = inner_features(piece, around, tile, asked.choice, asked.levels)
    cell_rows, cell_columns = middles(source.shape, asked.factor)
    down, across = middles_in(tile, cell_rows, cell_columns)
    at_cells = np.ix_(cell_rows[down] - tile.row, cell_columns[across] - tile.column)
    rows = sampled(tile.row, tile.height, asked.step)
    columns = sampled(tile.column, tile.width, asked.step)
    at_samples = np.ix_(rows - tile.row, columns - tile.column)
    write_arrays(
        target,
        valid=np.packbits(valid),
        names=np.array(found.names),
        units=np.array(found.units),
        middles=found.values[at_cells],
        samples=found.values[at_samples],
        weights=stood_for(image.valid, rows - around.row, columns - around.column, asked.step),
    )
