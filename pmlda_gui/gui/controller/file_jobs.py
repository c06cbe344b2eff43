"""The background jobs of `Files`: reading and writing whole workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.gui.controller.background_tasks import load_entries
from pmlda_gui.gui.dialogs.open_options import COMFORTABLE_PIXELS
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.options import Probe
from pmlda_gui.workspace.session import ImageEntry, Session

if TYPE_CHECKING:
    from datetime import datetime

    from pmlda_gui.workspace.archive import Loaded, Snapshot
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.shared_file import Stamp
    from pmlda_gui.workspace.topic_matching import FormerTopics

__all__ = [
    "Probed",
    "Resumed",
    "SavedElsewhere",
    "Written",
    "load_workspace",
    "probe_paths",
    "resume_workspace",
    "write_workspace",
]


@dataclass(frozen=True, eq=False)
class Resumed:
    """A workspace that was read, with its images and the run as far as it was.

    `former` are the topics that names and colours belong to.
    """

    loaded: Loaded
    images: Mapping[ImageEntry, Image]
    run: Run | None
    former: FormerTopics


@dataclass(frozen=True)
class Probed:
    """Files that can be opened; `ask` describes the first if their options are to be chosen."""

    paths: list[Path]
    ask: Probe | None


@dataclass(frozen=True, eq=False)
class Written:
    """A workspace was written to `path`; `session` is what is saved now."""

    path: Path
    session: Session
    stamp: Stamp | None


@dataclass(frozen=True, eq=False)
class SavedElsewhere:
    """Nothing was written: another program has saved the file meanwhile, at `when` if known."""

    path: Path
    snapshot: Snapshot
    when: datetime | None


def probe_paths(paths: list[Path], always_ask: bool, progress: Progress) -> Probed:
    """See whether a file is so large, or so rich, that its options should be chosen."""
    from pmlda_gui.imagery.readers import probe

    if (always_ask or len(paths) == 1) and paths[0].is_file():
        # The options of several files are chosen by the first.
        found = probe(paths[0], progress)
        if always_ask or found.reduction_to_fit(COMFORTABLE_PIXELS) > 1:
            return Probed(paths, found)
    return Probed(paths, None)


def load_workspace(path: Path, progress: Progress) -> Loaded:
    """Read a workspace, but not its images."""
    from pmlda_gui.workspace import archive

    return archive.load(path, progress)


def resume_workspace(loaded: Loaded, progress: Progress) -> Resumed:
    """Open what a workspace refers to and bring its run back; images not found are left out."""
    from pmlda_gui.workspace import replay
    from pmlda_gui.workspace.topic_places import restored_places

    kept = tuple(entry for entry in loaded.session.images if entry not in loaded.missing)
    opened = load_entries(kept, {}, progress.part(0.0, 0.5))
    there = [opened.images.get(entry) for entry in loaded.session.images]
    former = restored_places(loaded.places, there, loaded.session.topics)
    if loaded.missing:
        session = loaded.session.with_images(kept)
        return Resumed(replace(loaded, session=session), opened.images, None, former)
    if loaded.journal is None:
        return Resumed(loaded, opened.images, None, former)
    images = [opened.images[entry] for entry in kept]
    run = replay.resume(loaded, None, images, progress.part(0.5, 1.0))
    return Resumed(loaded, opened.images, run, run.numbering.former_topics)


def write_workspace(
    path: Path, snapshot: Snapshot, known: Stamp | None, progress: Progress
) -> Written | SavedElsewhere:
    """Write a workspace, unless the file that is there is another than the `known` one.

    Without a known one whatever is there is replaced.
    """
    from pmlda_gui.workspace import archive
    from pmlda_gui.workspace.shared_file import only_writer, stamp_of

    with only_writer(path):
        present = stamp_of(path)
        if known is not None and present is not None and present != known:
            return SavedElsewhere(path, snapshot, _saved_at(path))
        archive.write(path, snapshot)
        return Written(path, snapshot.session, stamp_of(path))


def _saved_at(path: Path) -> datetime | None:
    from pmlda_gui.workspace.archive.summary import read_summary

    try:
        return read_summary(path).taken
    except PmldaError:
        return None
