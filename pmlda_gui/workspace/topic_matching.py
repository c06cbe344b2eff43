"""Matches the topics of a chain with those of earlier chains, so that they keep their numbers.

A chain numbers its topics as it finds them.  Names and colours belong to the seabed, so
a chain that follows another takes over the numbers of the topics that cover the same
pixels, or where no image is common to both, of those with the nearest means.

Where a topic lay is remembered for good, and what is found later is compared with that: a
chain of small changes, each of them harmless, would lead a name from one seabed to another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Image

__all__ = ["FormerTopics", "TopicPlace", "TopicRecord", "recognise", "step_for"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Pixels of an image that are compared.
_PIXELS = 1500
# Topics that share less than this with any former one are new, and a topic that has a new
# number already needs more to be a former one.
_LEAST_LIKENESS, _LEAST_FOR_NEW = 0.2, 0.4
# A topic keeps its number if no other topic fits that number better by so much; a name moves
# sooner to the part of its seabed that has more of it.
_LOYALTY, _LOYALTY_OF_NAMED = 0.2, 0.1
# A name goes to no topic that is much more like the place of another name, and to none
# that lies there much less than another topic; this share of the best is enough.
_SHARE_OF_BEST = 0.6
# A place moves with its topic while they share so much, and by so much more than with others.
_MOVES, _CLEARLY = 0.6, 0.2
# Where pixels are common, means only decide between topics that share as many.
_WEIGHT_OF_MEANS = 0.05
_MOST_UNNAMED = 24


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


@dataclass(frozen=True, eq=False)
class TopicPlace:
    """Where one topic lay: its mean (p), and its memberships on a few pixels of some images."""

    mean: Array
    feature_names: tuple[str, ...]
    maps: tuple[tuple[Image, NDArray[np.float32]], ...]


@dataclass
class FormerTopics:
    """The places of the topics that were there, by number, and the next unused number.

    `given` are the numbers that the operator has named or coloured, each with its look.
    """

    places: dict[int, TopicPlace] = field(default_factory=dict)
    next_id: int = 0
    given: Mapping[int, object] = field(default_factory=dict)
    _given_anew: set[int] = field(default_factory=set)

    def take_given(self, given: Mapping[int, object]) -> None:
        """The operator's names and colours; a new one belongs to where its topic lies now."""
        self._given_anew |= {n for n, look in given.items() if self.given.get(n) != look}
        self._given_anew &= set(given)
        self.given = dict(given)

    def lacks(self, ids: Collection[int]) -> bool:
        """Whether one of these was named since its place was noted."""
        return not self._given_anew.isdisjoint(ids)

    def note(self, seen: TopicRecord, settled: bool = True) -> None:
        """Remember where topics lie; of those not `settled` only what has just been named."""
        likeness = _likeness(seen, list(self.places.values()))
        columns = {number: at for at, number in enumerate(self.places)}
        for row, number in enumerate(seen.ids):
            present = _place_in(seen, row)
            before = self.places.get(number)
            if number in self._given_anew or (before is None and settled):
                self._put(number, present)
            elif before is not None and settled:
                own = likeness[row, columns[number]]
                others = np.delete(likeness[row], columns[number]).max(initial=0.0)
                # A name stays where it was given: thousands of small moves led one astray.
                moves = number not in self.given and own >= _MOVES and own >= others + _CLEARLY
                self._put(number, _joined(present, before) if moves else _joined(before, present))
        self._given_anew -= set(seen.ids)
        self.next_id = max(self.next_id, max(seen.ids) + 1)
        self._forget(seen.ids)

    def _put(self, number: int, place: TopicPlace) -> None:
        self.places.pop(number, None)
        self.places[number] = place

    def _forget(self, present: Collection[int]) -> None:
        """Let go the oldest places that nobody has named and no topic has."""
        unnamed = [n for n in self.places if n not in self.given and n not in present]
        for number in unnamed[: max(0, len(unnamed) - _MOST_UNNAMED)]:
            del self.places[number]

    def copy(self) -> FormerTopics:
        """A copy; the places in it never change."""
        return FormerTopics(dict(self.places), self.next_id, self.given, set(self._given_anew))


def step_for(shape: tuple[int, int]) -> int:
    """Every how many rows and columns of an image pixels are compared."""
    return max(1, int(np.sqrt(shape[0] * shape[1] / _PIXELS)))


