"""First return, slant range and cells, against geometry worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.imagery.sidescan import (
    Swath,
    averaged_pings,
    first_return,
    to_cells,
    to_ground_range,
    track_bottom,
    without_water_column,
)


def synthetic_swath(heights, samples=400, seed=0, water=0.05, scale=1.0):
    """Rayleigh speckle from the first return on, and faint noise before it."""
    rng = np.random.default_rng(seed)
    speckle = rng.rayleigh(scale, (len(heights), samples)).astype(np.float32)
    before = np.arange(samples) + 0.5 < np.asarray(heights)[:, np.newaxis]
    values = np.where(before, np.float32(water) * speckle, speckle)
    return Swath(values, np.ones(values.shape, dtype=bool))


def test_the_first_return_follows_a_changing_height():
    heights = 80 + 40 * np.sin(np.arange(300) / 40)
    found = first_return([synthetic_swath(heights), synthetic_swath(heights, seed=1)])
    assert np.abs(found - heights).max() < 4


def test_long_pings_are_tracked_to_within_a_bin():
    heights = np.full(60, 700.0)
    found = first_return([synthetic_swath(heights, samples=4000)])
    assert np.abs(found - heights).max() <= 2 * 4000 / 512


def test_the_transmitted_pulse_and_interference_lines_do_not_hold_the_track():
    heights = np.full(200, 90.0)
    swaths = [synthetic_swath(heights), synthetic_swath(heights, seed=1)]
    for swath in swaths:
        swath.values[:, :6] = 10.0
        swath.values[:, 30:32] = 3.0
        swath.values[:, 45] = 5.0
    assert np.abs(first_return(swaths) - heights).max() < 4


@pytest.mark.parametrize("order", [1, -1])
def test_a_net_in_the_water_on_one_side_does_not_hold_the_track(order):
    heights = np.full(200, 120.0)
    clear, netted = synthetic_swath(heights), synthetic_swath(heights, seed=1)
    netted.values[60:140, 60:118] = 3.0
    assert np.abs(first_return([clear, netted][::order]) - heights).max() < 5


@pytest.mark.parametrize("level", [1.0, 0.05])
def test_pings_lost_to_noise_or_silence_are_bridged(level):
    heights = np.full(200, 100.0)
    swaths = [synthetic_swath(heights), synthetic_swath(heights, seed=1)]
    rng = np.random.default_rng(5)
    for swath in swaths:
        swath.values[90:110] = level * rng.rayleigh(1.0, (20, 400))
    assert np.abs(first_return(swaths) - heights).max() < 5


def test_the_far_rim_of_a_shadow_is_not_taken_for_the_first_return():
    heights = np.full(120, 40.0)
    swath = synthetic_swath(heights)
    # Beneath the sonar the bottom answers faintly; the rim of the shadow is the sharper edge.
    swath.values[:, 40:80] *= np.linspace(0.1, 1, 40, dtype=np.float32)
    swath.values[:, 200:260] *= 0.04
    assert np.abs(first_return([swath]) - heights).max() < 5


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_without_contrast_there_is_no_first_return(value):
    values = np.full((50, 100), value, dtype=np.float32)
    assert first_return([Swath(values, np.ones(values.shape, dtype=bool))]) is None


def test_the_water_column_is_masked_up_to_the_first_return():
    swath = without_water_column(synthetic_swath([3.0, 5.0], samples=8), np.array([3.0, 5.0]))
    assert swath.valid.sum(axis=1).tolist() == [5, 3]
    assert not swath.values[~swath.valid].any()


@settings(deadline=None, max_examples=60)
@given(height=st.floats(0.0, 80.0), samples=st.integers(60, 200))
def test_a_target_at_a_known_ground_range_appears_there(height, samples):
    # Each sample carries the ground range of its centre, so after the correction every
    # pixel must carry its own position.
    slant = np.arange(samples) + 0.5
    ground = np.sqrt(np.maximum(slant**2 - height**2, 0.0))
    swath = Swath(ground[np.newaxis].astype(np.float32), np.ones((1, samples), dtype=bool))
    corrected = to_ground_range(swath, np.array([height]))
    positions = np.arange(samples) + 0.5
    # Interpolating a square root is worst next to the track; from ten pixels on it is exact
    # to within a tenth of one.
    far = corrected.valid[0] & (positions > 10 + height / 4)
    np.testing.assert_allclose(corrected.values[0, far], positions[far], atol=0.1)
    reach = np.sqrt(max((samples - 0.5) ** 2 - height**2, 0.0))
    assert not corrected.valid[0, positions > reach + 1].any()
    # Nearer, a sample covers more than three pixels, which is shown only in a narrow strip.
    nearest = height / np.sqrt(3.0**2 - 1)
    nearest = 1 if np.ceil(nearest - 0.5) <= 6 else nearest
    assert corrected.valid[0, (positions > nearest) & (positions < reach - 1)].all()
    assert not corrected.valid[0, (positions < nearest) & (positions > 1)].any()


def test_a_narrow_strip_at_nadir_mirrors_what_lies_beside_it():
    """Right below, one sample would fill many pixels, a texture that no seabed has."""
    values = np.random.default_rng(0).random((5, 60)).astype(np.float32)
    found = to_ground_range(Swath(values, np.ones(values.shape, dtype=bool)), np.full(5, 12.0))
    # 12 / sqrt(8) is 4.2 pixels, so the nearest four are filled.
    np.testing.assert_array_equal(found.values[:, :4], found.values[:, 7:3:-1])
    assert found.valid[:, :8].all()


def test_invalid_samples_do_not_bleed_through_the_correction():
    swath = synthetic_swath(np.full(4, 0.0), samples=50)
    swath.valid[:, 20] = False
    swath.values[:, 20] = 1e9
    corrected = to_ground_range(swath, np.full(4, 10.0))
    assert corrected.values.max() < 100


def test_at_height_zero_the_correction_changes_nothing():
    swath = synthetic_swath(np.zeros(3), samples=30)
    corrected = to_ground_range(swath, np.zeros(3))
    np.testing.assert_allclose(corrected.values[:, :-1], swath.values[:, :-1])


def test_cells_hold_the_mean_of_their_samples():
    values = np.arange(12, dtype=np.float32)[np.newaxis]
    swath = Swath(values, np.ones(values.shape, dtype=bool))
    cells = to_cells(swath, np.zeros(1), 3.0)
    np.testing.assert_allclose(cells.values, [[1.0, 4.0, 7.0, 10.0]])
    assert cells.valid.all()


def test_a_cell_needs_half_of_its_samples():
    values = np.arange(12, dtype=np.float32)[np.newaxis]
    valid = np.ones(values.shape, dtype=bool)
    valid[0, [0, 1, 5]] = False
    cells = to_cells(Swath(values, valid), np.zeros(1), 3.0)
    assert cells.valid.tolist() == [[False, True, True, True]]
    assert cells.values[0, 1] == pytest.approx(3.5)


def test_pings_are_averaged_where_they_are_valid():
    values = np.array([[2.0, 8.0], [4.0, 6.0], [6.0, 0.0]], dtype=np.float32)
    valid = np.array([[True, True], [True, False], [True, False]])
    rows = averaged_pings(Swath(values, valid), 2)
    np.testing.assert_allclose(rows.values, [[3.0, 8.0], [6.0, 0.0]])
    assert rows.valid.tolist() == [[True, True], [True, False]]


def test_a_clear_first_return_is_tracked_with_confidence_and_a_noisy_one_is_not():
    heights = 60 + 20 * np.sin(np.arange(200) / 30)
    assert track_bottom([synthetic_swath(heights), synthetic_swath(heights, seed=1)]).is_confident
    rng = np.random.default_rng(3)
    noise = rng.rayleigh(1.0, (200, 400)) * np.exp(rng.normal(0, 1.0, (200, 400)))
    unclear = track_bottom([Swath(noise.astype(np.float32), np.ones(noise.shape, dtype=bool))])
    assert unclear is None or not unclear.is_confident
