"""Runs the chains of a segmentation one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pmlda_gui.core.diagnostics import Diagnosis, diagnose
from pmlda_gui.core.progress import Progress
from pmlda_gui.workspace.batch.settings import Settings, default_sweeps
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.run import Run

__all__ = ["Sampling", "ordinal"]


class Sampling:
    """The chains, one after the other, until they are done or the operator has seen enough."""

    def __init__(
        self,
        prepared: Prepared,
        settings: Settings,
        progress: Progress,
        hints: Sequence[PaintedHint] = (),
    ) -> None:
        self.prepared = prepared
        self.settings = settings
        self.goal = settings.sweeps or default_sweeps(prepared.stride)
        self.runs: list[Run] = []
        self.stopped = False
        self._progress = progress
        self._hints = tuple(hints)
        self._steps: list[dict[str, float]] = []

    def go(self) -> None:
        """Run every chain, or as many as there is time for."""
        settings, recipe = self.settings, self.settings.recipe
        for number in range(settings.chains):
            run = Run(
                self.prepared,
                recipe.parameters,
                recipe.sampler,
                recipe.seed + number,
                settings.threads,
                hints=self._hints,
            )
            self.runs.append(run)
            self._run(number, run)
            run.close()
            if self.stopped:
                break

    def _run(self, number: int, run: Run) -> None:
        began = time.perf_counter()
        sums: dict[str, float] = {}
        seconds = self.settings.seconds
        share = None if seconds is None else seconds / self.settings.chains
        while True:
            info = run.sweep()
            full = run.full_sweeps
            spent = time.perf_counter() - began
            if full:
                for name, value in info.steps.items():
                    sums[name] = sums.get(name, 0.0) + value
            done = full / self.goal if share is None else min(spent / share, 1.0)
            self._report(number, done, run, info.seconds)
            self.stopped = self._progress.cancelled
            if self.stopped or (full >= self.goal if share is None else spent >= share):
                break
        self._steps.append({name: total / max(run.full_sweeps, 1) for name, total in sums.items()})

    def _report(self, number: int, done: float, run: Run, seconds: float) -> None:
        chains = self.settings.chains
        detail = f"{run.full_sweeps} sweeps" if run.full_sweeps else "first words"
        if chains > 1:
            detail = f"chain {number + 1} of {chains}, {detail}"
        speed = run.words / max(seconds, 1e-9)
        self._progress.tell(
            (number + done) / chains, f"{detail}, {speed / 1e6:.1f} million words/s"
        )

    @property
    def comparable(self) -> list[int]:
        """The chains that have come to all words, or the first one if none has."""
        return [number for number, run in enumerate(self.runs) if run.full_sweeps] or [0]

    @property
    def best(self) -> int:
        """The chain with the best Q."""
        return max(self.comparable, key=lambda number: self.runs[number].best_quality)

    @property
    def steps(self) -> dict[str, float]:
        """Mean acceptance rates, or evaluations per draw, of the best chain's full sweeps."""
        return self._steps[self.best]

    def diagnosis(self) -> Diagnosis:
        """What all comparable chains say together."""
        return diagnose([self.runs[number].chain for number in self.comparable])


def ordinal(number: int) -> str:
    """A stride in words: every second, third or 4th row."""
    endings = {2: "second", 3: "third"}
    return endings.get(number, f"{number}th")
