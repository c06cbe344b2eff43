"""Whether "settled" is true: 40 runs on synthetic scenes against second, longer chains.

Each run goes on until its verdict is settled.  A verdict is false where the maps of a
second chain with another seed and three times the sweeps differ by more than .02 root mean
squared, topics matched.  The first chain then goes on for as long again, to see whether its
maps still change by more than 1 %.  A third chain, on documents and cores that were found
with another seed as well, tells how far the start matters; that is no fault of the verdict,
but findings should say it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.seams import real_images
from benchmarks.tables import show
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.metrics import membership_error
from pmlda_gui.imagery.readers import open_images
from pmlda_gui.imagery.scenes import REPORTING, make_scene, random_name
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import Prepared, prepare
from pmlda_gui.workspace.run import Run

__all__ = ["run"]

_SHAPE = (360, 330)
_RUNS, _LONGER = 40, 3
_MOST_SWEEPS = 12_000
_FALSE, _CHANGED, _ELSEWHERE = 0.02, 0.01, 0.05
# How much longer a run goes on between two looks at its verdict.
_NEXT_LOOK = 1.15
Maps = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


@dataclass(frozen=True)
class _Judged:
    """A run: how long it took to settle, and how far its maps then were from others'."""

    name: str
    topics: int
    settled: bool
    sweeps: int
    seconds: float
    second: float
    later: float
    elsewhere: float
    said: bool

    @property
    def false(self) -> bool:
        return self.settled and self.second > _FALSE


def _maps(run: Run) -> Maps:
    found = run.maps(step=2)
    assert found is not None
    return found.memberships


def _until_settled(run: Run) -> tuple[bool, float]:
    """Sweep until the verdict is settled or patience ends; the processor time it took."""
    began, look = time.process_time(), 100.0
    while run.full_sweeps < _MOST_SWEEPS:
        run.sweep(max(int(look) - run.full_sweeps, 1))
        if run.diagnosis().settled:
            return True, time.process_time() - began
        look *= _NEXT_LOOK
    return False, time.process_time() - began


def _chain(prepared: Prepared, topics: int, seed: int) -> Run:
    return Run(prepared, replace(DEFAULT_PARAMETERS, topics=topics), seed=seed, threads=1)


def judge(name: str, image: Image, topics: int) -> _Judged:
    """One run, the chains beside it, and how they differ."""
    prepared = prepare([image], seed=0)
    first = _chain(prepared, topics, 0)
    settled, seconds = _until_settled(first)
    sweeps, maps, said = first.full_sweeps, _maps(first), not first.starts_agreed
    second = _chain(prepared, topics, 1)
    second.sweep(_LONGER * sweeps)
    apart = membership_error(maps, _maps(second))
    first.sweep(sweeps)
    later = membership_error(maps, _maps(first))
    third = _chain(prepare([image], seed=1, previous=prepared), topics, 1)
    third.sweep(sweeps)
    elsewhere = membership_error(maps, _maps(third))
    for each in (first, second, third):
        each.close()
    return _Judged(name, topics, settled, sweeps, seconds, apart, later, elsewhere, said)


def _scenes(count: int) -> list[tuple[str, Image, int]]:
    """Random seabeds and as many of the catalogue's reporting half as there are."""
    catalogue = REPORTING[: count // 2]
    names = [*catalogue, *(random_name(number) for number in range(count - len(catalogue)))]
    made = [(name, make_scene(name, _SHAPE)) for name in names]
    return [(name, scene.image, len(scene.topics)) for name, scene in made]


def run(quick: bool = False) -> None:
    """Print every run, and how many verdicts were false."""
    judged = []
    for name, image, topics in _scenes(_RUNS // 10 if quick else _RUNS):
        judged.append(judge(name, image, topics))
        print(f"{name}: {judged[-1].sweeps} sweeps, {judged[-1].second:.3f} apart", flush=True)
    for path in real_images()[:1]:
        (image,) = open_images([path])
        judged.append(judge(path.stem, image, 3))
    show(
        "Runs until settled, and how far other chains are: root mean squared memberships",
        ("image", "K", "settled", "sweeps", "s", "second chain", "later", "other start", ""),
        [
            (j.name, j.topics, j.settled, j.sweeps, j.seconds, j.second, j.later, j.elsewhere,
             "FALSE" if j.false else "")
            for j in judged
        ],
    )  # fmt: skip
    known = [j for j in judged if j.settled]
    wandering = [j for j in judged if j.elsewhere > _ELSEWHERE]
    show(
        "Verdicts",
        ("what", "runs"),
        [
            ("settled", f"{len(known)} of {len(judged)}"),
            ("of these false (at most 2)", sum(j.false for j in known)),
            (
                "changed by more than 1 % later (at most 5 %)",
                sum(j.later > _CHANGED for j in known),
            ),
            ("median seconds of one thread", float(np.median([j.seconds for j in known] or [0.0]))),
            (f"another start leads elsewhere (> {_ELSEWHERE:g})", len(wandering)),
            ("of these said so", sum(j.said for j in wandering)),
        ],
    )
