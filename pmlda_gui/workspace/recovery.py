"""Finds autosaved workspaces of programs that no longer run.

Nothing is offered that is older than the file it belongs to, and what one program has
claimed no other one touches.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.archive.contents import Loaded, load
from pmlda_gui.workspace.archive.summary import Summary, read_summary
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.autosave import lock_of, remove_autosave, state_folder
from pmlda_gui.workspace.locking import Lock

__all__ = ["Recoverable", "claim", "discard", "found", "recover"]

# An autosave that the operator has saved over since is removed after so long.
_OUTDATED_SECONDS = 30 * 24 * 3600.0


@dataclass(frozen=True)
class Recoverable:
    """An autosaved workspace; `origin` is the file it belongs to, None if never saved.

    `images` are the names of its images, `sweeps` how many the chain had done, None if
    that is not known.
    """

    path: Path
    saved: datetime
    origin: Path | None
    images: tuple[str, ...] = ()
    sweeps: int | None = None

    @property
    def file(self) -> Path:
        """Where its newest version belongs, though an older one may be all that is readable."""
        return self.path.with_name(self.path.name.removesuffix("~"))

    @property
    def name(self) -> str:
        """What to call it when asking whether to go on."""
        return self.origin.name if self.origin is not None else "a workspace without a name"


def found(folder: Path | None = None) -> list[Recoverable]:
    """What can be gone on with, newest first; workspaces of running programs are left alone."""
    folder = state_folder() if folder is None else folder
    recoverable = []
    names = {path.name.removesuffix("~") for path in folder.glob("*.pmlda*")}
    for path in (folder / name for name in sorted(names) if name.endswith(".pmlda")):
        lock = Lock(lock_of(path))
        try:
            if not lock.acquire():
                continue
        except OSError:
            continue
        try:
            offered = next(_versions(path), None)
            if offered is not None:
                recoverable.append(offered)
            elif _outdated_for_long(path):
                remove_autosave(path)
        finally:
            lock.release(remove=True)
    return sorted(recoverable, key=lambda each: each.saved, reverse=True)


def _versions(path: Path) -> Iterator[Recoverable]:
    """The autosaved workspace and the version before it, if readable and newer than the file."""
    for candidate in (path, previous_version(path)):
        with suppress(PmldaError):
            about = read_summary(candidate)
            if not _is_outdated(about):
                yield Recoverable(candidate, about.taken, about.origin, about.images, about.sweeps)


def _is_outdated(about: Summary) -> bool:
    """Whether the file an autosave belongs to holds the same state or a later one."""
    if about.origin is None or not about.origin.is_file():
        return False
    try:
        return about.taken <= read_summary(about.origin).taken
    except PmldaError:
        return False


def _outdated_for_long(path: Path) -> bool:
    """Whether everything there is readable, and so outdated, and old."""
    with suppress(OSError, PmldaError):
        read_summary(path)
        return time.time() - path.stat().st_mtime > _OUTDATED_SECONDS
    return False


def claim(recoverable: Recoverable) -> Lock:
    """Take it for this program alone; PmldaError if another one has, or has discarded it."""
    lock = Lock(lock_of(recoverable.file))
    try:
        mine = lock.acquire()
    except OSError:
        mine = False
    if not mine:
        raise PmldaError(
            f"{_sentence_start(recoverable)} is open in another window: continue there."
        )
    if not recoverable.path.exists():
        lock.release(remove=True)
        raise PmldaError(
            f"{_sentence_start(recoverable)} no longer exists: another window of the program "
            "has saved or discarded it."
        )
    return lock


def _sentence_start(recoverable: Recoverable) -> str:
    name = recoverable.name
    return name if recoverable.origin is not None else name.capitalize()


def recover(recoverable: Recoverable) -> Loaded:
    """Read it; if its newest version turns out to be damaged, the one before."""
    try:
        return load(recoverable.path)
    except PmldaError:
        for version in _versions(recoverable.file):
            if version.path != recoverable.path:
                loaded = load(version.path)
                when = version.saved.astimezone().strftime("%Y-%m-%d %H:%M")
                note = f"The last autosave is damaged: this is the one before, of {when}."
                return dataclasses.replace(loaded, notes=(note, *loaded.notes))
        raise


def discard(recoverable: Recoverable) -> None:
    """Remove it, so that it is not offered again; PmldaError if another program has it."""
    lock = claim(recoverable)
    remove_autosave(recoverable.file)
    lock.release(remove=True)
