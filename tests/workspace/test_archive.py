"""A workspace comes back from its file as it was, and saving never loses what was there."""

import dataclasses
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace import archive
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.bookmarks import keep, kept_result
from pmlda_gui.workspace.preparation import DocumentChoice, prepare
from pmlda_gui.workspace.replay import resume
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import ImageEntry, Session
from tests.workspace.packed_members import members_of, packed
from tests.workspace.small_runs import MEAN, SHAPE, assert_same, image, run, stored_session


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


# -- what is saved comes back --------------------------------------------------------------


def test_a_session_without_a_run_comes_back(tmp_path: Path) -> None:
    session = stored_session(tmp_path, view={"zoom": 2.5})
    archive.save(tmp_path / "a.pmlda", session)
    loaded = archive.load(tmp_path / "a.pmlda")
    assert loaded.session == session
    assert (loaded.checkpoint, loaded.journal, loaded.notes) == (None, None, ())
    assert leftovers(tmp_path) == []


def test_checkpoint_and_journal_come_back_bit_for_bit(tmp_path: Path) -> None:
    running = run(6)
    running.set_parameters(Parameters(3, rate=0.1 + 0.2))
    running.sweep(2)
    archive.save(tmp_path / "a.pmlda", stored_session(tmp_path), running)
    loaded = archive.load(tmp_path / "a.pmlda")
    expected = running.checkpoint()
    assert loaded.checkpoint.values == expected.values
    assert loaded.checkpoint.arrays.keys() == expected.arrays.keys()
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(loaded.checkpoint.arrays[name], array)
        assert loaded.checkpoint.arrays[name].dtype == array.dtype
    assert loaded.journal.to_values() == running.journal.to_values()


def test_label_maps_are_kept_in_the_archive(tmp_path: Path) -> None:
    labels = np.repeat(np.arange(1, 13, dtype=np.int32), 10)[:, None] * np.ones(110, np.int32)
    drawn = prepare([image()], MEAN, DocumentChoice("labels"), [labels])
    running = Run(drawn, Parameters(3), threads=1)
    running.sweep(3)
    archive.save(tmp_path / "a.pmlda", stored_session(tmp_path), running)
    resumed = resume(archive.load(tmp_path / "a.pmlda"), threads=1)
    np.testing.assert_array_equal(resumed.prepared.label_maps[0], labels)
    assert_same(running, resumed)


def test_a_bookmarked_result_comes_back_with_its_settings(tmp_path: Path) -> None:
    running = run(5)
    session = stored_session(tmp_path)
    bookmark, arrays = keep("good", session, running)
    forgotten, others = keep("undone", session, running)
    archive.save(
        tmp_path / "a.pmlda", session.replace(bookmarks=(bookmark,)), running, arrays | others
    )
    loaded = archive.load(tmp_path / "a.pmlda")
    assert loaded.session.bookmarks == (bookmark,)
    assert not any(name.startswith(forgotten.key) for name in loaded.arrays)
    result = kept_result(loaded.session.bookmarks[0], loaded.arrays)
    (found,) = running.segmentations()
    np.testing.assert_allclose(result.memberships[0], found.memberships, atol=5e-4)
    np.testing.assert_allclose(result.uncertainty[0], found.uncertainty, atol=5e-4)
    np.testing.assert_array_equal(result.means, found.means)
    assert result.topic_ids == running.topic_ids
    assert bookmark.session.bookmarks == ()


def test_a_bookmark_whose_arrays_are_lost_is_told(tmp_path: Path) -> None:
    session = stored_session(tmp_path)
    bookmark, _ = keep("good", session, run(1))
    archive.save(tmp_path / "a.pmlda", session.replace(bookmarks=(bookmark,)))
    loaded = archive.load(tmp_path / "a.pmlda")
    assert "'good'" in loaded.notes[0]
    with pytest.raises(PmldaError, match="'good' is missing"):
        kept_result(bookmark, loaded.arrays)


def test_there_is_neither_pickle_nor_a_place_of_this_computer_inside(tmp_path: Path) -> None:
    archive.save(tmp_path / "a.pmlda", stored_session(tmp_path), run(2))
    with zipfile.ZipFile(tmp_path / "a.pmlda") as stored:
        for name in stored.namelist():
            data = stored.read(name)
            assert str(tmp_path).encode() not in data
            assert name.endswith((".json", ".npy"))
            assert name.endswith(".json") or b"|O" not in data[:128]


# -- images ----------------------------------------------------------------------------------


