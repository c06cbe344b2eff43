"""After a crash the next start finds what was autosaved, and only then."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.autosave import Autosaver
from pmlda_gui.workspace.recovery import discard, found, recover
from pmlda_gui.workspace.session import Session


def crashed(folder: Path, *seeds: int, origin: Path | None = None) -> Path:
    """What a program that autosaved these sessions and then crashed has left."""
    saver = Autosaver(folder, interval=0.0)
    for seed in seeds:
        saver.offer(Session(seed=seed), origin=origin)
        assert saver.flush(10.0)
    saver.close(discard=False)
    return saver.path


def test_where_nothing_was_ever_saved_nothing_is_found(tmp_path: Path) -> None:
    assert found(tmp_path / "nowhere") == []
    assert found(tmp_path) == []


def test_a_crashed_workspace_is_offered_with_its_name_and_time(tmp_path: Path) -> None:
    crashed(tmp_path, 3, origin=Path("survey.pmlda"))
    (offered,) = found(tmp_path)
    assert offered.name == "survey.pmlda"
    assert offered.origin == Path("survey.pmlda").absolute()
    assert abs(offered.saved.timestamp() - time.time()) < 60.0
    assert recover(offered).session.seed == 3


def test_one_that_was_never_saved_has_no_name(tmp_path: Path) -> None:
    crashed(tmp_path, 3)
    assert found(tmp_path)[0].name == "a workspace without a name"


def test_a_running_program_is_left_alone(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path, interval=0.0)
    saver.offer(Session())
    assert saver.flush(10.0)
    assert found(tmp_path) == []
    saver.close(discard=False)
    assert len(found(tmp_path)) == 1


def test_several_are_offered_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pmlda_gui.workspace.archive import contents

    class Calendar:
        year = 2020

        @classmethod
        def now(cls, zone: object) -> object:
            from datetime import UTC, datetime

            cls.year += 1
            return datetime(cls.year, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(contents, "datetime", Calendar)
    for seed in (1, 2, 3):
        crashed(tmp_path, seed)
    assert [recover(each).session.seed for each in found(tmp_path)] == [3, 2, 1]


def test_a_discarded_one_is_not_offered_again(tmp_path: Path) -> None:
    crashed(tmp_path, 1, 2)
    crashed(tmp_path, 3)
    for each in found(tmp_path):
        if recover(each).session.seed == 2:
            discard(each)
    assert [recover(each).session.seed for each in found(tmp_path)] == [3]
    discard(found(tmp_path)[0])
    assert list(tmp_path.iterdir()) == []


def test_if_the_last_version_is_damaged_the_one_before_is_taken(tmp_path: Path) -> None:
    path = crashed(tmp_path, 1, 2)
    data = bytearray(path.read_bytes())
    # A damaged session leaves the description readable.
    with_session = data.index(b"session.json") + 40
    data[with_session] ^= 0xFF
    path.write_bytes(data)
    assert recover(found(tmp_path)[0]).session.seed == 1
    path.write_bytes(b"nothing")
    assert recover(found(tmp_path)[0]).session.seed == 1
    previous_version(path).write_bytes(b"nothing")
    assert found(tmp_path) == []


def test_one_that_cannot_be_read_at_all_is_a_sentence(tmp_path: Path) -> None:
    path = crashed(tmp_path, 1)
    (offered,) = found(tmp_path)
    path.write_bytes(b"nothing")
    with pytest.raises(PmldaError):
        recover(offered)


_PROGRAM = """
import sys, time
from pathlib import Path
from pmlda_gui.workspace.autosave import Autosaver
from pmlda_gui.workspace.session import Session

saver = Autosaver(Path(sys.argv[1]), interval=0.02)
seed = 0
while True:
    if saver.offer(Session(seed=seed)):
        print(seed, flush=True)
    seed += 1
    time.sleep(0.001)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of POSIX")
def test_a_killed_program_loses_at_most_one_interval(tmp_path: Path) -> None:
    """The autosave before the one under way is always there, and the lock does not outlive."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        offered = [int(program.stdout.readline()) for _ in range(6)]
        assert found(tmp_path) == []
        os.kill(program.pid, signal.SIGKILL)
        offered += [int(line) for line in program.stdout.read().split()]
    (left,) = found(tmp_path)
    assert recover(left).session.seed in offered[-2:]
    assert archive.load(left.path).origin is None
