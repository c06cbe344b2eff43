"""A profile: memberships along a line with their uncertainty, and the transitions it crosses.

The width of a transition is uncertain for three reasons, which its interval adds up: the
draws of the map give different widths; so do parallels beside the line, because words are
noisy; and features are measured over a window and maps are averaged, which widens what is
narrow.  How much the latter widens depends on the seabeds, so the interval's lower end is
that of a full blur and the upper end that of none.  Averages over ground that looks alike pull
the ends of a transition to the seabeds beside it, so the upper end is a tenth wider.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.analysis.ground import ground_at
from pmlda_gui.workspace.analysis.line_samples import LineSamples, sample_line
from pmlda_gui.workspace.analysis.transitions import (
    TopicTransition,
    find_transitions,
    seen_width,
    unblurred,
)
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.shapes import Shape

__all__ = ["MeasuredWidth", "Profile", "profile_of", "smallest_width"]

Array = NDArray[np.float64]
# A normal deviate of 90 % to both sides, and the width from 10 to 90 % of a blur of deviation 1.
_NINETY = 1.645
_PER_DEVIATION = 2.6
# How much wider a transition can be than it seems, where words are averages: on edges of 50 to
# 120 pixels maps were 3 % too narrow on average, single lines up to a fifth.
_WIDER = 1.1


@dataclass(frozen=True)
class MeasuredWidth:
    """A transition with the interval in which its width on the ground lies, about 90 % sure.

    `deviation` is that of the width on the map, over draws and parallel lines.
    """

    transition: TopicTransition
    deviation: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Profile:
    """Memberships (G, n) and their standard deviation at `distances` (n) along a line.

    All lengths are in `unit`.  `smallest` is the width that a crisp border may seem to have.
    """

    shape: Shape
    distances: Array
    means: Array
    deviation: Array
    transitions: tuple[MeasuredWidth, ...]
    smallest: float
    unit: str
    length: float
    bearing: float
    is_true: bool


def profile_of(
    run: Run,
    shape: Shape,
    groups: Sequence[Sequence[int]] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Profile:
    """The profile along a line; `groups` are the topics' rows that are shown as one."""
    if shape.image >= len(run.prepared.images):
        raise PmldaError(f"The image of {shape.name!r} is no longer open.")
    ground = ground_at(run.prepared.images[shape.image], shape.points)
    length = ground.length(shape.points)
    samples = sample_line(run, shape.image, shape.points, groups, cancel)
    if np.isnan(samples.means).all():
        raise PmldaError(f"{shape.name!r} crosses no part of the map: draw it where there is one.")
    start, end = shape.points
    distances = samples.places * length
    smallest = smallest_width(run) * length / math.dist(start, end)
    deviation = samples.draws.std(axis=0) if len(samples.draws) else np.zeros_like(samples.means)
    return Profile(
        shape,
        distances,
        samples.means,
        deviation,
        measured_widths(distances, samples, smallest),
        smallest,
        ground.unit,
        length,
        ground.bearing(start, end),
        ground.is_true,
    )


def measured_widths(
    distances: Array, samples: LineSamples, smallest: float
) -> tuple[MeasuredWidth, ...]:
    """The transitions along a line, each with the interval of its width."""
    found = []
    for transition in find_transitions(distances, samples.means):
        deviation = math.hypot(
            _spread(distances, samples.draws, transition),
            _spread(distances, samples.beside, transition),
        )
        width, reach = transition.width, _NINETY * deviation
        low = float(unblurred(max(width - reach, 0.0), smallest))
        high = _WIDER * (width + reach) if transition.is_whole else math.inf
        found.append(MeasuredWidth(transition, deviation, low, high))
    return tuple(found)


def _spread(distances: Array, several: Array, transition: TopicTransition) -> float:
    """The standard deviation of the widths of one transition in several memberships (R, G, n)."""
    widths = np.array([seen_width(distances, each, transition) for each in several])
    widths = widths[~np.isnan(widths)]
    return float(widths.std(ddof=1)) if len(widths) > 2 else transition.width / 2


def smallest_width(run: Run) -> float:
    """The width in pixels, from 10 to 90 %, that a crisp border can have on the map."""
    prepared = run.prepared
    averaged = prepared.averaging(run.parameters_in_effect.smoothness)
    return _PER_DEVIATION * math.sqrt(prepared.unit**2 / 12.0 + averaged**2)
