"""PM-LDA and its peers on the same prepared images, one method after the other.

PM-LDA is the running program's own `Run`; the peers stream their fits.  Whoever
watches gets the maps of each step when asked for them, and can stop the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.peers import PEERS, SMOOTHED_PEERS, peer_named
from pmlda_gui.peers.method import (
    BEFORE_IT_WAS_DONE,
    Fit,
    Material,
    Method,
    run_method,
    to_segmentations,
)
from pmlda_gui.peers.scoring import aligned
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.run import Run

__all__ = [
    "METHODS",
    "PMLDA_TITLE",
    "MethodResult",
    "Update",
    "check_methods",
    "compare_methods",
    "default_parameters",
    "enough_sweeps",
    "finished_run",
    "material_of",
    "run_named",
    "run_peer",
]

METHODS = ("pmlda", *PEERS, *SMOOTHED_PEERS)
"""Every method by name, PM-LDA first."""

PMLDA_TITLE = "PM-LDA"
# Sweeps over all words after which PM-LDA is compared with the others: on a lattice, where
# they take milliseconds and only every tenth is shown, and over every pixel.
_WATCHED = 10
_SWEEPS_ON_LATTICE, _SWEEPS_OVER_ALL = 150, 60


@dataclass(frozen=True, eq=False)
class Update:
    """How far a method is; `segmentations()` makes its present maps, one for each image."""

    name: str
    title: str
    fraction: float
    segmentations: Callable[[], list[Segmentation]]


Watch = Callable[[Update], None]


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What a method made of the images, and the seconds it took.

    `soft` is that of `peers.method.Method`.
    """

    name: str
    title: str
    soft: bool
    segmentations: list[Segmentation]
    seconds: float


def default_parameters(topics: int) -> Parameters:
    """PM-LDA's parameters where nobody has chosen others."""
    return replace(DEFAULT_PARAMETERS, topics=topics)


def material_of(prepared: Prepared) -> Material:
    """What the peers need of prepared images."""
    return Material(
        prepared.words,
        prepared.documents,
        prepared.standardisation,
        prepared.feature_names,
        prepared.feature_units,
    )


def enough_sweeps(prepared: Prepared) -> int:
    """After how many sweeps over all words PM-LDA is compared with the others."""
    return _SWEEPS_OVER_ALL if prepared.stride == 1 else _SWEEPS_ON_LATTICE


def finished_run(
    prepared: Prepared,
    parameters: Parameters,
    sweeps: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
    progress: Progress = UNWATCHED,
) -> Run:
    """PM-LDA after so many `sweeps` over all words, by default as many as are enough."""
    sweeps = sweeps or enough_sweeps(prepared)
    progress = progress.named(PMLDA_TITLE, BEFORE_IT_WAS_DONE)
    run = Run(prepared, parameters, seed=seed, threads=threads)
    try:
        while run.full_sweeps < sweeps:
            run.sweep(1, progress.is_cancelled)
            progress.check()
            if watch is not None and (run.full_sweeps % _WATCHED == 0 or run.learns_from_all):
                done = run.full_sweeps / sweeps
                watch(Update("pmlda", PMLDA_TITLE, done, run.segmentations))
    finally:
        run.close()
    return run


def run_peer(
    prepared: Prepared,
    method: Method,
    topics: int,
    seed: int = 0,
    watch: Watch | None = None,
    progress: Progress = UNWATCHED,
) -> MethodResult:
    """One peer on the images."""
    began = time.perf_counter()
    material = material_of(prepared)

    def show(fit: Fit) -> None:
        if watch is not None:
            watch(
                Update(
                    method.name,
                    method.title,
                    fit.fraction,
                    lambda: to_segmentations(fit, material),
                )
            )

    fit = run_method(method, prepared.words, topics, seed, show, progress)
    spent = time.perf_counter() - began
    return MethodResult(
        method.name, method.title, method.soft, to_segmentations(fit, material), spent
    )


def run_named(
    prepared: Prepared,
    name: str,
    parameters: Parameters,
    sweeps: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
    progress: Progress = UNWATCHED,
) -> MethodResult:
    """PM-LDA or a peer by its name; see `compare_methods`."""
    if name != "pmlda":
        method = peer_named(name, prepared.feature_choice.window)
        return run_peer(prepared, method, parameters.topics, seed, watch, progress)
    began = time.perf_counter()
    run = finished_run(prepared, parameters, sweeps, seed, threads, watch, progress)
    spent = time.perf_counter() - began
    return MethodResult(name, PMLDA_TITLE, True, run.segmentations(), spent)


def check_methods(names: Sequence[str]) -> None:
    """Refuse names that no method has, and an empty list of them."""
    known = f"choose from pmlda, {', '.join(PEERS)}, or any but pmlda with +smooth."
    if not names:
        raise PmldaError(f"No method was chosen: {known}")
    for name in names:
        if name not in METHODS:
            raise PmldaError(f"There is no method {name!r}: {known}")


def compare_methods(
    prepared: Prepared,
    names: Sequence[str],
    parameters: Parameters,
    sweeps: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
    progress: Progress = UNWATCHED,
) -> list[MethodResult]:
    """Run the named methods in turn; topics stand in the order of the first method's.

    `parameters` are PM-LDA's, and their number of topics is that of all methods.
    """
    check_methods(names)
    results: list[MethodResult] = []
    for name in dict.fromkeys(names):
        result = run_named(prepared, name, parameters, sweeps, seed, threads, watch, progress)
        if results:
            reference = [each.memberships for each in results[0].segmentations]
            result = replace(result, segmentations=aligned(result.segmentations, reference))
        results.append(result)
    return results
