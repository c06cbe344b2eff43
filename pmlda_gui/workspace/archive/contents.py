"""The contents of a workspace file: taken from the program, and restored to it.

Images stay where they are: the file names them relative to its own folder, with
their digests, so that a moved one can be asked for and a changed one reported.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pmlda_gui import __version__
from pmlda_gui.core.checkpoint import Checkpoint
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.readers.regular_files import printable
from pmlda_gui.workspace.archive.bounded_json import JsonBudget
from pmlda_gui.workspace.archive.format import FORMAT, MANIFEST, VERSION
from pmlda_gui.workspace.archive.plausible import MOST_SWEEPS, fault_in_chain, fault_in_maps
from pmlda_gui.workspace.archive.reading import DamagedError, guarded, read_archive
from pmlda_gui.workspace.archive.summary import MOST_NAMES
from pmlda_gui.workspace.archive.writing import write_archive
from pmlda_gui.workspace.hashing import array_digest, file_digest
from pmlda_gui.workspace.journal import Journal
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.shared_file import Stamp, stamp_of
from pmlda_gui.workspace.topic_places import NO_PLACES, KeptPlaces, kept_places

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["Loaded", "Snapshot", "load", "locate", "save", "take", "write"]

_MANIFEST = MANIFEST.removesuffix(".json")
_CHECKPOINT, _LABELS, _BOOKMARKS = "checkpoint/", "labels/", "bookmarks/"
_PLACES = "places"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A workspace at one moment, which nothing changes any more."""

    session: Session
    checkpoint: Checkpoint | None = None
    journal: Journal | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    places: KeptPlaces = NO_PLACES
    taken: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, eq=False)
class Loaded:
    """A workspace as read from `path`.

    `arrays` are those of the bookmarks, by "key/name".  `missing` are the images
    that are not where they were, `changed` those whose contents are others than
    when they were opened, `notes` sentences about both.  `checkpoint` is None if no
    chain had begun, or if it was too large to be kept; `journal` is None in the
    first case only.  `places` say where topics lay.  `stamp` tells the file that was read
    from any saved later.
    """

    path: Path
    session: Session
    checkpoint: Checkpoint | None
    journal: Journal | None
    arrays: dict[str, NDArray[Any]]
    places: KeptPlaces = NO_PLACES
    notes: tuple[str, ...] = ()
    missing: tuple[ImageEntry, ...] = ()
    changed: tuple[ImageEntry, ...] = ()
    origin: Path | None = None
    stamp: Stamp | None = None

    def with_image(self, entry: ImageEntry, path: Path) -> Loaded:
        """This workspace with one image found elsewhere, looked at again."""
        found = locate(entry, path)
        images = tuple(found if each == entry else each for each in self.session.images)
        return _looked_at(
            dataclasses.replace(self, session=self.session.replace(images=images), notes=())
        )


def take(
    session: Session, run: Run | None = None, arrays: Mapping[str, NDArray[Any]] | None = None
) -> Snapshot:
    """Copy what changes while a run goes on; call it on the thread that owns the run.

    A sweep that was interrupted is finished first, so that a repetition of all finished
    sweeps leads to the same place.  `arrays` are the bookmarks' by "key/name" and must not be
    changed afterwards.
    """
    kept = {bookmark.key for bookmark in session.bookmarks}
    chosen = {name: a for name, a in (arrays or {}).items() if name.partition("/")[0] in kept}
    if run is None or (run.entries is not None and run.entries != session.images):
        # A run on other images than those of the session would never fit it.
        return Snapshot(session, arrays=chosen)
    run.finish_sweep()
    run.numbering.note(run.topic_record)
    places = kept_places(run.numbering.former_topics, run.prepared.images)
    return Snapshot(session, run.checkpoint(), run.journal.copy(), chosen, places)


def write(path: Path, snapshot: Snapshot, origin: Path | None = None) -> None:
    """Write a snapshot to `path`, whole or not at all; the version before stays as PATH~.

    `origin` is remembered as the file the workspace belongs to, for autosaving.
    """
    path = Path(os.path.abspath(path))
    documents: dict[str, Any] = {"session": _portable(snapshot.session, path).to_values()}
    arrays = {_BOOKMARKS + name: array for name, array in snapshot.arrays.items()}
    if snapshot.checkpoint is not None:
        documents["checkpoint"] = snapshot.checkpoint.values
        arrays |= {_CHECKPOINT + name: a for name, a in snapshot.checkpoint.arrays.items()}
    if snapshot.journal is not None:
        documents["journal"] = snapshot.journal.to_values()
        maps, used = snapshot.journal.label_maps, snapshot.journal.digests
        arrays |= {_LABELS + digest: maps[digest] for digest in sorted(used & maps.keys())}
    if snapshot.places.entries:
        documents[_PLACES] = snapshot.places.to_values()
        arrays |= {f"{_PLACES}/{name}": a for name, a in snapshot.places.arrays().items()}
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "program": __version__,
        # When the copy was taken, not when it got written: a slow writing is no newer state.
        "saved": snapshot.taken.isoformat(timespec="microseconds"),
        "images": [entry.name for entry in snapshot.session.images[:MOST_NAMES]],
        "sweeps": 0 if snapshot.journal is None else snapshot.journal.sweeps,
        "origin": None if origin is None else Path(os.path.abspath(origin)).as_posix(),
        "members": [MANIFEST, *(f"{name}.json" for name in documents)]
        + [f"{name}.npy" for name in arrays],
    }
    write_archive(path, {_MANIFEST: manifest, **documents}, arrays)


