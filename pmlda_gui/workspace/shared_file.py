"""Protects a workspace file that two programs have open from silent overwriting.

A program remembers the stamp of the file as it read or wrote it.  Before it writes, it
takes a lock for that file and compares: another stamp is another program's saving.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pmlda_gui.workspace.folders import make_private, state_folder
from pmlda_gui.workspace.locking import Lock

__all__ = ["Stamp", "only_writer", "stamp_of"]

_LONGEST_WAIT_SECONDS = 60.0
_LOOK_EVERY_SECONDS = 0.05


@dataclass(frozen=True)
class Stamp:
    """What changes with every saving of a file: it is a new one, of its own time."""

    number: int
    size: int
    modified_nanoseconds: int


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file, None where there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return Stamp(about.st_ino, about.st_size, about.st_mtime_ns)


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Wait until no other program of this user is writing the file, and keep it so."""
    lock = _lock_for(path)
    deadline = time.monotonic() + _LONGEST_WAIT_SECONDS
    # A lock that cannot be made, or is never given back, is no reason not to save.
    with suppress(OSError):
        make_private(lock.path.parent)
        while not lock.acquire() and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY_SECONDS)
    try:
        yield
    finally:
        lock.release(remove=True)


def _lock_for(path: Path) -> Lock:
    # Not beside the file: the folder is the operator's, and may be shared or read-only.
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return Lock(state_folder() / "locks" / f"{name}.lock")
