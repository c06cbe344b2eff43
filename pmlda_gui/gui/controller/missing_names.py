"""Tells the operator when a topic that was named is no longer there."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.view_request import default_topic, given_looks
from pmlda_gui.workspace.session import TopicLook

__all__ = ["MissingNames", "names_missing"]

# Topics that move may be lost and found again; what is gone for so long is gone.
PATIENCE_SECONDS = 1.0


def names_missing(ids: Sequence[int], looks: Sequence[TopicLook]) -> tuple[str, ...]:
    """The names that an operator gave and no topic with these numbers has."""
    return tuple(
        look.name
        for look in given_looks(looks).values()
        if look.id not in ids and look.name != default_topic(look.id).name
    )


class MissingNames(QObject):
    """Compares the names of the session with the topics of the chain."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._known: object = None
        self._missing: tuple[str, ...] = ()
        self._told: tuple[str, ...] = ()
        self._since = 0.0
        controller.ticked.connect(self._look)

    @Slot()
    def _look(self) -> None:
        controller = self._controller
        known = (controller.history, controller.topic_ids, controller.session.topics)
        if known != self._known:
            self._known, self._since = known, time.monotonic()
            # Without topics nothing is known of any.
            self._missing = names_missing(*known[1:]) if controller.topic_ids else ()
        is_over = set(self._missing) <= set(self._told)
        if self._missing != self._told and (
            is_over or time.monotonic() - self._since >= PATIENCE_SECONDS
        ):
            self._tell()

    def _tell(self) -> None:
        new = [name for name in self._missing if name not in self._told]
        window, self._told = self._controller.window, self._missing
        window.topics.set_missing(self._told)
        if new:
            window.message_bar.show_note(_sentence(new))


def _sentence(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    if len(quoted) == 1:
        return (
            f"No topic of its own lies where {quoted[0]} was named. The name is kept until "
            "one does: more topics or Undo may bring it back."
        )
    listed = f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return (
        f"No topics of their own lie where {listed} were named. The names are kept until some do: "
        "more topics or Undo may bring them back."
    )
