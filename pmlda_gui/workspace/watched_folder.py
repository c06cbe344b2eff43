"""Watches a folder, and processes each file once it is complete.

What became of each file is kept in a state file beside the results, so that a restart
goes on where the last one stopped.  A file that cannot be used is not tried again until
it changes.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.folders import imagery_files
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.workspace.archive.bounded_json import JsonBudget
from pmlda_gui.workspace.export.atomic import make_folder, write_whole
from pmlda_gui.workspace.locking import Lock
from pmlda_gui.workspace.queued_file import Queued
from pmlda_gui.workspace.serialization import from_values, to_values

__all__ = ["STATE", "Finished", "Watch", "Writer"]

STATE = "watch.json"
"""The name of the state file in the folder of results."""

_MOST_BYTES = 64 * 2**20
_LEAST_POLL, _MOST_POLL = 0.01, 86400.0
_LOCK = ".watch.lock"
# A watch over the same results that was just told to end may need so long for it.
_LOCK_SECONDS = 5.0

log = logging.getLogger(__name__)

Stamp = tuple[int, int]  # bytes, and when last changed in nanoseconds
Writer = Callable[[Path], None]


@dataclass(frozen=True)
class Finished:
    """What became of a file; `refused` says why it could not be used, "" if it could."""

    size: int
    modified: int
    folder: str
    refused: str = ""

    @property
    def stamp(self) -> Stamp:
        return self.size, self.modified


@dataclass(frozen=True)
class _State:
    files: tuple[tuple[str, Finished], ...] = ()
    version: int = 1


@dataclass(eq=False)
class Watch:
    """The imagery in `folder`; results go into a folder for each file in `out`.

    `work` is given a file and gives a function that writes its results into a folder, or
    None if it was stopped; a PmldaError from it is about the file.  `tell` is given
    sentences, and `show` all files whenever one of them may have come or changed.  Between two
    looks at the folder `poll` seconds pass; a file has arrived whole when it has not changed from
    one to the next and can be read.
    """

    folder: Path
    out: Path
    work: Callable[[Path], Writer | None]
    stopped: Callable[[], bool]
    tell: Callable[[str], None]
    poll: float = 2.0
    show: Callable[[tuple[Queued, ...]], None] | None = None
    _files: dict[str, Finished] = field(default_factory=dict)
    _seen: dict[str, Stamp] = field(default_factory=dict)

    def run(self) -> None:
        """Watch until `stopped` says so."""
        if not self.folder.is_dir():
            raise PmldaError(
                f"There is no folder {self.folder} to watch: make it, or name another."
            )
        if not _LEAST_POLL <= self.poll <= _MOST_POLL:
            raise PmldaError(
                f"The time between two looks is {self.poll:g} s, but must lie between "
                f"{_LEAST_POLL:g} and {_MOST_POLL:g}."
            )
        make_folder(self.out)
        lock = Lock(self.out / _LOCK)
        if not self._alone(lock):
            return
        try:
            self._files = self._read_state()
            self._show(self._names())
            while not self.stopped():
                if not self._look():
                    self._wait()
        finally:
            lock.release(remove=True)

    def _alone(self, lock: Lock) -> bool:
        """Whether nobody else writes these results; False if stopped before that is known."""
        until = time.monotonic() + _LOCK_SECONDS
        while not self._acquired(lock):
            if self.stopped():
                return False
            if time.monotonic() > until:
                raise PmldaError(
                    f"Another program already writes the results of a watched folder into "
                    f"{self.out}: stop it, or choose another folder."
                )
            time.sleep(0.05)
        return True

    def _acquired(self, lock: Lock) -> bool:
        try:
            return lock.acquire()
        except OSError as error:
            raise PmldaError(
                f"Nothing can be written into {self.out} ({error.strerror or error}): choose "
                "another folder."
            ) from error

    def _names(self) -> list[str]:
        return [path.name for path in imagery_files([self.folder], [])]

    def _show(self, there: Iterable[str], running: str = "") -> None:
        """Show the files that are there, and those that were done and have gone."""
        if self.show is None:
            return
        self.show(
            tuple(
                Queued(name, "running") if name == running else self._queued(name)
                for name in dict.fromkeys([*there, *sorted(self._files)])
            )
        )

    def _queued(self, name: str) -> Queued:
        known, path = self._files.get(name), self.folder / name
        if known is None or _stamp(path) not in (None, known.stamp):
            return Queued(name)
        if known.refused:
            return Queued(name, "failed", sentence=known.refused)
        return Queued(name, "done", known.folder)

    def _look(self) -> bool:
        """Work on the first file that has arrived whole; False if there was none."""
        paths = imagery_files([self.folder], [])
        names = [path.name for path in paths]
        self._show(names)
        for path in paths:
            stamp = _stamp(path)
            if stamp is None or self._is_known(path.name, stamp):
                continue
            settled = self._seen.get(path.name) == stamp and _readable(path)
            self._seen[path.name] = stamp
            if settled:
                self._show(names, path.name)
                self._work_on(path, stamp)
                self._show(names)
                return True
        return False

    def _is_known(self, name: str, stamp: Stamp) -> bool:
        known = self._files.get(name)
        return known is not None and known.stamp == stamp

    def _work_on(self, path: Path, stamp: Stamp) -> None:
        folder, refused = self._folder_for(path), ""
        try:
            write = self.work(path)
        except PmldaError as error:
            refused = str(error)
        except Exception as error:
            # One strange file must not end the watch over all others.
            log.exception("segmenting %s failed", path.name)
            refused = f"{path.name} could not be segmented ({type(error).__name__})."
        else:
            if write is None or self.stopped():
                return
            # What goes wrong here is not the file's fault, and ends the watch.
            write(self.out / folder)
        self._files[path.name] = Finished(*stamp, folder, refused)
        self._write_state()
        self.tell(f"left out: {refused}" if refused else f"{path.name}: done")

    def _folder_for(self, path: Path) -> str:
        """A folder of its own for each file: its name, with its ending where two would meet."""
        taken = {known.folder for name, known in self._files.items() if name != path.name}
        return path.stem if path.stem not in taken else path.name.replace(".", "_")

    def _wait(self) -> None:
        until = time.monotonic() + self.poll
        while not self.stopped() and (left := until - time.monotonic()) > 0.0:
            time.sleep(min(left, 0.1))

    def _read_state(self) -> dict[str, Finished]:
        path = self.out / STATE
        try:
            with open_regular(path) as stream:
                content = stream.read(_MOST_BYTES)
            state = from_values(_State, JsonBudget().parse(content), f"The state in {STATE}")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, PmldaError):
            self.tell(f"{STATE} in {self.out} cannot be read, so every file is segmented again.")
            return {}
        return dict(state.files)

    def _write_state(self) -> None:
        state = _State(tuple(sorted(self._files.items())))
        content = json.dumps(to_values(state), indent=1, ensure_ascii=False)
        write_whole(self.out / STATE, content.encode())


def _stamp(path: Path) -> Stamp | None:
    """How large a file is and when it last changed; None if it is empty or gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if found.st_size else None


def _readable(path: Path) -> bool:
    """Whether the last byte of a file can be read: a file still locked cannot."""
    try:
        with open_regular(path) as stream:
            stream.seek(-1, 2)
            return len(stream.read(1)) == 1
    except OSError:
        return False
