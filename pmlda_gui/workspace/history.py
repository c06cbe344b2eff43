"""Undo and redo over whole sessions.

A session is frozen and shares what did not change, so a step is a reference and
every change an operator can make is undone in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pmlda_gui.workspace.session import Session

__all__ = ["History"]

_MERGE_SECONDS = 1.0
_MOST_STEPS = 1000


@dataclass(frozen=True)
class _Step:
    """What a step was called and the session before and after it."""

    text: str
    before: Session
    after: Session
    merge: str | None
    time: float


class History:
    """The present session, the steps that led to it, and those that were undone.

    `clock` gives seconds; only tests need another.
    """

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._saved: Session | None = session
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._clock = clock

    @property
    def session(self) -> Session:
        """The present session."""
        return self._session

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Every session that can be reached by undo and redo, the present one included."""
        steps = (*self._done, *self._undone)
        return (self._session, *(each for step in steps for each in (step.before, step.after)))

    def do(self, text: str, session: Session, merge: str | None = None) -> None:
        """Make `session` the present one; `text` says in the menu what was done.

        Steps with the same `merge` key that follow each other within a second, as
        while a slider is dragged, become one.  What was undone can no longer be
        redone.  A session equal to the present one is no step.
        """
        if session == self._session:
            return
        now = self._clock()
        before = self._session
        last = self._done[-1] if self._done else None
        if (
            last is not None
            and merge is not None
            and last.merge == merge
            and now - last.time <= _MERGE_SECONDS
            and not self._undone
            and last.after is not self._saved
        ):
            self._done.pop()
            before = last.before
        self._undone.clear()
        if session != before:
            self._done.append(_Step(text, before, session, merge, now))
            del self._done[:-_MOST_STEPS]
        self._session = session

    def undo(self) -> None:
        """Go back before the last step, if there is one."""
        if self._done:
            step = self._done.pop()
            self._undone.append(step)
            self._session = step.before

    def redo(self) -> None:
        """Do the step that was undone last again, if there is one."""
        if self._undone:
            step = self._undone.pop()
            self._done.append(step)
            self._session = step.after

    @property
    def texts(self) -> tuple[str, ...]:
        """What was done, oldest first, and what was undone after it."""
        return tuple(step.text for step in (*self._done, *reversed(self._undone)))

    @property
    def done(self) -> int:
        """How many of the steps are in effect."""
        return len(self._done)

    def go_to(self, done: int) -> None:
        """Have the first `done` steps in effect."""
        while self.done > max(done, 0):
            self.undo()
        while self.done < done and self._undone:
            self.redo()

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    @property
    def undo_text(self) -> str:
        """What `undo` would take back; empty if nothing."""
        return self._done[-1].text if self._done else ""

    @property
    def redo_text(self) -> str:
        """What `redo` would do again; empty if nothing."""
        return self._undone[-1].text if self._undone else ""

    @property
    def saved(self) -> bool:
        """Whether the present session is the one that was saved, even if reached by undo."""
        return self._session == self._saved

    def mark_saved(self, session: Session | None = None) -> None:
        """The present session, or the one given, has been saved."""
        self._saved = self._session if session is None else session

    def mark_unsaved(self) -> None:
        """Nothing that is saved matches any session here, as after a recovery."""
        self._saved = None
