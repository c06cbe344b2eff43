"""Splitting, joining and numbering regions of a label map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents.merging import absorb_fragments, borders, merge_smallest
from pmlda_gui.imagery.documents.repair import Ground, find_ground, minimum_size, repair
from pmlda_gui.imagery.documents.splitting import split_largest


def test_a_square_is_cut_straight_across_into_halves() -> None:
    halves = split_largest(np.zeros((8, 8), dtype=np.int32), count=2, smallest=1)
    assert np.array_equal(halves, np.repeat([[0] * 4 + [1] * 4], 8, axis=0))


def test_a_long_region_is_cut_across_its_longest_axis_whatever_its_direction() -> None:
    rows, columns = np.mgrid[:40, :40]
    strip = np.where(np.abs(rows - columns) <= 3, 0, -1).astype(np.int32)
    halves = split_largest(strip, count=2, smallest=10)
    first, second = (np.argwhere(halves == label) for label in (0, 1))
    assert abs(len(first) - len(second)) <= 7
    assert max(first.sum(axis=1).max(), second.sum(axis=1).max()) > 70
    assert min(first.sum(axis=1).max(), second.sum(axis=1).max()) <= 40


@pytest.mark.parametrize("arm", [3, 6, 11])
def test_a_cross_and_a_comb_are_split_without_falling_apart(arm: int) -> None:
    side = 2 * arm + 1
    cross = np.full((side, side), -1, dtype=np.int32)
    cross[arm] = cross[:, arm] = 0
    comb = np.full((arm + 1, side), -1, dtype=np.int32)
    comb[0] = comb[:, ::2] = 0
    for region in (cross, comb):
        smallest = (np.count_nonzero(region == 0) - 1) // 4
        halves = split_largest(region, count=2, smallest=smallest)
        for label in (0, 1):
            assert np.count_nonzero(halves == label) >= smallest
            assert ndimage.label(halves == label)[1] == 1


def test_splitting_ends_where_parts_would_become_too_small() -> None:
    labels = np.zeros((2, 4), dtype=np.int32)
    assert split_largest(labels, count=5, smallest=4).max() == 1


def test_borders_are_measured_in_pixel_sides_with_their_mean_value() -> None:
    labels = np.array([[0, 0, 1], [0, 2, 1], [-1, 2, 1]], dtype=np.int32)
    values = np.arange(9, dtype=np.float32).reshape(3, 3)
    touching = borders(labels, values)
    pairs = list(zip(touching.first.tolist(), touching.second.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (1, 2)]
    assert touching.lengths.tolist() == [1, 2, 2]
    assert touching.means.tolist() == [1.5, (3.5 + 2.5) / 2, (4.5 + 7.5) / 2]


def test_a_fragment_joins_the_neighbour_with_the_longest_border() -> None:
    labels = np.zeros((6, 10), dtype=np.int32)
    labels[:, 5:] = 1
    labels[2:4, 4] = 2
    joined = absorb_fragments(labels, smallest=3)
    # Two sides face region 1, four face region 0.
    assert np.array_equal(joined == joined[0, 0], np.isin(labels, [0, 2]))


def test_a_fragment_without_neighbours_stays() -> None:
    labels = np.full((3, 5), -1, dtype=np.int32)
    labels[:, :3] = 0
    labels[0, 4] = 1
    assert np.array_equal(absorb_fragments(labels, smallest=4), labels)


def test_a_map_of_single_pixels_is_joined_into_fair_regions() -> None:
    labels = np.arange(900, dtype=np.int32).reshape(30, 30)
    joined = absorb_fragments(labels, smallest=9)
    assert np.bincount(joined.ravel()).min() >= 9


def test_merging_takes_the_smallest_first_and_follows_chains() -> None:
    labels = np.repeat([[0, 1, 1, 2, 2, 2, 3, 3, 3, 3]], 2, axis=0).astype(np.int32)
    assert np.array_equal(merge_smallest(labels, 2), (labels >= 3).astype(np.int32))
    assert merge_smallest(labels, 1).max() == 0


def test_merging_stops_where_regions_do_not_touch() -> None:
    labels = np.array([[0, -1, 1]], dtype=np.int32)
    assert merge_smallest(labels, 1).max() == 1


def test_the_minimum_is_a_quarter_of_the_mean_size_but_at_most_25_pixels() -> None:
    assert minimum_size(326_400, 200) == 25
    assert minimum_size(800, 20) == 10
    assert minimum_size(3, 200) == 1


def test_pixels_without_a_label_are_shared_out_and_documents_numbered_in_reading_order() -> None:
    usable = np.ones((10, 20), dtype=bool)
    labels = np.full((10, 20), 7, dtype=np.int32)
    labels[:, :10] = 9
    labels[4, 4] = -1
    repaired = repair(labels, Ground(usable, minimum_size(200, 2)), count=2)
    assert np.array_equal(repaired, np.repeat([[0] * 10 + [1] * 10], 10, axis=0))


def test_a_count_within_the_tolerance_is_left_alone() -> None:
    ground = find_ground(np.ones((10, 90), dtype=bool), 10, "made")
    labels = np.repeat(np.arange(9, dtype=np.int32), 10) * np.ones((10, 1), dtype=np.int32)
    assert repair(labels, ground, count=10, tolerance=0.1).max() + 1 == 9
    assert repair(labels, ground, count=10).max() + 1 == 10


def test_specks_are_left_out_but_small_patches_are_not() -> None:
    valid = np.zeros((60, 60), dtype=bool)
    valid[:, :40] = True
    valid[10:15, 50:55] = True
    valid[30:34, 50:54] = True
    ground = find_ground(valid, 2, "made")
    assert ground.usable[12, 52]
    assert not ground.usable[32, 52]


def test_a_wholly_masked_image_is_named_in_the_error() -> None:
    with pytest.raises(PmldaError, match=r"made\.tif has no valid pixel"):
        find_ground(np.zeros((4, 4), dtype=bool), 2, "made.tif")