def test_workspace_and_images_may_move_together(tmp_path: Path) -> None:
    (tmp_path / "old" / "images").mkdir(parents=True)
    session = stored_session(tmp_path / "old" / "images")
    archive.save(tmp_path / "old" / "a.pmlda", session)
    shutil.move(tmp_path / "old", tmp_path / "new")
    loaded = archive.load(tmp_path / "new" / "a.pmlda")
    assert loaded.missing == ()
    assert loaded.session.images[0].path == tmp_path / "new" / "images" / "seabed.npy"


def test_a_moved_image_asks_to_be_found_and_is(tmp_path: Path) -> None:
    session = stored_session(tmp_path)
    archive.save(tmp_path / "a.pmlda", session)
    (tmp_path / "seabed.npy").rename(tmp_path / "elsewhere.npy")
    loaded = archive.load(tmp_path / "a.pmlda")
    assert loaded.missing == session.images
    assert "seabed.npy is not in" in loaded.notes[0]
    found = loaded.with_image(loaded.missing[0], tmp_path / "elsewhere.npy")
    assert (found.missing, found.changed, found.notes) == ((), (), ())
    assert found.session.images[0].path == tmp_path / "elsewhere.npy"
    with pytest.raises(PmldaError, match="There is no file"):
        loaded.with_image(loaded.missing[0], tmp_path / "nowhere.npy")


def test_a_changed_image_is_reported(tmp_path: Path) -> None:
    archive.save(tmp_path / "a.pmlda", stored_session(tmp_path))
    np.save(tmp_path / "seabed.npy", np.ones(SHAPE, np.float32))
    loaded = archive.load(tmp_path / "a.pmlda")
    assert [entry.name for entry in loaded.changed] == ["seabed.npy"]
    assert "seabed.npy has changed" in loaded.notes[0]


def test_a_device_in_place_of_an_image_is_not_read(tmp_path: Path) -> None:
    entry = dataclasses.replace(stored_session(tmp_path).images[0], path=Path(os.devnull))
    archive.save(tmp_path / "a.pmlda", Session(images=(entry, ImageEntry(scene="demo"))))
    assert archive.load(tmp_path / "a.pmlda").missing == (entry,)


# -- saving never loses ---------------------------------------------------------------------


def test_the_version_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.pmlda"
    for seed in (1, 2, 3):
        archive.save(path, Session(seed=seed))
    assert archive.load(path).session.seed == 3
    assert archive.load(previous_version(path)).session.seed == 2
    assert leftovers(tmp_path) == []


def test_it_is_kept_where_there_are_no_links_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    test_the_version_before_is_kept(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are of POSIX")
def test_permissions_survive_saving(tmp_path: Path) -> None:
    path = tmp_path / "a.pmlda"
    archive.save(path, Session())
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    path.chmod(0o640)
    archive.save(path, Session(seed=1))
    assert path.stat().st_mode & 0o777 == 0o640


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _assert_refused(path: Path, complaint: str) -> None:
    """Saving fails with a sentence and the version before is there, with nothing beside it."""
    with pytest.raises(PmldaError, match=complaint) as caught:
        archive.save(path, Session(seed=2), run(1))
    assert "saved before is untouched" in str(caught.value)
    assert archive.load(path).session.seed == 1
    assert leftovers(path.parent) == []


@pytest.mark.parametrize(
    ("number", "complaint"),
    [
        (errno.ENOSPC, "the disk of .* is full: make room"),
        (errno.EROFS, "may not be written to: choose another folder"),
        (errno.EIO, "Input/output error: choose another folder"),
    ],
)
@pytest.mark.parametrize("step", ["mkstemp", "write", "fsync", "replace"])
def test_whatever_step_fails_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, complaint: str, step: str
) -> None:
    path = tmp_path / "a.pmlda"
    archive.save(path, Session(seed=1))

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        if step == "mkstemp":
            broken.setattr("tempfile.mkstemp", fail)
        elif step == "write":
            broken.setattr("zipfile._ZipWriteFile.write", fail)
        else:
            broken.setattr(f"os.{step}", fail)
        _assert_refused(path, complaint)
    archive.save(path, Session(seed=3))
    assert archive.load(path).session.seed == 3


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Path:
    """A file system of 128 KB, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=128k", "none", str(disk)], capture_output=True
        ).returncode
    ):
        pytest.skip("a file system cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full_loses_nothing(tiny_disk: Path) -> None:
    path = tiny_disk / "a.pmlda"
    archive.save(path, Session(seed=1))
    _assert_refused(path, "the disk of .* is full")


def test_a_folder_that_is_really_read_only_loses_nothing(tiny_disk: Path) -> None:
    path = tiny_disk / "a.pmlda"
    archive.save(path, Session(seed=1))
    remount = ["mount", "-o", "remount,ro", str(tiny_disk)]
    if subprocess.run(remount, capture_output=True).returncode:
        pytest.skip("a file system cannot be made read-only here")
    _assert_refused(path, "may not be written to")


def test_a_saving_killed_between_its_renamings_leaves_nothing_for_good(tmp_path: Path) -> None:
    path = tmp_path / "a.pmlda"
    archive.save(path, Session(seed=1))
    # The present version already has its second name, the new version not yet its own.
    os.link(path, previous_version(path))
    archive.save(path, Session(seed=2))
    assert leftovers(tmp_path) == []
    assert archive.load(path).session.seed == 2
    assert archive.load(previous_version(path)).session.seed == 1


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(PmldaError, match=r"there is no folder .*nowhere: choose another"):
        archive.save(tmp_path / "nowhere" / "a.pmlda", Session())


# -- kill -9 -----------------------------------------------------------------------------------

KILLS = 60
# One process pays for the imports; a child of it saves without pause until it is killed.
# What it says goes out in one piece, so that no kill can cut a line in two.
_SAVER = """
import os
import sys
import numpy as np
from pathlib import Path
from pmlda_gui.workspace.archive import Snapshot, write
from pmlda_gui.workspace.session import Session

