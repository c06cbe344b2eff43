"""Seams and sharpness on made maps whose index and width are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, uniform_filter

from pmlda_gui.imagery.scenes.noise import smooth_noise
from pmlda_gui.imagery.seams import border_width, seam_index

SHAPE = (180, 200)


def squares(side: int = 40) -> np.ndarray:
    rows, columns = np.indices(SHAPE) // side
    return rows * 10 + columns


def two_topics(first: np.ndarray) -> np.ndarray:
    return np.stack([first, 1.0 - first])


def smooth(seed: int = 0) -> np.ndarray:
    return two_topics(0.5 + 0.1 * smooth_noise(SHAPE, 20, np.random.default_rng(seed)))


def patchwork(labels: np.ndarray, seed: int = 0) -> np.ndarray:
    """A membership of its own for each document."""
    return np.random.default_rng(seed).random(int(labels.max()) + 1)[labels]


def test_a_smooth_map_has_an_index_of_about_one() -> None:
    indices = [seam_index(smooth(seed), squares()) for seed in range(8)]
    assert np.mean(indices) == pytest.approx(1.0, abs=0.05)
    assert max(indices) < 1.3


def test_a_ramp_has_an_index_of_exactly_one() -> None:
    ramp = np.add.outer(np.linspace(0, 0.5, SHAPE[0]), np.linspace(0, 0.4, SHAPE[1]))
    labels = squares()
    # Rows and columns rise at rates of their own; borders in both directions are moved alike.
    assert seam_index(two_topics(ramp), labels) == pytest.approx(1.0, abs=0.1)
    upright = np.broadcast_to(np.arange(SHAPE[1]) // 50, SHAPE)
    assert seam_index(two_topics(ramp), upright) == pytest.approx(1.0)


def test_a_patchwork_has_a_large_index_and_a_pure_one_an_infinite_one() -> None:
    labels = squares()
    assert seam_index(two_topics(patchwork(labels)), labels) == float("inf")
    assert seam_index(0.7 * two_topics(patchwork(labels)) + 0.3 * smooth(), labels) > 15


def test_the_index_is_the_ratio_of_the_steps() -> None:
    """A step of .01 a pixel everywhere and .05 at the upright borders, 50 pixels apart."""
    upright = np.broadcast_to(np.arange(SHAPE[1]) // 50, SHAPE)
    steps = np.full(SHAPE[1], 0.001)
    steps[[50, 100, 150]] = 0.005
    maps = two_topics(np.broadcast_to(np.cumsum(steps), SHAPE))
    assert seam_index(maps, upright) == pytest.approx(5.0)
    assert seam_index(maps[[1, 0]], upright) == pytest.approx(5.0)


def test_lines_moved_onto_or_near_other_borders_do_not_count() -> None:
    """Every second strip is 9 pixels wide: its far border lies among the moves of the near one."""
    edges = [40, 49, 100, 109, 160, 169]
    labels = np.broadcast_to(np.searchsorted(edges, np.arange(SHAPE[1]), side="right"), SHAPE)
    steps = np.full(SHAPE[1], 0.001)
    # Two pixels to either side of a border are part of the seam as well.
    for edge in edges:
        steps[edge - 2 : edge + 3] = 0.004
    maps = two_topics(np.broadcast_to(np.cumsum(steps), SHAPE))
    assert seam_index(maps, labels) == pytest.approx(4.0)


def test_pixels_without_memberships_or_documents_are_left_out() -> None:
    labels, maps = squares(), smooth()
    plain = seam_index(maps[:, 40:], labels[40:])
    holed, outside = maps.copy(), labels.copy()
    holed[:, :40] = np.nan
    outside[:40] = -1
    assert seam_index(holed, labels) == pytest.approx(plain)
    wild = maps.copy()
    wild[:, :40] = np.random.default_rng(0).random((2, 40, SHAPE[1]))
    assert seam_index(wild, outside) == pytest.approx(plain)


def test_without_borders_there_is_no_index_and_a_constant_map_has_no_seams() -> None:
    assert np.isnan(seam_index(smooth(), np.zeros(SHAPE, int)))
    assert seam_index(np.full((2, *SHAPE), 0.5), squares()) == 1.0


def slanted() -> np.ndarray:
    rows, columns = np.indices(SHAPE)
    return (rows + 0.5 * columns > 140).astype(np.int64)


def crisp(labels: np.ndarray) -> np.ndarray:
    return (labels == np.arange(labels.max() + 1)[:, None, None]).astype(np.float64)


@pytest.mark.parametrize("window", [11, 21, 31])
def test_a_window_makes_a_crisp_border_eight_tenths_of_it_wide(window: int) -> None:
    upright = np.broadcast_to(np.arange(SHAPE[1]) >= 100, SHAPE).astype(np.int64)
    maps = np.stack([uniform_filter(each, window) for each in crisp(upright)])
    assert border_width(maps, upright) == pytest.approx(0.8 * window, abs=0.1)


@pytest.mark.parametrize("deviation", [3.0, 6.0, 10.0])
def test_a_slanted_border_is_measured_straight_across(deviation: float) -> None:
    labels = slanted()
    maps = np.stack([gaussian_filter(each, deviation) for each in crisp(labels)])
    expected = 2 * 1.2816 * deviation
    assert border_width(maps, labels) == pytest.approx(expected, rel=0.03)
    # Neither the topics' order nor a map that never gets to the ends changes that.
    assert border_width(maps[::-1], labels) == pytest.approx(expected, rel=0.03)
    assert border_width(0.6 * maps + 0.2, labels) == pytest.approx(expected, rel=0.03)
    noise = 0.01 * np.random.default_rng(0).standard_normal(SHAPE)
    noisy = maps + np.stack([noise, -noise])
    assert border_width(noisy, labels) == pytest.approx(expected, rel=0.1)


def test_a_crisp_map_has_borders_of_about_a_pixel() -> None:
    assert border_width(crisp(slanted()), slanted()) < 1.5


def test_a_border_that_is_not_seen_is_infinitely_wide_and_none_has_no_width() -> None:
    labels = slanted()
    assert border_width(np.full((2, *SHAPE), 0.5), labels) == float("inf")
    assert np.isnan(border_width(crisp(labels), np.zeros(SHAPE, int)))


def test_borders_near_others_are_left_out() -> None:
    """A strip too narrow for its window never shows; the border far from it counts alone."""
    columns = np.arange(SHAPE[1])
    labels = np.broadcast_to(
        np.where((columns >= 20) & (columns < 30), 1, columns >= 100).astype(np.int64), SHAPE
    )
    maps = np.stack([gaussian_filter(each, 6.0) for each in crisp(labels)])
    assert border_width(maps, labels) == pytest.approx(2 * 1.2816 * 6.0, rel=0.03)


def test_unknown_truth_and_empty_pixels_are_left_out() -> None:
    labels = slanted()
    maps = np.stack([gaussian_filter(each, 6.0) for each in crisp(labels)])
    expected = border_width(maps, labels)
    holed, unknown = maps.copy(), labels.copy()
    holed[:, :60] = np.nan
    unknown[:, :40] = -1
    assert border_width(holed, unknown) == pytest.approx(expected, rel=0.02)
