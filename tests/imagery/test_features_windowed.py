"""Each windowed feature equals a plain reference that gathers every window's valid pixels."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pmlda_gui.imagery.features import compute_features, intensity_ranges
from pmlda_gui.imagery.features.entropy import intensity_levels
from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.gabor import gabor_responses
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene


def random_image(shape: tuple[int, int], seed: int, missing: float = 0.3) -> Image:
    """Rayleigh amplitudes with blocks and single pixels of nodata."""
    rng = np.random.default_rng(seed)
    pixels = rng.rayleigh(0.4, shape).astype(np.float32)
    valid = rng.uniform(size=shape) > missing
    valid[: shape[0] // 3, : shape[1] // 4] = missing == 0
    valid[shape[0] // 2, shape[1] // 2] = True
    return Image(np.where(valid, pixels, np.float32(0)), valid)


def windowed(
    values: NDArray[np.floating],
    valid: NDArray[np.bool_],
    window: int,
    summary: Callable[[NDArray[np.floating]], float],
) -> NDArray[np.float64]:
    """`summary` of the valid values in every window, edges mirrored; NaN at invalid pixels."""
    half = window // 2
    padded = np.pad(values, half, mode="symmetric")
    padded_valid = np.pad(valid, half, mode="symmetric")
    result = np.full(values.shape, np.nan)
    for row, column in zip(*np.nonzero(valid), strict=True):
        around = (slice(row, row + window), slice(column, column + window))
        result[row, column] = summary(padded[around][padded_valid[around]].astype(np.float64))
    return result


def entropy_in_bits(levels: NDArray[np.floating]) -> float:
    _, counts = np.unique(levels, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def computed(image: Image, name: str, window: int) -> NDArray[np.float32]:
    return compute_features(image, name, window=window).values[..., 0]


# Shapes include images narrower than the window, where mirrors see mirrors.
CASES = [((31, 27), 7, 0.3), ((31, 27), 7, 0.0), ((6, 40), 21, 0.4), ((1, 9), 5, 0.0)]


@pytest.mark.parametrize(("shape", "window", "missing"), CASES)
def test_mean_equals_the_plain_mean(shape, window, missing):
    image = random_image(shape, 1, missing)
    expected = windowed(image.pixels, image.valid, window, np.mean)
    np.testing.assert_allclose(computed(image, "mean", window), expected, rtol=1e-6)


@pytest.mark.parametrize(("shape", "window", "missing"), CASES)
def test_std_equals_the_plain_standard_deviation(shape, window, missing):
    image = random_image(shape, 2, missing)
    expected = windowed(image.pixels, image.valid, window, np.std)
    np.testing.assert_allclose(computed(image, "std", window), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("shape", "window", "missing"), CASES)
def test_entropy_equals_the_plain_entropy_of_256_levels(shape, window, missing):
    image = random_image(shape, 3, missing)
    levels = intensity_levels(image.pixels.astype(np.float64), intensity_ranges([image])[0])
    expected = windowed(levels, image.valid, window, entropy_in_bits)
    np.testing.assert_allclose(computed(image, "entropy", window), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("box", [3, 7, 13])
@pytest.mark.parametrize(("shape", "window", "missing"), CASES)
def test_lacunarity_equals_the_plain_gliding_box_ratio(shape, window, missing, box):
    image = random_image(shape, 4, missing)
    mass = np.nan_to_num(windowed(image.pixels, image.valid, box, np.mean))
    mean = windowed(mass, image.valid, window, np.mean)
    square = windowed(mass**2, image.valid, window, np.mean)
    found = computed(image, f"lacunarity_{box}", window)
    np.testing.assert_allclose(found, square / mean**2, rtol=1e-5)


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(0, 6).map(lambda half: 2 * half + 1),
    st.integers(0, 2**31),
    st.sampled_from([0.0, 0.5, 0.9]),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_windowed_features_equal_their_references_on_any_shape_mask_and_window(
    height, width, window, seed, missing
):
    image = random_image((height, width), seed, missing)
    found = compute_features(image, ["mean", "std", "entropy"], window=window).values
    levels = intensity_levels(image.pixels.astype(np.float64), intensity_ranges([image])[0])
    references = [
        windowed(image.pixels, image.valid, window, np.mean),
        windowed(image.pixels, image.valid, window, np.std),
        windowed(levels, image.valid, window, entropy_in_bits),
    ]
    np.testing.assert_allclose(found, np.stack(references, axis=-1), rtol=1e-5, atol=1e-6)


def test_a_large_common_level_does_not_swallow_the_variation():
    image = random_image((30, 30), 5, 0)
    raised = Image(image.pixels + np.float32(1024), image.valid)
    expected = windowed(raised.pixels, image.valid, 7, np.std)
    np.testing.assert_allclose(computed(raised, "std", 7), expected, rtol=1e-5)


def test_levels_round_as_an_8_bit_image_would():
    values = np.array([-3.0, 0.0, 0.4999 / 255, 0.5001 / 255, 0.5, 1.0, 9.0])
    np.testing.assert_array_equal(intensity_levels(values, (0.0, 1.0)), [0, 0, 0, 1, 128, 255, 255])


def test_a_shared_range_gives_equal_seabeds_equal_entropy_in_each_image():
    image = random_image((60, 60), 6, 0)
    brighter = Image(np.vstack([image.pixels[:30], 5 * image.pixels[30:]]), image.valid)
    levels = intensity_ranges([image, brighter])
    one, other = (
        compute_features(each, "entropy", window=9, levels=levels).values[:20]
        for each in (image, brighter)
    )
    np.testing.assert_array_equal(one, other)


def geometric_mean(values: NDArray[np.float64]) -> float:
    return float(np.exp(np.log(values).mean()))


def gabor_reference(image: Image, wavelength: float, window: int, average) -> NDArray[np.float64]:
    """Amplitudes by direct sums with sampled complex kernels, averaged over orientations."""
    deviation = 0.56 * wavelength
    reach = int(np.ceil(4 * deviation))
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    envelope = np.exp(-0.5 * (rows**2 + columns**2) / deviation**2)
    envelope /= envelope.sum()
    mean = windowed(image.pixels, image.valid, window, np.mean)
    waves = np.pad(np.nan_to_num(image.pixels - mean), reach, mode="symmetric")
    known = np.pad(image.valid, reach, mode="symmetric")
    total = np.zeros(image.shape)
    for angle in np.arange(6) * np.pi / 6:
        phase = 2j * np.pi * (columns * np.cos(angle) + rows * np.sin(angle)) / wavelength
        kernel = envelope * np.exp(phase)
        for row, column in np.ndindex(image.shape):
            around = (slice(row, row + 2 * reach + 1), slice(column, column + 2 * reach + 1))
            share = max((envelope * known[around]).sum(), 0.1)
            total[row, column] += 2 * abs((kernel * waves[around]).sum()) / share
    return windowed(total / 6, image.valid, window, average)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(
    ("wavelength", "average"), [(6, geometric_mean), (5, np.mean)], ids=["typical", "mean"]
)
def test_gabor_strength_is_the_root_of_direct_sums_with_sampled_kernels(
    missing, wavelength, average
):
    image = random_image((22, 18), 7, missing)
    expected = np.sqrt(gabor_reference(image, float(wavelength), 5, average))
    # The filter is an ideal Gaussian in frequency, the reference is cut off in space.
    np.testing.assert_allclose(computed(image, f"gabor_{wavelength}", 5), expected, rtol=0.01)


def test_edges_of_patches_raise_the_typical_strength_of_waves_less_than_the_mean():
    rows, columns = np.mgrid[:200, :200]
    speckle = np.random.default_rng(0).gamma(8, 1 / 8, (200, 200))
    patches = np.where((rows // 40 + columns // 40) % 2, 0.6, 0.2)
    excess = {}
    for typical in (False, True):
        dark, bright, mixed = (
            gabor_responses(
                FeatureSource(
                    Image((each * speckle).astype(np.float32), np.ones((200, 200), bool)),
                    81,
                    (0.0, 1.0),
                ),
                [6.0],
                typical,
            ).energies[0, 60:140, 60:140]
            for each in (0.2, 0.6, patches)
        )
        strength = np.sqrt([dark.mean(), bright.mean(), mixed.mean()])
        excess[typical] = (strength[2] - strength[:2].mean()) / np.diff(strength[:2])[0]
    assert excess[True] < 0.75 * excess[False]


@pytest.mark.parametrize("wavelength", [3, 6, 12, 24])
def test_gabor_strength_answers_its_own_wavelength_alike_in_any_direction(wavelength):
    rows, columns = np.mgrid[:120, :120]
    found = []
    for angle in np.radians([0, 17, 45, 80, 120]):
        along = columns * np.cos(angle) + rows * np.sin(angle)
        pixels = (1 + np.sin(2 * np.pi * along / wavelength)).astype(np.float32)
        image = Image(pixels, np.ones(pixels.shape, bool))
        names = ["gabor_3", "gabor_6", "gabor_12", "gabor_24", "anisotropy"]
        found.append(compute_features(image, names, window=25).values[60, 60])
    strengths = np.array(found)
    own = (3, 6, 12, 24).index(wavelength)
    assert (np.argmax(strengths[:, :4], axis=1) == own).all()
    # The square window whose mean is removed is itself a little longer along diagonals.
    assert np.ptp(strengths[:, own]) < 0.1 * strengths[:, own].mean()
    assert (strengths[:, 4] > 0.4).all()


def test_anisotropy_is_low_on_speckle_and_high_on_ripples():
    scene = make_scene("crisp-bands", (240, 240))
    anisotropy = computed(scene.image, "anisotropy", 21)
    bright, ripple, dark = (np.median(anisotropy[part == 1]) for part in scene.memberships)
    assert ripple > 2 * bright
    assert ripple > 2 * dark
