"""Loses nothing: saves in the background, and at the next start offers to go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller import loading
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.recovery import RecoveryDialog

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Loaded
    from pmlda_gui.workspace.autosave import Autosaver
    from pmlda_gui.workspace.recovery import Recoverable
    from pmlda_gui.workspace.run import Run

__all__ = ["Keeping"]

_PATIENCE_SECONDS = 0.4


class Keeping(QObject):
    """Autosaves whatever has changed since it was opened or saved."""

    def __init__(self, controller: Controller, files: Files) -> None:
        super().__init__(controller)
        self._controller = controller
        self._files = files
        self._autosaver: Autosaver | None = None
        self._trouble: str | None = None
        self._recovered: Recoverable | None = None
        controller.ticked.connect(self._save_if_due)
        controller.jobs.succeeded.connect(self._job_succeeded)
        files.recovered.connect(self._adopt)

    def look_for_work(self) -> None:
        """Look in the background for work that an earlier program left behind."""
        self._controller.jobs.start("look for work", _found)

    @Slot(str, object)
    def _job_succeeded(self, name: str, result: Any) -> None:
        if name == "look for work" and result:
            self.offer(result)
        elif name == "recover":
            self._recovered, loaded = result
            self._files.take_up(loaded, loaded.origin, saved=False)

    @Slot()
    def _adopt(self) -> None:
        """Go on saving where the recovered work lies, so that it is never there twice."""
        from pmlda_gui.workspace.autosave import Autosaver

        assert self._recovered is not None
        if self._autosaver is not None:
            self._autosaver.close(discard=True)
        self._autosaver = Autosaver(path=self._recovered.file)
        self._save(now=True)

    def offer(self, found: list[Recoverable]) -> None:
        """Ask whether to go on with one of these."""
        dialog = RecoveryDialog(found, self._controller.window)
        dialog.accepted.connect(partial(self._answered, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _answered(self, dialog: RecoveryDialog) -> None:
        from pmlda_gui.workspace import recovery

        if dialog.answer == "discard":
            recovery.discard(dialog.chosen)
        elif dialog.answer == "recover":
            self._controller.jobs.start("recover", partial(_recover, dialog.chosen))

    @Slot()
    def _save_if_due(self) -> None:
        if not self._controller.has_unsaved_work:
            return
        if self._autosaver is None:
            from pmlda_gui.workspace.autosave import Autosaver

            self._autosaver = Autosaver()
        if self._autosaver.trouble != self._trouble:
            self._trouble = self._autosaver.trouble
            if self._trouble is not None:
                self._controller.window.message_bar.show_warning(self._trouble)
        if self._autosaver.due:
            self._save(now=False)

    def _save(self, now: bool) -> None:
        if self._controller.chain.exists:
            self._controller.chain.ask("autosave", self._offer(now), _ignore)
        else:
            self._offer(now)(None)

    def _offer(self, now: bool) -> Callable[[Run | None], bool]:
        """What the thread of the run calls to have the present state saved."""
        assert self._autosaver is not None
        offer, session = self._autosaver.offer, self._controller.session
        arrays, path = dict(self._files.arrays), self._files.path

        def saved(run: Run | None) -> bool:
            return offer(session, run, arrays, path, now)

        return saved

    @property
    def farewell(self) -> Callable[[Run], Any] | None:
        """What the thread of the run has to do last, if unsaved work is left."""
        return (
            self._offer(now=True) if self._autosaver and self._controller.has_unsaved_work else None
        )

    def shut_down(self) -> None:
        """An orderly end.

        What was never saved stays for the next start; there is no time to wait for a
        large one to be written, in that case the version before stays.
        """
        if self._autosaver is None:
            return
        if not self._controller.has_unsaved_work:
            self._autosaver.close(discard=True)
        elif self._autosaver.flush(_PATIENCE_SECONDS):
            self._autosaver.close(discard=False)


def _found(progress: loading.Progress, cancel: loading.Cancel) -> list[Recoverable]:
    from pmlda_gui.workspace import recovery

    return recovery.found()


def _recover(
    recoverable: Recoverable, progress: loading.Progress, cancel: loading.Cancel
) -> tuple[Recoverable, Loaded]:
    from pmlda_gui.workspace import recovery

    return recoverable, recovery.recover(recoverable)


def _ignore(_answer: object) -> None:
    """Nobody waits for this answer."""
