"""Everything `pmlda-gui segment` writes, of the run in the window."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.export import ExportChoice, ExportDialog
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.gui.inbox import Question
from pmlda_gui.gui.jobs import Cancel, Job, Progress
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.export import Result
    from pmlda_gui.workspace.run import Run

__all__ = ["Exporting"]

_FIRST_FOLDER = "pmlda-results"
_STOPPED = "The export was stopped; files already written are whole."
_MESSAGE_MILLISECONDS = 4000


class Exporting(QObject):
    """Asks where to, takes the result between two sweeps and writes it in the background.

    `exported` carries the files that were written.
    """

    exported = Signal(list)

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = controller.window
        self._window.actions_by_name["export"].triggered.connect(self.ask_where_to_export)

    @Slot()
    def ask_where_to_export(self) -> None:
        """Choose a folder and an estimate."""
        session = self._controller.session
        offered = settings().get("files/export") or Path.home() / _FIRST_FOLDER
        dialog = ExportDialog(
            [entry.name for entry in session.images], Path(offered), session.estimate, self._window
        )
        dialog.accepted.connect(partial(self._chosen, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _chosen(self, dialog: ExportDialog) -> None:
        if dialog.choice is not None:
            settings().set("files/export", str(dialog.choice.folder))
            self.export(dialog.choice)

    def export(self, choice: ExportChoice) -> None:
        """Write the present result into a folder."""
        hide_folder(choice.folder)
        session = self._controller.session.replace(estimate=choice.estimate)
        export = _Export(self._controller, choice.folder, self)
        export.written.connect(partial(self._tell, choice.folder))
        export.begin(session)

    def _tell(self, folder: Path, paths: list[Path]) -> None:
        self._window.message_bar.show_note(f"{len(paths)} files were written into {folder}.")
        self.exported.emit(paths)


class _Export(QObject):
    """One export with its dialog: first a question to the run, then a job."""

    written = Signal(list)

    def __init__(self, controller: Controller, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._folder = folder
        self._question: Question[Result] | None = None
        self._job: Job[list[Path]] | None = None
        self._dialog = ProgressDialog("Exporting results", controller.window)
        self._dialog.cancelled.connect(self._stop)
        self._dialog.finished.connect(self._dialog.deleteLater)
        controller.ticked.connect(self._show_progress)

    def begin(self, session: Session) -> None:
        """Ask the run for its result as this session shows it."""
        self._dialog.show()
        self._question = self._controller.chain.ask(
            partial(_result, session), self._write, self._fail
        )

    def _write(self, result: Result) -> None:
        self._job = self._controller.jobs.start(
            partial(_write_results, result, self._folder), self._done, self._fail, name="export"
        )

    def _done(self, paths: list[Path]) -> None:
        self._end()
        self.written.emit(paths)

    def _fail(self, error: Exception) -> None:
        self._end()
        self._controller.troubled.emit(error)

    @Slot()
    def _stop(self) -> None:
        for step in (self._question, self._job):
            if step is not None:
                step.cancel()
        self._controller.window.statusBar().showMessage(_STOPPED, _MESSAGE_MILLISECONDS)
        self._end()

    @Slot()
    def _show_progress(self) -> None:
        if self._job is not None and self._job.under_way:
            progress = self._job.progress
            self._dialog.set_progress(progress.fraction, progress.text)

    def _end(self) -> None:
        self._controller.ticked.disconnect(self._show_progress)
        self._dialog.finish()
        self.deleteLater()


def _result(session: Session, run: Run) -> Result:
    from pmlda_gui.workspace.outcome import result_of

    return result_of(run, session)


def _write_results(result: Result, folder: Path, progress: Progress, cancel: Cancel) -> list[Path]:
    from pmlda_gui.workspace.export import write_results

    def report(fraction: float) -> None:
        if cancel():
            raise Cancelled(_STOPPED)
        progress(fraction, "Writing maps, polygons, pictures and the report")

    report(0.0)
    return write_results(result, folder, report)
