"""One slot between the worker and the window: the newest frame wins.

A signal for each sweep would fill the window's event queue faster than it can
paint; here a slow window merely sees fewer frames.  Scalars, of which none may be
lost, wait in a list beside the slot and leave with it.
"""

from __future__ import annotations

import math
import threading
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Mailbox", "Scalar"]

Letter = TypeVar("Letter")


class Scalar(NamedTuple):
    """One sweep: its number, and its log joint divided by the number of words.

    `held_out` is how well it explains words never used for learning, NaN where not looked at.
    """

    run: int
    sweep: int
    log_joint: float
    held_out: float = math.nan


class Mailbox(Generic[Letter]):
    """Holds at most one letter and the scalars since the last emptying; for any threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._letter: Letter | None = None
        self._scalars: list[Scalar] = []

    def put(self, letter: Letter) -> None:
        """Replace whatever lies in the slot."""
        with self._lock:
            self._letter = letter

    def note(self, *scalars: Scalar) -> None:
        """Add scalars; none is ever dropped."""
        with self._lock:
            self._scalars.extend(scalars)

    @property
    def empty(self) -> bool:
        """Whether the slot is free: a snapshot put now would replace none."""
        return self._letter is None

    def take(self) -> tuple[Letter | None, list[Scalar]]:
        """Empty the box: the newest letter, None if there is none, and all scalars in order."""
        with self._lock:
            letter, self._letter = self._letter, None
            scalars, self._scalars = self._scalars, []
        return letter, scalars