def save(
    path: Path,
    session: Session,
    run: Run | None = None,
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Save a workspace; see `take` and `write`."""
    write(path, take(session, run, arrays))


def load(path: Path, progress: Progress = UNWATCHED) -> Loaded:
    """Read a workspace and look for its images."""
    path = Path(os.path.abspath(path))
    stamp = stamp_of(path)
    documents, arrays = read_archive(path)
    with guarded(path):
        loaded = dataclasses.replace(_loaded(path, documents, arrays), stamp=stamp)
        return _looked_at(loaded, progress)


def _loaded(path: Path, documents: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Loaded:
    if "session" not in documents:
        raise PmldaError(f"{path.name} holds no session: it is damaged, open the version before.")
    origin = documents[_MANIFEST].get("origin")
    checkpoint = journal = None
    if "checkpoint" in documents:
        values = documents["checkpoint"]
        if not isinstance(values, dict):
            raise PmldaError(f"The chain in {path.name} is damaged: open the version before.")
        checkpoint = Checkpoint(_under(_CHECKPOINT, arrays), values)
        _refuse(fault_in_chain(checkpoint))
    if "journal" in documents:
        maps = _under(_LABELS, arrays)
        if any(array_digest(labels) != digest for digest, labels in maps.items()):
            raise PmldaError(f"A label map in {path.name} is damaged: open the version before.")
        journal = Journal.from_values(documents["journal"], maps)
        if not 0 <= journal.sweeps < MOST_SWEEPS:
            raise DamagedError("its journal counts impossible sweeps")
    _refuse(fault_in_maps(_under(_BOOKMARKS, arrays)))
    _refuse_damaged_states(_under(_BOOKMARKS, arrays))
    return Loaded(
        path,
        _rooted(Session.from_values(documents["session"]), path),
        checkpoint,
        journal,
        _under(_BOOKMARKS, arrays),
        _places(documents, arrays),
        origin=Path(origin) if isinstance(origin, str) else None,
    )


def _places(documents: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> KeptPlaces:
    """Where topics lay; files of earlier versions do not say it."""
    if _PLACES not in documents:
        return NO_PLACES
    return KeptPlaces.from_values(documents[_PLACES], _under(f"{_PLACES}/", arrays))


def _refuse_damaged_states(arrays: dict[str, NDArray[Any]]) -> None:
    """Look at the runs of the bookmarks as at the one that is open."""
    from pmlda_gui.workspace.bookmarks import state_in

    budget = JsonBudget()
    for key in sorted({name.partition("/")[0] for name in arrays}):
        try:
            state = state_in(key, arrays, budget)
        except PmldaError as error:
            raise DamagedError("the run of a bookmark is not as this program writes it") from error
        if state is None:
            continue
        _refuse(fault_in_chain(state.checkpoint))
        if not 0 <= state.journal.sweeps < MOST_SWEEPS or state.journal.start is None:
            raise DamagedError("the journal of a bookmark counts impossible sweeps or has no start")


def _refuse(fault: str | None) -> None:
    if fault is not None:
        raise DamagedError(fault)


def _under(folder: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(folder): array
        for name, array in arrays.items()
        if name.startswith(folder)
    }


def _portable(session: Session, path: Path) -> Session:
    """The session with paths as seen from the archive's folder, where there is such a path."""

    def relative(target: Path) -> Path:
        try:
            return Path(os.path.relpath(target, path.parent))
        except ValueError:  # another drive
            return Path(os.path.abspath(target))

    return session.with_paths(relative)


def _rooted(session: Session, path: Path) -> Session:
    return session.with_paths(lambda target: Path(os.path.normpath(path.parent / target)))


# -- images that moved or changed -------------------------------------------------------------


def locate(entry: ImageEntry, path: Path) -> ImageEntry:
    """The same image at another place; what it holds there is compared when it is used."""
    if not path.is_file():
        raise PmldaError(f"There is no file {path}: choose the one that was {entry.name}.")
    return dataclasses.replace(entry, path=Path(os.path.abspath(path)))


def _looked_at(loaded: Loaded, progress: Progress = UNWATCHED) -> Loaded:
    """Find out which images are missing or changed, and say so."""
    missing, changed, notes = [], [], []
    for entry in loaded.session.images:
        if entry.path is None:
            continue
        if not entry.path.is_file():
            missing.append(entry)
            folder = printable(str(entry.path.parent))
            notes.append(f"{entry.name} is not in {folder}: say where it is now.")
        elif entry.digest and file_digest(entry.path, progress) != entry.digest:
            changed.append(entry)
            notes.append(
                f"{entry.name} has changed since it was opened: results may differ from before."
            )
    kept = {name.partition("/")[0] for name in loaded.arrays}
    notes += [
        f"The result of bookmark {bookmark.name!r} is not in the file: only its settings are."
        for bookmark in loaded.session.bookmarks
        if bookmark.key not in kept
    ]
    return dataclasses.replace(
        loaded, notes=tuple(notes), missing=tuple(missing), changed=tuple(changed)
    )
