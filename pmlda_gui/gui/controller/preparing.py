"""Prepares documents and words in the background once the session stops changing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.jobs import Job, JobProgress, Jobs
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.session import ImageEntry, Session

if TYPE_CHECKING:
    from pmlda_gui.workspace.preparation import Prepared

__all__ = ["Preparing"]

SETTLING_MILLISECONDS = 120
Answer = tuple[background_tasks.Opened, "Prepared"]


class Preparing(QObject):
    """One preparation at a time: a new one takes the place of that under way."""

    def __init__(
        self,
        jobs: Jobs,
        on_done: Callable[[Answer], None],
        on_failed: Callable[[Exception], None],
        start_now: Callable[[], None],
    ) -> None:
        super().__init__(jobs)
        self._jobs = jobs
        self._on_done, self._on_failed = on_done, on_failed
        self._job: Job[Answer] | None = None
        self._offered: Prepared | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLING_MILLISECONDS)
        self._soon.timeout.connect(start_now)

    def start_soon(self) -> None:
        """Begin in a moment: a slider on its way passes many values, and the last counts."""
        self._soon.start()

    def offer(self, prepared: Prepared) -> None:
        """The next preparation may take over parts of this one, which was made elsewhere."""
        self._offered = prepared

    def start(
        self, session: Session, known: Mapping[ImageEntry, Image], before: Prepared | None
    ) -> None:
        """Read what is not `known`, and make documents and words; parts of those `before` stay."""
        self._soon.stop()
        before, self._offered = self._offered or before, None
        self._job = self._jobs.start(
            partial(background_tasks.prepare_session, session, known, before),
            self._on_done,
            self._on_failed,
            name="prepare",
            instead_of=self._job,
        )

    @Slot()
    def stop(self) -> None:
        """Nobody needs it any more."""
        self._soon.stop()
        if self._job is not None:
            self._job.cancel()

    @property
    def progress(self) -> JobProgress | None:
        """How far it is, None if nothing is being made."""
        return None if self._job is None or not self._job.under_way else self._job.progress

    @property
    def awaited(self) -> bool:
        """Whether documents and words are being made, or about to be."""
        return self._soon.isActive() or self.progress is not None
