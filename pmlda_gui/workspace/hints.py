"""Painted hints: "this is topic k" or "this is not topic k", pixel by pixel.

The chain learns from the words of a lattice, so a word there takes the mean strength of the
painted pixels it is nearest to.  Maps heed every painted pixel itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.hints import NO_HINTS, Hints, WordHints
from pmlda_gui.workspace.preparation import Prepared

__all__ = [
    "PaintedHint",
    "hinted_topics",
    "hints_for_words",
    "hints_on_pixels",
    "kept_numbers",
    "numbers_by_hints",
    "renumbered",
    "same_hints",
]


@dataclass(frozen=True, eq=False)
class PaintedHint:
    """One stroke: flat `pixels` (M) of an image, the topic's number and the strength.

    `against` says "not this topic".  Make it with `of`, which takes a mask as well.
    """

    image: int
    pixels: NDArray[np.int32]
    topic: int
    strength: float = 1.0
    against: bool = False

    @classmethod
    def of(
        cls,
        prepared: Prepared,
        where: ArrayLike,
        topic: int,
        strength: float = 1.0,
        against: bool = False,
        image: int = 0,
    ) -> PaintedHint:
        """A stroke on an image of these; `where` is a mask of its shape or flat pixel numbers."""
        if not 0 <= image < len(prepared.images):
            raise PmldaError(f"There is no image {image} to give a hint on.")
        shape = prepared.images[image].shape
        given = np.asarray(where)
        if given.dtype == np.bool_:
            if given.shape != shape:
                raise PmldaError(
                    f"The mask of a hint has the shape {given.shape}, but the image has {shape}."
                )
            given = np.flatnonzero(given)
        pixels = np.unique(given.astype(np.int64))
        if pixels.size == 0 or pixels[0] < 0 or pixels[-1] >= shape[0] * shape[1]:
            raise PmldaError("A hint needs pixels that lie in its image.")
        # Refused there if topic or strength cannot be.
        Hints.of(pixels[:1], topic, strength, against)
        return cls(image, pixels.astype(np.int32), int(topic), float(strength), bool(against))


def renumbered(
    hints: Iterable[PaintedHint], old: tuple[int, ...], new: tuple[int, ...]
) -> tuple[PaintedHint, ...]:
    """The hints on the same topics, which have other numbers now."""
    numbers = dict(zip(old, new, strict=True))
    return tuple(replace(hint, topic=numbers.get(hint.topic, hint.topic)) for hint in hints)


def same_hints(first: Sequence[PaintedHint], second: Sequence[PaintedHint]) -> bool:
    """Whether two lists say the same."""
    return len(first) == len(second) and all(
        (a.image, a.topic, a.strength, a.against) == (b.image, b.topic, b.strength, b.against)
        and np.array_equal(a.pixels, b.pixels)
        for a, b in zip(first, second, strict=True)
    )


def hinted_topics(hints: Iterable[PaintedHint]) -> tuple[int, ...]:
    """The numbers of the topics that something was said to be, each once, ascending."""
    return tuple(sorted({hint.topic for hint in hints if not hint.against}))


def kept_numbers(
    present: tuple[int, ...],
    proposed: tuple[int, ...],
    hints: Iterable[PaintedHint],
    held: Iterable[int] = (),
) -> tuple[int, ...]:
    """The proposed numbers of topics, but those with hints or held keep the ones they have."""
    fixed = {*hinted_topics(hints), *held} & set(present)
    if not fixed:
        return proposed
    wanted = [
        own if own in fixed or new in fixed else new
        for own, new in zip(present, proposed, strict=True)
    ]
    return tuple(wanted) if len(set(wanted)) == len(wanted) else present


def numbers_by_hints(
    shares: NDArray[np.float64], hinted: Sequence[int], numbers: tuple[int, ...]
) -> tuple[int, ...]:
    """Numbers for topics: hinted ones go to those that lie there, the others keep theirs if free.

    `shares` (H, K) is how much of each topic lies where each of the `hinted` was painted.
    """
    from scipy.optimize import linear_sum_assignment

    given: dict[int, int] = {}
    for hint, topic in zip(*linear_sum_assignment(-shares), strict=True):
        given[int(topic)] = hinted[int(hint)]
    taken = set(given.values())
    for topic, own in enumerate(numbers):
        if topic not in given:
            free = own if own not in taken else next(n for n in range(10**6) if n not in taken)
            given[topic] = free
            taken.add(free)
    return tuple(given[topic] for topic in range(len(numbers)))


def hints_for_words(hints: Sequence[PaintedHint], prepared: Prepared) -> Hints:
    """The hints on the words that the chain learns from."""
    if not hints:
        return NO_HINTS
    sizes = [height * width for height, width in (image.shape for image in prepared.images)]
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    sources: list[NDArray[np.int64]] = []
    topics: list[NDArray[np.int64]] = []
    strengths: list[NDArray[np.float64]] = []
    against: list[NDArray[np.bool_]] = []
    for hint in hints:
        found = _nearest_words(hint, prepared, int(firsts[hint.image]), sizes[hint.image])
        sources.append(found)
        topics.append(np.full(found.size, hint.topic))
        strengths.append(np.full(found.size, hint.strength))
        against.append(np.full(found.size, hint.against))
    return Hints.of(*(np.concatenate(each) for each in (sources, topics, strengths, against)))


def _nearest_words(
    hint: PaintedHint, prepared: Prepared, first: int, size: int
) -> NDArray[np.int64]:
    """The sources of the words that stand for the painted pixels, each once.

    Strokes are of one strength, so the mean over a word's painted pixels is that strength.
    """
    mine = np.unique(prepared.corpus.sources)
    mine = mine[(mine >= first) & (mine < first + size)] - first
    painted = hint.pixels.astype(np.int64)
    if prepared.stride == 1:
        return np.intersect1d(mine, painted) + first
    if mine.size == 0:
        return mine + first
    from scipy.spatial import cKDTree

    width = prepared.images[hint.image].shape[1]
    away, nearest = cKDTree(np.column_stack(np.divmod(mine, width))).query(
        np.column_stack(np.divmod(painted, width))
    )
    # A pixel in no document, far from all words, stands for none.
    return mine[np.unique(nearest[away <= prepared.stride])] + first


def hints_on_pixels(
    hints: Sequence[PaintedHint],
    topic_ids: tuple[int, ...],
    image: int,
    pixels: NDArray[np.int64],
) -> WordHints | None:
    """The hints on some flat pixels of an image as a map takes them; None if there are none."""
    mine = [hint for hint in hints if hint.image == image and hint.topic in topic_ids]
    painted = np.unique(np.concatenate([hint.pixels for hint in mine])) if mine else np.empty(0)
    if painted.size == 0 or not np.isin(pixels, painted).any():
        return None
    favour, avoid = (np.zeros((len(topic_ids), painted.size)) for _ in range(2))
    for hint in mine:
        table = avoid if hint.against else favour
        table[topic_ids.index(hint.topic), np.searchsorted(painted, hint.pixels)] += hint.strength
    column = np.minimum(np.searchsorted(painted, pixels), painted.size - 1)
    places = np.where(painted[column] == pixels, column, -1).astype(np.int32)
    return WordHints(places, favour, avoid)
