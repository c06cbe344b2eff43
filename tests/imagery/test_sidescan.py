"""First return, slant range and gain, against geometry worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.imagery.sidescan import (
    Swath,
    first_return,
    normalise_gain,
    to_ground_range,
    without_water_column,
)


def made_swath(heights, samples=400, seed=0, water=0.05, scale=1.0):
    """Rayleigh speckle from the first return on, and faint noise before it."""
    rng = np.random.default_rng(seed)
    speckle = rng.rayleigh(scale, (len(heights), samples)).astype(np.float32)
    before = np.arange(samples) + 0.5 < np.asarray(heights)[:, np.newaxis]
    values = np.where(before, np.float32(water) * speckle, speckle)
    return Swath(values, np.ones(values.shape, dtype=bool))


def test_the_first_return_follows_a_changing_height():
    heights = 80 + 40 * np.sin(np.arange(300) / 40)
    found = first_return([made_swath(heights), made_swath(heights, seed=1)])
    assert np.abs(found - heights).max() < 4


def test_long_pings_are_tracked_to_within_a_bin():
    heights = np.full(60, 700.0)
    found = first_return([made_swath(heights, samples=4000)])
    assert np.abs(found - heights).max() <= 2 * 4000 / 512


def test_the_transmitted_pulse_and_interference_lines_do_not_hold_the_track():
    heights = np.full(200, 90.0)
    swaths = [made_swath(heights), made_swath(heights, seed=1)]
    for swath in swaths:
        swath.values[:, :6] = 10.0
        swath.values[:, 30:32] = 3.0
        swath.values[:, 45] = 5.0
    assert np.abs(first_return(swaths) - heights).max() < 4


@pytest.mark.parametrize("order", [1, -1])
def test_a_net_in_the_water_on_one_side_does_not_hold_the_track(order):
    heights = np.full(200, 120.0)
    clear, netted = made_swath(heights), made_swath(heights, seed=1)
    netted.values[60:140, 60:118] = 3.0
    assert np.abs(first_return([clear, netted][::order]) - heights).max() < 5


@pytest.mark.parametrize("level", [1.0, 0.05])
def test_pings_lost_to_noise_or_silence_are_bridged(level):
    heights = np.full(200, 100.0)
    swaths = [made_swath(heights), made_swath(heights, seed=1)]
    rng = np.random.default_rng(5)
    for swath in swaths:
        swath.values[90:110] = level * rng.rayleigh(1.0, (20, 400))
    assert np.abs(first_return(swaths) - heights).max() < 5


def test_the_far_rim_of_a_shadow_is_not_taken_for_the_first_return():
    heights = np.full(120, 40.0)
    swath = made_swath(heights)
    # Beneath the sonar the bottom answers faintly; the rim of the shadow is the sharper edge.
    swath.values[:, 40:80] *= np.linspace(0.1, 1, 40, dtype=np.float32)
    swath.values[:, 200:260] *= 0.04
    assert np.abs(first_return([swath]) - heights).max() < 5


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_without_contrast_there_is_no_first_return(value):
    values = np.full((50, 100), value, dtype=np.float32)
    assert first_return([Swath(values, np.ones(values.shape, dtype=bool))]) is None


def test_the_water_column_is_masked_up_to_the_first_return():
    swath = without_water_column(made_swath([3.0, 5.0], samples=8), np.array([3.0, 5.0]))
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
    assert corrected.valid[0, (positions > 1) & (positions < reach - 1)].all()


def test_invalid_samples_do_not_bleed_through_the_correction():
    swath = made_swath(np.full(4, 0.0), samples=50)
    swath.valid[:, 20] = False
    swath.values[:, 20] = 1e9
    corrected = to_ground_range(swath, np.full(4, 10.0))
    assert corrected.values.max() < 100


def test_at_height_zero_the_correction_changes_nothing():
    swath = made_swath(np.zeros(3), samples=30)
    corrected = to_ground_range(swath, np.zeros(3))
    np.testing.assert_allclose(corrected.values[:, :-1], swath.values[:, :-1])


def test_gain_normalisation_undoes_a_falloff_and_levels_both_sides():
    port, starboard = (made_swath(np.zeros(400), samples=300, seed=seed) for seed in (1, 2))
    falloff = np.exp(-np.arange(300) / 150).astype(np.float32)
    swaths = [
        Swath(port.values * falloff, port.valid),
        Swath(starboard.values * falloff * 3, starboard.valid),
    ]
    levelled = normalise_gain(swaths)
    profiles = np.stack([np.median(swath.values, axis=0) for swath in levelled])
    smooth = profiles.reshape(2, 30, 10).mean(axis=2)
    assert smooth.max() / smooth.min() < 1.2


def test_gain_normalisation_keeps_contrast_along_the_track():
    swath = made_swath(np.zeros(400), samples=100)
    swath.values[200:] *= 4
    (levelled,) = normalise_gain([swath])
    assert np.median(levelled.values[200:]) / np.median(levelled.values[:200]) == pytest.approx(
        4, rel=0.1
    )


def test_gain_is_bounded_and_ignores_what_is_invalid():
    swath = made_swath(np.zeros(50), samples=100)
    swath.values[:, 60:] *= 1e-6
    swath.valid[:, :10] = False
    swath.values[:, :10] = 0.0
    (levelled,) = normalise_gain([swath])
    assert levelled.values[:, 60:].max() < 1e-4
    assert not levelled.values[:, :10].any()
    glaring = made_swath(np.zeros(50), samples=100)
    glaring.values[:, :20] *= 1e6
    assert normalise_gain([glaring])[0].values[:, :15].mean() > 1e4
    blank = Swath(np.zeros((3, 4), dtype=np.float32), np.zeros((3, 4), dtype=bool))
    (unchanged,) = normalise_gain([blank])
    assert not unchanged.values.any()
