"""A watched folder as a window shows it: what became of each file, and how far one is."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.workspace.queued_file import Queued

__all__ = ["FolderQueue", "QueueView"]

_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class QueueView:
    """All files, and of the one that is running how far it is, 0 to 1."""

    files: tuple[Queued, ...] = ()
    fraction: float = 0.0

    @property
    def at_rest(self) -> QueueView:
        """The same when nothing is running any more."""
        return QueueView(
            tuple(replace(each, state="waiting") if each.state == "running" else each
                  for each in self.files)
        )  # fmt: skip


class FolderQueue:
    """Applies the `topics` of a file to what arrives in `folder`; results go into `out`.

    `run` belongs to one thread; any other may pause it and look at it.  A pause holds the file
    under way where it is.  One thread computes, so that whatever else runs is not held up.
    """

    def __init__(self, folder: Path, out: Path, topics: Path, poll: float = 2.0) -> None:
        self.folder, self.out, self.topics = folder, out, topics
        self.paused = False
        self._poll = poll
        self._lock = threading.Lock()
        self._view = QueueView()

    @property
    def view(self) -> QueueView:
        """How things stand."""
        with self._lock:
            return self._view

    def run(self, progress: Progress) -> None:
        """Watch until cancelled; PmldaError if that cannot be."""
        from pmlda_gui.workspace.batch.arriving import segmenting
        from pmlda_gui.workspace.batch.options import settings_from
        from pmlda_gui.workspace.topic_source import topics_from_file
        from pmlda_gui.workspace.watched_folder import Watch

        def ended() -> bool:
            while self.paused and not progress.cancelled:
                time.sleep(_PAUSE_SECONDS)
            return progress.cancelled

        settings = settings_from(topics_from=topics_from_file(self.topics, 1), threads=1)
        work = segmenting(settings, ReadOptions(), ended, _say_nothing, self._report)
        Watch(self.folder, self.out, work, ended, _say_nothing, self._poll, self._show_files).run()

    def _show_files(self, files: tuple[Queued, ...]) -> None:
        with self._lock:
            self._view = QueueView(files)

    def _report(self, fraction: float, _text: str) -> None:
        with self._lock:
            self._view = replace(self._view, fraction=fraction)


def _say_nothing(_text: str) -> None:
    """What is to be said of a file stands in its report and its row."""
