"""Ripple frequency and direction are found, and the filter answers ripples and little else."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.io import imread

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import compute_features
from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.ripple import RippledSeafloor, block_filter, estimate_ripples
from pmlda_gui.imagery.features.ripple.filtering import ripple_magnitude
from pmlda_gui.imagery.features.ripple.regions import TILE, regions_of
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import PIXEL_SIZE, FlatSand, Ripples, make_scene
from pmlda_gui.imagery.scenes.noise import speckle


class Documents:
    """Documents from a label map; negative labels belong to none."""

    def __init__(self, labels):
        order = np.argsort(labels.ravel(), kind="stable")
        self.shape = labels.shape
        self.pixels = order[labels.ravel()[order] >= 0]
        counts = np.bincount(labels[labels >= 0])
        self.offsets = np.concatenate([[0], np.cumsum(counts)])


def speckled(texture, shape=(96, 96), seed=0, looks=1):
    rng = np.random.default_rng(seed)
    pixels = texture.backscatter(shape, PIXEL_SIZE, rng) * speckle(shape, looks, 0.55, rng)
    return Image(pixels, np.ones(shape, bool), pixel_size=PIXEL_SIZE)


def angle_between(first, second):
    return abs((first - second + 90) % 180 - 90)


@pytest.mark.parametrize("direction", range(-90, 90, 15))
@pytest.mark.parametrize("frequency", [1.4, 2.3, 3.5, 5.5])
def test_frequency_is_right_within_5_percent_in_any_direction_under_speckle_and_fading(
    frequency, direction
):
    texture = Ripples(frequency=frequency, direction=direction, bend=0, fading=0.7)
    image = speckled(texture, seed=direction + 90)
    (ripple,) = estimate_ripples(image, Documents(np.zeros(image.shape, int)))
    assert ripple.frequency == pytest.approx(frequency, rel=0.05)
    assert ripple.length == pytest.approx(1 / (frequency * PIXEL_SIZE), rel=0.05)
    assert angle_between(ripple.direction, direction) < 5
    assert -90 <= ripple.direction < 90


@given(st.floats(1.3, 6.0), st.floats(-90, 90), st.integers(0, 1000))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_frequency_is_right_without_speckle_whatever_it_is(frequency, direction, seed):
    texture = Ripples(frequency=frequency, direction=direction, bend=0, fading=0.5)
    pixels = texture.backscatter((96, 96), PIXEL_SIZE, np.random.default_rng(seed))
    image = Image(pixels, np.ones((96, 96), bool), pixel_size=PIXEL_SIZE)
    (ripple,) = estimate_ripples(image, Documents(np.zeros((96, 96), int)))
    assert ripple.frequency == pytest.approx(frequency, rel=0.02)
    assert angle_between(ripple.direction, direction) < 1


def test_documents_of_any_shape_have_their_own_frequency():
    rows, columns = np.indices((150, 200))
    short = np.hypot(rows - 70, columns - 60) < 50
    near, far = (
        speckled(Ripples(frequency=frequency, direction=direction, bend=0), (150, 200))
        for frequency, direction in ((4.0, 30), (2.0, -40))
    )
    image = Image(np.where(short, near.pixels, far.pixels), near.valid, pixel_size=PIXEL_SIZE)
    ripples = estimate_ripples(image, Documents(np.where(short, 0, 1)))
    assert ripples[0].frequency == pytest.approx(4.0, rel=0.05)
    assert ripples[1].frequency == pytest.approx(2.0, rel=0.05)
    assert angle_between(ripples[0].direction, 30) < 5
    assert angle_between(ripples[1].direction, -40) < 5


def test_bent_ripples_have_the_stated_frequency_on_average():
    image = speckled(Ripples(frequency=2.5, direction=20, bend=0.2), (480, 480))
    found = [ripple.frequency for ripple in estimate_ripples(image)]
    assert np.median(found) == pytest.approx(2.5, rel=0.05)


@pytest.mark.parametrize("direction", [-88.0, -90.0, 86.5, 89.0, 0.7])
def test_ripples_nearly_along_an_axis_are_placed_between_spectral_bins(direction):
    texture = Ripples(frequency=2.9, direction=direction, bend=0, fading=0)
    pixels = texture.backscatter((96, 96), PIXEL_SIZE, np.random.default_rng(4))
    image = Image(pixels, np.ones((96, 96), bool), pixel_size=PIXEL_SIZE)
    (ripple,) = estimate_ripples(image)
    assert angle_between(ripple.direction, direction) < 0.4
    # The taper keeps nearly all of a pure wave in its lobe, on both sides of frequency 0.
    assert ripple.strength > 0.9


def test_a_slow_change_of_level_does_not_pass_for_a_ripple():
    rows, columns = np.indices((90, 90))
    slow = 0.5 * np.cos(2 * np.pi * np.hypot(rows - 20, columns - 70) / 200)
    weak = 0.035 * np.sin(2 * np.pi * (0.8 * columns + 0.6 * rows) / 10)
    document = np.hypot(rows - 45, columns - 45) < 44
    image = Image((1 + slow + weak).astype(np.float32), np.ones((90, 90), bool))
    (ripple,) = estimate_ripples(image, Documents(np.where(document, 0, -1)))
    assert ripple.length == pytest.approx(10, rel=0.05)


def test_nodata_within_a_document_does_not_move_its_frequency():
    image = speckled(Ripples(frequency=3.0, direction=10, bend=0), (120, 120))
    valid = np.ones((120, 120), bool)
    valid[:, :25] = valid[50:60, 60:75] = False
    masked = Image(np.where(valid, image.pixels, 0), valid, pixel_size=PIXEL_SIZE)
    (ripple,) = estimate_ripples(masked, Documents(np.where(valid, 0, -1)))
    assert ripple.frequency == pytest.approx(3.0, rel=0.05)


def test_ripples_are_stronger_than_the_chance_waves_of_speckle():
    (rippled,) = estimate_ripples(speckled(Ripples(bend=0)))
    flat = [estimate_ripples(speckled(FlatSand(), seed=seed))[0].strength for seed in range(8)]
    assert rippled.strength > 3 * max(flat)


def test_the_authors_model_of_a_seafloor_is_read_back():
    seafloor = RippledSeafloor(frequency=3.2, height=0.03, phase=1.0, direction=25.0, altitude=4)
    ground_range = 8 + np.arange(110)[None, :] * PIXEL_SIZE
    along_track = np.arange(110)[:, None] * PIXEL_SIZE
    echo = seafloor.intensity(ground_range, along_track)
    pixels = (echo * speckle((110, 110), 1, 0.5, np.random.default_rng(3))).astype(np.float32)
    image = Image(pixels, np.ones((110, 110), bool), pixel_size=PIXEL_SIZE)
    (ripple,) = estimate_ripples(image, Documents(np.zeros((110, 110), int)))
    assert ripple.frequency == pytest.approx(3.2, rel=0.05)
    assert angle_between(ripple.direction, 25) < 5


def test_without_a_pixel_size_lengths_are_in_pixels_and_there_is_no_frequency():
    image = speckled(Ripples(frequency=2.0, bend=0))
    (ripple,) = estimate_ripples(Image(image.pixels, image.valid))
    assert ripple.frequency is None
    assert ripple.length == pytest.approx(20, rel=0.05)


def test_an_image_without_valid_pixels_has_no_ripples_to_measure():
    with pytest.raises(PmldaError, match="no valid pixel"):
        estimate_ripples(Image(np.zeros((9, 9), np.float32), np.zeros((9, 9), bool)))


@given(st.integers(1, 260), st.integers(1, 260))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_tiles_hold_every_valid_pixel(height, width):
    valid = np.random.default_rng(0).uniform(size=(height, width)) > 0.5
    covered = np.zeros(valid.shape, int)
    for region in regions_of(valid, None):
        assert max(region.mask.shape) <= TILE
        covered[region.coordinates] += 1
    np.testing.assert_array_equal(covered > 0, valid)


def test_pixels_in_no_document_have_a_filter_answer_but_no_estimate():
    image = speckled(Ripples(bend=0), (40, 60))
    labels = np.where(np.arange(60) < 45, 0, -1) * np.ones((40, 1), int)
    assert len(estimate_ripples(image, Documents(labels))) == 1
    values = compute_features(image, "ripple", Documents(labels)).values
    assert (values > 0).all()


def test_a_document_without_a_valid_pixel_is_refused_with_a_sentence():
    image = speckled(Ripples(bend=0), (20, 20))
    image.valid[:, 10:] = False
    labels = np.where(np.arange(20) < 10, 0, 1) * np.ones((20, 1), int)
    with pytest.raises(PmldaError, match="Document 1 has no valid pixel"):
        estimate_ripples(image, Documents(labels))


@pytest.mark.parametrize("length", [6.0, 10.0, 20.5])
def test_along_track_crests_get_the_authors_filter(length):
    columns = math.ceil(length / 3)
    blocks = [np.full((11, columns), sign) for sign in (-1, 0, 1, -1, 0, 1)]
    weights = block_filter(length)
    rows_used = np.flatnonzero(weights.any(axis=1))
    columns_used = np.flatnonzero(weights.any(axis=0))
    inside = weights[rows_used[0] : rows_used[-1] + 1, columns_used[0] : columns_used[-1] + 1]
    np.testing.assert_array_equal(inside, np.hstack(blocks))


def test_the_filter_turns_with_the_ripples():
    np.testing.assert_array_equal(block_filter(12.0, 90.0), block_filter(12.0).T)
    for direction in (-70, -30, 15, 45):
        weights = block_filter(12.0, direction)
        assert (weights == 1).sum() == pytest.approx((weights == -1).sum(), rel=0.1)
        assert (weights != 0).sum() == pytest.approx((block_filter(12.0) != 0).sum(), rel=0.15)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_filters_answer_equals_plain_means_over_its_blocks(missing):
    image = speckled(Ripples(frequency=4.0, direction=35, bend=0), (30, 26))
    valid = np.random.default_rng(1).uniform(size=image.shape) >= missing
    image = Image(np.where(valid, image.pixels, 0), valid)
    documents = Documents(np.where(valid, 0, -1))
    found = ripple_magnitude(FeatureSource(image, 5, (0.0, 1.0), documents))
    (ripple,) = estimate_ripples(image, documents)
    weights = block_filter(ripple.length, ripple.direction)
    reach = weights.shape[0] // 2
    padded = np.pad(image.pixels.astype(np.float64), reach, mode="symmetric")
    known = np.pad(valid, reach, mode="symmetric")
    for row, column in zip(*np.nonzero(valid), strict=True):
        around = (slice(row, row + 2 * reach + 1), slice(column, column + 2 * reach + 1))
        sides = [padded[around][(weights == sign) & known[around]].mean() for sign in (1, -1)]
        assert found[row, column] == pytest.approx(abs(sides[0] - sides[1]), rel=1e-9)


@pytest.mark.parametrize("direction", [0, 40, 90])
def test_the_filter_answers_ripples_of_any_direction_more_than_sand(direction):
    left = speckled(Ripples(direction=direction, level=0.4), (200, 200))
    right = speckled(FlatSand(level=0.4), (200, 200), seed=1)
    image = Image(
        np.hstack([left.pixels, right.pixels]), np.ones((200, 400), bool), pixel_size=PIXEL_SIZE
    )
    response = compute_features(image, "ripple").values[..., 0]
    assert np.percentile(response[:, :160], 10) > 2 * np.percentile(response[:, 240:], 90)


def test_the_ripple_feature_accepts_documents_that_overlap():
    image = make_scene("crisp-bands", (60, 80)).image
    pixels = np.arange(60 * 80).reshape(60, 80)
    groups = [pixels[:, :50].ravel(), pixels[:, 30:].ravel()]

    class Overlapping:
        shape = (60, 80)
        pixels = np.concatenate(groups)
        offsets = np.array([0, groups[0].size, groups[0].size + groups[1].size])

    values = compute_features(image, "ripple", Overlapping()).values
    assert np.isfinite(values).all()


def test_a_flat_seafloor_echoes_evenly_and_casts_no_shadow():
    flat = RippledSeafloor(frequency=2.0, height=0.0)
    echo = flat.intensity(np.linspace(1, 30, 200), np.zeros(200))
    assert np.ptp(echo) < 1e-12
    assert echo.min() > 0


def test_the_relief_is_a_sine_with_the_stated_height_phase_and_direction():
    seafloor = RippledSeafloor(frequency=0.5, height=0.2, phase=math.pi / 2, direction=90.0)
    along_track = np.array([0.0, 0.5, 1.0, 2.0])
    relief = seafloor.relief(np.full(4, 7.0), along_track)
    np.testing.assert_allclose(relief, [0.2, 0.0, -0.2, 0.2], atol=1e-12)


def test_slopes_towards_the_sonar_are_brightest():
    seafloor = RippledSeafloor(frequency=0.5, height=0.02, altitude=10)
    ground_range = np.linspace(10, 14, 801)
    echo = seafloor.intensity(ground_range, np.zeros(801))
    slope = np.gradient(seafloor.relief(ground_range, np.zeros(801)), ground_range)
    assert np.corrcoef(echo, slope)[0, 1] > 0.99
    turned = RippledSeafloor(frequency=0.5, height=0.02, altitude=10, direction=180.0)
    echo = turned.intensity(ground_range, np.zeros(801))
    slope = np.gradient(turned.relief(ground_range, np.zeros(801)), ground_range)
    assert np.corrcoef(echo, slope)[0, 1] > 0.99


def test_shadows_lie_where_rays_are_blocked_and_lengthen_with_range():
    seafloor = RippledSeafloor(frequency=1.0, height=0.1, phase=0.7, altitude=2.0)
    ground_range = np.linspace(0.5, 16, 6000)
    relief = seafloor.relief(ground_range, np.zeros(6000))
    # A point is hidden when an earlier one is seen under a higher angle.
    elevation = (relief - seafloor.altitude) / ground_range
    hidden = elevation < np.maximum.accumulate(elevation) - 1e-9
    dark = seafloor.intensity(ground_range, np.zeros(6000)) == 0
    # The model's ray touches the top of a crest, the true one its far shoulder, so
    # modelled shadows are a little short but never out of place.
    assert not (dark & ~hidden).any()
    assert dark.sum() > 0.75 * hidden.sum()
    assert dark[:2000].mean() < dark[-2000:].mean()


@pytest.mark.parametrize(
    "impossible",
    [
        {"frequency": 0.0, "height": 0.1},
        {"frequency": 1, "height": -1},
        {"frequency": 1, "height": 3, "altitude": 2},
    ],
)
def test_impossible_seafloors_are_refused_with_a_sentence(impossible):
    with pytest.raises(PmldaError, match="cannot be modelled"):
        RippledSeafloor(**impossible)


REAL = Path(__file__).parents[2].parent / "shared" / "data" / "sas" / "sas_00.png"


@pytest.mark.skipif(not REAL.exists(), reason="the real imagery is not on this machine")
def test_real_ripples_are_found_where_an_operator_sees_them():
    pixels = imread(REAL).astype(np.float32)
    image = Image(pixels, np.ones(pixels.shape, bool), pixel_size=PIXEL_SIZE)
    # Ripples with crests along track fill the upper left, flat sand the lower left.
    labels = np.full(image.shape, -1)
    labels[20:220, 20:220] = 0
    labels[330:430, 10:100] = 1
    rippled, flat = estimate_ripples(image, Documents(labels))
    assert 25 < rippled.length < 40
    assert angle_between(rippled.direction, 0) < 15
    assert rippled.strength > 4 * flat.strength
    response = compute_features(image, "ripple").values[..., 0]
    assert np.median(response[labels == 0]) > 2 * np.median(response[labels == 1])
