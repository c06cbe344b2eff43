"""Q over time: how soon `fast` is as good as `paper` after a minute, and when maps appear."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.tables import show
from benchmarks.words import scene_corpus
from pmlda_gui.core import Chain, Corpus, Ladder, Parameters, quality
from pmlda_gui.core.state import Globals

__all__ = ["run"]

# Q in this file: more words and draws than the chain's own looks, outside the clock.
_WORDS, _DRAWS = 4000, 400


class _Clock:
    """Seconds spent in the work itself, with what was found at which time."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.spent = 0.0
        self.points: list[tuple[float, Globals]] = []
        self._since = time.perf_counter()

    def start(self) -> None:
        self._since = time.perf_counter()

    def stop(self, found: Globals | None = None) -> None:
        self.spent += time.perf_counter() - self._since
        if found is not None:
            self.points.append((self.spent, found))

    def qualities(self) -> list[tuple[float, float]]:
        return [(at, quality(self.corpus, each, 1.0, _WORDS, _DRAWS)) for at, each in self.points]


def _full(corpus: Corpus, sampler: str, seconds: float, points: int) -> _Clock:
    """A chain on all words from the k-means start."""
    clock = _Clock(corpus)
    clock.start()
    chain = Chain(corpus, Parameters(3), sampler, seed=1)
    clock.stop(chain.globals)
    due = np.geomspace(0.02, seconds, points)
    while clock.spent < seconds:
        clock.start()
        chain.sweep(1)
        clock.stop()
        if clock.spent >= due[min(len(clock.points) - 1, points - 1)]:
            clock.points.append((clock.spent, chain.globals))
    return clock


def _coarse(corpus: Corpus, seconds: float) -> tuple[_Clock, float, float]:
    """Coarse to fine; also the seconds to the first map and to the full posterior mean."""
    clock = _Clock(corpus)
    clock.start()
    ladder = Ladder(corpus, Parameters(3), seed=1)
    first_map = full_mean = float("nan")
    while clock.spent < seconds:
        clock.start()
        ladder.sweep(1)
        sweeps = ladder.chain.sweeps
        if sweeps == 8:  # enough to show
            np.argmax(ladder.chain.estimate.memberships[:, 0])
        clock.stop(ladder.chain.globals if sweeps < 10 or sweeps % 10 == 0 else None)
        if sweeps == 8:
            first_map = clock.spent if np.isnan(first_map) else first_map
            full_mean = clock.spent if ladder.finest and np.isnan(full_mean) else full_mean
    return clock, first_map, full_mean


def _time_to(points: list[tuple[float, float]], level: float) -> float:
    return next((at for at, value in points if value >= level), float("nan"))


def run(quick: bool = False) -> None:
    corpus = scene_corpus(quick)
    seconds = 15.0 if quick else 60.0
    paper = _full(corpus, "paper", seconds, 12).qualities()
    fast = _full(corpus, "fast", seconds / 3.0, 24).qualities()
    clock, first_map, full_mean = _coarse(corpus, seconds)
    coarse = clock.qualities()
    reached, long_run = paper[-1][1], float(np.mean([value for _, value in coarse[-5:]]))
    show(
        f"Q over time, {corpus.size} words",
        ("seconds", "paper", "fast, all words", "fast, coarse to fine"),
        [
            (at, *(next((v for t, v in reversed(each) if t <= at), float("nan"))
                   for each in (paper, fast, coarse)))
            for at in (0.25, 0.5, 1.0, 2.5, 5.0, 15.0, seconds)
        ],
    )  # fmt: skip
    time_fast, time_coarse = _time_to(fast, reached), _time_to(coarse, reached)
    show(
        "Goals",
        ("", "figure", "goal"),
        [
            (f"paper's Q after {seconds:.0f} s", reached, ""),
            ("times faster to it, all words", seconds / time_fast, "at least 100"),
            ("times faster to it, coarse to fine", seconds / time_coarse, "at least 300"),
            ("first map, s", first_map, "at most 0.25"),
            ("posterior mean of all words, s", full_mean, "at most 1"),
            (
                "Q within 0.015 of the long run, s",
                _time_to(coarse, long_run - 0.015),
                "at most 2.5",
            ),
        ],
    )
