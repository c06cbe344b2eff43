"""Memberships along a line, from draws of the map around it and no more of the map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.workspace.maps import ImageMaps, Window
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.shapes import Point

__all__ = ["LineSamples", "sample_line"]

Array = NDArray[np.float64]
Cancel = Callable[[], bool]
# Two samples to a mapped pixel.  Features are blurred by their window, so that so many mapped
# pixels to a window tell all; along a line, at most this many are mapped.
_PER_PIXEL = 2
_PER_WINDOW = 12
_MOST_PIXELS = 1500
# Lines beside the line, in windows: words half a window apart are nearly independent.
_BESIDE = (-1.0, -0.5, 0.5, 1.0)
# The map is made in squares along the line, of at most so many mapped pixels along a side.
_SIDE = 96
_LEVELS = 255.0


@dataclass(frozen=True, eq=False)
class LineSamples:
    """Memberships at even steps along a line of an image.

    `places` (n) run from 0 at the first point to 1 at the second.  `means` (G, n) are the
    map's memberships and `draws` (R, G, n) its draws, NaN outside the documents.  `beside`
    (L, G, n) are the memberships along parallels half a window and a window away.
    """

    places: Array
    means: Array
    draws: Array
    beside: Array


def sample_line(
    run: Run,
    image: int,
    ends: Sequence[Point],
    groups: Sequence[Sequence[int]] | None = None,
    cancel: Cancel | None = None,
) -> LineSamples:
    """Memberships along the line between two points of an image.

    `groups` are the topics' rows that are shown as one, by default each by itself.
    `Cancelled` is raised once `cancel` says so.
    """
    (x0, y0), (x1, y1) = ends
    pixels = math.hypot(x1 - x0, y1 - y0)
    window = run.prepared.unit
    step = max(1, math.ceil(pixels / _MOST_PIXELS), int(window / _PER_WINDOW))
    places = np.linspace(0.0, 1.0, max(3, math.ceil(_PER_PIXEL * pixels / step) + 1))
    # From here on places are counted from the middle of the first pixel; the line comes first.
    away = window * np.array([0.0, *_BESIDE])[:, None] / max(pixels, 1e-9)
    columns = x0 + (x1 - x0) * places - 0.5 - away * (y1 - y0)
    rows = y0 + (y1 - y0) * places - 0.5 + away * (x1 - x0)
    members = [[topic] for topic in range(len(run.topic_ids))] if groups is None else groups
    shape = run.prepared.images[image].shape
    means = np.full((len(away), len(members), len(places)), np.nan)
    draws: Array | None = None
    for mine in _pieces(rows[0], columns[0], _SIDE * step):
        part = _around(rows[:, mine], columns[:, mine], shape, step)
        if part is None:
            continue
        maps = run.maps("mean", image, step, part, keep=True, cancel=cancel)
        if maps is None or (cancel is not None and cancel()):
            raise Cancelled("The profile was stopped.")
        assert maps.kept is not None
        planes = np.concatenate(
            [maps.memberships[None], maps.kept.astype(np.float32) / _LEVELS], dtype=np.float64
        )
        planes = np.stack([planes[:, list(topics)].sum(axis=1) for topics in members], axis=1)
        means[:, :, mine] = [
            _between(planes[0], maps, row, column)
            for row, column in zip(rows[:, mine], columns[:, mine], strict=True)
        ]
        if draws is None:
            draws = np.full((len(maps.kept), *means.shape[1:]), np.nan)
        drawn = planes[1:].reshape(-1, *planes.shape[2:])
        found = _between(drawn, maps, rows[0, mine], columns[0, mine])
        draws[:, :, mine] = found.reshape(len(maps.kept), len(members), -1)
    if draws is None:
        draws = np.empty((0, *means.shape[1:]))
    return LineSamples(places, means[0], draws, means[1:])


def _pieces(rows: Array, columns: Array, side: float) -> Iterator[slice]:
    """Runs of samples that a square of this side holds."""
    extent = max(float(np.ptp(rows)), float(np.ptp(columns)), 1e-9)
    count = max(1, math.ceil(extent / side))
    edges = np.linspace(0, len(rows), count + 1).round().astype(int)
    for start, stop in pairwise(edges):
        if stop > start:
            yield slice(int(start), int(stop))


def _around(rows: Array, columns: Array, shape: tuple[int, int], step: int) -> Window | None:
    """The part of the image that samples need; None where they all lie outside."""
    parts = []
    for at, size in zip((rows, columns), shape, strict=True):
        start = max(0, math.floor(float(at.min())) - step)
        stop = min(size, math.floor(float(at.max())) + 2 + step)
        if stop <= start:
            return None
        parts.append(slice(start, stop))
    return parts[0], parts[1]


def _between(planes: Array, maps: ImageMaps, rows: Array, columns: Array) -> Array:
    """Planes (P, height, width) of a map between its pixels, (P, n), NaN where it has none.

    Pixels without memberships lend nothing; a sample belongs where its nearest pixel does.
    """
    valid = ~np.isnan(maps.memberships[0])
    down = np.interp(rows, maps.rows, np.arange(len(maps.rows)))
    right = np.interp(columns, maps.columns, np.arange(len(maps.columns)))
    top = np.minimum(down.astype(int), max(len(maps.rows) - 2, 0))
    left = np.minimum(right.astype(int), max(len(maps.columns) - 2, 0))
    sums, weights = np.zeros((len(planes), len(rows))), np.zeros(len(rows))
    filled = np.nan_to_num(planes)
    for lower, farther in ((0, 0), (0, 1), (1, 0), (1, 1)):
        row = np.minimum(top + lower, len(maps.rows) - 1)
        column = np.minimum(left + farther, len(maps.columns) - 1)
        share = np.abs(1 - lower - (down - top)) * np.abs(1 - farther - (right - left))
        share = share * valid[row, column]
        weights += share
        sums += share * filled[:, row, column]
    # Half a pixel beyond the last middle is its edge; a coarse map's last pixel may lie farther.
    edge = max(0.5, maps.step / 2 + 0.5)
    outside = (rows < maps.rows[0] - edge) | (rows > maps.rows[-1] + edge)
    outside |= (columns < maps.columns[0] - edge) | (columns > maps.columns[-1] + edge)
    nearest = valid[np.rint(down).astype(int), np.rint(right).astype(int)]
    weights[outside | ~nearest | (weights <= 0.0)] = np.nan
    return sums / weights
