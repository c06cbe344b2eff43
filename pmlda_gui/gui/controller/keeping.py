"""Loses nothing: saves in the background, and at the next start offers to go on."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller import loading
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.recovery import RecoveryDialog
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Loaded
    from pmlda_gui.workspace.autosave import Autosaver
    from pmlda_gui.workspace.locking import Lock
    from pmlda_gui.workspace.recovery import Recoverable
    from pmlda_gui.workspace.run import Run

__all__ = ["Keeping"]

# The window is gone by then: nobody waits, and a large workspace takes its time.
_WRITING_SECONDS = 20.0

log = logging.getLogger(__name__)


class Keeping(QObject):
    """Autosaves whatever has changed since it was opened or saved."""

    def __init__(self, controller: Controller, files: Files) -> None:
        super().__init__(controller)
        self._controller = controller
        self._files = files
        self._autosaver: Autosaver | None = None
        self._trouble: str | None = None
        self._claimed: tuple[Recoverable, Lock] | None = None
        self._taken_at_end = False
        controller.ticked.connect(self._save_if_due)
        controller.jobs.succeeded.connect(self._job_succeeded)
        files.path_changed.connect(self._settle)
        files.recovered.connect(self._adopt)

    # -- work that an earlier program left ---------------------------------------------------

    def look_for_work(self) -> None:
        """Look in the background for work that an earlier program left behind."""
        self._controller.jobs.start("look for work", _found)

    @Slot(str, object)
    def _job_succeeded(self, name: str, result: Any) -> None:
        if name == "look for work" and result:
            self.offer(result)
        elif name == "recover":
            self._release_claim()
            recoverable, lock, loaded = result
            self._claimed = (recoverable, lock)
            self._files.take_up(loaded, loaded.origin, saved=False)

    @Slot()
    def _adopt(self) -> None:
        """Go on saving where the recovered work lies, so that it is never there twice."""
        from pmlda_gui.workspace.autosave import Autosaver

        assert self._claimed is not None
        if self._autosaver is not None:
            self._autosaver.close(discard=True)
        (recoverable, lock), self._claimed = self._claimed, None
        log.info("recovered the work autosaved at %s", recoverable.saved)
        self._autosaver = Autosaver(path=recoverable.file, lock=lock)
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
            try:
                recovery.discard(dialog.chosen)
            except PmldaError as error:
                self._controller.troubled.emit(error)
        elif dialog.answer == "recover":
            self._controller.jobs.start("recover", partial(_recover, dialog.chosen))

    def _release_claim(self) -> None:
        """Leave work that was chosen but not opened, because images are missing, say."""
        if self._claimed is not None:
            self._claimed[1].release()
            self._claimed = None

    # -- while the program runs --------------------------------------------------------------

    @Slot()
    def _settle(self) -> None:
        """What is in a file now, or was given up for something else, needs no recovery."""
        if self._autosaver is None:
            return
        if self._controller.has_unsaved_work:
            self._save(now=True)
        else:
            self._autosaver.drop()

    @Slot()
    def _save_if_due(self) -> None:
        if not self._controller.has_unsaved_work:
            return
        autosaver = self._own_autosaver()
        autosaver.interval = 60.0 * settings().get("files/autosave_minutes")
        if autosaver.trouble != self._trouble:
            self._trouble = autosaver.trouble
            if self._trouble is not None:
                self._controller.window.message_bar.show_warning(self._trouble)
        if autosaver.due:
            self._save(now=False)

    def _own_autosaver(self) -> Autosaver:
        if self._autosaver is None:
            from pmlda_gui.workspace.autosave import Autosaver

            self._autosaver = Autosaver()
        return self._autosaver

    def _save(self, now: bool) -> None:
        if self._controller.chain.exists:
            self._controller.chain.ask("autosave", self._offer(now), _ignore)
        else:
            self._offer(now)(None)

    def _offer(self, now: bool) -> Callable[[Run | None], bool]:
        """What the thread of the run calls to have the present state saved."""
        offer, session = self._own_autosaver().offer, self._controller.session
        arrays, path = dict(self._files.arrays), self._files.path

        def saved(run: Run | None) -> bool:
            return offer(session, run, arrays, path, now)

        return saved

    def save_now(self, seconds: float = _WRITING_SECONDS) -> bool:
        """Autosave unsaved work and wait until it is written; whether that was in time.

        For when the system asks: what comes next may be the end.
        """
        if not self._controller.has_unsaved_work:
            return True
        deadline = time.monotonic() + seconds
        offer, taken = self._offer(now=True), threading.Event()

        def saved(run: Run | None) -> bool:
            try:
                return offer(run)
            finally:
                taken.set()

        if self._controller.chain.exists:
            self._controller.chain.ask("autosave", saved, _ignore)
        else:
            saved(None)
        in_time = taken.wait(seconds)
        left = max(0.0, deadline - time.monotonic())
        return self._own_autosaver().flush(left) and in_time

    # -- the end -----------------------------------------------------------------------------

    @property
    def farewell(self) -> Callable[[Run], Any] | None:
        """What the thread of the run has to do last, if unsaved work is left."""
        if not self._controller.has_unsaved_work:
            return None
        offer = self._offer(now=True)

        def saved(run: Run) -> None:
            self._taken_at_end = True
            offer(run)

        return saved

    def shut_down(self, chain_ended: bool) -> None:
        """An orderly end: what was never saved stays for the next start.

        `chain_ended` says that the thread of the run has done what it had to do last.
        """
        self._release_claim()
        if not self._controller.has_unsaved_work:
            if self._autosaver is not None:
                self._autosaver.close(discard=True)
            return
        autosaver = self._own_autosaver()
        if chain_ended and not self._taken_at_end:
            # There was no run yet, so the settings are all there is to keep.
            self._offer(now=True)(None)
        if autosaver.flush(_WRITING_SECONDS):
            autosaver.close(discard=False)
        else:
            log.warning("there was no time to autosave the last changes")


def _found(progress: loading.Progress, cancel: loading.Cancel) -> list[Recoverable]:
    from pmlda_gui.workspace import recovery

    return recovery.found()


def _recover(
    recoverable: Recoverable, progress: loading.Progress, cancel: loading.Cancel
) -> tuple[Recoverable, Lock, Loaded]:
    from pmlda_gui.workspace import recovery

    lock = recovery.claim(recoverable)
    try:
        return recoverable, lock, recovery.recover(recoverable)
    except BaseException:
        lock.release()
        raise


def _ignore(_answer: object) -> None:
    """Nobody waits for this answer."""
