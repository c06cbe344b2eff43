"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.export import write_results
from pmlda_gui.workspace.export.atomic import appearing, make_folder, write_whole
from tests.workspace.synthetic_results import synthetic_result


def test_a_file_is_not_there_until_it_is_complete(tmp_path):
    target = tmp_path / "map.tif"
    with appearing(target) as unfinished:
        unfinished.write_bytes(b"half")
        assert not target.exists()
        unfinished.write_bytes(b"whole")
    assert target.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "map.tif"
    target.write_bytes(b"old")

    def fail_halfway():
        with appearing(target) as unfinished:
            unfinished.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_is_told_in_one_sentence(tmp_path, monkeypatch):
    def no_room(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(PmldaError, match=r"^topics.csv cannot .* because the disk of .* is full: "):
        write_whole(tmp_path / "topics.csv", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_in_one_sentence(tmp_path):
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(PmldaError, match="cannot be created"):
        make_folder(tmp_path / "taken" / "results")


def test_a_link_planted_where_others_would_write_is_not_followed(tmp_path):
    """The name that was once used for what is not finished leads to somebody else's file."""
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    folder = tmp_path / "results"
    folder.mkdir()
    target = folder / "map.tif"
    (folder / ".map.tif.unfinished").symlink_to(other)
    target.symlink_to(other)
    write_whole(target, b"mine")
    assert other.read_bytes() == b"precious"
    assert not target.is_symlink()
    assert target.read_bytes() == b"mine"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are of POSIX")
def test_nobody_else_may_enter_where_a_file_is_written(tmp_path):
    with appearing(tmp_path / "map.tif") as unfinished:
        assert unfinished.parent.parent == tmp_path
        assert unfinished.parent.stat().st_mode & 0o077 == 0
        unfinished.write_bytes(b"whole")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "map.tif").stat().st_mode & 0o777 == 0o666 & ~mask


def test_two_exporters_of_one_file_do_not_meet(tmp_path):
    target = tmp_path / "map.tif"
    failures: list[Exception] = []

    def export(content: bytes) -> None:
        try:
            for _ in range(150):
                write_whole(target, content)
                assert target.read_bytes() in (b"a" * 5000, b"b" * 9000)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=export, args=(c,)) for c in (b"a" * 5000, b"b" * 9000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(tmp_path.iterdir()) == [target]


def test_the_folder_is_brought_onto_the_disk_after_the_renaming(tmp_path, monkeypatch):
    steps = []
    replace, fsync = os.replace, os.fsync

    def watched_replace(source, target):
        replace(source, target)
        steps.append("rename")

    def watched_fsync(descriptor):
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        fsync(descriptor)

    monkeypatch.setattr(os, "replace", watched_replace)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    write_whole(tmp_path / "map.tif", b"whole")
    expected = ["file", "rename", "folder"] if Path("/proc/self/fd").is_dir() else steps
    assert steps == expected


def test_what_killed_exports_have_left_is_cleared_away_a_day_later(tmp_path):
    old, new = tmp_path / ".pmlda-old.unfinished", tmp_path / ".pmlda-new.unfinished"
    for leftover in (old, new):
        leftover.mkdir()
        (leftover / "map.tif").write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    make_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


@contextmanager
def small_disk(folder, kilobytes):
    """A file system of so many kilobytes, where this user may mount one."""
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(folder)]
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.4, 0.6, 0.8, 0.97])
def test_a_disk_that_fills_up_during_an_export_is_named(tmp_path, share):
    """Whatever file it fills up in, the disk is blamed and never the format of an image."""
    result = synthetic_result(shape=(300, 320))
    written = write_results(result, tmp_path / "enough")
    needed = sum(-(-path.stat().st_size // 4096) * 4 for path in written)
    folder = tmp_path / "small"
    folder.mkdir()
    with small_disk(folder, int(share * needed)):
        with pytest.raises(PmldaError, match=r" because the disk of .* is full: make room"):
            write_results(result, folder)
        assert not list(folder.glob(".pmlda-*"))


def test_what_gdal_says_of_a_full_disk_is_not_blamed_on_the_format(tmp_path, monkeypatch):
    """GDAL may only say that the file it has written makes no sense."""

    def no_room(folder):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def makes_no_sense(path):
        raise PmldaError("map.tif claims 9 x 9 pixels but is only 8 bytes long; save it again.")

    monkeypatch.setattr("pmlda_gui.workspace.export.atomic.disk_trouble", no_room)
    monkeypatch.setattr("pmlda_gui.imagery.readers.gdal.opened", makes_no_sense)
    with pytest.raises(PmldaError, match=r"cannot be written because the disk of .* is full: "):
        write_results(synthetic_result(), tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are of POSIX")
def test_a_folder_that_may_not_be_written_to_is_told_before_the_work(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.mkdtemp", refused)
    with pytest.raises(PmldaError, match="may not be written to: choose another folder"):
        make_folder(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="such names are of POSIX")
def test_a_folder_whose_name_is_not_utf8_is_refused_before_the_work(tmp_path):
    with pytest.raises(PmldaError, match="is not valid UTF-8") as caught:
        make_folder(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    assert str(caught.value).isprintable()
