"""The vectorised exponential, logarithm and random numbers are as good as the C library's."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy import stats

from pmlda_gui.core import vector_math

Array = np.ndarray


@numba.njit
def exp_of(values: Array) -> Array:
    result = np.empty_like(values)
    for i in range(values.size):
        result[i] = vector_math.exp(values[i])
    return result


@numba.njit
def log_of(values: Array) -> Array:
    result = np.empty_like(values)
    for i in range(values.size):
        result[i] = vector_math.log(values[i])
    return result


@numba.njit
def rough_log_of(values: Array) -> Array:
    result = np.empty_like(values)
    for i in range(values.size):
        result[i] = vector_math.rough_log(values[i])
    return result


@numba.njit
def atanh_twice_of(values: Array) -> Array:
    result = np.empty_like(values)
    for i in range(values.size):
        result[i] = vector_math.atanh_twice(values[i])
    return result


@numba.njit
def uniforms(key: np.uint64, count: int) -> Array:
    result = np.empty(count)
    for i in range(count):
        result[i] = vector_math.uniform(key, np.uint64(i))
    return result


def test_exp_is_accurate_over_the_whole_range() -> None:
    values = np.concatenate([np.linspace(-344.9, 707.9, 200_001), np.linspace(-1e-3, 1e-3, 10_001)])
    np.testing.assert_allclose(exp_of(values), np.exp(values), rtol=1e-15, atol=0.0)


def test_products_of_two_exponentials_are_normal_numbers_or_zero() -> None:
    values = np.concatenate([np.linspace(-760.0, 0.0, 20_001), [-1e6, -1e300]])
    squares = exp_of(values) ** 2
    assert np.all((squares == 0.0) | (squares >= np.finfo(np.float64).tiny))
    assert np.all(squares[values < -346.0] == 0.0)
    assert np.isfinite(exp_of(np.array([1e300]))).all()


def test_log_is_accurate_over_the_whole_range() -> None:
    values = np.concatenate(
        [
            np.exp(np.linspace(-700.0, 700.0, 200_001)),
            np.linspace(0.5, 2.0, 100_001),
            1.0 + np.linspace(-1e-8, 1e-8, 1001),
        ]
    )
    np.testing.assert_allclose(log_of(values), np.log(values), rtol=2e-15, atol=1e-300)


def test_the_rough_log_is_rough_but_close() -> None:
    values = np.exp(np.linspace(-600.0, 600.0, 100_001))
    np.testing.assert_allclose(rough_log_of(values), np.log(values), rtol=0.0, atol=0.016)


def test_atanh_twice_gives_log1p() -> None:
    x = np.concatenate([np.linspace(0.0, 1.0, 100_001), np.logspace(-300, 0, 1001)])
    np.testing.assert_allclose(atanh_twice_of(x / (2.0 + x)), np.log1p(x), rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("use", [1, 2])
def test_a_stream_is_uniform_and_its_numbers_are_unrelated(use: int) -> None:
    key = vector_math.stream_keys(3, 14, use, 1)[0]
    drawn = uniforms(key, 200_000)
    assert drawn.min() > 0.0
    assert drawn.max() < 1.0
    assert stats.kstest(drawn, "uniform").pvalue > 1e-4
    for lag in (1, 2, 256):
        # Correlation of independent numbers has a standard error of 0.0022.
        assert abs(np.corrcoef(drawn[lag:], drawn[:-lag])[0, 1]) < 0.01
    pairs, _, _ = np.histogram2d(drawn[::2], drawn[1::2], bins=32, range=[[0, 1], [0, 1]])
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-4


def test_neighbouring_streams_are_unrelated() -> None:
    """Streams of neighbouring seeds, sweeps, uses and numbers, pairwise."""
    keys = [
        *vector_math.stream_keys(0, 0, 1, 3),
        *vector_math.stream_keys(1, 0, 1, 1),
        *vector_math.stream_keys(0, 1, 1, 1),
        *vector_math.stream_keys(0, 0, 2, 1),
    ]
    drawn = np.array([uniforms(key, 50_000) for key in keys])
    correlations = np.corrcoef(drawn) - np.eye(len(keys))
    assert np.abs(correlations).max() < 0.02
    # The same word, over many streams: what one word sees from sweep to sweep.
    across = np.array([uniforms(vector_math.stream_keys(0, t, 1, 1)[0], 2)[1] for t in range(5000)])
    assert stats.kstest(across, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(across[1:], across[:-1])[0, 1]) < 0.06


def test_keys_of_many_seeds_sweeps_and_uses_all_differ() -> None:
    keys = np.concatenate(
        [
            vector_math.stream_keys(seed, sweep, use, 8)
            for seed in range(12)
            for sweep in range(40)
            for use in range(4)
        ]
    )
    assert len(np.unique(keys)) == len(keys)
