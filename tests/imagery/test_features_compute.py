"""What holds for every feature: nodata never bleeds in, values are finite, edges are mirrored."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.features import (
    FEATURES,
    PRESETS,
    compute_features,
    intensity_ranges,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene

COLOUR = PRESETS["paper-sunset"].features
INTENSITY = tuple(name for name in FEATURES if name not in COLOUR)


def picture(shape, seed, colour, missing=0.3):
    rng = np.random.default_rng(seed)
    pixels = rng.uniform(0, 1, (*shape, 3) if colour else shape).astype(np.float32)
    valid = rng.uniform(size=shape) >= missing
    valid.flat[rng.integers(valid.size)] = True
    pixels[~valid] = 0
    return Image(pixels, valid, pixel_size=0.025)


@given(st.integers(0, 2**31), st.sampled_from([np.nan, np.inf, 1e30, -7.0, 255.0]), st.booleans())
@settings(max_examples=12, deadline=None, derandomize=True)
def test_values_under_the_mask_change_nothing(seed, intruder, colour):
    image = picture((26, 31), seed, colour)
    pixels = image.pixels.copy()
    pixels[~image.valid] = intruder
    spoiled = Image(pixels, image.valid, pixel_size=0.025)
    names = COLOUR if colour else INTENSITY
    expected = compute_features(image, names, window=7).values
    np.testing.assert_array_equal(compute_features(spoiled, names, window=7).values, expected)
    assert np.isnan(expected[~image.valid]).all()
    assert np.isfinite(expected[image.valid]).all()


@pytest.mark.parametrize("name", INTENSITY)
def test_an_even_seabed_is_even_up_to_its_edges_and_to_nodata(name):
    valid = np.ones((50, 60), bool)
    valid[:, :11] = valid[20:28, 30:41] = False
    image = Image(np.where(valid, np.float32(0.7), np.float32(0)), valid)
    values = compute_features(image, name).values[valid]
    assert np.ptp(values) < 1e-6


class OneDocument:
    """All pixels of an image as one document."""

    def __init__(self, shape):
        self.shape = shape
        self.pixels = np.arange(shape[0] * shape[1])
        self.offsets = np.array([0, self.pixels.size])


class Halves:
    """The left and the right half of an image as documents."""

    def __init__(self, shape):
        pixels = np.arange(shape[0] * shape[1]).reshape(shape)
        halves = [half.ravel() for half in np.hsplit(pixels, 2)]
        self.shape = shape
        self.pixels = np.concatenate(halves)
        self.offsets = np.array([0, halves[0].size, pixels.size])


@pytest.mark.parametrize("name", INTENSITY)
def test_edges_are_mirrored_so_an_image_mirrored_by_hand_has_the_same_features(name):
    image = picture((40, 60), 3, colour=False, missing=0)
    doubled = Image(np.hstack([image.pixels, image.pixels[:, ::-1]]), np.ones((40, 120), bool))
    levels = intensity_ranges([image])
    one, two = (
        compute_features(each, name, documents, window=9, levels=levels).values
        for each, documents in ((image, OneDocument((40, 60))), (doubled, Halves((40, 120))))
    )
    # Directions are mirrored too: within half a window of the mirror they mix.
    last = 56 if name in ("ripple", "slope") or name.endswith("anisotropy") else 60
    # The tails of the widest Gabor filter see beyond the mirrored margin.
    tolerance = 3e-3 if name.startswith("gabor") or name.endswith("anisotropy") else 1e-5
    # Filters near the shortest wave there is reach round the ends of the spectrum.
    least = 3e-3 if name.endswith("anisotropy") else 0.0
    np.testing.assert_allclose(two[:, 30:last], one[:, 30:last], rtol=tolerance, atol=least)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (5, 4), (30, 2)])
def test_images_smaller_than_the_window_have_finite_features(shape, colour):
    image = picture(shape, 5, colour, missing=0)
    names = COLOUR if colour else INTENSITY
    values = compute_features(image, names, window=21).values
    assert values.shape == (*shape, len(names))
    assert np.isfinite(values).all()


@pytest.mark.parametrize("level", [0.0, 0.3, -40.0, 60000.0])
def test_a_constant_image_has_finite_features_without_variation(level):
    image = Image(np.full((30, 30), level, np.float32), np.ones((30, 30), bool))
    features = compute_features(image, INTENSITY)
    assert np.isfinite(features.values).all()
    found = dict(zip(features.names, features.values[15, 15], strict=True))
    assert found["mean"] == pytest.approx(level, rel=1e-6)
    for name in ("std", "entropy", "anisotropy", "ripple", "gabor_12"):
        assert found[name] == pytest.approx(0, abs=1e-6 * max(abs(level), 1))


def test_decibels_have_finite_features_too():
    rng = np.random.default_rng(0)
    image = Image(rng.normal(-25, 4, (40, 40)).astype(np.float32), np.ones((40, 40), bool))
    values = compute_features(image, INTENSITY).values
    assert np.isfinite(values).all()


def test_features_come_with_names_and_units_in_the_order_asked_for():
    image = picture((12, 12), 1, colour=False)
    features = compute_features(image, ["entropy", "mean"])
    assert features.names == ("entropy", "mean")
    assert features.units == ("bit", "image unit")
    assert features.values.dtype == np.float32
    swapped = compute_features(image, ["mean", "entropy"]).values
    np.testing.assert_array_equal(features.values, swapped[..., ::-1])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_stands_for_its_features(preset):
    image = picture((30, 30), 2, colour=preset == "paper-sunset")
    assert compute_features(image, preset, window=5).names == PRESETS[preset].features


def test_grey_features_of_a_colour_picture_are_those_of_its_luminance():
    image = picture((20, 20), 3, colour=True, missing=0)
    grey = (image.pixels @ np.array([0.2126, 0.7152, 0.0722])).astype(np.float32)
    expected = compute_features(Image(grey, image.valid), "seabed", window=5).values
    found = compute_features(image, "seabed", window=5).values
    np.testing.assert_allclose(found[..., :2], expected[..., :2], rtol=1e-4)


def test_every_feature_has_a_one_sentence_description_and_a_unit():
    for name, feature in FEATURES.items():
        assert feature.name == name
        assert feature.unit
        assert feature.description[0].isupper()
        assert feature.description.endswith(".")
        assert len(feature.description) < 100
    for preset in PRESETS.values():
        assert set(preset.features) <= set(FEATURES)
        assert preset.description.endswith(".")


def test_progress_rises_to_one_and_a_stop_is_obeyed_between_features():
    image = picture((12, 12), 1, colour=False)
    shares = []
    progress = Progress(lambda fraction, _: shares.append(fraction))
    compute_features(image, "seabed", window=5, progress=progress)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    shares.clear()
    progress = Progress(lambda fraction, _: shares.append(fraction), lambda: len(shares) == 1)
    with pytest.raises(Cancelled, match="stopped"):
        compute_features(image, "seabed", window=5, progress=progress)
    assert len(shares) == 1


@pytest.mark.parametrize(
    ("names", "window", "sentence"),
    [
        ("texture", 21, "no feature or preset called 'texture': choose from seabed"),
        ([], 21, "at least one"),
        (["mean", "mean"], 21, "twice"),
        ("mean", 20, "window of 20 pixels cannot be used: give an odd number"),
        ("mean", -1, "window of -1"),
        ("mean", 100_001, "window of 100001"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_a_sentence(names, window, sentence):
    with pytest.raises(PmldaError, match=sentence):
        compute_features(picture((8, 8), 1, colour=False), names, window=window)


def test_images_without_usable_pixels_are_refused_with_a_sentence():
    empty = Image(np.zeros((8, 8), np.float32), np.zeros((8, 8), bool))
    with pytest.raises(PmldaError, match="valid pixel"):
        compute_features(empty, "seabed")
    broken = Image(np.full((8, 8), np.nan, np.float32), np.ones((8, 8), bool))
    with pytest.raises(PmldaError, match="not numbers"):
        compute_features(broken, "seabed")


def test_documents_of_another_image_are_refused_with_a_sentence():
    image = picture((8, 8), 1, colour=False)
    with pytest.raises(PmldaError, match="documents cover"):
        compute_features(image, "ripple", OneDocument((9, 9)))


def test_reading_the_registry_imports_nothing_heavy():
    script = (
        "import sys, pmlda_gui.imagery.features, pmlda_gui.imagery.scenes;"
        "sys.exit(bool({'numba', 'scipy', 'skimage', 'rasterio', 'h5py'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_seabed_features_tell_the_demo_apart():
    scene = make_scene("demo")
    values = compute_features(scene.image, "seabed").values
    means = [np.median(values[part > 0.95], axis=0) for part in scene.memberships]
    spread = np.std(values[scene.memberships[1] > 0.95], axis=0)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert (np.abs(means[first] - means[second]) / spread).max() > 2
