"""Where one topic passes into another along a line, and how wide that transition is.

Walking along the line, a topic leads from where its membership exceeds that of the leader
before it by `_LEAD`; so flicker near one half makes no transitions.  A **transition** lies
between two topics that lead one after the other; where a third topic leads in between,
there are two transitions.  Within it we look at the share q = z_b / (z_a + z_b) that the
second topic has of the two, so that a third topic which is present but never leads changes
neither place nor width; how much of it there is, is told.  The **centre** is where q passes
one half.  The **width** is the distance from the last place before the centre where
q <= 10 % to the first place after it where q >= 90 %.  Where q does not come that far
before the neighbouring transition or the end of the line, the width is counted to there and
is a least width: `reaches` says so for either side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LOW", "TopicTransition", "find_transitions", "seen_width", "unblurred"]

Array = NDArray[np.float64]
LOW = 0.1
"""A transition goes from this share of the second topic to 1 minus it."""
_LEAD = 0.2
_LEAST_SUM = 1e-3


@dataclass(frozen=True)
class TopicTransition:
    """From the topic `before` to the topic `after`, in units of the distances along the line.

    `start` and `end` are where the share of the second topic passes 10 and 90 %; `reaches`
    says for either whether it does.  `third` is the largest share that all other topics have
    in between.
    """

    before: int
    after: int
    centre: float
    start: float
    end: float
    reaches: tuple[bool, bool]
    third: float

    @property
    def width(self) -> float:
        """The distance between 10 and 90 %, or the least it can be."""
        return self.end - self.start

    @property
    def is_whole(self) -> bool:
        """Whether both 10 and 90 % are reached."""
        return all(self.reaches)


def find_transitions(distances: Array, memberships: Array) -> list[TopicTransition]:
    """The transitions along `distances` (n) with memberships (K, n); NaN parts a line in two."""
    known = ~np.isnan(memberships).any(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]])))
    found: list[TopicTransition] = []
    for start, stop in edges.reshape(-1, 2):
        found += _in_one_piece(distances[start:stop], memberships[:, start:stop])
    return found


def _in_one_piece(distances: Array, memberships: Array) -> list[TopicTransition]:
    changes = _changes_of_leader(memberships)
    found = []
    for number, (place, before, after) in enumerate(changes):
        first = changes[number - 1][0] if number else 0
        last = changes[number + 1][0] if number + 1 < len(changes) else len(distances) - 1
        share = _share(memberships, before, after)
        centre = _last_below_half(share, place)
        found.append(
            _transition(distances, memberships, share, (before, after), (first, centre, last))
        )
    return found


def _changes_of_leader(memberships: Array) -> list[tuple[int, int, int]]:
    """Where another topic takes the lead: sample, topic before, topic after."""
    leader = int(memberships[:, 0].argmax())
    changes = []
    for place in range(memberships.shape[1]):
        best = int(memberships[:, place].argmax())
        if best != leader and memberships[best, place] - memberships[leader, place] >= _LEAD:
            changes.append((place, leader, best))
            leader = best
    return changes


def _share(memberships: Array, before: int, after: int) -> Array:
    """What the second topic has of the two; where neither is, as at the nearest place before."""
    both = memberships[before] + memberships[after]
    share = np.where(both > _LEAST_SUM, memberships[after] / np.maximum(both, _LEAST_SUM), np.nan)
    at = np.where(np.isnan(share), 0, np.arange(len(share)))
    filled = share[np.maximum.accumulate(at)]
    return np.nan_to_num(filled, nan=0.5)


def _last_below_half(share: Array, place: int) -> int:
    """The last sample not after `place` whose share is below one half, or the first of all."""
    below = np.flatnonzero(share[: place + 1] < 0.5)
    return int(below[-1]) if len(below) else 0


def _transition(
    distances: Array,
    memberships: Array,
    share: Array,
    topics: tuple[int, int],
    samples: tuple[int, int, int],
) -> TopicTransition:
    first, centre, last = samples
    start, reaches_start = _crossing(distances, share, centre, first, LOW)
    end, reaches_end = _crossing(distances, 1.0 - share, min(centre + 1, last), last, LOW)
    inside = (distances >= start) & (distances <= end)
    others = 1.0 - memberships[topics[0]] - memberships[topics[1]]
    middle, _ = _crossing(distances, 1.0 - share, centre, last, 0.5)
    return TopicTransition(
        *topics,
        centre=middle,
        start=start,
        end=end,
        reaches=(reaches_start, reaches_end),
        third=float(np.clip(others[inside].max(initial=0.0), 0.0, 1.0)),
    )


def _crossing(
    distances: Array, share: Array, start: int, stop: int, level: float
) -> tuple[float, bool]:
    """Where the share first comes down to `level` on the way from sample start to stop.

    Between samples it is linear; if it never does, the end of the way and False.
    """
    step = 1 if stop >= start else -1
    way = np.arange(start, stop + step, step)
    below = np.flatnonzero(share[way] <= level)
    if not len(below):
        return float(distances[stop]), False
    here = int(way[below[0]])
    if below[0] == 0:
        return float(distances[here]), True
    former = int(way[below[0] - 1])
    drop = share[former] - share[here]
    part = (share[former] - level) / drop if drop > 0.0 else 1.0
    return float(distances[former] + part * (distances[here] - distances[former])), True


def seen_width(distances: Array, memberships: Array, like: TopicTransition) -> float:
    """The width of the same transition in other memberships (K, n), as of a draw of the map.

    Looked for within the reach of `like` and as much again on either side.
    """
    reach = max(like.width, 4.0 * float(np.diff(distances).mean()))
    near = (distances >= like.start - reach) & (distances <= like.end + reach)
    near &= ~np.isnan(memberships).any(axis=0)
    at, some = distances[near], memberships[:, near]
    if len(at) < 2:
        return math.nan
    share = _share(some, like.before, like.after)
    ups = np.flatnonzero((share[:-1] < 0.5) & (share[1:] >= 0.5))
    if not len(ups):
        return math.nan
    centre = int(ups[np.abs(at[ups] - like.centre).argmin()])
    start, _ = _crossing(at, share, centre, 0, LOW)
    end, _ = _crossing(at, 1.0 - share, centre + 1, len(at) - 1, LOW)
    return end - start


def unblurred(width: Array | float, blur: float) -> Array:
    """Widths without the blur of a crisp border's width: variances of blurs add up."""
    return np.sqrt(np.maximum(np.asarray(width, np.float64) ** 2 - blur**2, 0.0))
