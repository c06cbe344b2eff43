"""A watched folder: whole files once, bad ones not again until they change, over restarts."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace import watched_folder
from pmlda_gui.workspace.queued_file import Queued
from pmlda_gui.workspace.watched_folder import STATE, Watch


class Worker:
    """What is done to files: noted, and written as one file; bad files are refused."""

    def __init__(self, stop_after: int = 6) -> None:
        self.tried: list[str] = []
        self.done: list[str] = []
        self.told: list[str] = []
        self.looks = 0
        self.stop_after = stop_after
        self.between = lambda look: None

    def work(self, path):
        self.tried.append(path.name)
        values = np.load(path)
        self.done.append(path.name)
        if values.max() < 0:
            raise PmldaError(f"{path.name} holds nothing but negative numbers.")
        return lambda folder: (folder.mkdir(exist_ok=True), (folder / "done.txt").write_text("x"))

    def stopped(self):
        self.looks += 1
        self.between(self.looks)
        return self.looks > self.stop_after


def watch(tmp_path, worker, **more):
    settings = {"poll": 0.01, **more}
    seen = Watch(
        tmp_path / "in", tmp_path / "out", worker.work, worker.stopped, worker.told.append,
        **settings,
    )  # fmt: skip
    seen.run()
    return worker


def arrive(tmp_path, name, value=1.0):
    (tmp_path / "in").mkdir(exist_ok=True)
    np.save(tmp_path / "in" / name, np.full((4, 4), value, np.float32))
    return tmp_path / "in" / name


def test_each_file_is_done_once_and_a_restart_does_nothing_again(tmp_path):
    arrive(tmp_path, "line 2.npy")
    arrive(tmp_path, "line 10.npy")
    first = watch(tmp_path, Worker(30))
    assert first.done == ["line 2.npy", "line 10.npy"]
    assert (tmp_path / "out" / "line 2" / "done.txt").exists()
    arrive(tmp_path, "line 11.npy")
    assert watch(tmp_path, Worker(30)).done == ["line 11.npy"]


def test_a_file_that_still_grows_waits_until_it_is_whole(tmp_path):
    path = arrive(tmp_path, "line.npy")
    whole = path.read_bytes()
    path.write_bytes(whole[:140])
    worker = Worker(200)

    def grow(look):
        if look < 20:
            path.write_bytes(whole[: 140 + look])
        elif look == 20:
            path.write_bytes(whole)
            assert worker.done == []

    worker.between = grow
    assert watch(tmp_path, worker).done == ["line.npy"]
    assert worker.tried == ["line.npy"]


def test_a_bad_file_gets_a_sentence_and_is_not_tried_again_until_it_changes(tmp_path):
    path = arrive(tmp_path, "bad.npy", -1.0)
    arrive(tmp_path, "good.npy")
    first = watch(tmp_path, Worker(40))
    assert first.done == ["bad.npy", "good.npy"]
    assert first.told[0] == "left out: bad.npy holds nothing but negative numbers."
    assert watch(tmp_path, Worker(40)).done == []
    arrive(tmp_path, "bad.npy", 2.0)
    os.utime(path, ns=(1, 1))
    assert watch(tmp_path, Worker(40)).done == ["bad.npy"]


def test_an_error_nobody_thought_of_does_not_end_the_watch(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.npy").write_bytes(b"\x93NUMPY\x01\x00 cut short")
    arrive(tmp_path, "b.npy")
    worker = watch(tmp_path, Worker(40))
    assert worker.done == ["b.npy"]
    assert "a.npy could not be segmented (ValueError)." in worker.told[0]


def test_a_file_under_way_when_the_watch_ends_is_done_at_the_next_start(tmp_path):
    arrive(tmp_path, "line.npy")
    worker = Worker(30)
    plain = worker.work

    def stopped_meanwhile(path):
        worker.stop_after = 0
        return plain(path)

    worker.work = stopped_meanwhile
    watch(tmp_path, worker)
    assert worker.done == ["line.npy"]
    assert not (tmp_path / "out" / "line").exists()
    assert watch(tmp_path, Worker(30)).done == ["line.npy"]


def test_results_that_cannot_be_written_end_the_watch_and_are_tried_again(tmp_path):
    arrive(tmp_path, "line.npy")
    worker = Worker(30)

    def full(path):
        def write(folder):
            raise PmldaError("The disk is full.")

        return write

    worker.work = full
    with pytest.raises(PmldaError, match="disk is full"):
        watch(tmp_path, worker)
    assert watch(tmp_path, Worker(30)).done == ["line.npy"]


def test_files_of_one_stem_have_folders_of_their_own(tmp_path):
    arrive(tmp_path, "line.npy")
    first = watch(tmp_path, Worker(30))
    (tmp_path / "in" / "line.npy").rename(tmp_path / "in" / "line.1.npy")
    np.savez(tmp_path / "in" / "line.npz", np.ones((4, 4)))
    worker = Worker(40)
    worker.work = lambda path: lambda folder: folder.mkdir()
    watch(tmp_path, worker)
    assert first.done == ["line.npy"]
    folders = {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()}
    assert folders == {"line", "line.1", "line_npz"}


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"files": [["a", {"size": "x"}]]}'])
def test_a_damaged_state_is_told_and_files_are_done_again(tmp_path, content):
    arrive(tmp_path, "line.npy")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / STATE).write_bytes(content)
    worker = watch(tmp_path, Worker(30))
    assert "cannot be read" in worker.told[0]
    assert worker.done == ["line.npy"]
    assert json.loads((tmp_path / "out" / STATE).read_bytes())["files"][0][0] == "line.npy"


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PmldaError, match="no folder"):
        watch(tmp_path, Worker())
    (tmp_path / "in").mkdir()
    with pytest.raises(PmldaError, match="between two looks"):
        watch(tmp_path, Worker(), poll=0.0)


def test_whoever_shows_the_files_sees_each_wait_run_and_end(tmp_path):
    arrive(tmp_path, "bad.npy", -1.0)
    arrive(tmp_path, "good.npy")
    seen: list[tuple[Queued, ...]] = []
    watch(tmp_path, Worker(40), show=seen.append)
    states = [tuple(each.state for each in files) for files in seen]
    assert list(dict.fromkeys(states)) == [
        ("waiting", "waiting"),
        ("running", "waiting"),
        ("failed", "waiting"),
        ("failed", "running"),
        ("failed", "done"),
    ]
    bad, good = seen[-1]
    assert bad.sentence == "bad.npy holds nothing but negative numbers."
    assert good.folder == "good"
    # What was done before is shown at once, also when its file was moved away.
    (tmp_path / "in" / "good.npy").unlink()
    later: list[tuple[Queued, ...]] = []
    watch(tmp_path, Worker(1), show=later.append)
    assert later[0] == (bad, good)


def test_two_watches_never_write_the_same_results(tmp_path, monkeypatch):
    monkeypatch.setattr(watched_folder, "_LOCK_SECONDS", 0.0)
    arrive(tmp_path, "line.npy")
    inner = Worker(40)
    outer = Worker(40)

    def begin_another(look):
        if look == 1:
            with pytest.raises(PmldaError, match="Another program already"):
                watch(tmp_path, inner)

    outer.between = begin_another
    assert watch(tmp_path, outer).done == ["line.npy"]
    assert inner.done == []
    assert watch(tmp_path, Worker(40)).done == []
