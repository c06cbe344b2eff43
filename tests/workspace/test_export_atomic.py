"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.export.atomic import appearing, make_folder, write_whole


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
    with pytest.raises(PmldaError, match="cannot be made"):
        make_folder(tmp_path / "taken" / "results")
