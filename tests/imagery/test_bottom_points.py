"""A bottom track that an operator corrected."""

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.bottom_points import FADE_PINGS, through_points
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes

PINGS = np.arange(200.0)


def test_the_track_goes_through_the_points_and_keeps_its_shape_between_them():
    found = 40 + np.sin(PINGS / 5)
    moved = through_points(found, PINGS, [(60.0, 50.0), (100.0, 55.0)])
    assert moved[[60, 100]] == pytest.approx([50.0, 55.0])
    shift = (moved - found)[60:101]
    assert np.diff(shift) == pytest.approx(np.diff(shift).mean())


def test_far_from_the_points_the_track_is_as_it_was_found():
    found = np.full(200, 40.0)
    moved = through_points(found, PINGS, [(100.0, 60.0)])
    assert (moved[np.abs(PINGS - 100) >= FADE_PINGS] == 40).all()
    assert through_points(None, PINGS, [(0.0, 10.0), (100.0, 20.0)])[50] == 15


@pytest.mark.parametrize(
    "points",
    [((5.0, 3.0), (4.0, 3.0)), ((5.0, 3.0), (5.0, 4.0)), ((1.0, -2.0),), ((float("nan"), 1.0),)],
)
def test_points_that_are_no_track_are_refused_in_a_sentence(points):
    with pytest.raises(PmldaError, match="bottom track must be"):
        ReadOptions(bottom_track=points)


@pytest.mark.parametrize("reduce", [1, 2])
def test_a_recording_is_read_with_the_track_that_was_set(tmp_path, reduce):
    path = tmp_path / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(SONARS["even"], 120)))
    sample = SONARS["even"].range / SONARS["even"].samples
    set_by_hand = ReadOptions(bottom_track=((60.0, 80.0),), reduce=reduce)
    found = open_image(path, ReadOptions(reduce=reduce)).swath
    swath = open_image(path, set_by_hand).swath
    rows = np.arange(len(swath.heights)) * swath.pings_a_row
    near = np.argmin(np.abs(rows - 60))
    assert swath.heights[near] == pytest.approx(80 * sample, abs=0.3)
    assert found.heights[near] == pytest.approx(4.0, abs=0.3)
    assert swath.heights[-1] == pytest.approx(found.heights[-1])
    assert any("set by hand" in note for note in open_image(path, set_by_hand).notes)


def test_nadir_is_left_out_where_a_sample_covers_more_than_a_pixel_and_a_half(tmp_path):
    high = replace(SONARS["even"], altitude=lambda x: np.full_like(x, 12.0))
    image, swath, footprint = read(tmp_path, high)
    row = image.valid[60]
    assert not row[footprint > 1.7 * swath.cell].any()
    assert row[(footprint < 1.35 * swath.cell) & (np.abs(swath.across()) < 20)].all()


def test_a_strip_at_nadir_too_narrow_for_features_to_tell_is_filled(tmp_path):
    low = replace(SONARS["even"], altitude=lambda x: np.full_like(x, 2.0))
    image, swath, footprint = read(tmp_path, low)
    assert (footprint > 1.7 * swath.cell).any()
    assert image.valid[60][np.abs(swath.across()) < 5].all()


def read(folder, sonar):
    """A line by a sonar, and how much ground a sample of it covers in each column."""
    path = folder / "line.xtf"
    path.write_bytes(xtf_bytes(recorded_seabed(sonar, 120)))
    image = open_image(path)
    assert image.swath.ground
    away = np.abs(image.swath.across())
    height = np.median(image.swath.heights)
    return image, image.swath, sonar.range / sonar.samples * np.hypot(away, height) / away
