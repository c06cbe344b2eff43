"""Gain evened out over range and grazing angle, on recordings of different sonars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.column_share import column_share
from pmlda_gui.imagery.gain import measure_gain
from pmlda_gui.imagery.readers import ReadOptions, open_image, open_images
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, recorded_seabed
from pmlda_gui.imagery.scenes.recordings import xtf_bytes
from pmlda_gui.imagery.survey_gain import gain_table_bytes, read_gain_table, with_gain_of_survey

AS_RECORDED = ReadOptions(normalise_gain=False)


@pytest.fixture
def write(tmp_path):
    def write(name, sonar, **choices):
        path = tmp_path / f"{name}.xtf"
        path.write_bytes(xtf_bytes(recorded_seabed(sonar, **choices)))
        return path

    return write


def even_seabed(along, across):
    """One seabed everywhere, so that levels differ by the sonar alone."""
    return 1.0 + 0.4 * np.sin(2 * np.pi * (along + across) / 1.8)


def column_levels(image):
    """The median of each column's logarithm, of columns that are mostly valid."""
    columns = np.flatnonzero(image.valid.mean(axis=0) > 0.9)
    return np.array([np.median(np.log1p(image.pixels[image.valid[:, c], c])) for c in columns])


def test_the_share_of_columns_is_one_for_stripes_and_small_for_belts():
    stripes = np.tile(np.linspace(0, 1, 40), (30, 1))
    assert column_share(np.stack([stripes, 1 - stripes])) == pytest.approx(1.0)
    assert column_share(np.stack([stripes.T, 1 - stripes.T])) == pytest.approx(0.0)
    noise = np.random.default_rng(0).random((200, 50))
    assert column_share(noise[np.newaxis]) == pytest.approx(1 / 200, rel=0.5)


def test_pixels_without_memberships_do_not_count():
    plane = np.array([[0.0, np.nan, 1.0], [0.0, np.nan, 1.0], [np.nan, np.nan, 0.5]])
    # Columns with means 0 and 5/6 around the mean 1/2.
    between = 2 * 0.5**2 + 3 * (5 / 6 - 0.5) ** 2
    total = 2 * 0.5**2 + 2 * 0.5**2 + 0.0
    assert column_share(plane[np.newaxis]) == pytest.approx(between / total)
    assert column_share(np.full((2, 3, 3), 0.5)) == 0.0


@pytest.mark.parametrize("name", ["lobes", "rising gain", "steps"])
def test_levels_are_even_at_every_range_whatever_the_sonar(write, name):
    path = write("line", SONARS[name], pings=300, seabed=even_seabed)
    before = np.std(column_levels(open_image(path, AS_RECORDED)))
    after = np.std(column_levels(open_image(path)))
    assert before > 0.25
    assert after < 0.12


def test_a_gain_that_is_even_already_stays_as_it_is(write):
    path = write("line", SONARS["even"])
    recorded, even = open_image(path, AS_RECORDED), open_image(path)
    seen = recorded.valid & (recorded.pixels > 0)
    ratio = np.log(even.pixels[seen] / recorded.pixels[seen])
    assert np.percentile(np.abs(ratio - np.median(ratio)), 90) < 0.2


def test_seabeds_keep_their_contrast_along_the_track(write):
    def belts(along, across):
        return np.where(along > 30.0, 3.0, 1.0)

    image = open_image(write("line", SONARS["lobes"], pings=400, seabed=belts))
    rows = np.arange(image.shape[0]) * image.pixel_height
    dark = np.median(image.pixels[rows < 25][image.valid[rows < 25]])
    bright = np.median(image.pixels[rows > 35][image.valid[rows > 35]])
    assert bright / dark == pytest.approx(3.0, rel=0.2)


def test_one_table_is_measured_in_all_lines(write):
    """A line over dark seabed and one over bright seabed keep their difference."""
    sonar = SONARS["lobes"]
    dark = write("dark", sonar, pings=120, seabed=lambda x, y: np.ones_like(x))
    bright = write("bright", sonar, pings=120, seabed=lambda x, y: np.full_like(x, 3.0), seed=1)
    images = open_images([dark, bright])
    levels = [np.median(image.pixels[image.valid]) for image in images]
    assert levels[1] / levels[0] == pytest.approx(3.0, rel=0.15)
    assert with_gain_of_survey(images)[0] is images[0]
    alone = open_image(dark)
    assert with_gain_of_survey([alone, images[1]])[0] is not alone


def test_two_sonars_have_tables_of_their_own(write):
    first = write("first", SONARS["lobes"], pings=200, seabed=even_seabed)
    other = SONARS["rising gain"]
    second = write("second", other, pings=200, seabed=even_seabed, names=("L", "R"))
    for image in open_images([first, second]):
        assert np.std(column_levels(image)) < 0.15


def test_a_saved_table_evens_out_another_survey(write, tmp_path):
    sonar = SONARS["lobes"]
    table = measure_gain([open_image(write("first", sonar), AS_RECORDED)])
    saved = tmp_path / "gain.json"
    saved.write_bytes(gain_table_bytes(table))
    assert read_gain_table(saved) == table
    # A line too short to measure much of its own.
    other = write("second", sonar, pings=40, seed=5, seabed=even_seabed)
    image = open_image(other, ReadOptions(gain_table=saved))
    recorded = open_image(other, AS_RECORDED)
    assert np.std(column_levels(image)) < 0.6 * np.std(column_levels(recorded))


def test_a_saved_table_is_not_applied_to_what_is_even_already(write, tmp_path):
    saved = tmp_path / "gain.json"
    raw = open_image(write("first", SONARS["lobes"], pings=200), AS_RECORDED)
    saved.write_bytes(gain_table_bytes(measure_gain([raw])))
    level = write("level", SONARS["even"], pings=200)
    image = open_image(level, ReadOptions(gain_table=saved))
    np.testing.assert_array_equal(image.pixels, open_image(level, AS_RECORDED).pixels)
    assert any("even already" in note for note in image.notes)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": "pmlda-gui gain table"}'])
def test_a_file_that_is_no_gain_table_is_refused_in_a_sentence(write, tmp_path, content):
    saved = tmp_path / "gain.json"
    saved.write_bytes(content)
    with pytest.raises(PmldaError, match=r"gain\.json is not a gain table"):
        open_image(write("line", SONARS["even"], pings=40), ReadOptions(gain_table=saved))


def test_shadows_do_not_count(write):
    def shadowed(along, across):
        # A third of each side lies in shadow, at half of the ranges all along the line.
        return np.where((np.abs(across) % 6 < 3) & (along % 6 < 2), 0.03, 1.0)

    image = open_image(write("line", SONARS["even"], seabed=shadowed))
    clear = (np.arange(image.shape[0]) * image.pixel_height) % 6 > 3
    picture = replace(image, pixels=image.pixels[clear], valid=image.valid[clear], swath=None)
    assert np.std(column_levels(picture)) < 0.08
