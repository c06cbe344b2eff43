"""The noise of words is told from words far apart: neither slow change nor borders count."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pmlda_gui.imagery.features import fit_words
from pmlda_gui.imagery.features.noise import difference_noise, noise_lag

WINDOW = 5
TURN = np.array([[1.0, 0.8], [0.0, 0.4]])
PLANTED = TURN.T @ TURN


def noise(shape: tuple[int, int], seed: int = 0) -> NDArray[np.float32]:
    """Independent noise of covariance PLANTED at every pixel."""
    drawn = np.random.default_rng(seed).standard_normal((*shape, 2)) @ TURN
    return drawn.astype(np.float32)


def everywhere(shape: tuple[int, int]) -> NDArray[np.bool_]:
    return np.ones(shape, np.bool_)


def found(
    words: NDArray[np.float32], valid: NDArray[np.bool_] | None = None, window: int = WINDOW
) -> NDArray[np.float64]:
    valid = everywhere(words.shape[:2]) if valid is None else valid
    covariance = difference_noise([words], [valid], window)
    assert covariance is not None
    return covariance


def shape_of(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariance but for its size, which leaving a fifth out makes smaller."""
    scaled: NDArray[np.float64] = covariance / np.trace(covariance)
    return scaled


def test_the_noise_of_an_even_seabed_is_found_but_for_the_fifth_that_is_left_out() -> None:
    covariance = found(noise((300, 280)))
    np.testing.assert_allclose(shape_of(covariance), shape_of(PLANTED), atol=0.02)
    # Of two normal features, the nearest four fifths have 0.598 of the variance.
    assert np.trace(covariance) == pytest.approx(0.598 * np.trace(PLANTED), rel=0.03)


def test_a_seabed_that_changes_steadily_is_no_noise() -> None:
    rows, columns = np.indices((300, 280), dtype=np.float32)
    ramp = np.stack([rows / 10, -columns / 20], axis=2)
    np.testing.assert_allclose(found(noise((300, 280)) + ramp), found(noise((300, 280))), atol=1e-3)


def test_borders_between_seabeds_are_left_out() -> None:
    words = noise((300, 280))
    words[:, 140:] += (40.0, -30.0)
    covariance = found(words)
    # With them the variances would be some 200 times as large.
    np.testing.assert_allclose(shape_of(covariance), shape_of(PLANTED), atol=0.08)
    assert np.trace(covariance) < np.trace(PLANTED)


def test_words_are_farther_apart_than_a_window() -> None:
    fine = noise((60, 60))
    windows = np.kron(fine, np.ones((WINDOW, WINDOW, 1), np.float32))
    assert noise_lag(WINDOW) > WINDOW
    # Neighbours in a window are equal here, and would tell of no noise at all.
    independent = np.trace(found(noise((300, 300))))
    assert np.trace(found(windows)) == pytest.approx(independent, rel=0.1)


def test_all_images_count_and_what_is_not_valid_does_not() -> None:
    words, valid = noise((300, 280)), everywhere((300, 280))
    valid[:, :100] = valid[120:140, 200:] = False
    hidden = words.copy()
    hidden[~valid] = np.nan
    garbage = words.copy()
    garbage[~valid] = 1e6
    np.testing.assert_array_equal(found(hidden, valid), found(garbage, valid))
    louder = noise((300, 280), 1) * np.float32(3.0)
    together = difference_noise([words, louder], [everywhere((300, 280))] * 2, WINDOW)
    assert together is not None
    assert np.trace(found(words)) < np.trace(together) < np.trace(found(louder))


@pytest.mark.parametrize("shape", [(1, 1), (1, 200), (16, 16), (30, 24)])
def test_small_images_have_too_few_triples_to_tell(shape: tuple[int, int]) -> None:
    assert difference_noise([noise(shape)], [everywhere(shape)], 31) is None
    assert difference_noise([noise((300, 300))], [np.zeros((300, 300), np.bool_)], 31) is None
    assert difference_noise([], [], 31) is None


def test_words_of_small_images_are_whitened_by_what_varies_within_cells() -> None:
    values, valid = [noise((40, 40))], [everywhere((40, 40))]
    one, other = fit_words(values, valid, window=31), fit_words(values, valid)
    np.testing.assert_array_equal(one.apply(values[0]), other.apply(values[0]))


def test_values_in_the_middle_of_cells_are_as_far_apart_in_pixels() -> None:
    words = np.kron(noise((80, 80)), np.ones((WINDOW, WINDOW, 1), np.float32))
    reduced = difference_noise([words[2::4, 2::4]], [everywhere((100, 100))], WINDOW, 4)
    assert reduced is not None
    np.testing.assert_allclose(reduced, found(words), rtol=0.15, atol=0.02)


def test_whitened_words_have_noise_alike_in_every_direction_and_say_how_much() -> None:
    values = noise((300, 280)).astype(np.float64) * (1.0, 50.0)
    values[:, 140:] += (4.0, -100.0)
    space = fit_words([values], [everywhere((300, 280))], window=WINDOW)
    words = space.apply(values)
    assert words.reshape(-1, 2).var(axis=0).mean() == pytest.approx(1.0, rel=1e-3)
    np.testing.assert_allclose(found(words), space.noise * np.eye(2), atol=0.02 * space.noise)


def test_whitening_within_cells_says_how_much_noise_there_is_too() -> None:
    values = noise((160, 160)).astype(np.float64)
    values[:, 80:] += (9.0, -9.0)
    space = fit_words([values], [everywhere((160, 160))])
    words = space.apply(values).reshape(8, 20, 8, 20, 2)
    away = words - words.mean(axis=(1, 3), keepdims=True)
    np.testing.assert_allclose((away**2).mean(axis=(0, 1, 2, 3)), space.noise, rtol=1e-3)


@pytest.mark.parametrize("flat", [[1], [0, 1]], ids=["one", "all"])
def test_features_that_never_change_stay_finite(flat: list[int]) -> None:
    values = noise((120, 120)).astype(np.float64)
    values[..., flat] = 7.0
    words = fit_words([values], [everywhere((120, 120))], window=WINDOW).apply(values)
    assert np.isfinite(words).all()
    assert np.ptp(words[..., flat]) < 1e-3
