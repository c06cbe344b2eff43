"""Gathers the stored samples of an image's features over tiles, averaged as words need them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.features import Features, Standardisation
from pmlda_gui.imagery.map_averaging import sampled
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.similar_ground import (
    average_samples_alike,
    averaged_alike,
    averaging_reach,
)
from pmlda_gui.survey.store import Store, read_arrays

__all__ = ["tiles_around", "word_samples"]

Indices = NDArray[np.int64]


def word_samples(
    store: Store,
    image: int,
    shape: tuple[int, int],
    tiles: Sequence[tuple[int, Window]],
    rows: Indices,
    columns: Indices,
    step: int,
    standardisation: Standardisation,
    window: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The features (rows, columns, p) that words on these rows and columns are made of.

    They are averaged over the ground that looks alike, which may lie in any of the `tiles`;
    `window` is the features' in pixels.  With them comes how many pixels each sample stands
    for, (rows, columns).
    """
    if standardisation.guide is None or not (rows.size and columns.size):
        return _stored(store, image, tiles, rows, columns, step, len(standardisation.centre))
    margin = averaging_reach(window)
    around = Window(
        int(rows[0]), int(columns[0]), int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1
    ).widened(margin, shape)
    all_rows = sampled(around.row, around.height, step)
    all_columns = sampled(around.column, around.width, step)
    found, weights = _stored(
        store, image, tiles, all_rows, all_columns, step, len(standardisation.centre)
    )
    known = ~np.isnan(found[..., 0])
    if step == 1:
        measured = Features(found, (), ())
        origin = (around.row, around.column)
        values = averaged_alike(measured, standardisation, known, window, origin).values
    else:
        part = (_span(all_rows, rows), _span(all_columns, columns))
        values = np.full_like(found, np.nan)
        values[part] = average_samples_alike(found, standardisation, known, window / step, part)
    here = np.ix_(np.searchsorted(all_rows, rows), np.searchsorted(all_columns, columns))
    return values[here], weights[here]


def _span(places: Indices, wanted: Indices) -> slice:
    """From the first to the last of those that are wanted, both in order."""
    first, last = np.searchsorted(places, (wanted[0], wanted[-1]))
    return slice(int(first), int(last) + 1)


def _stored(
    store: Store,
    image: int,
    tiles: Sequence[tuple[int, Window]],
    rows: Indices,
    columns: Indices,
    step: int,
    features: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The features of samples as measured, NaN where there are none, and their weights."""
    result = np.full((len(rows), len(columns), features), np.nan, np.float32)
    weights = np.zeros((len(rows), len(columns)), np.float32)
    for number, window in tiles:
        stored = read_arrays(store.path("features", image, number))
        if not len(stored["names"]):
            continue
        theirs_down = sampled(window.row, window.height, step)
        theirs_across = sampled(window.column, window.width, step)
        _, mine_rows, their_rows = np.intersect1d(rows, theirs_down, True, return_indices=True)
        _, mine_columns, their_columns = np.intersect1d(
            columns, theirs_across, True, return_indices=True
        )
        mine, theirs = np.ix_(mine_rows, mine_columns), np.ix_(their_rows, their_columns)
        result[mine] = stored["samples"][theirs]
        weights[mine] = stored["weights"][theirs]
    return result, weights


def tiles_around(
    number: int, windows: Sequence[Window], shape: tuple[int, int], margin: int
) -> tuple[tuple[int, Window], ...]:
    """A tile and those within `margin` pixels of it, with their numbers."""
    wider = windows[number].widened(margin, shape)
    near = [
        (other, window)
        for other, window in enumerate(windows)
        if other != number and _overlap(wider, window)
    ]
    return ((number, windows[number]), *near)


def _overlap(one: Window, other: Window) -> bool:
    return (
        one.row < other.row + other.height
        and other.row < one.row + one.height
        and one.column < other.column + other.width
        and other.column < one.column + one.width
    )
