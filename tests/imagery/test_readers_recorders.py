"""JSF, SL2, SL3 and Humminbird recordings: one waterfall, true ranges, navigation, and damage."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.readers import (
    ReadOptions,
    open_image,
    open_images,
    probe,
    read_recording,
)
from tests.imagery.synthetic_recordings import (
    Ping,
    counting_pings,
    jsf_bytes,
    jsf_message,
    lowrance_bytes,
    son_bytes,
    write_humminbird,
)

AS_RECORDED = ReadOptions(correct_slant_range=False, normalise_gain=False, square_pixels=False)
RAW = replace(AS_RECORDED, mask_water_column=False)
KINDS = (
    "jsf",
    "jsf analytic",
    "sl2",
    "sl2 composite",
    "sl3",
    "sl3 composite",
    "humminbird",
    "helix",
)
FORMATS = {
    "jsf": "JSF",
    "sl2": "SL2",
    "sl3": "SL3",
    "humminbird": "Humminbird",
    "helix": "Humminbird",
}


def write(folder, kind, pings):
    """A recording of the kind; the side's range is 30 m where the format states one."""
    if kind in ("humminbird", "helix"):
        return write_humminbird(folder, pings, longer_header=kind == "helix")
    maker, _, variant = kind.partition(" ")
    path = folder / f"line.{maker}"
    if maker == "jsf":
        # 30 m there and back at 1500 m/s, over the samples.
        interval = round(2 * 30.0 / 1500.0 / len(pings[0].port) * 1e9)
        content = jsf_bytes(pings, analytic=bool(variant), interval=interval)
    else:
        content = lowrance_bytes(pings, int(maker[2]), bool(variant))
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_port_is_shown_left_and_starboard_right_with_the_track_between(tmp_path, kind):
    path = write(tmp_path, kind, counting_pings())
    image = open_image(path, RAW)
    assert image.pixels.tolist() == [[6, 5, 4, 3, 2, 1, 101, 102, 103, 104, 105, 106]] * 5
    assert image.valid.all()
    assert probe(path).format == FORMATS[kind.partition(" ")[0]]
    assert (probe(path).height, probe(path).width) == image.shape


@pytest.mark.parametrize("kind", KINDS)
def test_the_pixel_size_is_the_range_by_the_samples(tmp_path, kind):
    image = open_image(write(tmp_path, kind, counting_pings()), RAW)
    # Of Humminbird 2 / pi arcsin(c / (0.108 m * 455 kHz)) in fresh water.
    expected = 0.01911 if kind in ("humminbird", "helix") else 5.0
    assert image.pixel_size == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_navigation_comes_in_degrees_metres_and_seconds(tmp_path, kind):
    navigation = read_recording(write(tmp_path, kind, counting_pings())).navigation
    # Humminbird and Lowrance round positions to a metre.
    assert navigation.latitude == pytest.approx(48.0 + 1e-5 * np.arange(5), abs=1e-5)
    assert navigation.longitude == pytest.approx(np.full(5, -68.0), abs=1e-5)
    assert navigation.heading == pytest.approx(np.full(5, 90.0), abs=0.01)
    assert navigation.speed == pytest.approx(np.full(5, 2.0), abs=0.03)
    assert navigation.altitude == pytest.approx(np.full(5, 5.0), abs=1e-3)
    if not kind.startswith("sl2"):  # which has no epoch
        assert navigation.time[-1] == pytest.approx(1_600_000_000.4)
    assert not navigation.layback.any()


def test_unknown_headings_and_positions_are_not_taken_from_a_jsf_file(tmp_path):
    path = tmp_path / "line.jsf"
    path.write_bytes(jsf_bytes(counting_pings(), validity=0x4000))
    navigation = read_recording(path).navigation
    assert np.isnan(navigation.heading).all()
    assert np.isnan(navigation.positions).all()
    assert np.isnan(navigation.altitude).all()


def test_jsf_positions_in_metres_are_said_to_have_no_known_projection(tmp_path):
    path = tmp_path / "line.jsf"
    path.write_bytes(jsf_bytes(counting_pings(), units=1))
    recording = read_recording(path)
    assert not recording.navigation.geographic
    assert recording.navigation.positions[0] == pytest.approx([48.0, -68.0])
    assert any("unstated projection" in note for note in recording.notes)


def test_jsf_samples_are_scaled_by_their_weight(tmp_path):
    path = tmp_path / "line.jsf"
    path.write_bytes(jsf_bytes(counting_pings(), weight=1))
    assert open_image(path, RAW).pixels[0, 6:].tolist() == [50.5, 51.0, 51.5, 52.0, 52.5, 53.0]


def test_both_frequencies_of_a_jsf_file_are_offered_on_the_same_rows(tmp_path):
    path = tmp_path / "line.jsf"
    path.write_bytes(jsf_bytes(counting_pings(), subsystems=(20, 21)))
    described = probe(path)
    assert described.height == 5
    assert [band.description for band in described.bands] == [
        "port low frequency", "starboard low frequency",
        "port high frequency", "starboard high frequency",
    ]  # fmt: skip
    high = open_image(path, replace(RAW, channels=(2, 3)))
    assert high.pixels[0].tolist() == [6, 5, 4, 3, 2, 1, 101, 102, 103, 104, 105, 106]


def test_jsf_messages_of_a_sub_bottom_sonar_are_no_side_scan(tmp_path):
    path = tmp_path / "line.jsf"
    path.write_bytes(jsf_bytes(counting_pings(), subsystems=(0,)))
    with pytest.raises(PmldaError, match=r"line\.jsf holds no complete side-scan ping"):
        open_image(path)


