"""Files that change, never end, hold nothing or unpack to more than they look."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.areas import read_areas
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import (
    ReadOptions,
    open_image,
    open_images,
    probe,
    require_opened,
)
from pmlda_gui.imagery.readers.points import read_points
from pmlda_gui.imagery.scenes.recordings import MadeRecording, seabed_pings, xtf_bytes
from pmlda_gui.imagery.survey_gain import read_gain_table
from pmlda_gui.workspace.hint_files import read_hints
from pmlda_gui.workspace.topic_set import read_topics
from tests.imagery.synthetic_files import synthetic_file_of_every_kind, write_raster

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pipes and odd names are of POSIX")
SMALL = Image(np.zeros((8, 8), np.float32), np.ones((8, 8), np.bool_))
MAT_HEADER = b"MATLAB 5.0".ljust(124) + b"\x00\x01IM"

CUT_WHILE_READ = """
import os, sys
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers import open_image, pixel_reader
pixel_reader.STRIP_VALUES = 4000
try:
    open_image(sys.argv[1], progress=Progress(lambda *told: os.truncate(sys.argv[1], 200)))
except PmldaError as error:
    print(error)
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npy_file_cut_while_it_is_read_ends_in_a_sentence(tmp_path, order):
    path = tmp_path / "cut.npy"
    np.save(path, np.asarray(np.ones((200, 400), np.float32), order=order))
    done = subprocess.run(
        [sys.executable, "-c", CUT_WHILE_READ, str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, f"the program died ({done.returncode})"
    assert "the data end early" in done.stdout


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("height", [3, 700, 2500])
@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_arrays_read_in_pieces_are_those_read_at_once(tmp_path, monkeypatch, order, height, name):
    monkeypatch.setattr("pmlda_gui.imagery.readers.pixel_reader.STRIP_VALUES", 999)
    monkeypatch.setattr("pmlda_gui.imagery.readers.pixel_reader.LARGEST_STRIP_VALUES", 999)
    monkeypatch.setattr("pmlda_gui.imagery.readers.number_streams.PIECE_BYTES", 3000)
    stack = np.random.default_rng(0).normal(size=(height, 31, 4))
    path = tmp_path / name
    (np.save if name.endswith("npy") else np.savez)(path, np.asarray(stack, order=order))
    image = open_image(path, ReadOptions(band=3))
    np.testing.assert_array_equal(image.pixels, stack[:, :, 2].astype(np.float32))
    colours = np.asarray(stack[:, :, :3], order=order)
    (np.save if name.endswith("npy") else np.savez)(path, colours)
    np.testing.assert_array_equal(open_image(path).pixels, colours.astype(np.float32))


def peak_bytes(path: Path) -> int:
    tracemalloc.start()
    try:
        open_image(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["npz", "npz by columns", "mat"])
def test_complex_data_take_no_more_memory_than_pixels(tmp_path, monkeypatch, kind):
    """Held as stored, these values would take 64 MB; the image takes 20."""
    monkeypatch.setattr("pmlda_gui.imagery.readers.pixel_reader.STRIP_VALUES", 100_000)
    values = np.full((2000, 2000), 3 + 4j)
    path = tmp_path / f"bomb.{kind[:3]}"
    if kind == "mat":
        savemat(path, {"I": values}, do_compression=True)
    else:
        order = "F" if "columns" in kind else "C"
        np.savez_compressed(path, I=np.asarray(values, order=order))
    del values
    assert path.stat().st_size < 1 << 20
    # What must be held whole is held once beside the image, in 4 bytes a value.
    assert peak_bytes(path) < (60 << 20 if kind != "npz" else 35 << 20)
    image = open_image(path)
    np.testing.assert_allclose(image.pixels, 5.0)
    assert "The data are complex; their magnitude is shown." in image.notes


def test_an_array_with_huge_stacks_in_each_pixel_is_refused(tmp_path):
    path = tmp_path / "deep.npy"
    np.save(path, np.zeros((2, 1, 400_000), np.float32))
    with pytest.raises(PmldaError, match="stacks 400000 values in every pixel"):
        open_image(path, ReadOptions(band=1))


def test_rows_too_wide_to_be_averaged_are_refused(tmp_path):
    path = tmp_path / "wide.npy"
    np.save(path, np.zeros((2, 200_000), np.uint8))
    with pytest.raises(PmldaError, match="too wide to be reduced by 1000"):
        open_image(path, ReadOptions(reduce=1000))


def files_without_an_image(folder: Path) -> dict[str, Path]:
    """Files that go on and on without anything to show."""
    header = xtf_bytes(MadeRecording(seabed_pings(1, 32, lambda ping: 8.0)))[:1024]
    contents = {
        "tiny elements.mat": MAT_HEADER + struct.pack("<2I", 1, 0) * 3000,
        "navigation.xtf": header + struct.pack("<2sBxH4xI", b"\xce\xfa", 3, 0, 14) * 3000,
        "empty pings.xtf": header + struct.pack("<2sBxH4xI", b"\xce\xfa", 0, 1, 14) * 3000,
        "zeros.xtf": header + bytes(1 << 17),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents}


@pytest.mark.parametrize(
    "name", ["tiny elements.mat", "navigation.xtf", "empty pings.xtf", "zeros.xtf"]
)
def test_a_search_through_a_file_without_an_image_can_be_stopped(tmp_path, name):
    path = files_without_an_image(tmp_path)[name]
    for reading in (probe, open_image):
        with pytest.raises(Cancelled):
            reading(path, progress=Progress(is_cancelled=lambda: True))
        with pytest.raises(PmldaError, match=r"holds (no|more than)"):
            reading(path)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of time is Linux's")
@pytest.mark.parametrize("ending", ["mat", "xtf"])
def test_gigabytes_of_zeros_are_given_up_early(tmp_path, ending):
    import resource

    path = tmp_path / f"zeros.{ending}"
    header = xtf_bytes(MadeRecording(seabed_pings(1, 32, lambda ping: 8.0)))[:1024]
    path.write_bytes(MAT_HEADER if ending == "mat" else header)
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
    assert f"zeros.{ending} holds no" in done.stdout, done.returncode


def test_a_recording_followed_by_endless_navigation_shows_what_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr("pmlda_gui.imagery.readers.xtf_packets.MOST_PACKETS_WITHOUT_PING", 50)
    recording = xtf_bytes(MadeRecording(seabed_pings(12, 32, lambda ping: 8.0)))
    navigation = struct.pack("<2sBxH4xI", b"\xce\xfa", 3, 0, 14)
    path = tmp_path / "long.xtf"
    path.write_bytes(recording + navigation * 40 + recording[1024:] + navigation * 60)
    image = open_image(path)
    assert image.shape[0] == 24
    assert any("no ping came for 50 packets" in note for note in image.notes)


def test_hooks_are_as_before_after_readings_on_several_threads(tmp_path):
    """The second reading begins within the first and ends after it."""
    path = write_raster(tmp_path / "a.tif", np.ones((1, 40, 40), np.uint8), "GTiff")
    before = sys.excepthook, sys.unraisablehook
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

    def first(done: float, text: str) -> None:
        first_in.set()
        assert second_in.wait(20)

    def second(done: float, text: str) -> None:
        second_in.set()
        assert first_out.wait(20)

    one = threading.Thread(
        target=lambda: (open_image(path, progress=Progress(first)), first_out.set())
    )
    one.start()
    assert first_in.wait(20)
    other = threading.Thread(target=lambda: open_image(path, progress=Progress(second)))
    other.start()
    for thread in (one, other):
        thread.join(20)
    assert (sys.excepthook, sys.unraisablehook) == before


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_only_regular_files_are_opened(tmp_path, kind):
    path = tmp_path / "odd.npy"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    for reading in (probe, open_image):
        with pytest.raises(PmldaError, match=r"a pipe or a device; choose a regular file\."):
            reading(path)


USERS_FILES = {
    "area.geojson": read_areas,
    "area.gpkg": read_areas,
    "hints.gpkg": lambda path: read_hints(path, [SMALL]),
    "hints.png": lambda path: read_hints(path, [SMALL]),
    "points.csv": lambda path: read_points(path, SMALL),
    "points.gpkg": lambda path: read_points(path, SMALL),
    "gain.json": read_gain_table,
    "seabed.topics": read_topics,
    "line.jsf": open_image,
    "line.sl2": open_image,
    "line.sl3": open_image,
    "line.DAT": open_image,
    "line.xtf": open_image,
}


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", USERS_FILES)
def test_no_file_that_an_operator_names_is_a_pipe_or_a_device(tmp_path, name, kind):
    path = tmp_path / name
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    told: list[BaseException] = []

    def read() -> None:
        try:
            USERS_FILES[name](path)
        except BaseException as error:
            told.append(error)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    reading.join(20)
    assert not reading.is_alive(), "it waits for ever"
    assert isinstance(told[0], PmldaError), told[0]
    assert "choose a regular file" in str(told[0])


def test_areas_that_would_fill_the_memory_are_refused(tmp_path):
    path = tmp_path / "area.geojson"
    path.write_bytes(b'{"type": [' + b"[]," * 6_000_000 + b"1]}")
    with pytest.raises(PmldaError, match="too large for areas of interest"):
        read_areas(path)


@POSIX
@pytest.mark.parametrize(
    ("name", "complaint"),
    [(b"line\nbreak.png", "line break"), (b"caf\xe9.png", "is not valid UTF-8")],
)
def test_a_name_that_cannot_be_shown_is_refused_in_a_printable_sentence(tmp_path, name, complaint):
    sound = synthetic_file_of_every_kind(tmp_path)["png"]
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    try:
        path.write_bytes(sound.read_bytes())
    except OSError:
        pytest.skip("this file system does not hold such names")
    for reading in (probe, open_image):
        with pytest.raises(PmldaError, match=complaint) as caught:
            reading(path)
        assert str(caught.value).isprintable()


@POSIX
def test_names_with_marks_of_other_languages_are_opened(tmp_path):
    for kind, path in synthetic_file_of_every_kind(tmp_path).items():
        odd = path.rename(tmp_path / f"R&D 'north' \"7\" <b> $(x) `y` %s {kind}{path.suffix}")
        assert open_image(odd).name == odd.name


def test_one_bad_file_among_many_is_left_out_and_named(tmp_path):
    for number in (1, 2):
        np.save(tmp_path / f"line {number}.npy", np.ones((4, 5)))
    (tmp_path / "line 3.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "nothing").mkdir()
    paths = [tmp_path / "gone.tif", tmp_path, tmp_path / "nothing"]
    refused: list[PmldaError] = []
    images = open_images(paths, refused=refused)
    assert [image.name for image in images] == ["line 1.npy", "line 2.npy"]
    told = " ".join(map(str, refused))
    assert len(refused) == 3
    assert "gone.tif was not found" in told
    assert "line 3.npy cannot be read" in told
    assert "nothing holds no imagery" in told


def test_if_all_files_are_bad_the_first_reason_is_told(tmp_path):
    refused: list[PmldaError] = []
    images = open_images([tmp_path / "a.png", tmp_path / "b.png"], refused=refused)
    with pytest.raises(
        PmldaError, match=r"None of the 2 files can be opened.*a\.png was not found"
    ):
        require_opened(images, refused)


def test_a_small_file_with_thousands_of_bands_is_refused(tmp_path):
    """What is asked of each band about all of them would take hours."""
    bands = np.zeros((5000, 1, 1), np.uint8)
    path = write_raster(tmp_path / "bands.tif", bands, "GTiff")
    with pytest.raises(PmldaError, match="5000 bands, more than 4096"):
        probe(path)
