"""Averages over ground that looks alike: less noise, borders kept, tiles as the whole image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from pmlda_gui.imagery.features import Features, Standardisation, fit_words
from pmlda_gui.imagery.similar_ground import (
    average_samples_alike,
    averaged_alike,
    averaging_reach,
    grid_step,
)

Array = NDArray[np.float64]
WINDOW = 31
SHAPE = (260, 280)


def measured(step: float, seed: int = 0) -> tuple[Features, NDArray[np.bool_], Array]:
    """Two noisy features of two seabeds, `step` noise deviations apart, and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.zeros((*SHAPE, 2))
    truth[:, SHAPE[1] // 2 :, 0] = step
    noise = [uniform_filter(rng.standard_normal(SHAPE), WINDOW, mode="wrap") for _ in range(2)]
    noisy = truth + np.stack([each / each.std() for each in noise], axis=2)
    return Features(noisy.astype(np.float32), ("a", "b"), ("", "")), np.ones(SHAPE, bool), truth


def known_noise(limit: float = np.inf) -> Standardisation:
    """Words that are the features, whose noise has variance 1."""
    return Standardisation(np.zeros(2), np.ones(2), limit, None, 1.0, np.eye(2))


def rms(away: Array) -> float:
    return float(np.sqrt(np.mean(away**2)))


def test_far_from_borders_the_noise_is_less_than_half() -> None:
    features, valid, truth = measured(6.0)
    found = averaged_alike(features, known_noise(), valid, WINDOW).values
    inner = np.s_[:, SHAPE[1] * 3 // 4 :]
    assert rms((found - truth)[inner]) < 0.5 * rms((features.values - truth)[inner])


def test_a_border_stays_where_it_is_and_as_sharp() -> None:
    features, valid, _ = measured(6.0)
    found = averaged_alike(features, known_noise(), valid, WINDOW).values[..., 0].mean(axis=0)
    middle = SHAPE[1] // 2
    assert found[middle - 8] < 1.0
    assert found[middle + 8] > 5.0


def test_seabeds_that_do_not_differ_are_averaged_alike() -> None:
    # A border of half a deviation is noise: a plain average would do the same there.
    features, valid, _ = measured(0.0)
    found = averaged_alike(features, known_noise(), valid, WINDOW).values
    assert rms(found) < 0.5 * rms(features.values)


def test_a_steady_slope_keeps_its_values() -> None:
    rows = np.linspace(0.0, 20.0, SHAPE[0])[:, None, None]
    values = np.broadcast_to(rows, (*SHAPE, 2)).astype(np.float32)
    slope = Features(values, ("a", "b"), ("", ""))
    found = averaged_alike(slope, known_noise(), np.ones(SHAPE, bool), WINDOW).values
    inner = np.s_[averaging_reach(WINDOW) : -averaging_reach(WINDOW)]
    np.testing.assert_allclose(found[inner], values[inner], atol=0.05)


def test_a_tile_with_its_surroundings_is_as_the_whole_image() -> None:
    features, valid, _ = measured(3.0)
    rng = np.random.default_rng(1)
    valid[40:60, 100:170] = False
    valid &= rng.random(SHAPE) > 0.01
    features = replace(features, values=np.where(valid[..., None], features.values, np.nan))
    whole = averaged_alike(features, known_noise(), valid, WINDOW).values
    reach = averaging_reach(WINDOW)
    top, left = reach + 1, reach + 2
    piece = np.s_[top - reach : top + 50 + reach, left - reach : left + 60 + reach]
    part = Features(features.values[piece], features.names, features.units)
    origin = (top - reach, left - reach)
    tile = averaged_alike(part, known_noise(), valid[piece], WINDOW, origin).values
    inner = np.s_[reach : reach + 50, reach : reach + 60]
    expected = whole[top : top + 50, left : left + 60]
    np.testing.assert_allclose(tile[inner], expected, rtol=1e-5, atol=1e-6)


def test_samples_on_the_grid_are_what_pixels_on_it_get() -> None:
    features, valid, _ = measured(3.0)
    step = grid_step(WINDOW)
    assert step == 3
    every = np.s_[step // 2 :: step, step // 2 :: step]
    samples = average_samples_alike(
        features.values[every], known_noise(), valid[every], WINDOW / step
    )
    whole = averaged_alike(features, known_noise(), valid, WINDOW).values
    np.testing.assert_allclose(samples, whole[every], atol=1e-6)


def test_a_part_of_the_samples_is_as_in_the_whole() -> None:
    features, valid, _ = measured(3.0)
    valid[40:60, 100:170] = False
    part = np.s_[70:130, 95:180]
    whole, alone = (
        average_samples_alike(features.values, known_noise(), valid, 11.0, *asked)
        for asked in ((), (part,))
    )
    np.testing.assert_array_equal(alone, whole[part])


def test_pixels_without_data_lend_nothing_and_stay_without() -> None:
    features, valid, _ = measured(0.0)
    valid[:, :100] = False
    wild = np.where(valid[..., None], features.values, np.float32(1e6))
    hidden = np.where(valid[..., None], features.values, np.float32(np.nan))
    found = [
        averaged_alike(replace(features, values=each), known_noise(), valid, WINDOW).values
        for each in (wild, hidden)
    ]
    np.testing.assert_array_equal(*found)
    assert np.isnan(found[0][~valid]).all()
    assert np.isfinite(found[0][valid]).all()


def test_one_valid_pixel_between_samples_keeps_what_was_measured() -> None:
    features, _, _ = measured(0.0)
    valid = np.zeros(SHAPE, bool)
    valid[30, 30] = True
    found = averaged_alike(features, known_noise(), valid, WINDOW).values
    np.testing.assert_array_equal(found[30, 30], features.values[30, 30])


def test_outliers_are_cut_off_before_they_are_averaged() -> None:
    features, valid, _ = measured(0.0)
    features.values[100:110, 100:110] = 1000.0
    found = averaged_alike(features, known_noise(limit=3.0), valid, WINDOW).values
    assert float(found.max()) <= 3.0


def test_features_whose_noise_is_not_known_stay_as_they_are() -> None:
    features, valid, _ = measured(0.0)
    plain = replace(known_noise(), guide=None)
    assert averaged_alike(features, plain, valid, WINDOW) is features


@pytest.mark.parametrize("window", [None, WINDOW])
def test_words_a_window_apart_tell_what_to_compare_by(window: int | None) -> None:
    features, valid, truth = measured(6.0)
    words = fit_words([features.values], [valid], window=window)
    if window is None:
        assert words.guide is None
        return
    assert words.guide is not None
    noise = ((features.values - truth) / words.scale) @ words.guide
    np.testing.assert_allclose(noise.reshape(-1, 2).std(axis=0), 1.0, atol=0.35)
