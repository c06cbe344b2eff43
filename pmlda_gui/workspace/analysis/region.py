"""What a region of an image holds, against the rest of the image."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.analysis.ground import ground_at
from pmlda_gui.workspace.maps import ImageMaps, Window
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.shapes import Point, Shape

__all__ = ["Composition", "DocumentShare", "Histogram", "RegionReport", "inside", "region_of"]

Array = NDArray[np.float64]
# So many pixels of a region, or of the rest, tell its means to far below their uncertainty.
_MOST_PIXELS = 20_000
_BINS = 40
# Of a feature's values, these percentiles span the histogram.
_SPANNED = (0.5, 99.5)
_LEVELS = 255.0


@dataclass(frozen=True, eq=False)
class Composition:
    """Mean memberships (G) of some ground with their standard deviations, and who leads there.

    `leads` (G) is the share of the ground on which each topic has the largest membership.
    """

    means: Array
    deviation: Array
    leads: Array


@dataclass(frozen=True, eq=False)
class Histogram:
    """Densities of a feature's values between `edges` (bins + 1), inside and in the rest."""

    name: str
    unit: str
    edges: Array
    inside: Array
    rest: Array


@dataclass(frozen=True)
class DocumentShare:
    """A document, counted from 1: its share of the region, and how much of it lies inside."""

    document: int
    of_region: float
    of_document: float


@dataclass(frozen=True, eq=False)
class RegionReport:
    """A region: its area (in squares of `unit`) as drawn and as far as it is mapped.

    `rest` is None where the region is all there is.  Documents stand largest share first.
    """

    shape: Shape
    area: float
    mapped_area: float
    unit: str
    pixels: int
    inside: Composition
    rest: Composition | None
    documents: tuple[DocumentShare, ...]
    histogram: Histogram


