"""At a start: the workspaces that programs which no longer run had autosaved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.archive.contents import Loaded, load
from pmlda_gui.workspace.archive.reading import read_manifest
from pmlda_gui.workspace.archive.writing import previous_version
from pmlda_gui.workspace.autosave import lock_of, remove_autosave, state_folder
from pmlda_gui.workspace.locking import Lock

__all__ = ["Recoverable", "discard", "found", "recover"]


@dataclass(frozen=True)
class Recoverable:
    """An autosaved workspace; `origin` is the file it belongs to, None if never saved."""

    path: Path
    saved: datetime
    origin: Path | None

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
        lock.release(remove=True)
        described = _described(path)
        if described is not None:
            recoverable.append(described)
    return sorted(recoverable, key=lambda each: each.saved, reverse=True)


def _described(path: Path) -> Recoverable | None:
    """The autosaved workspace, or the version before it if that alone is readable."""
    for candidate in (path, previous_version(path)):
        with suppress(PmldaError, ValueError):
            manifest = read_manifest(candidate)
            saved = datetime.fromisoformat(str(manifest.get("saved")))
            origin = manifest.get("origin")
            return Recoverable(
                candidate,
                saved if saved.tzinfo is not None else saved.replace(tzinfo=UTC),
                Path(origin) if isinstance(origin, str) and origin else None,
            )
    return None


def recover(recoverable: Recoverable) -> Loaded:
    """Read it; if its newest version turns out to be damaged, the one before."""
    try:
        return load(recoverable.path)
    except PmldaError:
        previous = previous_version(recoverable.path)
        if not previous.exists():
            raise
        return load(previous)


def discard(recoverable: Recoverable) -> None:
    """Remove it; nothing is offered again."""
    remove_autosave(recoverable.file)
