"""Contrast, colour maps and missing pixels, as bytes on a screen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.display import (
    COLOUR_MAPS,
    INVALID_COLOUR,
    Display,
    colour_table,
    to_levels,
    to_rgb,
    to_rgba,
)
from pmlda_gui.imagery.image import Image


def image_of(values, valid=None):
    pixels = np.asarray(values, dtype=np.float32)
    mask = np.ones(pixels.shape[:2], dtype=bool) if valid is None else np.asarray(valid)
    return Image(pixels=pixels, valid=mask)


FULL = Display(low=0, high=100)


def test_linear_display_spreads_the_values_evenly():
    levels = to_levels(image_of([[0, 1, 2, 4]]), FULL)
    assert levels.dtype == np.uint8
    assert levels.tolist() == [[0, 64, 128, 255]]


def test_log_display_gives_equal_steps_to_equal_ratios():
    levels = to_levels(image_of([[1, 10, 100, 1000]]), Display(scale="log", low=0, high=100))
    assert levels.tolist() == [[0, 85, 170, 255]]


def test_log_display_bounds_what_lies_below_80_decibels():
    levels = to_levels(image_of([[0.0, 1e-20, 1.0, 1e4]]), Display(scale="log", low=0, high=100))
    assert levels.tolist() == [[0, 0, 0, 255]]


def test_percentiles_clip_the_extremes():
    values = np.arange(101, dtype=np.float32)[np.newaxis]
    levels = to_levels(image_of(values), Display(low=10, high=90))
    assert (levels[0, :11] == 0).all()
    assert (levels[0, 90:] == 255).all()
    assert levels[0, 50] == 128


def test_gamma_above_one_lightens():
    values = [[0, 0.25, 1]]
    assert to_levels(image_of(values), Display(low=0, high=100, gamma=2)).tolist() == [
        [0, 128, 255]
    ]


def test_invalid_pixels_do_not_decide_the_contrast():
    image = image_of([[0, 1, 2, 1e6]], [[True, True, True, False]])
    assert to_levels(image, FULL).tolist() == [[0, 128, 255, 0]]


def test_invalid_pixels_are_neutral_or_transparent():
    image = image_of([[0, 1]], [[True, False]])
    assert to_rgb(image)[0, 1].tolist() == list(INVALID_COLOUR)
    assert to_rgba(image)[0, :, 3].tolist() == [255, 0]


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_the_neutral_colour_is_in_no_colour_map(name):
    distance = np.abs(colour_table(name).astype(int) - INVALID_COLOUR).sum(axis=1)
    assert distance.min() > 30


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_colour_maps_brighten_steadily(name):
    table = colour_table(name)
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    linear = (table / 255.0) ** 2.2
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    assert (np.diff(luminance) >= -1e-3).all()
    assert luminance[-1] - luminance[0] > 0.5


def test_the_safe_map_keeps_its_steps_for_a_viewer_without_red_or_green_cones():
    # Such a viewer confuses red with green but not their sum nor blue: both must order
    # the map, so that no two distant levels look alike.
    table = colour_table("cividis").astype(float)
    assert (np.diff(table[:, 0] + table[:, 1]) >= -1).all()
    assert table[-1, 0] + table[-1, 1] - table[0, 0] - table[0, 1] > 400


def test_a_colour_table_cannot_be_spoilt():
    with pytest.raises(ValueError, match="read-only"):
        colour_table("grey")[0] = 1


def test_colour_images_keep_their_hues():
    picture = to_rgb(image_of([[[0, 50, 100], [100, 0, 50]]]), FULL)
    assert picture.tolist() == [[[0, 128, 255], [255, 0, 128]]]


@pytest.mark.parametrize("value", [0.0, -3.0, 1e20])
def test_a_constant_image_is_drawn_half_bright(value):
    assert (to_levels(image_of(np.full((3, 3), value))) == 128).all()


@given(
    values=arrays.arrays(
        np.float32, (5, 6), elements=st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False)
    ),
    valid=arrays.arrays(np.bool_, (5, 6)),
    scale=st.sampled_from(["linear", "log"]),
    gamma=st.floats(0.1, 10),
)
def test_any_image_can_be_drawn_without_a_warning(values, valid, scale, gamma):
    image = image_of(np.where(valid, values, 0), valid)
    display = Display(scale=scale, gamma=gamma, colours="copper")
    picture = to_rgb(image, display)
    assert picture.shape == (5, 6, 3)
    np.testing.assert_array_equal(picture, to_rgb(image, display))


@pytest.mark.parametrize(
    "settings",
    [{"scale": "square"}, {"low": 60, "high": 40}, {"gamma": 0.0}, {"colours": "rainbow"}],
)
def test_senseless_settings_are_refused(settings):
    with pytest.raises(PmldaError, match="choose"):
        Display(**settings)
