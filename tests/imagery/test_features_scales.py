"""At scale 2 pixels half as large are measured alike, and lengths are told in metres."""

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import (
    check_scale,
    compute_features,
    in_metres,
    lengths_in_words,
    scaled_window,
    wavelengths_of,
)
from pmlda_gui.imagery.features.scales import scaled_wavelengths
from pmlda_gui.imagery.image import Image


def waves(pixels_per_wave: float, side: int) -> Image:
    """Waves along the rows that grow from left to right over a slope of brightness."""
    rows, columns = np.mgrid[:side, :side] + 0.5
    strength = columns / side
    pixels = 2 + strength + strength * np.sin(2 * np.pi * rows / pixels_per_wave)
    return Image(pixels.astype(np.float32), np.ones((side, side), np.bool_))


def test_pixels_half_as_large_are_measured_alike_at_scale_two() -> None:
    names = ("mean", "std", "gabor_6", "gabor_12", "gabor_24", "anisotropy")
    usual = compute_features(waves(12.0, 120), names, window=15).values
    finer = compute_features(waves(24.0, 240), names, window=15, scale=2.0).values
    middle = slice(40, 80)
    seen = finer[1::2, 1::2][middle, middle]
    expected = usual[middle, middle]
    assert np.abs(seen - expected).max() < 0.1 * expected.std(axis=(0, 1)).max() + 0.02


def test_scale_one_changes_nothing() -> None:
    image = waves(9.0, 60)
    plain = compute_features(image, "seabed").values
    np.testing.assert_array_equal(compute_features(image, "seabed", scale=1.0).values, plain)


@pytest.mark.parametrize("scale", [0.25, 0.5, 0.9, 1.3, 2.0, 8.0])
def test_windows_have_a_middle_and_waves_can_be_seen_at_any_scale(scale: float) -> None:
    window = scaled_window(31, scale)
    assert window % 2 == 1
    assert window == pytest.approx(31 * scale, abs=1.0)
    waves_now = scaled_wavelengths((3.0, 6.0, 12.0, 24.0), scale)
    assert min(waves_now) >= 2.5
    assert waves_now[-1] == 24.0 * scale
    values = compute_features(waves(12.0, 60), "seabed", window=5, scale=scale).values
    assert np.isfinite(values).all()


@pytest.mark.parametrize("scale", [0.0, -1.0, 0.1, 100.0, float("nan"), float("inf")])
def test_scales_without_sense_are_refused_with_a_sentence(scale: float) -> None:
    with pytest.raises(PmldaError, match=r"at scale .*: give a number from 0.25 to 8"):
        check_scale(scale)
    with pytest.raises(PmldaError, match="at scale"):
        compute_features(waves(12.0, 30), "mean", scale=scale)


def test_lengths_are_told_in_pixels_and_where_their_size_is_known_in_metres() -> None:
    waves_of_seabed = wavelengths_of("seabed")
    assert waves_of_seabed == (3.0, 6.0, 12.0, 24.0)
    assert lengths_in_words(31, waves_of_seabed, 1.0, 0.025) == (
        "windows of 31 pixels (0.78 m) and waves of 3, 6, 12 and 24 pixels "
        "(0.075, 0.15, 0.3 and 0.6 m)"
    )
    assert lengths_in_words(31, (), 2.0, None) == "windows of 61 pixels"
    assert wavelengths_of(("mean", "entropy")) == ()
    assert in_metres(31, 0.025) == "0.78 m"
    assert in_metres(31, 2.0) == "62 m"
