"""Saves workspaces: asks where, copies the run between two sweeps, writes in the background."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_jobs import SavedElsewhere, Written, write_workspace
from pmlda_gui.gui.controller.workspace_file import SUFFIX, WorkspaceFile
from pmlda_gui.gui.dialogs.questions import (
    OVERWRITE,
    SAVE_ELSEWHERE,
    overwriting_question,
    unsaved_question,
)
from pmlda_gui.gui.jobs import Job
from pmlda_gui.workspace.history import History
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Snapshot

__all__ = ["Saving"]

log = logging.getLogger(__name__)
_MESSAGE_MILLISECONDS = 4000
Then = Callable[[], None]


@dataclass(frozen=True, eq=False)
class _Order:
    """One saving: where to, what comes after it, and which work it is about.

    `history` tells the workspace apart from one that is opened meanwhile; `sampled` are
    the seconds of sampling that are saved.  `overwrites` says that whatever is there goes.
    """

    path: Path
    then: Then | None
    history: History
    sampled: float
    overwrites: bool = False


class Saving(QObject):
    """The commands that write workspaces, one after the other."""

    def __init__(self, controller: Controller, file: WorkspaceFile) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = controller.window
        self._file = file
        self._job: Job[Written | SavedElsewhere] | None = None
        self._line: deque[tuple[_Order, Snapshot]] = deque()
        actions = self._window.actions_by_name
        actions["save"].triggered.connect(self._save)
        actions["save_as"].triggered.connect(self._save_as)

    @Slot()
    def _save(self) -> None:
        self.save()

    @Slot()
    def _save_as(self) -> None:
        self.save_as()

    def ask_before_replacing(self, go_on: Then) -> None:
        """Do what replaces the open work; unsaved work is asked about, and saved, first."""
        if not self._controller.has_unsaved_work:
            go_on()
            return
        question = unsaved_question(self._window)
        question.finished.connect(partial(self._decided, go_on))
        question.finished.connect(question.deleteLater)
        question.open()

    def _decided(self, go_on: Then, answer: int) -> None:
        if answer == QMessageBox.StandardButton.Discard:
            go_on()
        elif answer == QMessageBox.StandardButton.Save:
            self.save(go_on)

    def save(self, then: Then | None = None) -> None:
        """Save where the workspace belongs, or ask where; `then` goes on, once it is saved."""
        if self._file.path is None:
            self.save_as(then)
        else:
            self.save_to(self._file.path, then)

    def save_as(self, then: Then | None = None) -> None:
        """Choose a file and save."""
        offered = self._file.path or Path(settings().get("files/folder")) / "workspace.pmlda"
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save workspace", str(offered), "Workspaces (*.pmlda)"
        )
        if name:
            self.save_to(Path(name), then)

    def save_to(self, path: Path, then: Then | None = None) -> None:
        """Save into a file: the run is copied between sweeps, written in the background."""
        from pmlda_gui.workspace import archive

        path = path.absolute()
        if path.suffix.lower() != SUFFIX:
            path = path.with_name(path.name + SUFFIX)
        hide_folder(path.parent)
        controller = self._controller
        session, arrays = controller.session, dict(self._file.arrays)
        order = _Order(path, then, controller.history, controller.sampled.seconds)
        if controller.chain.exists:
            controller.chain.ask(
                partial(archive.take, session, arrays=arrays),
                partial(self._write, order),
                controller.error_raised.emit,
            )
        else:
            self._write(order, archive.take(session, None, arrays))

    # -- writing -----------------------------------------------------------------------------

    def _write(self, order: _Order, snapshot: Snapshot) -> None:
        self._line.append((order, snapshot))
        self._write_next()

    @Slot()
    def _write_next(self) -> None:
        """Two writings of one file at a time would take each other for another program's."""
        if not self._line or (self._job is not None and self._job.under_way):
            return
        order, snapshot = self._line.popleft()
        # The file this workspace belongs to should be as it was left; another was chosen.
        own = order.path == self._file.path and not order.overwrites
        known = self._file.stamp if own else None
        self._job = self._controller.jobs.start(
            partial(write_workspace, order.path, snapshot, known),
            partial(self._written, order),
            name="save",
        )
        self._job.ended.connect(self._write_next)

    def _written(self, order: _Order, result: Written | SavedElsewhere) -> None:
        if isinstance(result, SavedElsewhere):
            self._ask_about_overwriting(order, result)
            return
        log.info("saved %s", result.path.name)
        self._file.recent.remember(result.path)
        self._window.statusBar().showMessage(f"Saved {result.path.name}", _MESSAGE_MILLISECONDS)
        if order.history is not self._controller.history:
            # Another workspace is open by now: the file is not its own.
            return
        self._controller.mark_saved(result.session, order.sampled)
        self._file.was_written(result.path, result.stamp)
        if order.then is not None:
            order.then()

    def _ask_about_overwriting(self, order: _Order, other: SavedElsewhere) -> None:
        question = overwriting_question(other.path.name, other.when, self._window)
        question.finished.connect(partial(self._overwriting_decided, order, other.snapshot))
        question.finished.connect(question.deleteLater)
        question.open()

    def _overwriting_decided(self, order: _Order, snapshot: Snapshot, answer: int) -> None:
        if answer == OVERWRITE:
            self._write(replace(order, overwrites=True), snapshot)
        elif answer == SAVE_ELSEWHERE:
            self.save_as(order.then)
