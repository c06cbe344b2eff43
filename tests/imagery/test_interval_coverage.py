"""Coverage of intervals: right where posteriors are, and shown where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from pmlda_gui.imagery.interval_coverage import coverage, least_level

LEVELS = (0.5, 0.8, 0.95)
# Falling, rising, peaked in the middle and near an end, and with two peaks at the ends.
SHAPES = [(0.5, 3.0), (4.0, 0.7), (5.0, 2.0), (1.5, 30.0), (200.0, 300.0), (0.4, 0.6), (1.0, 1.0)]


def moments(a: float, b: float) -> tuple[float, float]:
    mean = a / (a + b)
    return mean, float(np.sqrt(mean * (1 - mean) / (a + b + 1)))


def levels_of(values: np.ndarray, a: float, b: float) -> np.ndarray:
    mean, deviation = moments(a, b)
    return least_level(values, np.full_like(values, mean), np.full_like(values, deviation))


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_values_drawn_from_the_posterior_need_every_level_equally_often(a: float, b: float) -> None:
    values = np.random.default_rng(0).beta(a, b, 20_000)
    found = np.sort(levels_of(values, a, b))
    # Kolmogorov's distance from uniform: 1.63 / sqrt(n) is passed once in a hundred times.
    assert np.abs(found - np.linspace(0, 1, len(found))).max() < 1.63 / np.sqrt(len(found))


@pytest.mark.parametrize(("a", "b"), [(5.0, 2.0), (1.5, 30.0)])
def test_the_interval_is_the_shortest_that_holds_the_level(a: float, b: float) -> None:
    grid = np.linspace(0, 1, 20_001)
    inside = grid[levels_of(grid, a, b) <= 0.8]
    starts = np.linspace(0, 0.2, 4001)
    shortest = np.min(beta.ppf(starts + 0.8 - 1e-12, a, b) - beta.ppf(starts, a, b))
    assert np.ptp(inside) == pytest.approx(shortest, abs=2e-4)


def test_pure_seabed_is_within_the_intervals_of_a_topic_that_is_nearly_absent() -> None:
    ends = least_level(np.array([0.0, 1.0]), np.array([0.02, 0.98]), np.array([0.03, 0.03]))
    np.testing.assert_allclose(ends, 0.0, atol=1e-12)
    sure = least_level(np.array([0.0, 1.0]), np.array([0.3, 0.7]), np.array([0.03, 0.03]))
    np.testing.assert_allclose(sure, 1.0)


def test_where_both_ends_are_likelier_than_the_middle_the_ends_come_first() -> None:
    found = levels_of(np.array([0.0, 0.1, 0.6, 0.9, 1.0]), 0.4, 0.6)
    np.testing.assert_allclose(found[[0, 4]], 0.0, atol=1e-3)
    np.testing.assert_allclose(found[2], 1.0, atol=1e-3)
    assert 0.2 < found[1] < 0.8
    assert 0.2 < found[3] < 0.8


def test_deviations_of_nothing_and_of_everything_are_survived() -> None:
    values, means = np.array([0.3, 0.3, 0.0, 0.5]), np.array([0.3, 0.4, 0.0, 0.5])
    none = least_level(values, means, np.zeros(4))
    np.testing.assert_array_equal(none <= 0.95, [True, False, True, True])
    assert np.isfinite(least_level(values, means, np.full(4, 2.0))).all()


def posterior(factor: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth drawn from posteriors whose deviations are then stated `factor` times too large."""
    rng = np.random.default_rng(seed)
    means = rng.dirichlet([2.0, 3.0], (60, 50)).transpose(2, 0, 1)
    count = 40.0
    truth = rng.beta(means[0] * count, means[1] * count)
    deviation = np.sqrt(means[0] * means[1] / (count + 1)) * factor
    return np.stack([truth, 1 - truth]), means, np.stack([deviation, deviation])


@pytest.mark.parametrize("reading", ["normal", "beta"])
def test_honest_posteriors_cover_their_levels_and_overconfident_ones_do_not(reading) -> None:
    np.testing.assert_allclose(coverage(*posterior(1.0), reading=reading), LEVELS, atol=0.03)
    bold = coverage(*posterior(0.4), reading=reading)
    shy = coverage(*posterior(1.6), reading=reading)
    for low, level, high in zip(bold, LEVELS, shy, strict=True):
        assert low < level - 0.15
        assert high > level
    assert bold[2] < 0.7


def test_the_normal_reading_is_the_mean_give_or_take_so_many_deviations() -> None:
    away = np.array([0.67, 0.68, 1.95, 1.97])
    found = least_level(0.4 + 0.1 * away, np.full(4, 0.4), np.full(4, 0.1), "normal")
    np.testing.assert_array_equal(found <= 0.5, [True, False, False, False])
    np.testing.assert_array_equal(found <= 0.95, [True, True, True, False])


def test_topics_are_matched_and_pixels_chosen() -> None:
    truth, means, deviations = posterior(1.0)
    plain = coverage(truth, means, deviations)
    assert coverage(truth, means[::-1], deviations[::-1]) == plain
    where = np.zeros(truth.shape[1:], np.bool_)
    where[:45] = True
    off = means.copy()
    off[:, 45:] = means[::-1, 45:]
    assert coverage(truth, off, deviations, where=where) == pytest.approx(
        coverage(truth[:, :45], means[:, :45], deviations[:, :45])
    )
    assert np.isnan(coverage(truth, means, deviations, where=~np.ones_like(where))).all()
    holed = deviations.copy()
    holed[0, 45:] = np.nan
    assert coverage(truth, means, holed) == coverage(truth, means, deviations, where=where)
