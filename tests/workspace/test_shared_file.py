"""Two programs that save one file do not overwrite each other unasked."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pmlda_gui.workspace import archive, shared_file
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.shared_file import only_writer, stamp_of


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "state"))


def test_every_saving_gives_a_file_another_stamp(tmp_path: Path) -> None:
    path = tmp_path / "a.pmlda"
    assert stamp_of(path) is None
    seen = set()
    for _ in range(5):
        archive.save(path, Session())
        assert archive.load(path).stamp == stamp_of(path)
        seen.add(stamp_of(path))
    assert len(seen) == 5


def test_only_one_writes_a_file_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.pmlda"
    order: list[str] = []
    inside, waits = threading.Event(), threading.Event()

    def second() -> None:
        assert inside.wait(10.0)
        waits.set()
        with only_writer(path):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with only_writer(path):
        inside.set()
        assert waits.wait(10.0)
        with only_writer(tmp_path / "other.pmlda"):
            order.append("first")
    thread.join(10.0)
    assert order == ["first", "second"]


def test_a_lock_that_is_never_given_back_does_not_keep_anyone_from_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_file, "_LONGEST_WAIT_SECONDS", 0.0)
    path = tmp_path / "a.pmlda"
    with only_writer(path), only_writer(path):
        archive.save(path, Session())
    assert path.exists()


def test_another_program_is_waited_for_under_every_name_of_the_file(tmp_path: Path) -> None:
    path, name = tmp_path / "a.pmlda", tmp_path / "folder" / ".." / "a.pmlda"
    (tmp_path / "folder").mkdir()
    code = (
        "import sys; from pathlib import Path\n"
        "from pmlda_gui.workspace import shared_file\n"
        "shared_file._LONGEST_WAIT_SECONDS = 0.0\n"
        "lock = shared_file._lock_for(Path(sys.argv[1]))\n"
        "print(lock.acquire())\n"
    )

    def asked() -> str:
        finished = subprocess.run(
            [sys.executable, "-c", code, str(name)],
            capture_output=True, text=True, check=True, env=dict(os.environ),
        )  # fmt: skip
        return finished.stdout.strip()

    with only_writer(path):
        assert asked() == "False"
    assert asked() == "True"
