"""Looks now and then how well a run explains words it never learned from."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from pmlda_gui.workspace.analysis.held_out import HeldOut

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["HeldOutLook"]

# No sooner than this and no later, and for no more than about this share of the time.
_AGAIN_SECONDS, _LATEST_SECONDS, _SHARE = 0.1, 1.0, 0.03


class HeldOutLook:
    """Scores the newest draw of a run, if it is time."""

    def __init__(self) -> None:
        self._held_out: HeldOut | None = None
        self._due = 0.0

    def look(self, run: Run) -> float:
        """The mean log predictive of a held-out word, NaN if it is not time or none are left."""
        began = time.perf_counter()
        if began < self._due:
            return math.nan
        if self._held_out is None or self._held_out.prepared is not run.prepared:
            self._held_out = HeldOut(run.prepared)
            began = time.perf_counter()
        score = self._held_out.score(run.chain.draws[-1], run.parameters_in_effect)
        ended = time.perf_counter()
        wait = max(_AGAIN_SECONDS, (ended - began) / _SHARE)
        self._due = ended + min(wait, _LATEST_SECONDS)
        return score
