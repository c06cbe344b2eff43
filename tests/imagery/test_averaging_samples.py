"""Averages of a few samples are those of all pixels, where these vary no faster."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.imagery.map_averaging import average_planes, average_samples, sample_step


def smooth_planes(shape: tuple[int, int]) -> np.ndarray:
    """Noise as features have it, averaged over windows of 9 pixels."""
    noise = np.random.default_rng(1).random((2, *shape)).astype(np.float32)
    return average_planes(noise, np.ones(shape, np.bool_), 3.0)


def test_every_pixel_sampled_is_the_average_of_planes() -> None:
    planes, known = smooth_planes((50, 60)), np.ones((50, 60), np.bool_)
    known[10:20, 15:40] = False
    found = average_samples(planes, known.astype(np.float32), (0, 0), 1, (50, 60), 4.0)
    expected = average_planes(planes, known, 4.0)
    assert found[:, known] == pytest.approx(expected[:, known], abs=2e-6)


@pytest.mark.parametrize("begin", [0, 1, 2])
def test_every_third_row_and_column_tells_nearly_the_same(begin: int) -> None:
    planes, known = smooth_planes((90, 80)), np.ones((90, 80), np.bool_)
    known[:30, :25] = False
    inner = np.s_[20:70, 18:66]
    samples = np.s_[begin::3, begin::3]
    found = average_samples(
        planes[:, begin::3, begin::3],
        known[samples].astype(np.float32),
        (begin - 20, begin - 18),
        3,
        (50, 48),
        6.0,
    )
    expected = average_planes(planes, known, 6.0)[:, *inner]
    seen = known[inner]
    away, spread = (found - expected)[:, seen], expected[:, seen].std()
    assert np.sqrt(np.mean(away**2)) < 0.05 * spread
    # Along the mask, where few samples are known.
    assert np.abs(away).max() < 0.4 * spread


def test_a_sample_counts_as_often_as_it_stands_for_pixels() -> None:
    samples = np.array([[[0.0, 1.0]]], np.float32)
    weights = np.array([[3.0, 1.0]], np.float32)
    found = average_samples(samples, weights, (0, 0), 2, (1, 3), 5.0)
    assert found[0, 0, 1] == pytest.approx(0.25)


def test_where_no_sample_is_in_reach_nothing_is_known() -> None:
    known = np.zeros((10, 10), np.float32)
    known[0, 0] = 2.0
    found = average_samples(np.ones((1, 10, 10), np.float32), known, (0, 0), 3, (30, 30), 2.0)
    assert (found[0, :7, :7] == 1.0).all()
    assert np.isnan(found[0, 7:]).all()


def test_samples_are_denser_the_less_is_averaged_and_the_smaller_the_windows() -> None:
    assert [sample_step(deviation, 31) for deviation in (0.0, 1.0, 4.3, 8.0, 90.0)] == [
        1, 1, 3, 5, 9,
    ]  # fmt: skip
    assert sample_step(6.1, 9) == 3
