"""A dialog for opening what takes long, so that it can be stopped."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.progress import ProgressDialog

__all__ = ["FileProgress"]

_PATIENCE_SECONDS = 0.4
_TITLES = {"open": "Opening", "resume": "Opening the workspace"}


class FileProgress(QObject):
    """Shows how far the reading of files is, once an operator would ask."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._shown: tuple[str, ProgressDialog] | None = None
        controller.jobs.ended.connect(self._job_ended)
        controller.ticked.connect(self._show)

    @Slot()
    def _show(self) -> None:
        jobs = self._controller.jobs
        for name, title in _TITLES.items():
            progress = jobs.progress(name)
            if progress is None:
                continue
            if self._shown is None and progress.seconds > _PATIENCE_SECONDS:
                dialog = ProgressDialog(title, self._controller.window)
                dialog.cancelled.connect(partial(jobs.cancel, name))
                dialog.finished.connect(dialog.deleteLater)
                dialog.show()
                self._shown = (name, dialog)
            if self._shown is not None and self._shown[0] == name:
                self._shown[1].set_progress(progress.fraction, progress.text)

    @Slot(str)
    def _job_ended(self, name: str) -> None:
        if self._shown is not None and self._shown[0] == name:
            self._shown[1].finish()
            self._shown = None
