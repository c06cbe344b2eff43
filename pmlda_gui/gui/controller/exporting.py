"""Everything `pmlda-gui segment` writes, of the run in the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.gui.controller import loading
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.dialogs.export import ExportChoice, ExportDialog
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.gui.look import arrange
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.workspace.privacy import hide_folder
from pmlda_gui.workspace.session import ImageEntry, Session
from pmlda_gui.workspace.settings import settings
from pmlda_gui.workspace.vocabulary import NO_CODES

if TYPE_CHECKING:
    from pmlda_gui.workspace.export import Result
    from pmlda_gui.workspace.preparation import Prepared
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.run_states import RunState

__all__ = ["Exporting", "merged", "result_of"]

_FIRST_FOLDER = "pmlda-results"
_STOPPED = "The export was stopped; files already written are whole."
_MESSAGE_MILLISECONDS = 4000


class Written(NamedTuple):
    """The files that were written, and what the report warns of."""

    files: list[Path]
    warnings: tuple[str, ...]


class Exporting(QObject):
    """Asks where to, takes the result between two sweeps and writes it in the background."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = controller.window
        self._dialog: ProgressDialog | None = None
        self._folder = Path()
        self._window.actions_by_name["export"].triggered.connect(self.ask_where_to_export)
        controller.jobs.succeeded.connect(self._job_succeeded)
        controller.jobs.ended.connect(self._ended)
        controller.chain.refused.connect(self._ended)
        controller.ticked.connect(self._show_progress)

    @Slot()
    def ask_where_to_export(self) -> None:
        """Choose a folder and an estimate."""
        self._ask(self._controller.session, None)

    def ask_where_to_export_kept(self, session: Session, state: RunState) -> None:
        """Choose a folder and an estimate for a result that was kept."""
        self._ask(session, state)

    def _ask(self, session: Session, state: RunState | None) -> None:
        offered = settings().get("files/export") or Path.home() / _FIRST_FOLDER
        dialog = ExportDialog(
            [entry.name for entry in session.images], Path(offered), session.estimate, self._window
        )
        dialog.accepted.connect(partial(self._chosen, dialog, session, state))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _chosen(self, dialog: ExportDialog, session: Session, state: RunState | None) -> None:
        if dialog.choice is None:
            return
        settings().set("files/export", str(dialog.choice.folder))
        if state is None:
            self.export(dialog.choice)
        else:
            self.export_kept(dialog.choice, session, state)

    def export(self, choice: ExportChoice) -> None:
        """Write the present result into a folder."""
        self._show_dialog(choice.folder)
        session = self._controller.session.replace(estimate=choice.estimate)
        self._controller.chain.ask("export", partial(_asked, session), self._write)

    def export_kept(self, choice: ExportChoice, session: Session, state: RunState) -> None:
        """Write a result that was kept into a folder."""
        self._show_dialog(choice.folder)
        session = session.replace(estimate=choice.estimate)
        known = dict(self._controller.images)
        self._controller.jobs.start(
            "export",
            partial(_write_kept, session, state, known, self._controller.prepared, choice.folder),
        )

    def _show_dialog(self, folder: Path) -> None:
        self._folder = folder
        hide_folder(folder)
        self._dialog = ProgressDialog("Exporting results", self._window)
        self._dialog.cancelled.connect(self._cancel)
        self._dialog.finished.connect(self._dialog.deleteLater)
        self._dialog.show()

    def _write(self, result: Result) -> None:
        if self._dialog is None:  # stopped before the chain had answered
            return
        self._controller.jobs.start("export", partial(_write_results, result, self._folder))

    @Slot()
    def _cancel(self) -> None:
        self._controller.jobs.cancel("export")
        self._ended("export")
        self._window.statusBar().showMessage(_STOPPED, _MESSAGE_MILLISECONDS)

    @Slot()
    def _show_progress(self) -> None:
        progress = self._controller.jobs.progress("export")
        if progress is not None and self._dialog is not None:
            self._dialog.set_progress(progress.fraction, progress.text)

    @Slot(str)
    def _ended(self, name: str) -> None:
        if name == "export" and self._dialog is not None:
            self._dialog.finish()
            self._dialog = None

    @Slot(str, object)
    def _job_succeeded(self, name: str, result: Any) -> None:
        if name == "export":
            written: Written = result
            note = f"{len(written.files)} files were written into {self._folder}."
            if written.warnings:
                note = " ".join([note, *written.warnings])
            self._window.message_bar.show_note(note)


def _asked(session: Session, run: Run) -> Result:
    return result_of(run, session)


def result_of(run: Run, session: Session) -> Result:
    """The run's result as it is shown: names, colours, order and mergers of the operator."""
    from pmlda_gui.workspace.outcome import result_from

    run.finish_sweep()
    topics = arrange(run.topic_ids, session.topics)
    members = [list(topic.members) for topic in topics]
    codes = {look.id: look.codes for look in session.topics}
    return result_from(
        run,
        session,
        [merged(each, members) for each in run.segmentations(session.estimate)],
        [topic.name for topic in topics],
        [topic.colour for topic in topics],
        [codes.get(topic.identity, NO_CODES) for topic in topics],
    )


def merged(segmentation: Segmentation, members: list[list[int]]) -> Segmentation:
    """The topics added up and ordered as shown; of merged topics the means are averaged.

    The deviation of a sum of memberships is not known; the largest of its parts stands for it.
    """
    uncertainty, proportions = segmentation.uncertainty, segmentation.proportions
    return replace(
        segmentation,
        memberships=np.stack([segmentation.memberships[each].sum(axis=0) for each in members]),
        uncertainty=None
        if uncertainty is None
        else np.stack([uncertainty[each].max(axis=0) for each in members]),
        means=np.stack([segmentation.means[each].mean(axis=0) for each in members]),
        proportions=None
        if proportions is None
        else np.stack([proportions[:, each].sum(axis=1) for each in members], axis=1),
    )


def _write_kept(
    session: Session,
    state: RunState,
    known: Mapping[ImageEntry, Image],
    previous: Prepared | None,
    folder: Path,
    progress: loading.Progress,
    cancel: loading.Cancel,
) -> Written:
    """Bring the kept run back, beside the one in the window, and write what it has found."""
    from pmlda_gui.workspace.run_states import resume_state

    _, prepared = loading.prepare_session(session, known, previous, progress, cancel)
    run = resume_state(state, prepared, session.parameters)
    try:
        result = result_of(run, session)
    finally:
        run.close()
    return _write_results(result, folder, progress, cancel)


def _write_results(
    result: Result, folder: Path, progress: loading.Progress, cancel: loading.Cancel
) -> Written:
    from pmlda_gui.workspace.export import write_results

    def report(fraction: float) -> None:
        if cancel():
            raise Cancelled(_STOPPED)
        progress(fraction, "Writing maps, polygons, pictures and the report")

    report(0.0)
    return Written(write_results(result, folder, report), tuple(result.warnings))
