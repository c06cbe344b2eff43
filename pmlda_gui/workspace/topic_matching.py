"""Matches the topics of a chain with those of earlier chains, so that they keep their numbers.

A chain numbers its topics as it finds them.  Names and colours belong to the seabed, so
a chain that follows another takes over the numbers of the topics that cover the same
pixels, or where no image is common to both, of those with the nearest means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Image

__all__ = ["FormerTopics", "TopicRecord", "recognise", "step_for"]

Array = NDArray[np.float64]
# Pixels of an image that are compared.
_PIXELS = 1500
# Topics that share less than this with any former one are new, and a topic that has a new
# number already needs more to be a former one.  A topic keeps its number if no other topic fits
# that number better by so much.
_LEAST_LIKENESS, _LEAST_FOR_NEW = 0.2, 0.4
_LOYALTY = 0.2
# Where pixels are common, means only decide between topics that share as many.
_WEIGHT_OF_MEANS = 0.05


@dataclass(frozen=True, eq=False)
class TopicRecord:
    """Where topics were seen: their numbers, means (K, p) in the features' own units, and maps.

    `maps` has the memberships (K, rows, columns) on a few pixels of each of `images`, NaN
    where there are none.
    """

    ids: tuple[int, ...]
    means: Array
    feature_names: tuple[str, ...]
    images: tuple[Image, ...]
    maps: tuple[NDArray[np.float32], ...]


@dataclass
class FormerTopics:
    """The topics of earlier runs: the last record for each K, and the next unused number."""

    by_topics: dict[int, TopicRecord] = field(default_factory=dict)
    next_id: int = 0

    def note(self, seen: TopicRecord) -> None:
        """Keep a record in place of the last one with the same number of topics."""
        self.by_topics.pop(len(seen.ids), None)
        self.by_topics[len(seen.ids)] = seen
        self.next_id = max(self.next_id, max(seen.ids) + 1)

    def copy(self) -> FormerTopics:
        """A copy; the records in it never change."""
        return FormerTopics(dict(self.by_topics), self.next_id)


def step_for(shape: tuple[int, int]) -> int:
    """Every how many rows and columns of an image pixels are compared."""
    return max(1, int(np.sqrt(shape[0] * shape[1] / _PIXELS)))


def recognise(
    present: TopicRecord, former: FormerTopics, own: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The numbers for the present topics: those of the former ones they are, or new ones.

    `own` are numbers the topics have from a chain that goes on; they rather keep these.
    """
    from scipy.optimize import linear_sum_assignment

    known = sorted({each for seen in former.by_topics.values() for each in seen.ids})
    column = {number: at for at, number in enumerate(known)}
    likeness = np.zeros((len(present.ids), len(known)))
    for seen in former.by_topics.values():
        columns = [column[each] for each in seen.ids]
        likeness[:, columns] = np.maximum(likeness[:, columns], _likeness(present, seen))
    wanted = likeness.copy()
    for row, number in enumerate(own or ()):
        if number in column:
            wanted[row, column[number]] += _LOYALTY
    rows, columns_chosen = linear_sum_assignment(-wanted)
    is_new = [own is not None and own[row] not in column for row in range(len(present.ids))]
    found = {
        int(row): known[at]
        for row, at in zip(rows, columns_chosen, strict=True)
        if wanted[row, at] >= (_LEAST_FOR_NEW if is_new[row] else _LEAST_LIKENESS)
    }
    free = max([former.next_id, *(each + 1 for each in own or ())])
    ids = []
    for row in range(len(present.ids)):
        if row not in found:
            found[row] = own[row] if own is not None and is_new[row] else free
            free += not is_new[row]
        ids.append(found[row])
    return tuple(ids)


def _likeness(present: TopicRecord, former: TopicRecord) -> Array:
    """How much each present topic is like each former one, 0 to 1, (K, L)."""
    by_means = np.zeros((len(present.means), len(former.means)))
    if present.feature_names == former.feature_names:
        scale = np.concatenate([present.means, former.means]).std(axis=0)
        away = (present.means[:, None] - former.means) / np.maximum(scale, 1e-12)
        by_means = np.exp(-np.mean(away**2, axis=2))
    pairs = [
        (mine, theirs)
        for image, mine in zip(present.images, present.maps, strict=True)
        for other, theirs in zip(former.images, former.maps, strict=True)
        if image is other
    ]
    if not pairs:
        return by_means
    shared, covered = np.zeros_like(by_means), np.zeros_like(by_means)
    for mine, theirs in pairs:
        seen = ~(np.isnan(mine[0]) | np.isnan(theirs[0]))
        ours, others = mine[:, seen].astype(np.float64), theirs[:, seen].astype(np.float64)
        for row, one in enumerate(ours):
            shared[row] += np.minimum(one, others).sum(axis=1)
            covered[row] += np.maximum(one, others).sum(axis=1)
    overlap = shared / np.maximum(covered, 1e-12)
    return (1.0 - _WEIGHT_OF_MEANS) * overlap + _WEIGHT_OF_MEANS * by_means