def test_a_lowrance_recording_without_side_scan_says_so(tmp_path):
    content = lowrance_bytes(counting_pings(1))
    path = tmp_path / "line.sl2"
    path.write_bytes(content[: 8 + 144 + 6])  # the primary frame only
    with pytest.raises(PmldaError, match="recorded without side-scan"):
        open_image(path)


@pytest.mark.parametrize("kind", ["jsf", "sl2", "sl3", "sl3 composite"])
def test_damage_between_pings_costs_only_the_pings_it_hits(tmp_path, kind):
    path = write(tmp_path, kind, counting_pings(20))
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = bytes(40)
    path.write_bytes(content)
    image = open_image(path, RAW)
    assert 17 <= image.shape[0] <= 20
    assert image.valid.mean() > 0.85
    expected = [6, 5, 4, 3, 2, 1, 101, 102, 103, 104, 105, 106]
    changed = np.where(image.valid, image.pixels != expected, False).any(axis=1)
    assert changed.sum() <= 1  # zeros written over samples are no damage one can see


def test_a_ping_lost_on_one_side_of_a_humminbird_recording_leaves_the_others_in_place(tmp_path):
    pings = [
        replace(ping, starboard=ping.starboard + number)
        for number, ping in enumerate(counting_pings())
    ]
    path = write_humminbird(tmp_path, pings)
    (tmp_path / "R00001" / "B003.SON").write_bytes(son_bytes(pings[:2] + pings[3:], 3))
    image = open_image(path, RAW)
    assert image.pixels[:, 6].tolist() == [101, 102, 0, 104, 105]
    assert image.valid[:, 6].tolist() == [True, True, False, True, True]


def test_the_beams_of_a_humminbird_recording_may_lie_beside_its_dat_file(tmp_path):
    path = write_humminbird(tmp_path, counting_pings())
    for beam in list((tmp_path / "R00001").iterdir()):
        beam.rename(tmp_path / beam.name)
    (tmp_path / "R00001").rmdir()
    assert open_image(path, RAW).shape == (5, 12)
    # In a folder they are parts of that recording, not three.
    assert len(open_images([tmp_path], RAW)) == 1


def test_a_humminbird_recording_without_beams_says_where_they_should_be(tmp_path):
    path = write_humminbird(tmp_path, counting_pings())
    for beam in list((tmp_path / "R00001").iterdir()):
        beam.unlink()
    with pytest.raises(PmldaError, match=r"SON files are not in the folder R00001"):
        open_image(path)


def test_one_side_of_a_humminbird_recording_opens_alone(tmp_path):
    write_humminbird(tmp_path, counting_pings())
    port = open_image(tmp_path / "R00001" / "B002.SON", RAW)
    assert port.pixels[0].tolist() == [6, 5, 4, 3, 2, 1]


def test_the_altitude_is_used_where_the_track_follows_the_pulse(tmp_path, monkeypatch):
    monkeypatch.setattr("pmlda_gui.imagery.sidescan.first_return", lambda swaths: np.full(40, 1.0))
    bright = np.full(400, 90, np.uint8)
    bright[::7] = 120
    pings = [
        Ping(bright, bright, altitude=2.0 + 0.05 * number, milliseconds=number)
        for number in range(40)
    ]
    image = open_image(write_humminbird(tmp_path, pings))
    assert any("recorded altitude was taken" in note for note in image.notes)
    assert (~image.valid[:, 400:]).sum(axis=1)[0] == pytest.approx(2.0 / 0.01911, abs=1.5)


@pytest.mark.parametrize("kind", ["jsf", "sl2", "sl3", "son"])
def test_a_search_through_a_file_without_a_ping_can_be_stopped_and_is_refused(tmp_path, kind):
    contents = {
        "jsf": jsf_message(2020, 101, 0, bytes(44)) * 3000,
        "sl2": lowrance_bytes(counting_pings(1))[:152] + bytes(1 << 17),
        "sl3": lowrance_bytes(counting_pings(1), 3)[:152] + bytes(1 << 17),
        "son": b"\xc0\xde\xab\x21" + bytes(1 << 17),
    }
    path = tmp_path / f"empty.{kind}"
    path.write_bytes(contents[kind])
    for reading in (probe, open_image):
        with pytest.raises(Cancelled):
            reading(path, cancel=lambda: True)
        with pytest.raises(PmldaError, match="holds no"):
            reading(path)


@pytest.mark.parametrize("kind", ["jsf", "sl2", "humminbird"])
def test_progress_of_a_reading_rises_to_its_end(tmp_path, kind):
    told = []
    open_image(write(tmp_path, kind, counting_pings(40)), RAW, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of time is Linux's")
@pytest.mark.parametrize("kind", ["jsf", "sl2", "sl3", "son"])
def test_gigabytes_of_zeros_are_given_up_early(tmp_path, kind):
    import resource

    heads = {
        "jsf": b"\x01\x16",
        "sl2": lowrance_bytes(counting_pings(1))[:12],
        "sl3": lowrance_bytes(counting_pings(1), 3)[:12],
        "son": b"\xc0\xde\xab\x21",
    }
    path = tmp_path / f"zeros.{kind}"
    path.write_bytes(heads[kind])
    os.truncate(path, 64 << 30)
    program = (
        "import sys\nfrom pmlda_gui.imagery.readers import probe\n"
        "try:\n    probe(sys.argv[1])\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        # Looking at every byte takes minutes.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (12, 12)),
        capture_output=True,
        text=True,
    )
    assert f"zeros.{kind} holds no" in done.stdout, done.returncode