def say(text):
    os.write(1, text.encode() + b"\\n")

# Pieces large enough that many kills fall into the writing.
arrays = {f"big/part{number}": np.random.default_rng(number).random(60_000) for number in range(4)}
for line in sys.stdin:
    seed = int(line)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        say("dead")
        continue
    say(f"born {os.getpid()}")
    while True:
        arrays["big/seed"] = np.array([seed])
        write(Path(sys.argv[1]), Snapshot(Session(seed=seed), arrays=arrays))
        say(f"saved {seed}")
        seed += 1
"""


def _killed_after(saver: "subprocess.Popen[str]", seed: int, seconds: float) -> int:
    """Let a child save from `seed` on, kill it so long after its first saving; the last it said."""
    assert saver.stdin is not None
    assert saver.stdout is not None
    print(seed, file=saver.stdin, flush=True)
    word, child = saver.stdout.readline().split()
    assert word == "born"
    word, last = saver.stdout.readline().split()
    assert word == "saved"
    time.sleep(seconds)
    os.kill(int(child), signal.SIGKILL)
    while (words := saver.stdout.readline().split()) != ["dead"]:
        last = words[1]
    return int(last)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of POSIX")
def test_a_program_killed_at_any_point_of_saving_leaves_a_readable_workspace(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.pmlda"
    rng = np.random.default_rng(0)
    seed, while_writing = 0, 0
    command = [sys.executable, "-c", _SAVER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as saver:
        for _ in range(KILLS):
            said = _killed_after(saver, seed, float(rng.uniform(0.0, 0.05)))
            while_writing += bool(leftovers(tmp_path))
            loaded = archive.load(path)
            # What was said to be saved is there, or the one that was just being saved.
            assert loaded.session.seed in (said, said + 1)
            assert loaded.arrays["big/seed"] == loaded.session.seed
            if previous_version(path).exists():
                assert archive.load(previous_version(path)).session.seed >= said - 1
            seed = loaded.session.seed + 1
    # How many kills fall into the writing depends on the machine; that some do, does not.
    assert while_writing > 0
    archive.save(path, Session(seed=seed))
    assert leftovers(tmp_path) == []


def test_a_file_of_the_first_version_is_read(tmp_path: Path) -> None:
    running = run(4)
    archive.save(tmp_path / "new.pmlda", stored_session(tmp_path), running)
    members = members_of(tmp_path / "new.pmlda")
    manifest, session, journal = (
        json.loads(members[f"{name}.json"]) for name in ("workspace", "session", "journal")
    )
    manifest["version"] = 1
    del session["restarts"], journal["start"]["topic_ids"]
    old = {"workspace": manifest, "session": session, "journal": journal}
    members |= {f"{name}.json": json.dumps(values).encode() for name, values in old.items()}
    (tmp_path / "old.pmlda").write_bytes(packed(members))
    assert_same(resume(archive.load(tmp_path / "old.pmlda"), threads=1), running)
