"""Starts the chain when an image is opened, if the operator wants it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.workspace.session import Session
from pmlda_gui.workspace.settings import settings

__all__ = ["Starting"]


class Starting(QObject):
    """Lets the chain of a new session run; one that was saved rests as it was left."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        controller.changed.connect(self._look)

    @Slot(object, object)
    def _look(self, old: Session, new: Session) -> None:
        controller = self._controller
        new_session = new is not old and bool(new.images) and not controller.history.can_undo
        if new_session and not controller.chain.exists and settings().get("chain/start") == "yes":
            controller.run()
