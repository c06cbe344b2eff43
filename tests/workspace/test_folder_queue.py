"""The queue of the window: topics applied to what arrives, paused, stopped and taken up again."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.folder_queue import FolderQueue
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.topic_set import topics_bytes
from pmlda_gui.workspace.topic_source import topics_of
from tests.workspace.small_runs import field_run

PATIENCE = 60.0


class Watching:
    """A queue on a thread of its own, with the folder `in` and the results `out`."""

    def __init__(self, folder: Path) -> None:
        (folder / "in").mkdir(exist_ok=True)
        self.queue = FolderQueue(folder / "in", folder / "out", folder / "a.topics", poll=0.01)
        self.ended = False
        self.error: PmldaError | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.queue.run(Progress(None, lambda: self.ended))
        except PmldaError as error:
            self.error = error

    def __enter__(self) -> Watching:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    @property
    def states(self) -> dict[str, str]:
        return {each.name: each.state for each in self.queue.view.files}

    def until(self, **states: str) -> None:
        wanted = {f"{name}.npy": state for name, state in states.items()}
        deadline = time.monotonic() + PATIENCE
        while self.states != wanted:
            assert time.monotonic() < deadline, (self.states, self.error)
            time.sleep(0.005)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = field_run(30)
    (tmp_path / "a.topics").write_bytes(topics_bytes(topics_of(run, Session())))
    run.close()
    return tmp_path


def arrive(folder: Path, name: str) -> None:
    pixels = make_scene("demo", (60, 50), seed=3).image.pixels
    (folder / "in").mkdir(exist_ok=True)
    np.save(folder / "in" / f"{name}.npy", pixels)


def damage(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY and nothing else that is one")


def test_files_that_arrive_are_done_and_one_that_does_not_fit_fails_with_a_sentence(folder):
    with Watching(folder) as watching:
        watching.until()
        arrive(folder, "a")
        watching.until(a="done")
        damage(folder / "in" / "b.npy")
        watching.until(a="done", b="failed")
    (failed,) = (each for each in watching.queue.view.files if each.state == "failed")
    assert failed.sentence.endswith(".")
    assert (folder / "out" / "a" / "report.html").exists()
    assert (folder / "out" / "a" / "a_unknown.tif").exists()
    written = (folder / "out" / "a" / "report.html").stat().st_mtime_ns
    # The next queue, after a restart say, does neither again.
    with Watching(folder) as again:
        again.until(a="done", b="failed")
        arrive(folder, "c")
        again.until(a="done", b="failed", c="done")
    assert (folder / "out" / "a" / "report.html").stat().st_mtime_ns == written


def test_a_pause_holds_the_file_under_way_and_a_stop_leaves_nothing_half_done(folder):
    arrive(folder, "a")
    with Watching(folder) as watching:
        deadline = time.monotonic() + PATIENCE
        while watching.queue.view.fraction < 0.3:
            assert time.monotonic() < deadline
        watching.queue.paused = True
        time.sleep(0.2)
        held = watching.queue.view
        time.sleep(0.2)
        assert watching.queue.view == held
        assert held.files[0].state == "running"
        assert held.at_rest.files[0].state == "waiting"
        watching.ended = True
    assert not (folder / "out" / "a").exists()
    with Watching(folder) as again:
        again.until(a="done")


@pytest.mark.parametrize("fault", ["topics", "folder"])
def test_what_cannot_be_watched_is_said(folder, fault):
    watching = Watching(folder)
    if fault == "topics":
        (folder / "a.topics").write_text("{}")
    else:
        (folder / "in").rmdir()
    with pytest.raises(PmldaError, match=r"\.$"):
        watching.queue.run(Progress(None, lambda: watching.ended))
