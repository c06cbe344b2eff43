"""Exports the present run or a bookmark: the files that `pmlda-gui segment` writes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from pmlda_gui.core.progress import Progress
from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.export import EVERYTHING, ExportChoice, ExportDialog
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.gui.inbox import Question
from pmlda_gui.gui.jobs import Job, Work
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.export import Result
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.undo_states import RunState

__all__ = ["Exporting"]

_FIRST_FOLDER = "pmlda-results"
_STOPPED = "The export was stopped; files already written are complete."
_MESSAGE_MILLISECONDS = 4000


class Written(NamedTuple):
    """The files that were written, and what the report warns of."""

    files: list[Path]
    warnings: tuple[str, ...]


class Exporting(QObject):
    """Asks where to, takes the result between two sweeps and writes it in the background.

    `exported` carries the files that were written.
    """

    exported = Signal(list)

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = controller.window
        # What was written last time is offered first.
        self._parts = EVERYTHING
        self._window.actions_by_name["export"].triggered.connect(self.ask_where_to_export)

    @Slot()
    def ask_where_to_export(self) -> None:
        """Choose a folder and an estimate."""
        self._ask(self._controller.session, None)

    def ask_where_to_export_kept(self, session: Session, state: RunState) -> None:
        """Choose a folder and an estimate for a result that was kept."""
        self._ask(session, state)

    def _ask(self, session: Session, state: RunState | None) -> None:
        offered = settings().get("files/export") or Path.home() / _FIRST_FOLDER
        snapshot = self._controller.presenter.snapshot
        dialog = ExportDialog(
            [entry.name for entry in session.images], Path(offered), session.estimate, self._window,
            snapshot.figures.light if state is None and snapshot is not None else None,
            self._parts,
        )  # fmt: skip
        dialog.accepted.connect(partial(self._chosen, dialog, session, state))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _chosen(self, dialog: ExportDialog, session: Session, state: RunState | None) -> None:
        if dialog.choice is None:
            return
        settings().set("files/export", str(dialog.choice.folder))
        self._parts = dialog.choice.parts
        if state is None:
            self.export(dialog.choice)
        else:
            self.export_kept(dialog.choice, session, state)

    def export(self, choice: ExportChoice) -> None:
        """Write the present result into a folder."""
        session = self._controller.session.replace(estimate=choice.estimate)
        self._begin(choice).of_present(session)

    def export_kept(self, choice: ExportChoice, session: Session, state: RunState) -> None:
        """Write a result that was kept into a folder."""
        session = session.replace(estimate=choice.estimate)
        self._begin(choice).of_kept(session, state)

    def _begin(self, choice: ExportChoice) -> _Export:
        folder = choice.folder
        hide_folder(folder)
        export = _Export(self._controller, choice, self)
        export.written.connect(partial(self._tell, folder))
        return export

    def _tell(self, folder: Path, written: Written) -> None:
        note = f"{len(written.files)} files were written into {folder}."
        self._window.message_bar.show_note(" ".join([note, *written.warnings]), folder)
        self.exported.emit(written.files)


class _Export(QObject):
    """One export with its dialog: first a question to the run, if it is the present one."""

    written = Signal(object)

    def __init__(self, controller: Controller, choice: ExportChoice, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._choice = choice
        self._question: Question[Result] | None = None
        self._job: Job[Written] | None = None
        self._dialog = ProgressDialog("Exporting results", controller.window)
        self._dialog.cancelled.connect(self._stop)
        self._dialog.finished.connect(self._dialog.deleteLater)
        controller.ticked.connect(self._show_progress)
        self._dialog.show()

    def of_present(self, session: Session) -> None:
        """Ask the run for its result as this session shows it, and write that."""
        self._question = self._controller.chain.ask(
            partial(_result, session), self._write, self._fail
        )

    def of_kept(self, session: Session, state: RunState) -> None:
        """Write the result of a run that was kept with this session."""
        known, prepared = dict(self._controller.images), self._controller.prepared
        self._start(partial(_write_kept, session, state, known, prepared, self._choice))

    def _write(self, result: Result) -> None:
        self._start(partial(_write_results, result, self._choice))

    def _start(self, work: Work[Written]) -> None:
        self._job = self._controller.jobs.start(work, self._done, self._fail, name="export")

    def _done(self, written: Written) -> None:
        self._end()
        self.written.emit(written)

    def _fail(self, error: Exception) -> None:
        self._end()
        self._controller.error_raised.emit(error)

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
    from pmlda_gui.workspace.run_result import result_of

    return result_of(run, session)


def _write_kept(
    session: Session,
    state: RunState,
    known: Mapping[ImageEntry, Image],
    previous: Prepared | None,
    choice: ExportChoice,
    progress: Progress,
) -> Written:
    """Bring the kept run back, beside the one in the window, and write what it has found."""
    from pmlda_gui.workspace.undo_states import resume_state

    _, prepared = background_tasks.prepare_session(
        session, known, previous, progress.part(0.0, 0.5)
    )
    run = resume_state(state, prepared, session.parameters)
    try:
        result = _result(session, run)
    finally:
        run.close()
    return _write_results(result, choice, progress.part(0.5, 1.0))


def _write_results(result: Result, choice: ExportChoice, progress: Progress) -> Written:
    from pmlda_gui.workspace.export import write_results
    from pmlda_gui.workspace.export.write import EVERYTHING as ALL_PARTS

    writing = progress.part(0.0, 1.0, "Writing maps, polygons, pictures and the report").named(
        "The export", "; files already written are whole"
    )
    writing.report(0.0)
    parts = frozenset(part for part in ALL_PARTS if part in choice.parts)
    return Written(write_results(result, choice.folder, writing, parts), tuple(result.warnings))
