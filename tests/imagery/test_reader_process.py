"""HDF5 files are read by a process that may die of them, and nobody else does."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, opening, probe, reader_process
from pmlda_gui.imagery.readers.options import Task
from tests.imagery import synthetic_rasters
from tests.imagery.synthetic_files import synthetic_file_of_every_kind

_READY = "import os, sys, time; print('{\"ready\": true}', flush=True); sys.stdin.readline(); "


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    reader_process.end_reader_process()
    yield
    reader_process.end_reader_process()


@pytest.fixture(params=["mat73", "BAG", "NetCDF"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "mat73":
        return synthetic_file_of_every_kind(tmp_path)["mat73"]
    if request.param == "BAG":
        return synthetic_rasters.DEPTH_FORMATS["BAG"](tmp_path)
    return next(
        each
        for each in synthetic_rasters.synthetic_raster_of_every_format(tmp_path).values()
        if each.name == "made4.nc"
    )


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    return synthetic_rasters.DEPTH_FORMATS["BAG"](tmp_path)


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Have a process that does this when it is asked for a file."""
    command = [sys.executable, "-c", _READY + code]
    monkeypatch.setattr(reader_process, "_command", lambda: command)


def test_what_comes_over_is_what_would_have_been_read_here(path: Path) -> None:
    for options in (ReadOptions(), ReadOptions(reduce=2)):
        apart = open_image(path, options)
        here = opening.open_here(path, options, Task(path.name))
        np.testing.assert_array_equal(apart.pixels, here.pixels)
        np.testing.assert_array_equal(apart.valid, here.valid)
        assert apart.pixels.dtype == here.pixels.dtype
        assert (apart.pixel_size, apart.georeference) == (here.pixel_size, here.georeference)
        assert (apart.band_names, apart.notes) == (here.band_names, here.notes)
        assert apart.source == path
    assert probe(path) == opening.probe_here(path, Task(path.name))


def test_no_library_that_may_abort_is_loaded_here(bag: Path) -> None:
    code = (
        "import sys; from pmlda_gui.imagery.readers import open_image; "
        f"open_image({str(bag)!r}); print({{'h5py', 'rasterio'}} & set(sys.modules))"
    )
    found = reader_process.subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "set()"


def test_a_file_that_its_reader_dies_of_is_refused_in_a_sentence(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, "os.abort()")
    with pytest.raises(PmldaError, match=r"made\.bag is damaged so badly .* copy it again\.$"):
        open_image(bag)
    with pytest.raises(PmldaError, match="damaged so badly"):
        probe(bag)


def test_a_reader_that_another_file_has_broken_is_replaced(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = reader_process._command()
    answer = '{"refused": "Not this one."}'
    instead(monkeypatch, f"print('{answer}', flush=True); sys.stdin.readline(); os.abort()")
    with pytest.raises(PmldaError, match="Not this one"):
        open_image(bag)
    monkeypatch.setattr(reader_process, "_command", lambda: sound)
    assert open_image(bag).pixels.size


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON at all",
        "[1, 2]",
        '{"image": true}\\n{"shape": [1000000, 1000000], "further": 0}',
        '{"image": true}\\n{"shape": [2, 2], "further": 0}\\nfour',
        '{"image": true}\\n{}',
    ],
)
def test_a_reader_that_says_nonsense_is_not_believed(
    bag: Path, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, f"print('{answer}', flush=True)")
    with pytest.raises(PmldaError, match="damaged so badly"):
        open_image(bag)


def test_a_library_that_does_not_come_back_can_be_cancelled(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, "time.sleep(60)")
    cancelled = threading.Event()
    threading.Timer(0.2, cancelled.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled, match=r"made\.bag was stopped"):
        open_image(bag, cancel=cancelled.is_set)
    assert time.monotonic() - began < 30


def test_where_no_such_process_can_be_started_the_file_is_read_here(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = open_image(bag).pixels
    for command in ([], ["/nowhere/python"], [sys.executable, "-c", "raise SystemExit(1)"]):
        reader_process.end_reader_process()
        monkeypatch.setattr(reader_process, "_command", lambda command=command: command)
        np.testing.assert_array_equal(open_image(bag).pixels, wanted)


def test_one_process_reads_many_files_and_ends_when_nobody_asks(
    bag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fractions: list[float] = []
    probe(bag)
    waiting = reader_process._processes._idle
    open_image(bag, progress=fractions.append)
    assert reader_process._processes._idle is waiting
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    monkeypatch.setattr(reader_process, "IDLE_SECONDS", 0.05)
    open_image(bag)
    deadline = time.monotonic() + 20
    while waiting.alive and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not waiting.alive


def test_a_refusal_reads_as_it_does_here(tmp_path: Path, bag: Path) -> None:
    torn = tmp_path / "torn.bag"
    torn.write_bytes(bag.read_bytes()[:3000])
    with pytest.raises(PmldaError) as here:
        opening.open_here(torn, ReadOptions(), Task(torn.name))
    with pytest.raises(PmldaError) as apart:
        open_image(torn)
    assert str(apart.value) == str(here.value)


def test_the_built_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/pmlda-gui/pmlda-gui")
    assert reader_process._command() == ["/opt/pmlda-gui/pmlda-gui", "--read-apart"]
    monkeypatch.delattr(sys, "frozen")
    monkeypatch.setattr(sys, "executable", "/usr/bin/qgis")
    assert reader_process._command() == []
