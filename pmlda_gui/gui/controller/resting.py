"""When the maps are done the chain rests, and goes on at the next change."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings

__all__ = ["Resting"]


class Resting(QObject):
    """Pauses a chain whose light is green, unless the operator has it run on.

    `rests` says that a chain was paused here.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self.rests = False
        self._runs_on = False
        self._left: tuple[int, int] | None = None
        controller.ticked.connect(self._look)
        controller.changed.connect(self._go_on)
        controller.chain.state_changed.connect(self._notice_run)

    @property
    def _is_final(self) -> bool:
        snapshot = self._controller.presenter.snapshot
        light = None if snapshot is None else snapshot.figures.light
        if light is None or self._place == self._left:
            # What is shown was sampled before the last change, which the chain has yet to take.
            return False
        return light.final

    @property
    def _place(self) -> tuple[int, int] | None:
        """The run that is shown, and how many changes it had taken; None before there is one."""
        snapshot = self._controller.presenter.snapshot
        return None if snapshot is None else (snapshot.run, len(snapshot.marks))

    @Slot()
    def _look(self) -> None:
        """Rest once the light says that more time is of no use."""
        if not self._is_final:
            self._runs_on = False
        elif (
            self._controller.chain.running
            and not self._runs_on
            and settings().get("chain/rest") == "yes"
        ):
            self.rests = True
            self._controller.pause()

    @Slot()
    def _notice_run(self) -> None:
        """Whoever presses Run although the light is final wants more sweeps."""
        if self._controller.chain.running and self.rests:
            self.rests = False
            self._runs_on = True

    @Slot(object, object)
    def _go_on(self, old: Session, new: Session) -> None:
        """What changes the maps wakes a chain that rests here."""
        if _sampled(old) == _sampled(new):
            return
        self._left = self._place
        if self.rests:
            self.rests = False
            self._controller.run()


def _sampled(session: Session) -> tuple[object, ...]:
    """What decides about the maps; the chain samples the same for every estimate."""
    recipe = replace(session.recipe, estimate="mean")
    return session.images, recipe, session.restarts, session.given
