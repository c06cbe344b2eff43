"""Autosaving costs the chain a copy, never its pace, and fails without harm."""

import errno
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace import archive, autosave, locking
from pmlda_gui.workspace.autosave import Autosaver, lock_of, state_folder
from pmlda_gui.workspace.bookmarks import keep
from pmlda_gui.workspace.locking import Lock, try_lock
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.session import Session
from tests.workspace.small_runs import assert_same, run, stored_session


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def test_nothing_is_saved_before_the_interval_is_over(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path, interval=60.0, clock=(clock := Clock()))
    assert not saver.offer(Session())
    clock.time = 59.0
    assert not saver.due
    assert not saver.offer(Session())
    clock.time = 60.0
    assert saver.due
    assert saver.offer(Session(seed=4))
    assert saver.flush(10.0)
    assert archive.load(saver.path).session.seed == 4
    assert not saver.offer(Session())
    clock.time = 121.0
    assert saver.offer(Session(seed=5))
    saver.close(discard=False)
    assert archive.load(saver.path).session.seed == 5


def test_an_operator_may_ask_for_it_now(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path)
    assert saver.offer(Session(seed=2), origin=tmp_path / "survey.pmlda", now=True)
    saver.close(discard=False)
    assert archive.load(saver.path).origin == tmp_path / "survey.pmlda"


def test_the_run_goes_on_while_what_it_was_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    writing = threading.Event()

    def slow(*arguments: object) -> None:
        writing.set()
        assert gate.wait(20.0)
        archive.write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(autosave, "write", slow)
    running, witness = run(5), run(5)
    saver = Autosaver(tmp_path, interval=0.0)
    session = stored_session(tmp_path)
    bookmark, arrays = keep("good", session, running)
    assert saver.offer(session.replace(bookmarks=(bookmark,)), running, arrays)
    assert writing.wait(10.0)
    assert threading.current_thread().name != "pmlda-autosave"
    running.set_parameters(Parameters(4))
    running.sweep(3)
    assert not saver.due
    assert not saver.flush(0.01)
    gate.set()
    assert saver.flush(20.0)
    loaded = archive.load(saver.path)
    assert_same(resume(loaded, threads=1), witness)
    assert loaded.journal.to_values() == witness.journal.to_values()
    assert len(loaded.arrays) == len(arrays)
    saver.close()


def test_a_chain_too_large_to_copy_is_saved_as_its_journal(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path, interval=0.0, largest_checkpoint=1000)
    running = run(4)
    saver.offer(stored_session(tmp_path), running)
    saver.close(discard=False)
    loaded = archive.load(saver.path)
    assert loaded.checkpoint is None
    assert_same(resume(loaded, threads=1), running)


def test_an_orderly_end_leaves_nothing(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path / "state", interval=0.0)
    for seed in range(3):
        saver.offer(Session(seed=seed))
        saver.flush()
    saver.close()
    assert list((tmp_path / "state").iterdir()) == []
    assert not saver.offer(Session(), now=True)


def test_closing_without_anything_saved_makes_no_folder(tmp_path: Path) -> None:
    Autosaver(tmp_path / "state").close()
    assert not (tmp_path / "state").exists()


def test_a_failure_is_told_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saver = Autosaver(tmp_path, interval=0.0)
    saver.offer(Session(seed=1))
    assert saver.flush(10.0)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        saver.offer(Session(seed=2))
        assert saver.flush(10.0)
    assert saver.trouble is not None
    assert saver.trouble.startswith("Autosaving failed:")
    assert " is full: make room" in saver.trouble
    assert archive.load(saver.path).session.seed == 1
    saver.offer(Session(seed=3))
    assert saver.flush(10.0)
    assert saver.trouble is None
    assert archive.load(saver.path).session.seed == 3
    saver.close()


def test_a_state_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    saver = Autosaver(tmp_path / "file" / "state", interval=0.0)
    saver.offer(Session())
    assert saver.flush(10.0)
    assert saver.trouble is not None
    assert "cannot be written to" in saver.trouble
    saver.close()


def test_two_programs_save_into_files_of_their_own(tmp_path: Path) -> None:
    first, second = (Autosaver(tmp_path, interval=0.0) for _ in range(2))
    for seed, saver in enumerate((first, second)):
        saver.offer(Session(seed=seed))
        assert saver.flush(10.0)
    assert archive.load(first.path).session.seed == 0
    assert archive.load(second.path).session.seed == 1
    assert not Lock(lock_of(first.path)).acquire()
    first.close()
    second.close()


def test_what_was_saved_elsewhere_is_dropped_and_later_work_is_not(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path, interval=0.0)
    for seed in (1, 2):
        saver.offer(Session(seed=seed))
        assert saver.flush(10.0)
    saver.drop()
    assert saver.flush(10.0)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]
    saver.offer(Session(seed=3))
    assert saver.flush(10.0)
    assert archive.load(saver.path).session.seed == 3
    saver.close()


def test_what_is_being_written_while_it_is_dropped_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, writing = threading.Event(), threading.Event()

    def slow(*arguments: object) -> None:
        writing.set()
        assert gate.wait(20.0)
        archive.write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(autosave, "write", slow)
    saver = Autosaver(tmp_path, interval=0.0)
    saver.offer(Session(seed=1))
    assert writing.wait(10.0)
    saver.drop()
    gate.set()
    assert saver.flush(10.0)
    assert not list(tmp_path.glob("*.pmlda"))
    saver.close()


def test_dropping_where_nothing_was_saved_makes_no_folder(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path / "state")
    saver.drop()
    saver.close()
    assert not (tmp_path / "state").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_lock_whose_file_was_taken_away_meanwhile_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.lock"
    before, late, other = Lock(path), Lock(path), Lock(path)
    assert before.acquire()

    def lock_once_it_is_free(descriptor: int) -> bool:
        # The file is open already when its owner gives it back and removes it.
        if before.held:
            before.release(remove=True)
        return try_lock(descriptor)

    monkeypatch.setattr(locking, "try_lock", lock_once_it_is_free)
    assert late.acquire()
    assert not other.acquire()
    late.release(remove=True)


def test_a_lock_is_held_by_one_and_given_back(tmp_path: Path) -> None:
    one, other = Lock(tmp_path / "a.lock"), Lock(tmp_path / "a.lock")
    assert one.acquire()
    assert not other.acquire()
    one.release()
    assert other.acquire()
    other.release(remove=True)
    assert not (tmp_path / "a.lock").exists()


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_STATE_HOME", "given/pmlda-gui/autosave"),
        ("linux", "", "home/.local/state/pmlda-gui/autosave"),
        ("win32", "LOCALAPPDATA", "given/pmlda-gui/autosave"),
        ("darwin", "", "home/Library/Application Support/pmlda-gui/autosave"),
    ],
)
def test_the_state_folder_is_where_the_system_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, expected: str
) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "given"))
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", platform)
    assert state_folder() == tmp_path / expected


def test_offering_takes_no_longer_than_copying(tmp_path: Path) -> None:
    """Writing is elsewhere: an offer costs about what a checkpoint costs, not what a file does."""
    running = run(3)
    session = stored_session(tmp_path)
    saver = Autosaver(tmp_path, interval=0.0)
    offers, writes = [], []
    for _ in range(5):
        started = time.perf_counter()
        assert saver.offer(session, running)
        offers.append(time.perf_counter() - started)
        assert saver.flush(10.0)
        started = time.perf_counter()
        archive.save(tmp_path / "a.pmlda", session, running)
        writes.append(time.perf_counter() - started)
    saver.close()
    assert np.median(offers) < np.median(writes)
