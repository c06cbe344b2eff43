"""Watches a folder in the background, and applies topics to each file that arrives there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.topic_using import TOPICS_FILTER
from pmlda_gui.gui.jobs import Job
from pmlda_gui.workspace.folder_queue import FolderQueue, QueueView
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["Queueing"]

# What was left running goes on once the window is there.
_RESUME_MILLISECONDS = 2500
_REPORT = "report.html"
_COMFORTABLE_WIDTH = 396
POLL_SECONDS = 2.0


class Queueing(QObject):
    """Joins the panel of the queue with the job that watches.

    Folders, topics and whether it runs are settings, so that the next start goes on.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._panel = panel = window.queue
        self._queue: FolderQueue | None = None
        self._job: Job[None] | None = None
        self._shown = QueueView()
        window.actions_by_name["watch_folder"].triggered.connect(self._show_panel)
        panel.folder_requested.connect(self._ask_folder)
        panel.results_requested.connect(self._ask_results)
        panel.topics_requested.connect(self._ask_topics)
        panel.present_chosen.connect(partial(self._choose, "queue/topics", ""))
        panel.start_requested.connect(self.start)
        panel.pause_requested.connect(self.pause)
        panel.stop_requested.connect(self.stop)
        panel.result_requested.connect(self._open)
        panel.report_requested.connect(partial(self._open, file=_REPORT))
        controller.ticked.connect(self._show_files)
        self._show_places()
        if settings().get("queue/state") != "stopped":
            QTimer.singleShot(_RESUME_MILLISECONDS, self, self._resume)

    @Slot()
    def _show_panel(self) -> None:
        dock = self._window.docks["queue"]
        dock.show()
        dock.raise_()
        if not dock.isFloating() and dock.width() < _COMFORTABLE_WIDTH:
            # The names of all tabs beside it are to be read.
            horizontal = Qt.Orientation.Horizontal
            self._window.resizeDocks([dock], [_COMFORTABLE_WIDTH], horizontal)
        self._panel.folder.setFocus()

    # -- choices -----------------------------------------------------------------------------

    @Slot()
    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self._window, "Folder to watch", settings().get("queue/folder")
        )
        if chosen:
            folder = Path(chosen).absolute()
            settings().set("queue/results", str(folder.with_name(f"{folder.name}-results")))
            self._choose("queue/folder", str(folder))

    @Slot()
    def _ask_results(self) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self._window, "Folder of results", settings().get("queue/results")
        )
        if chosen:
            self._choose("queue/results", chosen)

    @Slot()
    def _ask_topics(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Topics to apply", settings().get("files/folder"), TOPICS_FILTER
        )
        self._choose("queue/topics", name or settings().get("queue/topics"))

    def _choose(self, name: str, value: str) -> None:
        settings().set(name, value)
        self._shown = QueueView()
        self._panel.set_files(())
        self._panel.set_state("stopped")
        self._show_places()

    def _show_places(self) -> None:
        folder, topics, results = map(_place, ("folder", "topics", "results"))
        for each in (folder, results):
            if each is not None:
                hide_folder(each)
        self._panel.set_places(folder, topics, results)

    # -- running -----------------------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        """Begin to watch, or go on after a pause."""
        results = _place("results")
        if self._queue is not None:
            self._queue.paused = False
            self._note("running")
        elif _place("topics") is None and results is not None:
            question = partial(_keep_present, results, self._controller.session)
            self._controller.chain.ask(question, self._begin_with, self._fail)
        else:
            self._begin(paused=False)

    def _begin_with(self, topics: Path) -> None:
        """The present topics are in a file now, so that they stay the same for all files."""
        settings().set("queue/topics", str(topics))
        self._show_places()
        self._begin(paused=False)

    @Slot()
    def _resume(self) -> None:
        if self._queue is None and settings().get("queue/state") != "stopped":
            self._begin(paused=settings().get("queue/state") == "paused")

    def _begin(self, paused: bool) -> None:
        folder, topics, results = map(_place, ("folder", "topics", "results"))
        if folder is None or topics is None or results is None:
            self._note("stopped")
            return
        self._queue = queue = FolderQueue(folder, results, topics, POLL_SECONDS)
        queue.paused = paused
        self._job = self._controller.jobs.start(
            queue.run, None, self._fail, name="watch", instead_of=self._job, quiet=True
        )
        self._note("paused" if paused else "running")

    @Slot()
    def pause(self) -> None:
        """Hold the file under way, and begin no other."""
        if self._queue is not None:
            self._queue.paused = True
            self._note("paused")

    @Slot()
    def stop(self) -> None:
        """Watch no more; what was not finished begins anew when the queue is started again."""
        self._end()
        self._note("stopped")

    def _fail(self, error: Exception) -> None:
        self._end()
        self._note("stopped", str(error))
        self._controller.error_raised.emit(error)

    def _end(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job = self._queue = None
        self._shown = self._shown.at_rest
        self._panel.set_files(self._shown.files)

    def _note(self, state: str, sentence: str = "") -> None:
        settings().set("queue/state", state)
        self._panel.set_state(state, sentence)

    # -- what is shown -----------------------------------------------------------------------

    @Slot()
    def _show_files(self) -> None:
        if self._queue is None:
            return
        view = self._queue.view
        if view != self._shown:
            self._shown = view
            self._panel.set_files(view.files, view.fraction)

    def _open(self, folder: str, file: str = "") -> None:
        results = _place("results")
        if results is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(results / folder / file)))


def _place(name: str) -> Path | None:
    """A folder or file of the queue, None while none is chosen."""
    stored = settings().get(f"queue/{name}")
    return Path(stored) if stored else None


def _keep_present(results: Path, session: Session, run: Run) -> Path:
    """Write the topics of the run beside the results, on its thread."""
    from pmlda_gui.workspace.export.atomic import make_folder, write_whole
    from pmlda_gui.workspace.topic_set import ENDING, topics_bytes
    from pmlda_gui.workspace.topic_source import topics_of

    content = topics_bytes(topics_of(run, session))
    make_folder(results)
    return write_whole(results / f"present{ENDING}", content)
