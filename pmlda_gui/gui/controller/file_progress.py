"""A progress dialog for opening files, with a way to cancel."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.gui.jobs import Job

__all__ = ["FileProgress"]

_PATIENCE_SECONDS = 0.4


class FileProgress(QObject):
    """Shows how far one job is, once an operator would ask; goes when the job has ended."""

    def __init__(self, controller: Controller, job: Job[Any], title: str) -> None:
        super().__init__(controller)
        self._controller = controller
        self._job = job
        self._title = title
        self._dialog: ProgressDialog | None = None
        job.ended.connect(self._ended)
        controller.ticked.connect(self._show)

    @Slot()
    def _show(self) -> None:
        progress = self._job.progress
        if not self._job.under_way or progress.seconds <= _PATIENCE_SECONDS:
            return
        if self._dialog is None:
            self._dialog = ProgressDialog(self._title, self._controller.window)
            self._dialog.cancelled.connect(self._job.cancel)
            self._dialog.finished.connect(self._dialog.deleteLater)
            self._dialog.show()
        self._dialog.set_progress(progress.fraction, progress.text)

    @Slot()
    def _ended(self) -> None:
        if self._dialog is not None:
            self._dialog.finish()
            self._dialog = None
        self.deleteLater()
