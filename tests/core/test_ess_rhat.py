"""Effective sizes and R-hat are those of the library everybody trusts, and mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from arviz_stats.base import array_stats

from pmlda_gui.core.ess_rhat import effective_sizes, split_rhat


def autoregressive(
    rng: np.random.Generator, correlation: float, shape: tuple[int, int]
) -> np.ndarray:
    draws = rng.standard_normal(shape)
    for t in range(1, shape[1]):
        draws[:, t] = correlation * draws[:, t - 1] + np.sqrt(1 - correlation**2) * draws[:, t]
    return draws[..., None]


def test_effective_size_of_an_autoregressive_series_is_the_known_one() -> None:
    draws = autoregressive(np.random.default_rng(1), 0.8, (4, 5000))
    expected = 4 * 5000 * (1 - 0.8) / (1 + 0.8)
    assert effective_sizes(draws)[0] == pytest.approx(expected, rel=0.15)


def test_split_rhat_sees_a_drift_within_one_chain_and_a_shift_between_two() -> None:
    rng = np.random.default_rng(2)
    still = rng.standard_normal((1, 1000, 1))
    drifting = still + np.linspace(0.0, 3.0, 1000)[None, :, None]
    apart = rng.standard_normal((2, 1000, 1)) + np.array([0.0, 2.0])[:, None, None]
    assert split_rhat(still)[0] < 1.01
    assert split_rhat(drifting)[0] > 1.3
    assert split_rhat(apart)[0] > 1.3


def test_quantities_that_never_vary_agree_if_equal_and_disagree_if_not() -> None:
    equal = np.ones((2, 100, 1))
    different = equal * np.array([1.0, 2.0])[:, None, None]
    assert split_rhat(equal)[0] == 1.0
    assert split_rhat(different)[0] > 1.2


@pytest.mark.parametrize("shape", [(1, 40), (1, 41), (1, 500), (2, 333), (4, 200)])
def test_both_agree_with_arviz_for_ties_and_every_correlation(shape: tuple[int, int]) -> None:
    correlations = np.linspace(-0.5, 0.98, 12)
    rng = np.random.default_rng(3)
    draws = np.concatenate([autoregressive(rng, each, shape) for each in correlations], axis=2)
    draws[..., ::3] = draws[..., ::3].round()
    ess = array_stats.ess(draws, chain_axis=0, draw_axis=1, method="bulk")
    np.testing.assert_allclose(effective_sizes(draws), ess, rtol=1e-9)
    # The library wants two chains at least, and cuts each into two.
    half = shape[1] // 2
    halves = np.concatenate([draws[:, :half], draws[:, shape[1] - half :]])
    rhat = array_stats.rhat(halves, chain_axis=0, draw_axis=1, method="rank")
    np.testing.assert_allclose(split_rhat(draws), rhat, rtol=1e-9)


def test_quantities_may_have_any_shape() -> None:
    draws = np.random.default_rng(4).standard_normal((2, 100, 3, 2))
    flat = draws.reshape(2, 100, 6)
    np.testing.assert_array_equal(effective_sizes(draws).ravel(), effective_sizes(flat))
    np.testing.assert_array_equal(split_rhat(draws).ravel(), split_rhat(flat))
