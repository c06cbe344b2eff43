"""The folder for compiled kernels.

A checkout keeps it beside its sources.  A built program carries it, compiled in advance,
and copies it at its first start into the operator's own cache, because numba writes
there and the program's folder may be read-only.

numba stores machine code as pickles, and a pickle runs what is in it.  So a cache counts
only if nobody but its user may write there.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["BUILD_ID", "CARRIED", "build_id", "kernel_folder"]

BUILD_ID = "build-id.txt"
CARRIED = "kernels"
"""A built program has these two, written by the build, in the folder of its package."""

_PACKAGE = Path(__file__).resolve().parent.parent
_NAME = "pmlda-gui"


@cache
def build_id() -> str | None:
    """What tells this build from every other; None where nothing was built."""
    path = _PACKAGE / BUILD_ID
    return path.read_text(encoding="ascii").strip() if path.is_file() else None


@cache
def kernel_folder() -> Path:
    """The folder numba reads and writes; OSError if there is none that is private."""
    build = build_id()
    if build is not None:
        return _filled(_private_cache(), build)
    beside = _PACKAGE / "core" / "__pycache__" / CARRIED
    try:
        beside.mkdir(parents=True, exist_ok=True)
    except OSError:
        return _private_cache() / CARRIED
    return beside if os.access(beside, os.W_OK) else _private_cache() / CARRIED


def _private_cache() -> Path:
    for place in _places():
        if _is_private(place):
            return place
    return Path(tempfile.mkdtemp(prefix=f"{_NAME}-"))


def _places() -> Iterator[Path]:
    """Folders that may serve as this user's cache, the usual one first."""
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    if base.is_absolute():  # not so for a user without a home directory
        yield base / _NAME
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    yield Path(tempfile.gettempdir()) / f"{_NAME}{user}"


def _is_private(folder: Path) -> bool:
    """Make the folder if need be; whether it is this user's and nobody else's."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
    except OSError:
        return False
    if not os.access(folder, os.W_OK):
        return False
    if sys.platform == "win32":  # the folders of a profile are its user's
        return True
    writable_by_others = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not writable_by_others


def _filled(base: Path, build: str) -> Path:
    """The cache of this build, begun with the kernels that the program carries."""
    folder = base / f"{CARRIED}-{build}"
    if folder.is_dir():
        return folder
    # Whole or not there at all, even if two programs start at once: it appears by renaming.
    unfinished = Path(tempfile.mkdtemp(dir=base))
    try:
        carried = _PACKAGE / CARRIED
        if carried.is_dir():
            for path in carried.iterdir():
                # Without the mode: a read-only program would make a read-only cache.
                shutil.copyfile(path, unfinished / path.name)
        unfinished.rename(folder)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not folder.is_dir():
            raise
    return folder
