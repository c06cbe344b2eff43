"""Hints on single words: "this is topic k" or "this is not topic k", with a strength.

A hint of strength w counts like w observed draws of a category from the word's z: "k"
multiplies the density of z by z_k^w, "not k" by (1 - z_k)^w.  Nothing else of the model
changes, and the normaliser of the Dirichlet distribution stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.errors import PmldaError

# The window knows hints before it is painted, and a corpus needs the compiler.
if TYPE_CHECKING:
    from pmlda_gui.core.corpus import Corpus

__all__ = ["NO_HINTS", "Hints", "WordHints"]

Array = NDArray[np.float64]
_MOST_STRENGTH = 1000.0
# 1 - z below this counts as this: no word ever gets that near to a corner it is kept from.
_LEAST_REST = 1e-300


@dataclass(frozen=True, eq=False)
class WordHints:
    """Hints as the kernels take them: for word n, column `places[n]` (none if negative).

    `favour` and `avoid` (K, M) are the strengths of "k" and of "not k".  Without any hints
    `places` is empty.
    """

    places: NDArray[np.int32]
    favour: Array
    avoid: Array

    @classmethod
    def none(cls, topics: int) -> WordHints:
        """No hints at all."""
        empty = np.empty((topics, 0))
        return cls(np.empty(0, np.int32), empty, empty)

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self.places.size > 0

    def log_density(self, logs: Array) -> float:
        """ln of what the hints multiply the density by, from ln z (K, N)."""
        if not self.any:
            return 0.0
        words = np.flatnonzero(self.places >= 0)
        at = self.places[words]
        mine = logs[:, words]
        shares = np.exp(mine)
        total = float(np.sum(self.favour[:, at] * mine))
        for k in range(len(logs)):
            strength = self.avoid[k, at]
            if strength.any():
                rest = np.delete(shares, k, axis=0).sum(axis=0)
                total += float(strength @ np.log(np.maximum(rest, _LEAST_REST)))
        return total


@dataclass(frozen=True, eq=False)
class Hints:
    """Hints by source and topic: parallel arrays, one entry each (M).

    `sources` are those of the words (see `Corpus`), `topics` the numbers that stay with
    topics, `strengths` are positive, and `against` says "not this topic".  Several
    hints on a word add up.  Those for topics that are not there wait for them.
    """

    sources: NDArray[np.int64]
    topics: NDArray[np.int64]
    strengths: Array
    against: NDArray[np.bool_]

    @classmethod
    def of(
        cls, sources: ArrayLike, topics: ArrayLike, strengths: ArrayLike, against: ArrayLike = False
    ) -> Hints:
        """Hints from sequences or single values for all sources; refused if they cannot be."""
        where = np.atleast_1d(np.asarray(sources, np.int64))
        size = where.shape
        made = cls(
            where.copy(),
            np.broadcast_to(np.asarray(topics, np.int64), size).copy(),
            np.broadcast_to(np.asarray(strengths, np.float64), size).copy(),
            np.broadcast_to(np.asarray(against, np.bool_), size).copy(),
        )
        made.check()
        return made

    def check(self) -> None:
        """Refuse hints that cannot be."""
        if self.sources.size == 0:
            return
        if self.sources.min() < 0 or self.topics.min() < 0:
            raise PmldaError("Hints name words and topics by numbers of 0 or more.")
        if not np.all((self.strengths > 0.0) & (self.strengths <= _MOST_STRENGTH)):
            raise PmldaError(
                f"The strength of a hint must lie above 0 and be at most {_MOST_STRENGTH:g}."
            )

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.sources.size)

    def same_as(self, other: Hints) -> bool:
        """Whether these are the very hints of another value."""
        return self.count == other.count and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("sources", "topics", "strengths", "against")
        )

    def on(self, corpus: Corpus, topic_ids: tuple[int, ...]) -> WordHints:
        """The hints on the words of a corpus, whose topics have these numbers."""
        topics = len(topic_ids)
        index = {number: place for place, number in enumerate(topic_ids)}
        row = np.array([index.get(int(each), -1) for each in self.topics], np.int64)
        known = np.unique(self.sources[row >= 0])
        words = np.flatnonzero(np.isin(corpus.sources, known))
        if words.size == 0:
            return WordHints.none(topics)
        favour, avoid = np.zeros((topics, known.size)), np.zeros((topics, known.size))
        kept = row >= 0
        column = np.searchsorted(known, self.sources[kept])
        for table, chosen in ((favour, ~self.against[kept]), (avoid, self.against[kept])):
            np.add.at(table, (row[kept][chosen], column[chosen]), self.strengths[kept][chosen])
        places = np.full(corpus.size, -1, np.int32)
        places[words] = np.searchsorted(known, corpus.sources[words])
        return WordHints(places, favour, avoid)

    def write(self, draft: Draft) -> None:
        """Add the hints to a checkpoint, if there are any."""
        if self.count:
            draft.arrays["hints.sources"] = self.sources.copy()
            draft.arrays["hints.topics"] = self.topics.copy()
            draft.arrays["hints.strengths"] = self.strengths.copy()
            draft.arrays["hints.against"] = self.against.astype(np.uint8)

    @classmethod
    def read(cls, checkpoint: Checkpoint) -> Hints:
        """The hints a checkpoint holds."""
        if "hints.sources" not in checkpoint.arrays:
            return NO_HINTS
        shape = (int(checkpoint.arrays["hints.sources"].size),)
        read = cls(
            checkpoint.array("hints.sources", shape, np.int64),
            checkpoint.array("hints.topics", shape, np.int64),
            checkpoint.array("hints.strengths", shape, np.float64),
            checkpoint.array("hints.against", shape, np.bool_),
        )
        read.check()
        return read


NO_HINTS = Hints.of([], [], [], [])
