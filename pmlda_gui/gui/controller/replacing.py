"""Replaces the open workspace by another, after asking about unsaved work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.saving import Saving
from pmlda_gui.gui.jobs import Job, Work
from pmlda_gui.workspace.session import Session

__all__ = ["Agreement", "Replacing"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Agreement:
    """What was open when the operator agreed to replace it, and whether that was unsaved."""

    session: Session
    unsaved: bool

    @classmethod
    def now(cls, controller: Controller) -> Agreement:
        """The operator agrees at this moment."""
        return cls(controller.session, controller.has_unsaved_work)

    def covers(self, controller: Controller) -> bool:
        """Whether nothing is open by now that the operator has not agreed to give up."""
        return controller.session == self.session and (
            self.unsaved or not controller.has_unsaved_work
        )


class Replacing(QObject):
    """Jobs that end in another workspace.

    Before one is begun, unsaved work is asked about, and again if there is other work by
    the time it ends.  When one is begun, the one before it is given up.
    """

    def __init__(self, controller: Controller, saving: Saving) -> None:
        super().__init__(controller)
        self._controller = controller
        self._saving = saving
        self._job: Job[Any] | None = None

    def ask(self, go_on: Callable[[], None]) -> None:
        """Begin what will replace the open work, once the operator agrees."""
        self._saving.ask_before_replacing(partial(self._begin, go_on))

    def _begin(self, go_on: Callable[[], None]) -> None:
        if self._job is not None:
            self._job.cancel()
        go_on()

    def replace(self, agreement: Agreement, become: Callable[[], None]) -> None:
        """Replace the open work; work done since the operator agreed is asked about."""
        if agreement.covers(self._controller):
            become()
        else:
            self._saving.ask_before_replacing(become)

    def start(
        self,
        name: str,
        work: Work[Result],
        take: Callable[[Result], None],
        fail: Callable[[Exception], None] | None = None,
    ) -> Job[Result]:
        """Begin, or go on with, what replaces the open work."""
        self._job = job = self._controller.jobs.start(
            work, take, fail, name=name, instead_of=self._job
        )
        return job
