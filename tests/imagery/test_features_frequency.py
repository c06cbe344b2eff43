"""Filters give the same at every few pixels as at every one, and lie linearly in between."""

import numpy as np
import pytest

from pmlda_gui.imagery.features.frequency import FrequencyPlane
from pmlda_gui.imagery.features.kernels import interpolated

SHAPE = (150, 131)
MARGIN = 41


def plane(coarsest: int = 4) -> FrequencyPlane:
    return FrequencyPlane(np.random.default_rng(0).standard_normal(SHAPE), MARGIN, coarsest)


@pytest.mark.parametrize("step", [2, 4])
@pytest.mark.parametrize("angle", [0.0, 0.9, 1.6])
def test_long_waves_are_known_from_every_few_pixels(step: int, angle: float) -> None:
    wavelength = 6.0 * step
    centre = (np.sin(angle) / wavelength, np.cos(angle) / wavelength)
    frequencies = plane()
    every = frequencies.magnitude(centre, 0.56 * wavelength, 1)
    few = frequencies.magnitude(centre, 0.56 * wavelength, step)
    assert few.shape == frequencies.result_shape(step)
    # Where both have a pixel they agree but for the tails of the filter.
    first = -MARGIN % step
    rows = slice((MARGIN + first) // step, None)
    shared = few[rows, rows][: every[first::step].shape[0], : every[0, first::step].shape[0]]
    np.testing.assert_allclose(shared, every[first::step, first::step], atol=2e-3 * every.max())
    between = frequencies.enlarged(few, step)
    assert between.shape == SHAPE
    assert np.abs(between - every).mean() < 0.02 * every.mean()


def test_the_mean_of_an_image_passes_at_any_step() -> None:
    even = FrequencyPlane(np.full(SHAPE, 3.0), MARGIN, 8)
    for step in (1, 2, 4, 8):
        seen = even.magnitude((0.0, 0.0), 12.0, step)
        middle = seen[seen.shape[0] // 2, seen.shape[1] // 2]
        assert middle == pytest.approx(3.0, rel=1e-3)


def test_values_in_between_lie_on_straight_lines() -> None:
    rows, columns = np.mgrid[:9, :11].astype(np.float32)
    plane_of_values = 2 * rows - 3 * columns
    found = interpolated(plane_of_values, 4, 5, 20, 24)
    down, across = np.mgrid[:20, :24]
    np.testing.assert_allclose(found, 2 * (down + 5) / 4 - 3 * (across + 5) / 4, atol=1e-5)


def test_beyond_the_last_value_it_stays() -> None:
    found = interpolated(np.array([[1.0, 5.0]], np.float32), 2, 0, 2, 4)
    np.testing.assert_allclose(found, [[1, 3, 5, 5]] * 2)
