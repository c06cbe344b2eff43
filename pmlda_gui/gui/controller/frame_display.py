"""Passes the frames of the chain to the views, the figures and the status bar."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from pmlda_gui.gui.controller.controller import Controller
    from pmlda_gui.gui.frame import Snapshot

__all__ = ["Frames"]

TICK_MILLISECONDS = 25
TRACE_SECONDS = 0.2
# Work that takes less than this needs no progress bar.
PATIENCE_SECONDS = 0.3


class Frames(QObject):
    """The way of a frame from the mailbox to the window."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._trace_due = 0.0
        controller.chain.posted.connect(self.take)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> None:
        """Show nothing more by itself."""
        self._timer.stop()

    @Slot()
    def _tick(self) -> None:
        self.take()
        self.show_progress()
        self._controller.ticked.emit()

    @Slot()
    def take(self) -> None:
        """Show what the worker has sent, if anything."""
        controller = self._controller
        snapshot, scalars = controller.chain.take()
        controller.window.trace.append(scalars)
        if snapshot is not None:
            self._note_sampling(snapshot)
            self.show_progress()
        if snapshot is not None and snapshot.image == controller.current_image:
            controller.presenter.show(snapshot)
            controller.window.chain.set_figures(snapshot.figures)
            if snapshot.scatter is not None:
                controller.window.scatter.set_scatter(snapshot.scatter)
            if snapshot.topic_ids != controller.topic_ids:
                controller.topic_ids = snapshot.topic_ids
                controller.changed.emit(controller.session, controller.session)
        now = time.monotonic()
        if (scalars or snapshot is not None) and now >= self._trace_due:
            self._trace_due = now + TRACE_SECONDS
            if controller.presenter.snapshot is not None:
                controller.window.trace.set_marks(controller.presenter.snapshot.marks)
            controller.window.trace.refresh()

    def _note_sampling(self, snapshot: Snapshot) -> None:
        controller = self._controller
        before = controller.has_unsaved_work
        controller.sampled.note(snapshot.run, snapshot.figures.seconds)
        if controller.has_unsaved_work != before:
            controller.work_changed.emit()

    def show_progress(self) -> None:
        """Say what is being done that takes a while."""
        controller, progress = self._controller, self._controller.preparing.progress
        if progress is None:
            controller.window.set_activity(self._activity())
        elif progress.seconds > PATIENCE_SECONDS:
            controller.window.set_activity(f"{progress.text}…", progress.fraction)

    def _activity(self) -> str:
        """What the chain is doing that the maps do not show."""
        controller = self._controller
        shown = controller.presenter.snapshot
        if controller.chain.starting:
            return "Computing the first map…"
        if shown is not None and not (controller.chain.running or shown.complete):
            return "Refining the maps to every pixel…"
        return ""
