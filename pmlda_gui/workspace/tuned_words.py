"""The words of prepared images for a number of topics, with and without hints, each made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.workspace.taught_words import hints_digest, taught_words
from pmlda_gui.workspace.topic_words import cores_and_matrix

if TYPE_CHECKING:
    from pmlda_gui.workspace.hints import PaintedHint
    from pmlda_gui.workspace.preparation import Prepared

__all__ = ["TunedWords"]

# Words by this many sets of hints are kept, so that undo finds them.
_TAUGHT_KEPT = 4


class TunedWords:
    """The words made of some prepared images: by topics, and the last few by hints."""

    def __init__(self) -> None:
        self._plain: dict[int, Prepared] = {}
        self._taught: dict[tuple[int, str], Prepared] = {}

    def made(self, base: Prepared, topics: int, hints: Sequence[PaintedHint]) -> Prepared:
        """Words for so many topics, by what was painted if anything was."""
        if topics not in self._plain:
            self._plain[topics] = _tuned(base, topics)
        plain, digest = self._plain[topics], hints_digest(hints)
        if not digest:
            return plain
        wanted = (topics, digest)
        if wanted not in self._taught:
            self._taught[wanted] = taught_words(plain, hints, digest)
            while len(self._taught) > _TAUGHT_KEPT:
                del self._taught[next(iter(self._taught))]
        return self._taught[wanted]


def _tuned(base: Prepared, topics: int) -> Prepared:
    cores, matrix = cores_and_matrix(
        base.averaged,
        base.standardisation,
        [field.labels for field in base.fields],
        topics,
        base.unit,
        whiten=base.feature_choice.noise_window is not None,
        seed=base.seed,
    )
    corpus = base.corpus
    return replace(
        base,
        standardisation=base.standardisation.whitened(matrix),
        corpus=Corpus(corpus.words @ matrix, corpus.offsets, corpus.sources, corpus.layout, cores),
        topics=topics,
        untuned=base,
    )
