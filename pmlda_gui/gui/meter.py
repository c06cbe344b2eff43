"""The figures under the maps: how far, how fast, how long, and whether it has settled."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pmlda_gui.gui.snapshot import Figures

if TYPE_CHECKING:
    from pmlda_gui.core.state import Info
    from pmlda_gui.workspace.run import Run

__all__ = ["Meter"]

DIAGNOSIS_SECONDS = 2.0
# A diagnosis rests this many times as long as it took.
DIAGNOSIS_REST = 20.0
# Weight of the newest sweep in the words per second shown.
SPEED_GAIN = 0.1


class Meter:
    """Keeps the figures of one run up to date."""

    def __init__(self, run: Run) -> None:
        self.figures = Figures(
            sweep=run.sweeps,
            stride=run.stride,
            words=run.chain.corpus.size,
            sampler=run.chain.sampler,
        )
        self._diagnosis_due = 0.0

    def record(self, run: Run, info: Info, seconds: float) -> None:
        """Take note of a sweep, or a part of one, that took so long."""
        words = run.chain.corpus.size
        figures = replace(
            self.figures,
            sweep=run.sweeps,
            stride=run.stride,
            words=words,
            seconds=self.figures.seconds + seconds,
        )
        if info.finished:
            speed = words / max(info.seconds, 1e-9)
            first = figures.words_per_second == 0.0 or words != self.figures.words
            gain = 1.0 if first else SPEED_GAIN
            shown = figures.words_per_second + gain * (speed - figures.words_per_second)
            figures = replace(figures, words_per_second=shown, steps=dict(info.steps))
        self.figures = figures
        if info.finished and time.perf_counter() >= self._diagnosis_due:
            began = time.perf_counter()
            diagnosis = run.diagnosis()
            ended = time.perf_counter()
            self.figures = replace(
                figures, verdict=diagnosis.verdict, sizes=diagnosis.ess, rhat=diagnosis.rhat
            )
            self._diagnosis_due = ended + max(DIAGNOSIS_SECONDS, DIAGNOSIS_REST * (ended - began))