def recognise(
    present: TopicRecord,
    former: FormerTopics,
    own: Sequence[int] | None = None,
    *,
    fresh: Collection[int] = (),
    settled: bool = True,
) -> tuple[int, ...]:
    """The numbers for the present topics: those of the former ones they are, or new ones.

    `own` are numbers the topics have from a chain that goes on; they rather keep these, except
    the `fresh` ones, which the chain has just made up.  Once topics have `settled`, one that
    does not lie where its named number belongs loses it: the name is missing rather than wrong.
    """
    known = list(former.places)
    likeness = _likeness(present, list(former.places.values()))
    own = own if own is None else [-1 if number in fresh else number for number in own]
    named = np.array([number in former.given for number in known], np.bool_)
    is_new = np.array([own is not None and each not in known for each in own or present.ids])
    fits = likeness >= np.where(is_new, _LEAST_FOR_NEW, _LEAST_LIKENESS)[:, None]
    fits[:, named] &= _are_best(likeness[:, named])
    wanted = likeness.copy()
    if own is not None:
        loyalty = np.where(named, _LOYALTY_OF_NAMED, _LOYALTY)
        wanted += loyalty * [[number == each for number in known] for each in own]
    found: dict[int, int] = {}
    # Named numbers are given first, whatever fits the others.
    for columns in (np.flatnonzero(named), np.flatnonzero(~named)):
        rows = np.array([row for row in range(len(present.ids)) if row not in found], np.intp)
        chosen = np.ix_(rows, columns)
        for row, at in _assigned(wanted[chosen], fits[chosen]):
            found[int(rows[row])] = known[columns[at]]
    free = max([former.next_id, *(number + 1 for number in own or ())])
    for row in range(len(present.ids)):
        if row in found:
            continue
        number = -1 if own is None else own[row]
        lost = settled and number in former.given and number in former.places
        if number < 0 or lost or number in found.values():
            number, free = free, free + 1
        found[row] = number
    return tuple(found[row] for row in range(len(present.ids)))


def _are_best(likeness: Array) -> Bools:
    """Whether each topic and place are about the best for each other, (K, L)."""
    rows, columns = (likeness.max(axis=axis, keepdims=True, initial=0.0) for axis in (0, 1))
    best: Bools = likeness >= _SHARE_OF_BEST * np.maximum(rows, columns)
    return best


def _assigned(wanted: Array, fits: Bools) -> list[tuple[int, int]]:
    """The best pairs of rows and columns among those that fit."""
    from scipy.optimize import linear_sum_assignment

    pairs = zip(*linear_sum_assignment(-np.where(fits, wanted, 0.0)), strict=True)
    return [(int(row), int(column)) for row, column in pairs if fits[row, column]]


def _place_in(seen: TopicRecord, row: int) -> TopicPlace:
    maps = tuple((image, each[row]) for image, each in zip(seen.images, seen.maps, strict=True))
    return TopicPlace(seen.means[row], seen.feature_names, maps)


def _joined(first: TopicPlace, second: TopicPlace) -> TopicPlace:
    """The first, with the images that only the second knows."""
    known = [image for image, _ in first.maps]
    more = tuple(
        (image, each) for image, each in second.maps if not any(image is other for other in known)
    )
    return replace(first, maps=first.maps + more)


def _likeness(present: TopicRecord, places: Sequence[TopicPlace]) -> Array:
    """How much each present topic is like what lay at each place, 0 to 1, (K, L)."""
    result = np.zeros((len(present.means), len(places)))
    alike = [place.feature_names == present.feature_names for place in places]
    means = [place.mean for place, same in zip(places, alike, strict=True) if same]
    scale = np.concatenate([present.means, *(mean[None] for mean in means)]).std(axis=0)
    for column, place in enumerate(places):
        by_means = np.zeros(len(present.means))
        if alike[column]:
            away = (present.means - place.mean) / np.maximum(scale, 1e-12)
            by_means = np.exp(-np.mean(away**2, axis=1))
        overlap = _overlap(present, place)
        result[:, column] = by_means
        if overlap is not None:
            result[:, column] = (1.0 - _WEIGHT_OF_MEANS) * overlap + _WEIGHT_OF_MEANS * by_means
    return result


def _overlap(present: TopicRecord, place: TopicPlace) -> Array | None:
    """The share of all their pixels that topics have in common with a place, None without any."""
    pairs = [
        (mine, theirs)
        for image, mine in zip(present.images, present.maps, strict=True)
        for other, theirs in place.maps
        if image is other
    ]
    if not pairs:
        return None
    shared, covered = np.zeros((2, len(present.means)))
    for mine, theirs in pairs:
        seen = ~(np.isnan(mine[0]) | np.isnan(theirs))
        ours, other = mine[:, seen].astype(np.float64), theirs[seen].astype(np.float64)
        shared += np.minimum(ours, other).sum(axis=1)
        covered += np.maximum(ours, other).sum(axis=1)
    overlap: Array = shared / np.maximum(covered, 1e-12)
    return overlap
