"""Tries how many topics suit the images, in the background, and takes what is suggested."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.panels.model_section import with_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from pmlda_gui.core.parameters import Parameters
    from pmlda_gui.gui.dialogs.topic_count import TopicCountDialog
    from pmlda_gui.gui.jobs import Job
    from pmlda_gui.workspace.analysis.topic_count import TopicCounts
    from pmlda_gui.workspace.preparation import Prepared

__all__ = ["TopicCounting"]

_NOTHING = "Open an image first: how many topics there are is asked of its words."


class TopicCounting(QObject):
    """Joins the command, the job and the dialog."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._dialog: TopicCountDialog | None = None
        self._job: Job[TopicCounts] | None = None
        window.actions_by_name["count_topics"].triggered.connect(self.begin)
        window.parameters.topic_count_requested.connect(self.begin)
        controller.ticked.connect(self._show_progress)

    @Slot()
    def begin(self) -> None:
        """Try 2 to 8 topics on the images as they are prepared now."""
        from pmlda_gui.gui.dialogs.topic_count import TopicCountDialog

        prepared = self._controller.prepared
        if prepared is None:
            self._controller.error_raised.emit(PmldaError(_NOTHING))
            return
        if self._dialog is not None:
            self._dialog.raise_()
            return
        self._dialog = dialog = TopicCountDialog(self._window)
        dialog.taken.connect(self._take)
        dialog.finished.connect(self._end)
        dialog.open()
        parameters = self._controller.session.parameters
        self._job = self._controller.jobs.start(
            partial(_counted, prepared, parameters), self._show, self._tell, name="count topics"
        )

    @Slot()
    def _show_progress(self) -> None:
        if self._dialog is not None and self._job is not None and self._job.under_way:
            self._dialog.set_progress(self._job.progress.fraction)

    def _show(self, counts: TopicCounts) -> None:
        if self._dialog is not None:
            self._dialog.set_counts(counts, self._controller.session.parameters.topics)

    def _tell(self, error: Exception) -> None:
        if self._dialog is not None and isinstance(error, PmldaError):
            self._dialog.set_failed(str(error))
        else:
            self._controller.error_raised.emit(error)

    @Slot()
    def _end(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job = self._dialog = None

    @Slot(int)
    def _take(self, topics: int) -> None:
        parameters = with_topics(self._controller.session.parameters, topics)
        self._controller.do(f"Take {topics} topics", parameters=parameters)


def _counted(
    prepared: Prepared,
    parameters: Parameters,
    progress: Callable[[float, str], None],
    cancel: Callable[[], bool],
) -> TopicCounts:
    """The job itself."""
    from pmlda_gui.workspace.analysis.topic_count import count_topics

    def report(fraction: float) -> None:
        progress(fraction, "Trying numbers of topics")

    return count_topics(prepared, parameters, progress=report, cancel=cancel)
