"""The figures under the maps: how far, how fast, how long, and whether it has settled."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pmlda_gui.gui.frame import Figures

if TYPE_CHECKING:
    from pmlda_gui.core.state import Info
    from pmlda_gui.workspace.run import Run

__all__ = ["Meter"]

TOO_EARLY = "too early to tell"
DIAGNOSIS_SECONDS = 1.0
# After a change there is none for so long.
QUIET_SECONDS = 1.0
# A diagnosis rests this many times as long as it took.
DIAGNOSIS_REST = 20.0
# Nor is it made before there are so many times as many sweeps as at the last.
NEWS_PER_SWEEP = 1.02
# Weight of the newest sweep in the words per second shown.
SPEED_GAIN = 0.1


class Meter:
    """Keeps the figures of one run up to date."""

    def __init__(self, run: Run) -> None:
        self.figures = Figures(
            sweep=run.sweeps,
            stride=run.prepared.stride,
            words=run.words,
            all_words=run.prepared.corpus.size,
            sampler=run.sampler,
        )
        self._diagnosis_due = 0.0
        self._diagnosed = 0
        self._marks = -1

    def record(self, run: Run, info: Info, seconds: float) -> None:
        """Take note of some sweeps, or a part of one, that took so long; `info` is the last's."""
        words = run.words
        self._notice_change(run)
        figures = replace(
            self.figures,
            sweep=run.sweeps,
            stride=run.prepared.stride,
            words=words,
            all_words=run.prepared.corpus.size,
            seconds=self.figures.seconds + seconds,
        )
        if info.finished:
            speed = words / max(info.seconds, 1e-9)
            first = figures.words_per_second == 0.0 or words != self.figures.words
            gain = 1.0 if first else SPEED_GAIN
            shown = figures.words_per_second + gain * (speed - figures.words_per_second)
            figures = replace(figures, words_per_second=shown, steps=dict(info.steps))
        self.figures = figures
        if info.finished and self._diagnosis_pays(run):
            began = time.perf_counter()
            diagnosis = run.diagnosis()
            ended = time.perf_counter()
            self.figures = replace(
                figures, verdict=diagnosis.verdict, sizes=diagnosis.ess, rhat=diagnosis.rhat
            )
            self._diagnosed = run.sweeps_on_level
            self._diagnosis_due = ended + max(DIAGNOSIS_SECONDS, DIAGNOSIS_REST * (ended - began))

    def _notice_change(self, run: Run) -> None:
        """What was said under another target holds no longer, and nobody waits for a verdict
        while sliders move."""
        marks = len(run.marks)
        if marks != self._marks:
            self._marks, self._diagnosed = marks, 0
            self._diagnosis_due = time.perf_counter() + QUIET_SECONDS
            self.figures = replace(self.figures, verdict=TOO_EARLY, sizes={}, rhat={})

    def _diagnosis_pays(self, run: Run) -> bool:
        """Whether it is time, and enough sweeps have come that another may say something new."""
        sweeps = run.sweeps_on_level
        few = self._diagnosed <= sweeps < NEWS_PER_SWEEP * self._diagnosed
        return time.perf_counter() >= self._diagnosis_due and not few
