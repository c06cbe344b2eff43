"""Counts sampling that is in no file as unsaved work."""

from __future__ import annotations

__all__ = ["WORTH_KEEPING_SECONDS", "Sampled"]

# So much sampling is missed when it is gone.
WORTH_KEEPING_SECONDS = 10.0


class Sampled:
    """Seconds that the chains of a workspace have run in this window, one after the other."""

    def __init__(self) -> None:
        self._run = 0
        self._present = self._former = self._kept = 0.0

    def note(self, run: int, seconds: float) -> None:
        """The run with that number has run for so many seconds by now."""
        if run != self._run:
            self._former += self._present
            self._run = run
        self._present = seconds

    @property
    def seconds(self) -> float:
        """All that has been noted."""
        return self._former + self._present

    def mark_kept(self, seconds: float) -> None:
        """So much of it is in a file now."""
        self._kept = max(self._kept, seconds)

    @property
    def worth_keeping(self) -> bool:
        """Whether there is enough beside what is in a file."""
        return self.seconds - self._kept >= WORTH_KEEPING_SECONDS
