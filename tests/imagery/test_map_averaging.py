"""Maps averaged over the ground, and what such an average leaves unknown about a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pmlda_gui.imagery.map_averaging import average_maps

_WIDTH = 4.0
_VALID = np.ones((40, 60), np.bool_)


def _two_topics(first: NDArray[np.floating]) -> NDArray[np.float32]:
    plane = np.broadcast_to(first, _VALID.shape)
    return np.stack([plane, 1.0 - plane]).astype(np.float32)


def _averaged(first: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    spread = np.full((2, *_VALID.shape), 0.05, np.float32)
    return average_maps(_two_topics(first), spread, _VALID, _WIDTH)


def test_on_even_ground_an_average_is_as_uncertain_as_its_pixels() -> None:
    mean, deviation = _averaged(np.full(60, 0.3))
    assert mean[0] == pytest.approx(0.3, abs=1e-6)
    assert deviation == pytest.approx(0.05, abs=1e-3)


def test_across_a_border_less_is_known_about_a_pixel() -> None:
    _, deviation = _averaged((np.arange(60) >= 30).astype(float))
    # Twice the variance of a coin, and none of it far from the border.
    assert deviation[:, 20, 29:31] == pytest.approx(np.sqrt(0.05**2 + 0.5), abs=0.01)
    assert deviation[:, 20, :10] == pytest.approx(0.05, abs=1e-3)


def test_on_a_slope_the_deviation_is_that_of_memberships_within_the_average() -> None:
    slope = 0.01
    _, deviation = _averaged(slope * np.arange(60))
    expected = np.sqrt(0.05**2 + 2.0 * (slope * _WIDTH) ** 2)
    assert deviation[:, 20, 30] == pytest.approx(expected, abs=5e-4)


def test_pixels_without_data_stay_so_and_lend_nothing() -> None:
    valid = _VALID.copy()
    valid[:, 30:] = False
    maps = _two_topics(np.where(np.arange(60) < 30, 0.2, 0.9))
    mean, deviation = average_maps(maps, np.full_like(maps, 0.1), valid, _WIDTH)
    assert np.isnan(mean[:, :, 30:]).all()
    assert np.isnan(deviation[:, :, 30:]).all()
    assert mean[0, :, :30] == pytest.approx(0.2, abs=1e-6)
    assert deviation[:, :, :30] == pytest.approx(0.1, abs=1e-3)
