"""Standardised features have no unit, resist outliers, and can be brought back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import (
    Standardisation,
    fit_standardisation,
    fit_words,
    standardise,
)


def normal_features(seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal([3, -200, 1e5], [0.5, 30, 7], (80, 90, 3)).astype(np.float32)
    valid = rng.uniform(size=(80, 90)) > 0.2
    values[~valid] = np.nan
    return values, valid


def test_normal_features_get_centre_zero_and_deviation_one():
    values, valid = normal_features()
    standardised, centre, scale = standardise(values, valid)
    assert standardised.dtype == np.float32
    assert np.isnan(standardised[~valid]).all()
    np.testing.assert_allclose(np.median(standardised[valid], axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(standardised[valid].std(axis=0), 1, rtol=0.05)
    np.testing.assert_allclose(centre, [3, -200, 1e5], rtol=0.02)
    np.testing.assert_allclose(scale, [0.5, 30, 7], rtol=0.05)


def test_a_tenth_of_highlights_hardly_moves_the_scale():
    values, valid = normal_features()
    _, centre, scale = standardise(values, valid)
    values[:8] *= 1000
    _, spoiled_centre, spoiled_scale = standardise(values, valid)
    assert (np.abs(spoiled_centre - centre) < 0.3 * scale).all()
    assert (spoiled_scale < 1.4 * scale).all()


@given(st.floats(1e-3, 1e3), st.floats(-100, 100))
@settings(derandomize=True, deadline=None)
def test_standardised_features_do_not_depend_on_the_unit(factor, offset):
    values, valid = normal_features()
    column = values[..., :1].astype(np.float64)
    one, _, _ = standardise(column, valid)
    other, _, _ = standardise(factor * column + offset, valid)
    np.testing.assert_allclose(other[valid], one[valid], rtol=1e-4, atol=1e-4)


def test_the_inverse_gives_topic_means_in_the_features_own_units():
    standardisation = Standardisation(np.array([3.0, -200.0]), np.array([0.5, 30.0]))
    topics = np.array([[0.0, 1.0], [-2.0, 0.5]])
    np.testing.assert_allclose(standardisation.invert(topics), [[3, -170], [2, -185]])
    np.testing.assert_allclose(standardisation.apply(standardisation.invert(topics)), topics)


def test_several_images_share_one_standardisation():
    dark, valid = np.zeros((10, 10, 1)), np.ones((10, 10), bool)
    bright = np.ones((10, 10, 1))
    shared = fit_standardisation([dark, bright], [valid, valid])
    assert shared.apply(bright).mean() > shared.apply(dark).mean()
    assert shared.centre == pytest.approx([0.5])


@pytest.mark.parametrize("level", [0.0, 5.0, -1e6, 1e-20])
def test_a_constant_feature_becomes_zero_not_infinite(level):
    values = np.full((6, 6, 1), level, np.float32)
    standardised, centre, scale = standardise(values, np.ones((6, 6), bool))
    np.testing.assert_allclose(standardised, 0, atol=1e-6)
    assert centre == pytest.approx([level], rel=1e-6)
    assert scale == pytest.approx([1.0])


def test_a_feature_that_is_constant_but_for_a_few_pixels_keeps_their_difference_finite():
    values = np.zeros((20, 20, 1))
    values[0, :5] = 8
    standardised, _, scale = standardise(values, np.ones((20, 20), bool))
    assert scale == pytest.approx([values.std()])
    assert np.isfinite(standardised).all()


def test_nothing_valid_is_refused_with_a_sentence():
    with pytest.raises(PmldaError, match="nothing to standardise"):
        standardise(np.zeros((3, 3, 2)), np.zeros((3, 3), bool))


def correlated_noise(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Two seabeds side by side under noise that is strong in one direction and weak in another."""
    signal = np.zeros((*shape, 2))
    signal[:, shape[1] // 2 :] = (3.0, -3.0)
    noise = rng.standard_normal((*shape, 2)) @ np.array([[1.0, 0.9], [0.0, 0.3]])
    return signal + noise


def noise_of(words: NDArray[np.floating], cell: int) -> NDArray[np.float64]:
    """Covariance of words about the means of square cells."""
    height, width, _ = words.shape
    cells = words.reshape(height // cell, cell, width // cell, cell, 2)
    away = cells - cells.mean(axis=(1, 3), keepdims=True)
    return np.cov(away.reshape(-1, 2).T)


def test_noise_within_cells_is_alike_in_every_direction_of_the_words() -> None:
    values = correlated_noise(np.random.default_rng(1), (160, 160))
    valid = np.ones((160, 160), dtype=bool)
    before = noise_of(fit_standardisation([values], [valid]).apply(values), 20)
    after = noise_of(fit_words([values], [valid]).apply(values), 20)
    assert np.linalg.cond(before) > 5.0
    assert np.linalg.cond(after) < 1.1


def test_words_keep_a_variance_of_one_and_come_back_in_their_units() -> None:
    values = correlated_noise(np.random.default_rng(2), (80, 80)) * (1.0, 100.0) + (5.0, 0.0)
    valid = np.ones((80, 80), dtype=bool)
    space = fit_words([values], [valid])
    words = space.apply(values)
    assert words.reshape(-1, 2).var(axis=0).mean() == pytest.approx(1.0, rel=1e-3)
    near = (np.abs((values - space.centre) / space.scale) < 3.0).all(axis=2)
    np.testing.assert_allclose(space.invert(words)[near], values[near], rtol=1e-3, atol=1e-2)


def test_a_feature_without_noise_is_not_blown_up() -> None:
    rng = np.random.default_rng(3)
    values = np.stack([rng.standard_normal((60, 60)), np.full((60, 60), 7.0)], axis=2)
    words = fit_words([values], [np.ones((60, 60), dtype=bool)]).apply(values)
    assert np.isfinite(words).all()
    assert np.ptp(words[..., 1]) < 1e-3


def test_a_constant_image_still_gives_words() -> None:
    values = np.full((20, 20, 3), 2.0)
    words = fit_words([values], [np.ones((20, 20), dtype=bool)]).apply(values)
    np.testing.assert_array_equal(words, 0.0)
