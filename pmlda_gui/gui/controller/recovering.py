"""Offers at the start to recover unsaved work of an earlier program."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_jobs import Resumed
from pmlda_gui.gui.controller.resuming import Resuming
from pmlda_gui.gui.dialogs.recovery import RecoveryDialog
from pmlda_gui.workspace.shared_file import stamp_of

if TYPE_CHECKING:
    from pmlda_gui.workspace.archive import Loaded
    from pmlda_gui.workspace.locking import Lock
    from pmlda_gui.workspace.recovery import Recoverable

__all__ = ["Recovering"]

log = logging.getLogger(__name__)


class Recovering(QObject):
    """Looks for such work, asks about it, and opens what is chosen.

    `recovered` carries the work that is open now and its lock, which is the receiver's.
    """

    recovered = Signal(object, object)

    def __init__(self, controller: Controller, resuming: Resuming) -> None:
        super().__init__(controller)
        self._controller = controller
        self._resuming = resuming
        # Locks of work that is chosen but not open yet.
        self._claims: list[Lock] = []

    def look_for_work(self) -> None:
        """Look in the background for work that an earlier program left behind."""
        self._controller.jobs.start(_found, self._offer_any, name="look for work", quiet=True)

    def _offer_any(self, found: list[Recoverable]) -> None:
        if found:
            self.offer(found)

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
                self._controller.error_raised.emit(error)
        elif dialog.answer == "recover":
            self._controller.jobs.start(
                partial(self._claimed, dialog.chosen),
                partial(self._open, dialog.chosen),
                name="recover",
            )

    def _claimed(self, recoverable: Recoverable, progress: Progress) -> tuple[Lock, Loaded]:
        """Lock and read it, on a thread of its own."""
        from pmlda_gui.workspace import recovery

        lock = recovery.claim(recoverable)
        self._claims.append(lock)
        try:
            return lock, recovery.recover(recoverable)
        except BaseException:
            self._give_up(lock)
            raise

    def _open(self, recoverable: Recoverable, read: tuple[Lock, Loaded]) -> None:
        lock, loaded = read
        take = partial(self._take_up, recoverable, lock)
        self._resuming.complete(loaded, take, partial(self._give_up, lock))

    def _take_up(self, recoverable: Recoverable, lock: Lock, resumed: Resumed) -> None:
        if lock not in self._claims:
            return
        path = resumed.loaded.origin
        self._resuming.take_up(resumed, path, None if path is None else stamp_of(path))
        self._controller.history.mark_unsaved()
        if resumed.loaded.missing:
            # What was opened lacks images, and with them the run: the autosave keeps both.
            log.info("some of the work autosaved at %s was taken up", recoverable.saved)
            self._give_up(lock)
            return
        log.info("recovered the work autosaved at %s", recoverable.saved)
        self._claims.remove(lock)
        self.recovered.emit(recoverable, lock)

    def _give_up(self, lock: Lock) -> None:
        """Leave work that was chosen but not opened, because images are missing, say."""
        if lock in self._claims:
            self._claims.remove(lock)
            lock.release()

    def shut_down(self) -> None:
        """Leave whatever is not open."""
        for lock in tuple(self._claims):
            self._give_up(lock)


def _found(progress: Progress) -> list[Recoverable]:
    from pmlda_gui.workspace import recovery

    return recovery.found()
