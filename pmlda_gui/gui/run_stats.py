"""The statistics of a run under the maps: sweeps, speed, time and verdict."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pmlda_gui.gui.frame import Figures
from pmlda_gui.workspace.analysis.light import Light, light_of

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
# Of the pace, what is older than this counts half; a longer gap is a pause.
PACE_SECONDS, LONGEST_GAP = 5.0, 2.0
FORMING = Light("red", "still forming")


class _Pace:
    """How many sweeps a second the clock on the wall sees, with all that is done in between."""

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None
        self._seconds = self._sweeps = 0.0

    def note(self, sweeps: int) -> None:
        """So many sweeps are done by now."""
        now = time.perf_counter()
        if self._last is not None:
            waited = now - self._last[0]
            # A longer wait was a pause.
            if waited < LONGEST_GAP:
                fade = 0.5 ** (waited / PACE_SECONDS)
                self._seconds = fade * self._seconds + waited
                self._sweeps = fade * self._sweeps + max(sweeps - self._last[1], 0)
        self._last = (now, sweeps)

    @property
    def sweeps_per_second(self) -> float | None:
        """The pace of the last seconds, None before there is one."""
        return self._sweeps / self._seconds if self._seconds > 0.0 and self._sweeps else None


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
        self._pace = _Pace()
        self._diagnosis_due = 0.0
        self._diagnosed = 0
        self._marks = -1

    def record(self, run: Run, info: Info, seconds: float) -> None:
        """Take note of some sweeps, or a part of one, that took so long; `info` is the last's."""
        words = run.words
        self._pace.note(run.sweeps)
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
                figures,
                verdict=diagnosis.verdict,
                sizes=diagnosis.ess,
                rhat=diagnosis.rhat,
                map_change=diagnosis.map_change,
                light=light_of(diagnosis, run.sweeps_under_settings, self._pace.sweeps_per_second),
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
            self.figures = replace(
                self.figures, verdict=TOO_EARLY, sizes={}, rhat={}, map_change=None, light=FORMING
            )

    def _diagnosis_pays(self, run: Run) -> bool:
        """Whether it is time, and enough sweeps have come that another may say something new."""
        sweeps = run.sweeps_on_level
        few = self._diagnosed <= sweeps < NEWS_PER_SWEEP * self._diagnosed
        return time.perf_counter() >= self._diagnosis_due and not few
