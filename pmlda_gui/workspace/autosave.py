"""Autosaves in the background: a crash loses one interval at most.

The thread that owns the run offers its state between sweeps; copying takes
milliseconds, packing and writing happen on a thread of this module.  Each program
saves into a file of its own in the user's state folder, and holds a lock beside it
for as long as it lives, so that the next start can tell crashed from running.
"""

from __future__ import annotations

import errno
import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.archive.contents import Snapshot, take, write
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.folders import make_private
from pmlda_gui.workspace.folders import state_folder as program_state_folder
from pmlda_gui.workspace.locking import Lock
from pmlda_gui.workspace.session import Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["Autosaver", "lock_of", "remove_autosave", "state_folder"]

_INTERVAL_SECONDS = 60.0
# Copies of larger chains would be felt; they are repeated from their journal instead.
_LARGEST_CHECKPOINT = 2 * 2**30
# Logs, average, spread, and the logs of the two point estimates.
_BYTES_PER_MEMBERSHIP = 8 + 4 + 4 + 8 + 8
_TRIES = 5

log = logging.getLogger(__name__)


def state_folder() -> Path:
    """Where autosaved workspaces lie; not made here."""
    return program_state_folder() / "autosave"


def lock_of(path: Path) -> Path:
    """The lock file of an autosaved workspace."""
    return path.with_suffix(".lock")


def remove_autosave(path: Path) -> None:
    """Remove an autosaved workspace and the version before it."""
    for each in (path, previous_version(path)):
        with suppress(OSError):
            each.unlink(missing_ok=True)


class Autosaver:
    """Saves what it is offered, at most once in `interval` seconds.

    `trouble` is the sentence of the last saving if it failed, else None; a failure
    is tried again after the next interval.  `path` is an autosaved workspace to go on
    with, whose `lock` is held, else a new one is made in `folder`.  `clock` gives
    seconds, for tests.  `cost` are the seconds that the last writing took.
    """

    def __init__(
        self,
        folder: Path | None = None,
        interval: float = _INTERVAL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        largest_checkpoint: int = _LARGEST_CHECKPOINT,
        path: Path | None = None,
        lock: Lock | None = None,
    ) -> None:
        self.interval = interval
        self.trouble: str | None = None
        self.cost = 0.0
        self._clock = clock
        self._largest = largest_checkpoint
        self._last = clock()
        folder = folder or state_folder()
        self.path = path if path is not None and lock is not None else _new_path(folder)
        self._folder = self.path.parent
        self._lock = lock
        self._wake = threading.Condition()
        self._waiting: tuple[Snapshot, Path | None] | None = None
        self._writing = self._dropping = self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def due(self) -> bool:
        """Whether `offer` would save now; cheap enough to ask after every sweep."""
        return self._clock() - self._last >= self.interval and not self._writing

    def offer(
        self,
        session: Session,
        run: Run | None = None,
        arrays: Mapping[str, NDArray[Any]] | None = None,
        origin: Path | None = None,
        now: bool = False,
    ) -> bool:
        """Save in the background if it is time, or `now`; call it where the run is not sweeping.

        `origin` is the file the workspace belongs to.  Returns whether a copy was taken.
        """
        if self._closed or not (now or self.due):
            return False
        snapshot = self._copy(session, run, arrays)
        self._last = self._clock()
        with self._wake:
            self._waiting = (snapshot, origin)
            self._begin_work()
        return True

    def drop(self) -> None:
        """What was offered is in a file of its own now, or given up: keep nothing of it."""
        with self._wake:
            self._waiting = None
            if self._lock is None and not self._writing:
                return
            self._dropping = True
            self._begin_work()

    def _begin_work(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="pmlda-autosave", daemon=True)
            self._thread.start()
        self._wake.notify_all()

    def _copy(
        self, session: Session, run: Run | None, arrays: Mapping[str, NDArray[Any]] | None
    ) -> Snapshot:
        if run is not None:
            memberships = run.words * run.parameters.topics
            if memberships * _BYTES_PER_MEMBERSHIP > self._largest:
                without = take(session, None, arrays)
                return Snapshot(session, None, run.journal.copy(), without.arrays)
        return take(session, run, arrays)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything offered is written; False if that takes longer."""
        with self._wake:
            return self._wake.wait_for(self._is_idle, timeout)

    def _is_idle(self) -> bool:
        return self._waiting is None and not self._writing and not self._dropping

    def close(self, discard: bool = True) -> None:
        """End; an orderly end needs no recovery, so the file goes unless `discard` is False."""
        with self._wake:
            self._closed = True
            if discard:
                self._waiting = None
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()
        if self._lock is not None:
            # Without the lock the file, if there is one, is another program's.
            if discard:
                remove_autosave(self.path)
            self._lock.release(remove=discard or not self.path.exists())

    def _work(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: not self._is_idle() or self._closed)
                if self._dropping:
                    if self._lock is not None:
                        remove_autosave(self.path)
                    self._dropping = False
                    self._wake.notify_all()
                    continue
                if self._waiting is None:
                    return
                (snapshot, origin), self._waiting = self._waiting, None
                self._writing = True
            began = time.monotonic()
            trouble = self._write(snapshot, origin)
            self.cost = time.monotonic() - began
            if trouble is not None:
                log.warning(trouble)
            del snapshot
            with self._wake:
                self.trouble = trouble
                self._writing = False
                self._wake.notify_all()

    def _write(self, snapshot: Snapshot, origin: Path | None) -> str | None:
        try:
            if self._lock is None:
                make_private(self._folder)
                self._lock = self._own_lock()
            write(self.path, snapshot, origin)
        except PmldaError as error:
            return f"Autosaving failed: {error}"
        except OSError as error:
            return (
                f"Autosaving failed because {self._folder} cannot be written to "
                f"({error.strerror or error}): save the workspace yourself."
            )
        return None

    def _own_lock(self) -> Lock:
        """The lock of this program's file; another file if somebody has that one."""
        for _ in range(_TRIES):
            lock = Lock(lock_of(self.path))
            if lock.acquire():
                return lock
            self.path = _new_path(self._folder)
        raise OSError(errno.EBUSY, "another program has locked it")


def _new_path(folder: Path) -> Path:
    return folder / f"{uuid.uuid4().hex}.pmlda"
