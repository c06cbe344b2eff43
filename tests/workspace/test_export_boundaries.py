"""Simplified regions: no gaps, no overlaps, no crossing borders, near what they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from rasterio.features import rasterize
from scipy.ndimage import gaussian_filter

from pmlda_gui.workspace.export.boundaries import region_polygons, simplified
from pmlda_gui.workspace.export.ground_lengths import signed_area
from pmlda_gui.workspace.export.line_crossings import crossing_lines
from pmlda_gui.workspace.export.regions import (
    connected_regions,
    region_means,
    without_small_regions,
)


def blobs(shape=(150, 170), classes=4, smooth=4.0, seed=0):
    """Patches of several classes with ragged borders and a hole without any."""
    rng = np.random.default_rng(seed)
    maps = np.stack([gaussian_filter(rng.standard_normal(shape), smooth) for _ in range(classes)])
    found = maps.argmax(axis=0).astype(np.int32)
    found[40:60, 50:90] = -1
    return found


def polygon_area(rings):
    return abs(signed_area(rings[0])) - sum(abs(signed_area(hole)) for hole in rings[1:])


def segments_of(polygons):
    """Every side of every ring once, as a set of unordered pairs with how often it occurs."""
    counts = {}
    for rings in polygons.values():
        for ring in rings:
            for start, end in zip(ring[:-1].tolist(), ring[1:].tolist(), strict=True):
                side = frozenset([tuple(start), tuple(end)])
                counts[side] = counts.get(side, 0) + 1
    return counts


def test_regions_share_every_side_so_there_are_no_gaps_and_no_overlaps():
    classes = without_small_regions(blobs(), 12)
    classes[classes < 0] = 9  # the hole as a region of its own, so that all is covered
    regions, _ = connected_regions(classes)
    polygons = region_polygons(regions)
    assert sum(map(polygon_area, polygons.values())) == pytest.approx(150 * 170)
    outer = [side for side, count in segments_of(polygons).items() if count == 1]
    height, width = classes.shape
    for side in outer:
        assert any(len({point[axis] for point in side} & {0, (width, height)[axis]}) == 1
                   and len({point[axis] for point in side}) == 1 for axis in (0, 1))  # fmt: skip
    assert max(segments_of(polygons).values()) == 2


def test_no_border_crosses_another_however_narrow_the_regions():
    # One-pixel specks and lines are where simplified borders would cross.
    regions, _ = connected_regions(blobs(smooth=1.0))
    polygons = region_polygons(regions)
    arcs = [np.array([tuple(point) for point in side]) for side in segments_of(polygons)]
    assert crossing_lines(arcs) == []
    assert min(map(polygon_area, polygons.values())) > 0


def test_polygons_cover_the_pixels_they_were_made_from():
    regions, _ = connected_regions(without_small_regions(blobs(), 30))
    polygons = region_polygons(regions)
    shapes = [
        ({"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]}, number)
        for number, rings in polygons.items()
    ]
    covered = rasterize(shapes, regions.shape, fill=-1, dtype=np.int32)
    assert np.mean(covered != regions) < 0.015
    # What differs lies at a border, half a pixel away at most.
    from scipy.ndimage import maximum_filter, minimum_filter

    border = maximum_filter(regions, 3) != minimum_filter(regions, 3)
    assert not (covered != regions)[~border].any()


def test_a_slope_of_stairs_becomes_two_corners():
    rows, columns = np.mgrid[:80, :80]
    (first, second) = region_polygons((columns > rows).astype(np.int32)).values()
    assert len(first[0]) + len(second[0]) <= 12


def test_simplifying_keeps_what_is_farther_away_than_the_tolerance():
    line = np.array([[0, 0], [1, 0.4], [2, 0], [3, 2], [4, 0]], float)
    assert simplified(line, 0.5).tolist() == [[0, 0], [2, 0], [3, 2], [4, 0]]


def test_lines_that_cross_touch_or_lie_on_each_other_are_found():
    cross = [np.array([[0, 0], [10, 10]], float), np.array([[0, 10], [10, 0]], float)]
    touch = [np.array([[0, 0], [10, 0]], float), np.array([[5, 0], [5, 9]], float)]
    doubled = [np.array([[0, 0], [30, 0]], float), np.array([[30, 0], [0, 0]], float)]
    chain = [np.array([[0, 0], [5, 0]], float), np.array([[5, 0], [9, 4]], float)]
    assert crossing_lines(cross) == crossing_lines(touch) == crossing_lines(doubled) == [0, 1]
    assert crossing_lines(chain) == []


def test_small_regions_go_to_their_neighbour_and_lonely_ones_go_away():
    classes = np.full((20, 20), -1, np.int32)
    classes[:10, :10] = 0
    classes[4:6, 4:6] = 1
    classes[15:17, 15:17] = 2
    found = without_small_regions(classes, 10)
    assert (found[:10, :10] == 0).all()
    assert (found == 2).sum() == 0
    assert (found[10:] == -1).all()


def test_means_are_those_of_the_regions_pixels():
    regions = np.array([[0, 0, -1], [1, 1, 1]], np.int32)
    values = np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 5.0]])
    assert region_means(values, regions, 2).tolist() == [2.0, 3.0]
