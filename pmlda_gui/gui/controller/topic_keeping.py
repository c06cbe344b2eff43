"""Keeps the topics of the run in a file, to find them in other images."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.workspace.session import Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["TopicKeeping"]

_MESSAGE_MILLISECONDS = 8000
_ENDING = ".topics"


class TopicKeeping(QObject):
    """Joins the command *Keep these topics* with what it does."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._action = window.actions_by_name["keep_topics"]
        self._action.triggered.connect(self._ask)
        controller.ticked.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        self._action.setEnabled(self._controller.presenter.snapshot is not None)

    @Slot()
    def _ask(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, "Keep these topics", f"seabed{_ENDING}", f"Topics (*{_ENDING})"
        )
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix != _ENDING:
            path = path.with_name(path.name + _ENDING)
        question = partial(_write, path, self._controller.session)
        self._controller.chain.ask(question, self._tell, self._fail)

    def _tell(self, path: Path) -> None:
        self._window.statusBar().showMessage(
            f"Wrote {path.name}: segment --topics-from finds these topics in other images.",
            _MESSAGE_MILLISECONDS,
        )

    def _fail(self, error: Exception) -> None:
        self._controller.error_raised.emit(error)


def _write(path: Path, session: Session, run: Run) -> Path:
    """Write the topics of the run, on its thread."""
    from pmlda_gui.workspace.export.atomic import write_whole
    from pmlda_gui.workspace.topic_set import topics_bytes
    from pmlda_gui.workspace.topic_source import topics_of

    return write_whole(path, topics_bytes(topics_of(run, session)))
