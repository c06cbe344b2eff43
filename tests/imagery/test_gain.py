"""Gain evened out over range and grazing angle, on recordings of different sonars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.column_share import column_share
from pmlda_gui.imagery.gain import measure_gain, with_even_gain
from pmlda_gui.imagery.readers import ReadOptions, open_image, open_images
from pmlda_gui.imagery.scenes.recorded_seabed import SONARS, Sonar, recorded_seabed
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


def with_roll(image, roll):
    """The recording as if it had another roll."""
    return replace(image, swath=replace(image.swath, roll=roll))


def residue(image, along_only=False):
    """Medians of ln amplitude in blocks of 16 x 8 pixels around their mean, or of rows."""
    logarithm = np.where(image.valid & (image.pixels > 0), image.pixels, np.nan)
    logarithm = np.log(logarithm)
    rows = [logarithm[start : start + 16] for start in range(0, len(logarithm) - 15, 16)]
    if along_only:
        return np.array([np.nanmedian(part) for part in rows])
    columns = [
        column
        for column in range(0, image.shape[1] - 7, 8)
        if image.valid[:, column : column + 8].all()
    ]
    return np.array([[np.nanmedian(part[:, c : c + 8]) for c in columns] for part in rows])


def test_the_beam_pattern_is_followed_as_the_sonar_rolls(write):
    sonar = replace(SONARS["lobes"], roll=lambda x: 6.0 * np.sin(x / 6.0))
    path = write("line", sonar, pings=400, seabed=even_seabed)
    image = open_image(path)
    assert measure_gain([image]).curves[image.swath.keys[0]].roll == 1
    # The same line of which the roll is not known.
    unknown = with_roll(image, None)
    without = with_even_gain(unknown, measure_gain([unknown]))
    assert np.std(residue(image)) < 0.6 * np.std(residue(without))


def test_the_sign_of_the_roll_is_found_whichever_way_it_is_recorded(write, tmp_path):
    sonar = replace(SONARS["lobes"], roll=lambda x: 6.0 * np.sin(x / 6.0))
    image = open_image(write("line", sonar, pings=400, seabed=even_seabed))
    other = with_roll(image, -image.swath.roll)
    table = measure_gain([other])
    assert table.curves[image.swath.keys[0]].roll == -1
    saved = tmp_path / "gain.json"
    saved.write_bytes(gain_table_bytes(table))
    assert read_gain_table(saved) == table
    level = open_image(write("level", SONARS["even"], pings=400, seabed=even_seabed))
    idle = with_roll(level, image.swath.roll)
    assert measure_gain([idle]).curves[level.swath.keys[0]].roll == 0


def test_a_level_that_follows_the_altitude_is_the_sonars(write):
    """A gain of a power of the range changes the level as a vehicle dives."""
    sonar = Sonar(lambda r: 4.0 / (r + 1.0), np.ones_like, lambda x: 12.0 - x / 7.0)
    path = write("line", sonar, pings=400, seabed=even_seabed)
    assert np.ptp(residue(open_image(path, AS_RECORDED), along_only=True)) > 0.2
    assert np.ptp(residue(open_image(path), along_only=True)) < 0.12


def test_a_seabed_on_one_side_alone_keeps_its_edge(write):
    """Transducers differ smoothly; a sharp edge on one side all along is the seabed's."""

    def half(along, across):
        return np.where(across > 12.0, 2.5, 1.0)

    image = open_image(write("line", SONARS["lobes"], pings=300, seabed=half))
    across = image.swath.across()
    levels = np.log(np.median(image.pixels, axis=0) + 1.0)
    near = levels[(across > 10.0) & (across < 11.8)].mean()
    beyond = levels[(across > 12.2) & (across < 14.0)].mean()
    assert beyond - near > 0.75
    # And nothing of it shows on the other side.
    port = levels[(across < -10.0) & (across > -14.0)]
    assert np.abs(np.diff(port)).mean() < 0.1
    assert np.ptp(port) < 0.2


@pytest.mark.parametrize("name", ["lobes", "rising gain", "even"])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_strip_of_seabed_on_one_side_is_not_mirrored(write, name, side):
    def strip(along, across):
        return np.where((side * across > 9.0) & (side * across < 18.0), 2.5, 1.0)

    level = replace(SONARS[name], altitude=lambda x: np.full_like(x, 5.0))
    image = open_image(write("line", level, pings=300, seabed=strip))
    across = side * image.swath.across()
    levels = np.log(np.median(image.pixels, axis=0) + 1.0)

    def mean(nearest, farthest):
        return levels[(across > nearest) & (across < farthest)].mean()

    within, around = mean(10.0, 17.0), (mean(6.0, 8.5) + mean(18.5, 22.0)) / 2
    assert within - around > 0.7
    opposite, beside = mean(-17.0, -10.0), (mean(-8.5, -6.0) + mean(-22.0, -18.5)) / 2
    assert abs(opposite - beside) < 0.12


def test_what_both_sides_share_for_long_is_the_sonars(write):
    """A beam pattern that changes half-way, as the pitch does, is no seabed."""
    first = recorded_seabed(SONARS["lobes"], 300, seabed=even_seabed)
    tilted = replace(SONARS["lobes"], beam=lambda a: 0.35 + np.cos(3.0 * a + 0.6) ** 2)
    second = recorded_seabed(tilted, 300, seabed=even_seabed, start=45.0, seed=1)
    path = write("both", SONARS["lobes"], pings=10)
    path.write_bytes(xtf_bytes(replace(first, pings=[*first.pings, *second.pings])))
    image = open_image(path)
    table = measure_gain([image])
    kept = image.swath
    assert kept is not None
    one_side = replace(
        image,
        pixels=kept.recorded[:, kept.port :],
        valid=image.valid[:, kept.port :],
        swath=replace(kept, port=0, keys=kept.keys[1:], recorded=kept.recorded[:, kept.port :]),
    )
    alone = with_even_gain(one_side, table)
    starboard = replace(image, pixels=image.pixels[:, kept.port :], valid=one_side.valid)
    assert np.std(residue(starboard)) < 0.75 * np.std(residue(alone))


def test_dark_specks_are_not_magnified_where_the_recorder_cut_off_the_bright(write):
    sonar = replace(SONARS["even"], gain=lambda r: 6.0 / (1.0 + r / 4.0), largest=1500)
    image = open_image(write("line", sonar, pings=200, seabed=even_seabed))
    recorded = image.swath.recorded
    full = (recorded >= 0.98 * recorded.max()).mean(axis=0) > 0.3
    assert full.sum() > 10
    before = np.log(recorded[:, full] / np.median(recorded[:, full]))
    after = np.log(image.pixels[:, full] / np.median(image.pixels[:, full]))
    assert np.percentile(after, 1) > 1.35 * np.percentile(before, 1)
