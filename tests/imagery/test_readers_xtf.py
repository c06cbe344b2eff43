"""XTF recordings: the waterfall, ranges, navigation, amended headers, and damage."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, probe, read_recording
from pmlda_gui.imagery.scenes.recordings import MadePing, MadeRecording, seabed_pings, xtf_bytes
from tests.imagery.synthetic_files import REAL_DATA

AS_RECORDED = ReadOptions(correct_slant_range=False, normalise_gain=False, square_pixels=False)
RAW = replace(AS_RECORDED, mask_water_column=False)
needs_real_files = pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")


@pytest.fixture
def write(tmp_path):
    def write_recording(recording, name="made.xtf"):
        path = tmp_path / name
        path.write_bytes(xtf_bytes(recording))
        return path

    return write_recording


def counting_pings(count=3, samples=4, dtype="<u2", **changes):
    """Port samples 1, 2, ... and starboard samples 101, 102, ... from near to far."""
    port = np.arange(1, samples + 1).astype(dtype)
    return [MadePing(port, (port + 100).astype(dtype), **changes) for _ in range(count)]


@pytest.mark.parametrize(
    ("dtype", "sample_format"),
    [("u1", 0), ("<u2", 0), ("<u4", 0), ("u1", 8), ("<i2", 3), ("<i4", 2), ("<f4", 5)],
)
def test_port_is_shown_left_and_starboard_right_with_the_track_between(write, dtype, sample_format):
    recording = MadeRecording(counting_pings(dtype=dtype), sample_format=sample_format)
    image = open_image(write(recording), RAW)
    assert image.pixels.tolist() == [[4, 3, 2, 1, 101, 102, 103, 104]] * 3
    assert image.valid.all()


def test_channels_can_be_chosen_by_number_or_name(write):
    path = write(MadeRecording(counting_pings()))
    starboard = open_image(path, replace(RAW, channels=(1,)))
    assert starboard.pixels[0].tolist() == [101, 102, 103, 104]
    port = open_image(path, replace(RAW, band="PORT"))
    assert port.pixels[0].tolist() == [4, 3, 2, 1]
    swapped = open_image(path, replace(RAW, channels=(1, 0)))
    assert swapped.pixels[0].tolist() == [104, 103, 102, 101, 1, 2, 3, 4]
    with pytest.raises(PmldaError, match=r"no pings in channel 5; choose from 0 \(PORT\), 1"):
        open_image(path, replace(RAW, channels=(5,)))


def test_unmarked_channels_are_shown_in_order_and_said_to_be(write):
    image = open_image(write(MadeRecording(counting_pings(), kinds=(0, 0))), RAW)
    assert image.pixels[0].tolist() == [4, 3, 2, 1, 101, 102, 103, 104]
    assert any("does not say which channel is port" in note for note in image.notes)


def test_weights_scale_the_samples(write):
    image = open_image(write(MadeRecording(counting_pings(weight=2))), RAW)
    assert image.pixels[0, 4:].tolist() == [25.25, 25.5, 25.75, 26.0]


def test_the_pixel_size_is_the_range_by_the_samples(write):
    image = open_image(write(MadeRecording(counting_pings(slant_range=2.0))), RAW)
    assert image.pixel_size == pytest.approx(0.5)
    reduced = open_image(
        write(MadeRecording(counting_pings(slant_range=2.0))), replace(RAW, reduce=2)
    )
    assert reduced.pixel_size == pytest.approx(1.0)
    assert reduced.pixels[0].tolist() == [3.5, 1.5, 101.5, 103.5]


def test_a_range_that_changes_within_the_file_keeps_every_column_at_one_range(write):
    near = counting_pings(5, samples=8, slant_range=8.0)
    far = counting_pings(2, samples=8, slant_range=16.0)
    image = open_image(write(MadeRecording(near + far)), RAW)
    assert image.shape == (7, 32)
    starboard, valid = image.pixels[:, 16:], image.valid[:, 16:]
    assert starboard[0, :8].tolist() == [101, 102, 103, 104, 105, 106, 107, 108]
    assert not valid[0, 8:].any()
    # A far ping has one sample for two columns.
    assert starboard[6].tolist() == [101 + column // 2 for column in range(16)]
    assert any("8 to 16 m" in note for note in image.notes)


def test_finer_sampling_is_averaged_onto_the_grid(write):
    coarse = counting_pings(5, samples=4, slant_range=8.0)
    fine = counting_pings(1, samples=8, slant_range=8.0)
    image = open_image(write(MadeRecording(coarse + fine)), RAW)
    assert image.pixels[5, 4:].tolist() == [101.5, 103.5, 105.5, 107.5]


def test_a_ping_with_an_absurd_range_takes_the_typical_one(write):
    pings = counting_pings(6, slant_range=20.0)
    pings[2] = replace(pings[2], slant_range=0.0)
    pings[4] = replace(pings[4], slant_range=float("nan"))
    image = open_image(write(MadeRecording(pings)), RAW)
    assert image.shape == (6, 8)
    assert any("4 of 12 channel headers" in note and "20 m" in note for note in image.notes)


def test_without_any_range_the_pixel_size_stays_unknown(write):
    image = open_image(write(MadeRecording(counting_pings(slant_range=0.0))), RAW)
    assert image.pixel_size is None
    assert any("No slant range" in note for note in image.notes)


@pytest.mark.parametrize(("velocity", "metres"), [(750.0, 30.0), (1500.0, 30.0), (0.0, 30.0)])
def test_a_missing_range_follows_from_the_ping_time_and_the_sound_velocity(write, velocity, metres):
    pings = counting_pings(slant_range=0.0, duration=0.04, sound_velocity=velocity)
    image = open_image(write(MadeRecording(pings)), RAW)
    assert image.pixel_size == pytest.approx(metres / 4)
    assert any("1500 m/s was taken" in note for note in image.notes) == (velocity == 0)


def test_blank_pings_are_masked(write):
    pings = counting_pings(4)
    pings[1] = replace(pings[1], port=np.zeros(4, "<u2"), starboard=np.zeros(4, "<u2"))
    image = open_image(write(MadeRecording(pings)), RAW)
    assert image.valid.all(axis=1).tolist() == [True, False, True, True]
    assert any("1 pings of PORT are blank" in note for note in image.notes)


def test_the_raw_channels_are_in_stored_order(write):
    recording = read_recording(write(MadeRecording(counting_pings(slant_range=2.0))))
    port, starboard = recording.channels
    assert (port.description.side, starboard.description.side) == ("port", "starboard")
    assert port.samples[0].tolist() == [4, 3, 2, 1]
    assert starboard.samples[2].tolist() == [101, 102, 103, 104]
    assert port.slant_ranges.tolist() == [2.0] * 3


def test_positions_are_interpolated_over_zeros(write):
    pings = counting_pings(5)
    stated = [(0.0, 0.0), (48.0, -68.0), (0.0, 0.0), (48.2, -68.4), (95.0, -68.0)]
    pings = [replace(ping, position=place) for ping, place in zip(pings, stated, strict=True)]
    navigation = read_recording(write(MadeRecording(pings))).navigation
    np.testing.assert_allclose(navigation.latitude, [48.0, 48.0, 48.1, 48.2, 48.2])
    np.testing.assert_allclose(navigation.longitude, [-68.0, -68.0, -68.2, -68.4, -68.4])
    assert navigation.interpolated.tolist() == [True, False, True, False, True]


def test_the_ships_position_stands_in_for_the_sensors(write):
    pings = counting_pings(position=(0.0, 0.0), ship_position=(10.0, 20.0))
    navigation = read_recording(write(MadeRecording(pings))).navigation
    assert navigation.latitude.tolist() == [10.0] * 3


def test_metres_in_an_unstated_projection_are_not_taken_for_degrees(write):
    pings = [
        replace(ping, position=(4700000.0 + 2 * number, 600000.0))
        for number, ping in enumerate(counting_pings(5))
    ]
    recording = read_recording(write(MadeRecording(pings, navigation_units=0)))
    assert not recording.navigation.geographic
    assert recording.navigation.ping_spacing() == pytest.approx(2.0)
    with pytest.raises(PmldaError, match="unstated projection"):
        _ = recording.navigation.latitude


def test_distance_along_the_track_follows_from_degrees(write):
    pings = [
        replace(ping, position=(60.0, 5.0 + 1e-5 * number))
        for number, ping in enumerate(counting_pings(30))
    ]
    spacing = read_recording(write(MadeRecording(pings))).navigation.ping_spacing()
    assert spacing == pytest.approx(1e-5 * 111_320 * 0.5, rel=1e-3)


def test_times_are_seconds_since_1970(write):
    pings = [replace(ping, second=n) for n, ping in enumerate(counting_pings(3))]
    time = read_recording(write(MadeRecording(pings))).navigation.time
    # 2020-05-17 12:30:00.5 UTC
    np.testing.assert_allclose(time, 1589718600.5 + np.arange(3))


def test_the_water_column_is_masked_on_both_sides(write):
    path = write(MadeRecording(seabed_pings(height=lambda ping: 40 + 0.2 * ping)))
    image = open_image(path, AS_RECORDED)
    columns = np.abs(np.arange(400) - 199.5)
    heights = 40 + 0.2 * np.arange(60)[:, np.newaxis]
    assert not image.valid[columns < heights - 4].any()
    assert image.valid[columns > heights + 4].all()
    assert open_image(path, RAW).valid.all()


@pytest.mark.parametrize(("number", "near"), [(0, slice(-30, None)), (1, slice(None, 30))])
def test_one_side_alone_is_masked_next_to_the_track(write, number, near):
    options = replace(AS_RECORDED, channels=(number,))
    image = open_image(write(MadeRecording(seabed_pings())), options)
    assert image.shape == (60, 200)
    assert not image.valid[:, near].any()
    assert 0.75 < image.valid.mean() < 0.85


def speckle_alone(altitude):
    return [replace(ping, altitude=altitude) for ping in seabed_pings(height=lambda ping: 0.0)]


def test_without_a_first_return_the_recorded_altitude_is_taken(write):
    image = open_image(write(MadeRecording(speckle_alone(altitude=10.0))))
    # 50 m in 200 samples: 10 m are 40 samples on either side.
    assert (~image.valid).sum(axis=1).tolist() == [80] * 60
    assert any("recorded altitude was taken" in note for note in image.notes)


def test_without_first_return_and_altitude_nothing_is_masked(write):
    image = open_image(write(MadeRecording(speckle_alone(altitude=0.0))))
    assert image.valid.all()
    assert any("no water is masked" in note for note in image.notes)


def test_an_altitude_that_contradicts_the_first_return_is_reported(write):
    pings = [replace(ping, altitude=30.0) for ping in seabed_pings()]
    image = open_image(write(MadeRecording(pings)))
    assert any("recorded altitude is 30 m; the first return is used" in n for n in image.notes)


def test_slant_range_correction_leaves_only_stretched_samples_out_at_the_track(write):
    path = write(MadeRecording(seabed_pings()))
    image = open_image(path, ReadOptions(correct_slant_range=True))
    # At a height of 40 samples one covers more than three pixels nearer than this.
    nearest = 40 / np.sqrt(3**2 - 1)
    assert not image.valid[:, 190:210].any()
    reach = np.sqrt(200**2 - 40**2)
    valid_width = image.valid.sum(axis=1)
    np.testing.assert_allclose(valid_width, 2 * (reach - nearest), atol=4)


def test_gain_normalisation_levels_the_swath(write):
    pings = seabed_pings(120, scale=1000.0)
    falloff = np.linspace(2.0, 0.25, 200)
    pings = [
        replace(
            p,
            port=(p.port * falloff).astype("<u2"),
            starboard=(p.starboard * falloff / 2).astype("<u2"),
        )
        for p in pings
    ]
    image = open_image(write(MadeRecording(pings)), ReadOptions(normalise_gain=True))
    columns = [20, 60, 100, 140, 260, 300, 340, 380]
    medians = [np.median(image.pixels[:, column - 8 : column + 8]) for column in columns]
    assert max(medians) / min(medians) < 1.15


def test_a_hostile_index_beside_the_file_has_no_effect(write, tmp_path):
    proof = tmp_path / "proof"

    class Touch:
        def __reduce__(self):
            return (open, (str(proof), "w"))

    path = write(MadeRecording(counting_pings()))
    hostile = pickle.dumps(Touch())
    for name in (f"{path.name}.pyxtf_idx", f"{path.stem}.pyxtf_idx", ".pyxtf_idx"):
        (tmp_path / name).write_bytes(hostile)
    before = sorted(tmp_path.iterdir())
    probe(path)
    open_image(path, RAW)
    read_recording(path)
    assert not proof.exists()
    assert sorted(tmp_path.iterdir()) == before
    pickle.loads(hostile).close()
    assert proof.exists(), "the trap works when it is sprung"


def test_a_torn_last_ping_is_left_out_and_said(write):
    content = xtf_bytes(MadeRecording(counting_pings(5)))
    path = write(MadeRecording(counting_pings(1)))
    path.write_bytes(content[:-3])
    image = open_image(path, RAW)
    assert image.shape == (4, 8)
    assert any("ends inside a packet" in note for note in image.notes)


def test_rubbish_between_packets_is_passed_over_and_said(write):
    ping_bytes = len(xtf_bytes(MadeRecording(counting_pings(2)))) - len(
        xtf_bytes(MadeRecording(counting_pings(1)))
    )
    content = xtf_bytes(MadeRecording(counting_pings(5)))
    cut = 1024 + 2 * ping_bytes
    path = write(MadeRecording(counting_pings(1)))
    path.write_bytes(content[:cut] + b"\xce\xfa" + bytes(99) + content[cut:])
    image = open_image(path, RAW)
    assert image.shape == (5, 8)
    assert any("101 bytes" in note for note in image.notes)


def test_a_ping_that_claims_more_samples_than_it_holds_is_left_out_and_said(write):
    path = write(MadeRecording(counting_pings(4)))
    content = bytearray(path.read_bytes())
    content[1024 + 256 + 42 : 1024 + 256 + 46] = (10_000_000).to_bytes(4, "little")
    path.write_bytes(content)
    image = open_image(path, RAW)
    assert image.shape == (3, 8)
    assert any("1 pings hold no usable samples" in note for note in image.notes)


def test_a_recording_without_pings_says_so(write):
    path = write(MadeRecording(counting_pings(1)))
    path.write_bytes(path.read_bytes()[:1100])
    with pytest.raises(PmldaError, match="no complete side-scan ping"):
        open_image(path)


@needs_real_files
@pytest.mark.parametrize(
    ("name", "pings", "samples", "pixel_size"),
    [("river.xtf", 1446, 512, 0.0718), ("auv_16bit.xtf", 461, 1024, 0.0293)],
)
def test_the_real_recordings_open_as_a_waterfall(name, pings, samples, pixel_size):
    path = REAL_DATA / "xtf" / name
    description = probe(path)
    assert (description.height, description.width) == (pings, 2 * samples)
    image = open_image(path, AS_RECORDED)
    assert image.shape == (pings, 2 * samples)
    assert image.pixel_size == pytest.approx(pixel_size, rel=0.01)
    # The water column lies about the track, and what is kept is brighter than it.
    assert not image.valid[:, samples - 5 : samples + 5].any()
    assert 0.7 < image.valid.mean() < 0.9
    raw = open_image(path, RAW)
    water = np.median(
        raw.pixels[:, samples - 60 : samples + 60][~image.valid[:, samples - 60 : samples + 60]]
    )
    assert np.median(image.pixels[image.valid]) > 4 * water


@needs_real_files
def test_the_tracked_height_agrees_with_the_recorded_altitude():
    path = REAL_DATA / "xtf" / "auv_16bit.xtf"
    image = open_image(path, AS_RECORDED)
    altitude = read_recording(path).navigation.altitude
    tracked = (~image.valid).sum(axis=1) / 2 * image.pixel_size
    known = ~np.isnan(altitude)
    ratio = tracked[known] / altitude[known]
    # The altimeter sits elsewhere on a hull that dives at 20 degrees: the two differ by a
    # steady factor, and a lost track would not.
    assert 1.0 < np.median(ratio) < 1.25
    assert np.percentile(np.abs(ratio / np.median(ratio) - 1), 95) < 0.1


@needs_real_files
def test_the_first_real_ping_at_zero_is_placed_by_its_neighbour():
    navigation = read_recording(REAL_DATA / "xtf" / "auv_16bit.xtf").navigation
    assert navigation.interpolated.tolist() == [True] + [False] * 460
    assert navigation.latitude[0] == pytest.approx(48.44545, abs=1e-4)
    assert navigation.longitude[0] == pytest.approx(-68.82793, abs=1e-4)
