"""The background job that runs the compared methods and sends their maps to the window.

One method after the other, on the words that are open.  A method that fails leaves a
reason; the others go on.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.frame import Pictures
from pmlda_gui.gui.frame_renderer import paint_maps
from pmlda_gui.gui.view_request import ShownTopic
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.peers.scoring import aligned, matching_order
from pmlda_gui.workspace.comparison import (
    PMLDA_TITLE,
    MethodResult,
    Update,
    enough_sweeps,
    run_named,
)
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.run import Run

__all__ = [
    "Failed",
    "Feed",
    "Frame",
    "Plan",
    "Wanted",
    "WindowResult",
    "compare",
    "paint_results",
    "window_result",
]

Maps = NDArray[np.float32]
Progress = Callable[[float, str], None]
Cancel = Callable[[], bool]

_LEAST_REST_SECONDS = 0.1
# Maps on the way may take no more than this share of a method's time.
_PAINTING_SHARE = 0.3
# Frames are matched by every so many rows and columns; results by all of them.
_THIN = 4


@dataclass(frozen=True, eq=False)
class WindowResult:
    """What the main window's chain has found.

    `finished` says that it has gone as far as a run for the comparison would.
    """

    topic_ids: tuple[int, ...]
    segmentations: list[Segmentation]
    sweeps: int
    finished: bool


def window_result(prepared: Prepared, topics: int, estimate: str, run: Run) -> WindowResult | None:
    """The chain's result as it is shown, None if it has none with so many topics."""
    if run.sweeps == 0 or len(run.topic_ids) != topics:
        return None
    changed = max((entry.sweep for entry in run.journal.entries), default=0)
    # The run's words are whitened for its number of topics, which gives the same words again.
    same = _untuned(run.prepared) is _untuned(prepared)
    finished = same and min(run.full_sweeps, run.sweeps - changed) >= enough_sweeps(prepared)
    return WindowResult(run.topic_ids, run.segmentations(estimate), run.sweeps, finished)


def _untuned(prepared: Prepared) -> Prepared:
    return prepared.untuned or prepared


@dataclass(frozen=True, eq=False)
class Plan:
    """What is compared, and on what.

    `found` is the main window's result: topics stand in its order, and if it is
    finished it is PM-LDA's; `seconds` is how long it took.
    """

    methods: tuple[str, ...]
    prepared: Prepared
    parameters: Parameters
    seed: int = 0
    found: WindowResult | None = None
    seconds: float = 0.0

    @property
    def topic_ids(self) -> tuple[int, ...]:
        """The topics' numbers, by which their names and colours are known."""
        if self.found is not None:
            return self.found.topic_ids
        # A run of its own numbers its topics as the main window's will.
        return tuple(range(self.parameters.topics))

    @property
    def takes_over(self) -> bool:
        """Whether PM-LDA's result is the main window's."""
        return self.found is not None and self.found.finished


class Wanted(NamedTuple):
    """What the window shows: which image, with which topics."""

    image: int
    topics: tuple[ShownTopic, ...]


class Frame(NamedTuple):
    """The maps of a method; `result` is there once it is done."""

    method: str
    wanted: Wanted
    pictures: Pictures
    result: MethodResult | None = None


class Failed(NamedTuple):
    """A method that has no result, and why."""

    method: str
    error: Exception


class Feed:
    """From the comparison's thread to the window, in order; `wanted` goes the other way.

    `progress` is the method under way and its share that is done.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.progress = ("", 0.0)
        self._letters: deque[Frame | Failed] = deque()

    def post(self, letter: Frame | Failed) -> None:
        """Hand over a letter; none is lost."""
        self._letters.append(letter)

    @property
    def empty(self) -> bool:
        """Whether the window has taken everything."""
        return not self._letters

    def take(self) -> list[Frame | Failed]:
        """Everything that has come since the last taking."""
        return [self._letters.popleft() for _ in range(len(self._letters))]


def compare(plan: Plan, feed: Feed, progress: Progress, cancel: Cancel) -> None:
    """Run the methods of a plan in turn and feed the window with their maps."""
    reference = None
    if plan.found is not None:
        reference = [each.memberships for each in plan.found.segmentations]
    for number, name in enumerate(plan.methods):
        stream = _Stream(feed, reference)

        def watch(update: Update, number: int = number, stream: _Stream = stream) -> None:
            progress((number + update.fraction) / len(plan.methods), update.title)
            stream.show(update)

        feed.progress = (name, 0.0)
        try:
            result = _result(plan, name, watch, cancel)
        except Cancelled:
            raise
        except Exception as error:
            feed.post(Failed(name, error))
            continue
        if reference is None:
            reference = [each.memberships for each in result.segmentations]
        else:
            result = replace(result, segmentations=aligned(result.segmentations, reference))
        feed.post(Frame(name, feed.wanted, _painted(result, feed.wanted), result))


def paint_results(
    results: Sequence[MethodResult], wanted: Wanted, progress: Progress, cancel: Cancel
) -> tuple[Wanted, Mapping[str, Pictures]]:
    """The pictures of finished methods, for another image or with other topics."""
    return wanted, {result.name: _painted(result, wanted) for result in results}


def _result(plan: Plan, name: str, watch: Callable[[Update], None], cancel: Cancel) -> MethodResult:
    if name == "pmlda" and plan.found is not None and plan.takes_over:
        return MethodResult(name, PMLDA_TITLE, True, plan.found.segmentations, plan.seconds)
    return run_named(
        plan.prepared, name, plan.parameters, seed=plan.seed, watch=watch, cancel=cancel
    )


def _painted(result: MethodResult, wanted: Wanted) -> Pictures:
    return paint_maps(result.segmentations[wanted.image].memberships, wanted.topics)


class _Stream:
    """Paints a method's maps on their way, within a fraction of its time."""

    def __init__(self, feed: Feed, reference: Sequence[Maps] | None) -> None:
        self._feed = feed
        self._reference = None if reference is None else _thinned(reference)
        self._due = 0.0

    def show(self, update: Update) -> None:
        """Tell how far the method is, and paint if it is time for that."""
        self._feed.progress = (update.name, update.fraction)
        began = time.perf_counter()
        if began < self._due or not self._feed.empty:
            return
        wanted = self._feed.wanted
        maps = [each.memberships for each in update.segmentations()]
        shown = maps[wanted.image]
        if self._reference is not None:
            shown = shown[matching_order(_thinned(maps), self._reference)]
        self._feed.post(Frame(update.name, wanted, paint_maps(shown, wanted.topics)))
        spent = time.perf_counter() - began
        self._due = began + max(spent / _PAINTING_SHARE, _LEAST_REST_SECONDS)


def _thinned(maps: Sequence[Maps]) -> list[Maps]:
    return [each[:, ::_THIN, ::_THIN] for each in maps]
