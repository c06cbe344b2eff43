"""Opens workspaces: finds and reads their images, and continues their runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_jobs import Resumed, load_workspace, resume_workspace
from pmlda_gui.gui.controller.file_progress import FileProgress
from pmlda_gui.gui.controller.replacing import Agreement, Replacing
from pmlda_gui.gui.controller.workspace_file import WorkspaceFile
from pmlda_gui.gui.dialogs.missing import MissingImagesDialog

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Loaded
    from pmlda_gui.workspace.shared_file import Stamp

__all__ = ["Resuming"]

_MOST_NAMES = 3


class Resuming(QObject):
    """Takes up workspaces that were saved, or left behind by an earlier program."""

    def __init__(self, controller: Controller, file: WorkspaceFile, replacing: Replacing) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = controller.window
        self._file = file
        self._replacing = replacing

    def open(self, path: Path) -> None:
        """Open a workspace instead of what is open, which the operator has agreed to."""
        agreement = Agreement.now(self._controller)

        def complete(loaded: Loaded) -> None:
            take = partial(self.take_up, path=loaded.path, stamp=loaded.stamp)
            self._complete(loaded, agreement, take, None)

        self._replacing.start("load", partial(load_workspace, path), complete)

    def take_up(self, resumed: Resumed, path: Path | None, stamp: Stamp | None) -> None:
        """Have a workspace open that was read; it belongs to `path`, which it may not match.

        Without some of its images it is another workspace: the file keeps the run on all of
        them, and belongs to it no more.
        """
        loaded = resumed.loaded
        if loaded.missing:
            path = stamp = None
        run, former = resumed.run, resumed.former
        self._file.become(loaded.session, resumed.images, path, stamp, loaded.arrays, run, former)
        if path is not None:
            self._file.recent.remember(path)
        if loaded.missing:
            self._window.message_bar.show_note(_left_out(loaded))
        elif loaded.notes:
            self._window.message_bar.show_notes(loaded.notes)

    def complete(
        self, loaded: Loaded, take: Callable[[Resumed], None], give_up: Callable[[], None]
    ) -> None:
        """Find and read the images of a workspace; `take` it then, or `give_up`."""
        self._complete(loaded, Agreement.now(self._controller), take, give_up)

    def _complete(
        self,
        loaded: Loaded,
        agreement: Agreement,
        take: Callable[[Resumed], None],
        give_up: Callable[[], None] | None,
    ) -> None:
        resume = partial(self._resume, agreement, take, give_up)
        if not loaded.missing:
            resume(loaded)
            return
        dialog = MissingImagesDialog(loaded.missing, self._window)
        dialog.accepted.connect(partial(_found, dialog, loaded, resume))
        if give_up is not None:
            dialog.rejected.connect(give_up)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _resume(
        self,
        agreement: Agreement,
        take: Callable[[Resumed], None],
        give_up: Callable[[], None] | None,
        loaded: Loaded,
    ) -> None:
        def replace_by(resumed: Resumed) -> None:
            self._replacing.replace(agreement, partial(take, resumed))

        def fail(error: Exception) -> None:
            if give_up is not None:
                give_up()
            self._controller.error_raised.emit(error)

        job = self._replacing.start("resume", partial(resume_workspace, loaded), replace_by, fail)
        FileProgress(self._controller, job, "Opening the workspace")


def _left_out(loaded: Loaded) -> str:
    names = ", ".join(entry.name for entry in loaded.missing[:_MOST_NAMES])
    more = len(loaded.missing) - _MOST_NAMES
    return (
        f"This is a new workspace without {names}{f' and {more} more' if more > 0 else ''}, and "
        "its chain begins anew. What was sampled on all images is still where it was saved."
    )


def _found(dialog: MissingImagesDialog, loaded: Loaded, resume: Callable[[Loaded], None]) -> None:
    """Go on with the images that the operator has found."""
    missing = loaded.missing
    for number, path in dialog.found.items():
        loaded = loaded.with_image(missing[number], path)
    resume(loaded)
