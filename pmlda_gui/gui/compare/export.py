"""Exports a comparison: to the clipboard, as a picture, or as plates and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QFileDialog

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.compare.comparison_controller import ComparisonFlow
from pmlda_gui.gui.jobs import Cancel, Job, Jobs, Progress
from pmlda_gui.gui.picture_file import ask_to_save_picture
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.comparison import MethodResult
from pmlda_gui.workspace.settings import settings
from pmlda_gui.workspace.shown_topics import ShownTopic, merged

__all__ = ["ComparisonExport"]

_FOLDER = "files/compare"


class ComparisonExport(QObject):
    """Writes what a flow has compared, in the words of `pmlda-gui compare`."""

    def __init__(self, flow: ComparisonFlow, jobs: Jobs) -> None:
        super().__init__(flow)
        self._flow = flow
        self._jobs = jobs
        self._job: Job[list[Path]] | None = None
        self._window = flow.window
        self._window.bar.copy_requested.connect(self.copy)
        self._window.bar.save_requested.connect(self._ask_where_to_save)
        self._window.bar.export_requested.connect(self._ask_where_to_export)

    @Slot()
    def copy(self) -> None:
        """Put the columns on the clipboard."""
        QApplication.clipboard().setPixmap(self._window.columns.grab())
        self._window.message_bar.show_note("The picture is on the clipboard.")

    @Slot()
    def _ask_where_to_save(self) -> None:
        warn = self._window.message_bar.show_warning
        picture = self._window.columns.grab().toImage()
        ask_to_save_picture(picture, self._window, "comparison.png", warn)

    @Slot()
    def _ask_where_to_export(self) -> None:
        offered = settings().get(_FOLDER) or str(Path.home())
        folder = QFileDialog.getExistingDirectory(
            self._window, "Folder for the plates and the table", offered
        )
        if folder:
            settings().set(_FOLDER, folder)
            self.export(Path(folder))

    def export(self, folder: Path) -> None:
        """Write a plate of each image and the table of all methods that are done."""
        shown = self._flow.presenter
        if shown.plan is not None and shown.results:
            results = list(shown.results.values())
            write = partial(_write, folder, shown.plan.prepared.images, results, shown.topics)
            self._job = self._jobs.start(
                write, self._tell, self._fail, name="compare export", instead_of=self._job
            )

    def _tell(self, paths: list[Path]) -> None:
        self._window.message_bar.show_note(
            f"{len(paths)} files were written into {paths[0].parent}."
        )

    def _fail(self, error: Exception) -> None:
        """The window that asked says what an operator can mend."""
        if isinstance(error, PmldaError):
            self._window.message_bar.show_warning(str(error))
        else:
            self._jobs.error_raised.emit(error)


def _write(
    folder: Path,
    images: Sequence[Image],
    results: Sequence[MethodResult],
    topics: Sequence[ShownTopic],
    progress: Progress,
    cancel: Cancel,
) -> list[Path]:
    from pmlda_gui.experiments.comparing import Topics, write_comparison

    shown = [
        replace(result, segmentations=[merged(each, topics) for each in result.segmentations])
        for result in results
    ]
    looks = Topics(
        [topic.name for topic in topics], np.array([topic.colour for topic in topics], np.uint8)
    )
    return write_comparison(folder, images, [None] * len(images), shown, looks)
