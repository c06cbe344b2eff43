"""Locks on files that the system releases when their program ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["Lock", "try_lock"]


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this program alone; False if another one has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Lock:
    """A lock file: it may lie about for long, but is held only while its program lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False if another program, or another object of this one, has it."""
        # A link in its place would be followed to a file that is not ours to open.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        while True:
            descriptor = os.open(self.path, flags, 0o600)
            if not try_lock(descriptor):
                os.close(descriptor)
                return False
            if self._is_there(descriptor):
                self._descriptor = descriptor
                return True
            # Whoever had the lock took its file away meanwhile: a lock on that one is none.
            os.close(descriptor)

    @property
    def held(self) -> bool:
        """Whether this object has the lock."""
        return self._descriptor is not None

    def _is_there(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self, remove: bool = False) -> None:
        """Give the lock back; `remove` takes its file away as well."""
        if self._descriptor is None:
            return
        # Where an open file cannot be removed, it is removed once it is closed.
        with suppress(OSError):
            if remove and sys.platform != "win32":
                self.path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None
        with suppress(OSError):
            if remove and sys.platform == "win32":
                self.path.unlink(missing_ok=True)
