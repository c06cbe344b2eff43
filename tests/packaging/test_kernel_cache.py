"""Where machine code is kept: in the user's own cache, whole, and nobody else's to write."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmlda_gui.core import kernel_cache
from pmlda_gui.core.kernel_cache import BUILD_ID, CARRIED, build_id
from pmlda_gui.core.kernel_cache import kernel_folder as find_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="about the permissions of Unix")


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a built program that carries two kernels; a user with an empty home."""
    package = tmp_path / "program"
    (package / CARRIED).mkdir(parents=True)
    (package / BUILD_ID).write_text("1.0-abc\n")
    for name in ("one.nbi", "one.1.nbc"):
        (package / CARRIED / name).write_text(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    forget()
    yield package
    forget()


def forget() -> None:
    """What a new start does not know."""
    build_id.cache_clear()
    find_folder.cache_clear()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_sources_have_no_build_id() -> None:
    assert build_id() is None


def test_the_first_start_copies_what_the_program_carries(built: Path, tmp_path: Path) -> None:
    folder = find_folder()
    assert folder == tmp_path / "home/.cache/pmlda-gui/kernels-1.0-abc"
    assert names(folder) == {"one.nbi", "one.1.nbc"}
    assert (
        stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    )
    assert names(folder.parent) == {folder.name}


def test_a_read_only_program_gives_a_cache_that_can_be_written(built: Path) -> None:
    for path in (built / CARRIED).iterdir():
        path.chmod(0o444)
    (built / CARRIED).chmod(0o555)
    folder = find_folder()
    (built / CARRIED).chmod(0o755)
    assert all(path.stat().st_mode & stat.S_IWUSR for path in (folder, *folder.iterdir()))


def test_later_starts_keep_what_was_added_and_other_builds_begin_anew(built: Path) -> None:
    first = find_folder()
    (first / "two.nbi").write_text("compiled since")
    forget()
    assert find_folder() == first
    assert "two.nbi" in names(first)
    (built / BUILD_ID).write_text("2.0-def\n")
    forget()
    assert find_folder().name == "kernels-2.0-def"
    assert "two.nbi" not in names(find_folder())


def test_a_program_whose_kernels_are_gone_begins_with_none(built: Path) -> None:
    (built / CARRIED).rename(built / "elsewhere")
    assert names(find_folder()) == set()


def test_starts_at_the_same_time_find_a_whole_cache(built: Path) -> None:
    barrier = threading.Barrier(8)
    found: list[set[str]] = []

    def start() -> None:
        barrier.wait()
        found.append(names(find_folder.__wrapped__()))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == 8 * [{"one.nbi", "one.1.nbc"}]
    assert names(find_folder().parent) == {find_folder().name}


def test_a_home_that_is_missing_or_unknown_leaves_the_temporary_folder(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = tmp_path / "temporary" / f"pmlda-gui-{os.getuid()}" / "kernels-1.0-abc"
    (tmp_path / "a file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "a file"))
    assert find_folder() == expected
    forget()
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user without an entry
    assert find_folder() == expected


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_may_write_to_is_not_used(
    mode: int, built: Path, tmp_path: Path
) -> None:
    open_to_others = tmp_path / "home/.cache/pmlda-gui"
    open_to_others.mkdir(parents=True)
    open_to_others.chmod(mode)
    assert find_folder().is_relative_to(tmp_path / "temporary")


def test_a_link_or_a_folder_of_somebody_else_is_not_used(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    (tmp_path / "home/.cache").mkdir()
    (tmp_path / "home/.cache/pmlda-gui").symlink_to(tmp_path / "theirs")
    assert find_folder().is_relative_to(tmp_path / "temporary")
    forget()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    somewhere = find_folder()
    assert names(tmp_path / "theirs") == set()
    assert somewhere.parent.name.startswith("pmlda-gui-")
    assert somewhere.parent.name != "pmlda-gui-12345"
