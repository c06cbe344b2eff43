"""The sunset features equal plain sums, and only colour pictures have them."""

import numpy as np
import pytest
from skimage.color import rgb2lab

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import PRESETS, compute_features
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene


def random_picture(missing: float) -> Image:
    rng = np.random.default_rng(11)
    valid = rng.uniform(size=(13, 17)) >= missing
    pixels = rng.uniform(size=(13, 17, 3)).astype(np.float32)
    return Image(np.where(valid[..., None], pixels, np.float32(0)), valid)


def smoothed(values, valid, deviation):
    """A 3 x 3 Gaussian mean of the valid values around each valid pixel, edges mirrored."""
    taps = np.exp(-0.5 * (np.arange(-1, 2) / deviation) ** 2)
    weights = np.outer(taps, taps)
    padded = np.pad(values, 1, mode="symmetric")
    known = np.pad(valid, 1, mode="symmetric")
    result = np.full(values.shape, np.nan)
    for row, column in zip(*np.nonzero(valid), strict=True):
        around = (slice(row, row + 3), slice(column, column + 3))
        present = weights * known[around]
        result[row, column] = (present * padded[around]).sum() / present.sum()
    return result


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(
    ("name", "channel"), [("lightness", 0), ("green_red", 1), ("blue_yellow", 2)]
)
def test_lab_features_equal_plain_gaussian_means(name, channel, missing):
    picture = random_picture(missing)
    lab = rgb2lab(picture.pixels.astype(np.float64))
    expected = smoothed(lab[..., channel], picture.valid, 1.0)
    found = compute_features(picture, name).values[..., 0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_blue_equals_a_plain_gaussian_mean(missing):
    picture = random_picture(missing)
    expected = smoothed(picture.pixels[..., 2], picture.valid, 2.0)
    found = compute_features(picture, "blue").values[..., 0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_log_blue_is_the_logarithm_and_never_infinite():
    picture = random_picture(0.0)
    picture.pixels[3, 4, 2] = 0
    found = compute_features(picture, "log_blue").values[..., 0]
    expected = np.log(np.maximum(picture.pixels[..., 2], 1 / 255))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_lightness_gradient_of_a_slope_is_its_steepness():
    grey = np.linspace(0.2, 0.8, 21)[:, None, None] * np.ones((21, 9, 3))
    picture = Image(grey.astype(np.float32), np.ones((21, 9), bool))
    lightness = rgb2lab(grey)[:, 0, 0]
    found = compute_features(picture, "lightness_gradient").values[1:-1, :, 0]
    expected = (lightness[2:] - lightness[:-2]) / 2
    np.testing.assert_allclose(found, np.repeat(expected[:, None], 9, axis=1), rtol=1e-4)


def test_the_lightness_gradient_does_not_see_an_edge_of_nodata():
    picture = Image(np.full((12, 9, 3), 0.5, np.float32), np.ones((12, 9), bool))
    picture.valid[6:] = False
    found = compute_features(picture, "lightness_gradient").values[:6]
    np.testing.assert_allclose(found, 0, atol=1e-5)


def test_8_and_16_bit_colours_give_the_features_of_the_same_colours_in_unit_range():
    picture = random_picture(0.2)
    picture.pixels[0, 0] = 1
    picture.valid[0, 0] = True
    expected = compute_features(picture, "paper-sunset").values
    for full in (255, 65535):
        scaled = Image(picture.pixels * np.float32(full), picture.valid)
        found = compute_features(scaled, "paper-sunset").values
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_the_sunset_preset_tells_sky_glow_and_sea_apart():
    scene = make_scene("dusk", (120, 120))
    features = compute_features(scene.image, "paper-sunset")
    assert features.names == PRESETS["paper-sunset"].features
    lightness = features.values[..., 0]
    sky, glow, sea = (np.median(lightness[part > 0.8]) for part in scene.memberships)
    assert glow > sky + 10 > sea + 20


def test_colour_features_of_a_single_band_are_refused_with_a_sentence():
    image = make_scene("demo", (20, 20)).image
    with pytest.raises(PmldaError, match=r"single band.*red, green and blue.*'seabed'"):
        compute_features(image, "paper-sunset")
