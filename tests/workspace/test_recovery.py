"""After a crash the next start finds what was autosaved, and only then."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.autosave import Autosaver, lock_of
from pmlda_gui.workspace.locking import Lock
from pmlda_gui.workspace.recovery import claim, discard, found, recover
from pmlda_gui.workspace.session import ImageEntry, Session
from tests.workspace.small_runs import run, stored_session


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


def test_what_is_offered_says_which_images_and_how_many_sweeps(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path / "state", interval=0.0)
    session = stored_session(tmp_path)
    running = run(7)
    saver.offer(session, running)
    saver.close(discard=False)
    (offered,) = found(tmp_path / "state")
    assert offered.images == tuple(entry.name for entry in session.images)
    assert offered.sweeps == running.sweeps == 7
    running.close()


def test_names_in_an_autosave_are_few_and_short(tmp_path: Path) -> None:
    saver = Autosaver(tmp_path, interval=0.0)
    images = tuple(ImageEntry(Path(f"/surveys/{n}{'x' * 230}.tif")) for n in range(60))
    saver.offer(Session(images=images))
    saver.close(discard=False)
    (offered,) = found(tmp_path)
    assert len(offered.images) == 20
    assert max(map(len, offered.images)) == 200
    assert offered.sweeps == 0


# -- never backwards ----------------------------------------------------------------------------


def taken_in_turn(*seeds: int) -> list[archive.Snapshot]:
    """Copies of these sessions, a second apart."""
    first = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return [
        replace(archive.take(Session(seed=seed)), taken=first + timedelta(seconds=number))
        for number, seed in enumerate(seeds)
    ]


def test_nothing_older_than_the_file_is_offered(tmp_path: Path) -> None:
    file, state = tmp_path / "survey.pmlda", tmp_path / "state"
    archive.save(file, Session(seed=1))
    crashed(state, 2, origin=file)
    assert [recover(each).session.seed for each in found(state)] == [2]
    archive.save(file, Session(seed=3))
    assert found(state) == []


def test_a_copy_that_was_written_late_is_no_newer_for_that(tmp_path: Path) -> None:
    file, state = tmp_path / "survey.pmlda", tmp_path / "state"
    state.mkdir()
    early, late = taken_in_turn(1, 2)
    archive.write(file, late)
    archive.write(state / "slow.pmlda", early, origin=file)
    assert found(state) == []
    archive.write(file, early)
    archive.write(state / "slow.pmlda", late, origin=file)
    assert [recover(each).session.seed for each in found(state)] == [2]


def test_a_damaged_autosave_does_not_bring_back_one_older_than_the_file(tmp_path: Path) -> None:
    file, state = tmp_path / "survey.pmlda", tmp_path / "state"
    older, saved, newer = taken_in_turn(1, 2, 3)
    state.mkdir()
    path = state / "a.pmlda"
    archive.write(path, older, origin=file)
    archive.write(path, newer, origin=file)
    archive.write(file, saved)
    (offered,) = found(state)
    assert offered.path == path
    path.write_bytes(b"nothing")
    assert found(state) == []
    with pytest.raises(PmldaError):
        recover(offered)


def test_the_version_before_is_said_to_be_that(tmp_path: Path) -> None:
    path = crashed(tmp_path, 1, 2)
    (offered,) = found(tmp_path)
    path.write_bytes(b"nothing")
    loaded = recover(offered)
    assert loaded.session.seed == 1
    assert loaded.notes[0].startswith("The last autosave is damaged: this is the one before, of ")


def test_work_whose_file_is_gone_or_unreadable_is_offered(tmp_path: Path) -> None:
    file, state = tmp_path / "survey.pmlda", tmp_path / "state"
    crashed(state, 1, origin=file)
    assert len(found(state)) == 1
    file.write_bytes(b"nothing")
    assert len(found(state)) == 1


def test_an_outdated_autosave_stays_a_month_and_then_goes(tmp_path: Path) -> None:
    file, state = tmp_path / "survey.pmlda", tmp_path / "state"
    path = crashed(state, 1, origin=file)
    archive.save(file, Session(seed=2))
    assert found(state) == []
    assert path.exists()
    month_ago = time.time() - 31 * 24 * 3600
    os.utime(path, (month_ago, month_ago))
    assert found(state) == []
    assert not path.exists()


# -- one program at a time ----------------------------------------------------------------------


def test_what_one_program_has_claimed_no_other_touches(tmp_path: Path) -> None:
    path = crashed(tmp_path, 1)
    (seen_by_both,) = found(tmp_path)
    lock = claim(seen_by_both)
    assert found(tmp_path) == []
    with pytest.raises(PmldaError, match="open in another window"):
        claim(seen_by_both)
    with pytest.raises(PmldaError, match="open in another window"):
        discard(seen_by_both)
    assert path.exists()
    saver = Autosaver(interval=0.0, path=seen_by_both.file, lock=lock)
    saver.offer(Session(seed=2))
    assert saver.flush(10.0)
    assert saver.path == path
    assert found(tmp_path) == []
    saver.close(discard=False)
    assert [recover(each).session.seed for each in found(tmp_path)] == [2]


def test_what_another_program_has_discarded_cannot_be_claimed(tmp_path: Path) -> None:
    crashed(tmp_path, 1)
    (seen_by_both,) = found(tmp_path)
    discard(seen_by_both)
    with pytest.raises(PmldaError, match="no longer exists"):
        claim(seen_by_both)
    assert list(tmp_path.iterdir()) == []


def test_a_program_does_not_write_where_another_one_saves(tmp_path: Path) -> None:
    path = crashed(tmp_path, 1)
    theirs = Lock(lock_of(path))
    assert theirs.acquire()
    saver = Autosaver(tmp_path, interval=0.0)
    saver.path = path  # as if both had chosen the same name
    saver.offer(Session(seed=2))
    assert saver.flush(10.0)
    assert saver.trouble is None
    assert saver.path != path
    saver.close(discard=True)
    assert archive.load(path).session.seed == 1
    theirs.release()


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
