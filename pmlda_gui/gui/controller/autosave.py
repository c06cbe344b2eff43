"""Autosaves in the background whatever is not in a file."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.controller.recovering import Recovering
from pmlda_gui.workspace.settings import settings

if TYPE_CHECKING:
    from pmlda_gui.workspace.autosave import Autosaver
    from pmlda_gui.workspace.locking import Lock
    from pmlda_gui.workspace.recovery import Recoverable
    from pmlda_gui.workspace.run import Run
    from pmlda_gui.workspace.session import Session

__all__ = ["Keeping"]

# What an operator does by hand is autosaved so long after the last step, but no more often
# than takes this share of the time.
SOON_SECONDS = 3.0
_SHARE = 0.05
# The window is gone by then: nobody waits, and a large workspace takes its time.
_WRITING_SECONDS = 20.0

log = logging.getLogger(__name__)


def autosave_seconds() -> float:
    """The time between two autosaves, as the operator has set it."""
    return 60.0 * settings().get("files/autosave_minutes")


class Keeping(QObject):
    """Autosaves whatever has changed since it was opened or saved."""

    def __init__(self, controller: Controller, files: Files, recovering: Recovering) -> None:
        super().__init__(controller)
        self._controller = controller
        self._files = files
        self._autosaver: Autosaver | None = None
        self._trouble: str | None = None
        self._taken_at_end = False
        # When the operator last did something that is in no autosave yet.
        self._stepped: float | None = None
        controller.changed.connect(self._note_step)
        controller.ticked.connect(self._save_if_due)
        files.path_changed.connect(self._settle)
        recovering.recovered.connect(self._adopt)

    @Slot(object, object)
    def _adopt(self, recoverable: Recoverable, lock: Lock) -> None:
        """Go on saving where the recovered work lies, so that it is never there twice."""
        from pmlda_gui.workspace.autosave import Autosaver

        if self._autosaver is not None:
            self._autosaver.close(discard=True)
        self._autosaver = Autosaver(path=recoverable.file, lock=lock)
        self._save(now=True)

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
        autosaver.interval = autosave_seconds()
        if autosaver.trouble != self._trouble:
            self._trouble = autosaver.trouble
            if self._trouble is not None:
                self._controller.window.message_bar.show_warning(self._trouble)
        if autosaver.due:
            self._save(now=False)
        elif self._stepped is not None:
            waited = time.monotonic() - self._stepped
            if waited >= max(SOON_SECONDS, autosaver.cost / _SHARE):
                self._save(now=True)

    @Slot(object, object)
    def _note_step(self, old: Session, new: Session) -> None:
        """A name, a stroke or a setting cannot be computed again as sweeps can."""
        if old != new:
            self._stepped = time.monotonic()

    def _own_autosaver(self) -> Autosaver:
        if self._autosaver is None:
            from pmlda_gui.workspace.autosave import Autosaver

            self._autosaver = Autosaver()
        return self._autosaver

    def _save(self, now: bool) -> None:
        self._stepped = None
        if self._controller.chain.exists:
            self._controller.chain.ask(self._offer(now), on_failed=_not_kept)
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
            self._controller.chain.ask(saved, on_failed=_not_kept)
        else:
            saved(None)
        in_time = taken.wait(seconds)
        left = max(0.0, deadline - time.monotonic())
        return self._own_autosaver().flush(left) and in_time

    # -- the end -----------------------------------------------------------------------------

    @property
    def farewell(self) -> Callable[[Run], object] | None:
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


def _not_kept(error: Exception) -> None:
    """The run is gone, for another one or for none, and the next autosave is about that."""
    log.info("nothing was autosaved: %s", error)