def inside(
    corners: Sequence[Point], rows: NDArray[np.integer], columns: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Which pixels at these rows and columns have their middle in a polygon, (rows, columns)."""
    x, y = (np.asarray(each, np.float64) for each in zip(*corners, strict=True))
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    middles, result = columns + 0.5, np.zeros((len(rows), len(columns)), np.bool_)
    for number, row in enumerate(rows + 0.5):
        # A row passes from outside to inside and back at every side that it crosses.
        crosses = (y <= row) != (next_y <= row)
        height = (row - y[crosses]) / (next_y[crosses] - y[crosses])
        at = np.sort(x[crosses] + height * (next_x[crosses] - x[crosses]))
        result[number] = np.searchsorted(at, middles) % 2 == 1
    return result


def region_of(
    run: Run,
    shape: Shape,
    groups: Sequence[Sequence[int]] | None = None,
    feature: str | None = None,
    cancel: Callable[[], bool] | None = None,
) -> RegionReport:
    """What the map says about a region; `groups` are the topics' rows that are shown as one.

    `feature` names the one whose values are counted, by default the first.
    """
    prepared = run.prepared
    if shape.image >= len(prepared.images):
        raise PmldaError(f"The image of {shape.name!r} is no longer open.")
    image = prepared.images[shape.image]
    members = [[topic] for topic in range(len(run.topic_ids))] if groups is None else groups
    box = _box(shape.points, image.shape)
    step = _step(box)
    near = _maps(run, shape.image, step, box, cancel)
    chosen = inside(shape.points, near.rows, near.columns) & ~np.isnan(near.memberships[0])
    if not chosen.any():
        raise PmldaError(f"{shape.name!r} holds no part of the map: draw it where there is one.")
    whole = (slice(0, image.shape[0]), slice(0, image.shape[1]))
    far = _maps(run, shape.image, _step(whole), whole, cancel)
    rest = ~inside(shape.points, far.rows, far.columns) & ~np.isnan(far.memberships[0])
    labels = prepared.fields[shape.image].labels
    within = np.zeros(image.shape, np.bool_)
    rows, columns = (np.arange(part.start, part.stop) for part in box)
    within[box] = inside(shape.points, rows, columns)
    mapped = within & (labels >= 0)
    ground = ground_at(image, shape.points)
    return RegionReport(
        shape,
        ground.area(shape.points),
        int(mapped.sum()) * ground.pixel_area,
        ground.unit,
        int(mapped.sum()),
        _composition(near, chosen, members),
        _composition(far, rest, members) if rest.any() else None,
        _documents(labels, mapped),
        _histogram(run, shape.image, image, mapped, feature),
    )


def _maps(
    run: Run, image: int, step: int, part: Window, cancel: Callable[[], bool] | None
) -> ImageMaps:
    found = run.maps("mean", image, step, part, keep=True, cancel=cancel)
    if found is None:
        raise Cancelled("Looking at the region was stopped.")
    return found


def _box(corners: Sequence[Point], shape: tuple[int, int]) -> Window:
    """The rows and columns that a polygon spans within an image."""
    x, y = zip(*corners, strict=True)
    parts = []
    for at, size in ((y, shape[0]), (x, shape[1])):
        start, stop = max(0, math.floor(min(at))), min(size, math.ceil(max(at)))
        if stop <= start:
            raise PmldaError("The region lies beside the image: draw it where there is a map.")
        parts.append(slice(start, stop))
    return parts[0], parts[1]


def _step(part: Window) -> int:
    """Every how many rows and columns are enough."""
    pixels = math.prod(each.stop - each.start for each in part)
    return max(1, math.isqrt(pixels // _MOST_PIXELS))


def _composition(
    maps: ImageMaps, chosen: NDArray[np.bool_], members: Sequence[Sequence[int]]
) -> Composition:
    assert maps.kept is not None
    memberships = maps.memberships[:, chosen].astype(np.float64)
    memberships = np.stack([memberships[list(topics)].sum(axis=0) for topics in members])
    drawn = maps.kept[:, :, chosen].mean(axis=2) / _LEVELS
    drawn = np.stack([drawn[:, list(topics)].sum(axis=1) for topics in members], axis=1)
    leads = np.bincount(memberships.argmax(axis=0), minlength=len(members))
    return Composition(memberships.mean(axis=1), drawn.std(axis=0), leads / chosen.sum())


def _documents(labels: NDArray[np.int32], mapped: NDArray[np.bool_]) -> tuple[DocumentShare, ...]:
    """The documents with pixels in the region, largest share first."""
    inside_counts = np.bincount(labels[mapped])
    sizes = np.bincount(labels[labels >= 0], minlength=len(inside_counts))
    order = np.argsort(-inside_counts, kind="stable")
    return tuple(
        DocumentShare(
            int(each) + 1,
            float(inside_counts[each] / inside_counts.sum()),
            float(inside_counts[each] / sizes[each]),
        )
        for each in order
        if inside_counts[each]
    )


def _histogram(
    run: Run, number: int, image: Image, mapped: NDArray[np.bool_], feature: str | None
) -> Histogram:
    found = run.prepared.features[number]
    if feature is not None and feature not in found.names:
        raise PmldaError(f"There is no feature {feature!r}: choose {', '.join(found.names)}.")
    place = 0 if feature is None else found.names.index(feature)
    values = found.values[..., place]
    rest = image.valid & ~mapped
    known = values[image.valid]
    known = known[np.isfinite(known)]
    low, high = (float(each) for each in np.percentile(known, _SPANNED))
    if not high > low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _BINS + 1)
    counted = [_density(values[where], edges) for where in (mapped, rest)]
    return Histogram(found.names[place], found.units[place], edges, *counted)


def _density(values: NDArray[np.floating], edges: Array) -> Array:
    """The density of the values between the edges; what lies beyond counts at the ends."""
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    density: Array = counts / max(counts.sum(), 1) / np.diff(edges)
    return density
