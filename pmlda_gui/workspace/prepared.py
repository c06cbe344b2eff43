"""Prepared images: features, documents and the words that a chain learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.features import Features, Standardisation
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.choices import DocumentChoice, FeatureChoice, Preparation

# The choices are needed before the window is painted, and numba takes half a second to load.
if TYPE_CHECKING:
    from pmlda_gui.core.corpus import Corpus
    from pmlda_gui.imagery.document_field import DocumentField
    from pmlda_gui.imagery.words import Words
    from pmlda_gui.workspace.hints import PaintedHint
    from pmlda_gui.workspace.topic_set import TopicSet
    from pmlda_gui.workspace.tuned_words import TunedWords

__all__ = ["Prepared", "averaging_of", "document_fields", "same_objects"]

# Maps are averaged over this share of the documents' reach, for windows of at least so many
# pixels: smaller ones leave more noise.
_AVERAGED, _LEAST_AVERAGED = 0.2, 31
# Fewer pixels than one in so many are few.
_FEW = 4


@dataclass(frozen=True, eq=False)
class Prepared:
    """Images with their features and documents, and the words of all that are learned from.

    Words are made of the features `averaged` over the ground that looks alike; the `corpus`
    holds those on every `stride`-th row and column.  The images may be reduced: their pixels
    are then cells, `pixels_per_cell` of the pixels that features are measured in.
    `tuned` makes words for a number of `topics` out of the `untuned` ones; `taught` is the
    digest of the hints that they were made by, empty without any.  `given` are the topics that
    words were made for as they are.
    """

    images: tuple[Image, ...]
    feature_choice: FeatureChoice
    document_choice: DocumentChoice
    label_maps: tuple[NDArray[np.int32] | None, ...]
    seed: int
    features: tuple[Features, ...]
    averaged: tuple[Features, ...]
    standardisation: Standardisation
    documents: tuple[Documents, ...]
    corpus: Corpus
    stride: int
    pixels_per_cell: int = 1
    topics: int | None = None
    untuned: Prepared | None = None
    taught: str = ""
    given: TopicSet | None = None

    @cached_property
    def preparation(self) -> Preparation:
        """How it was made."""
        return Preparation.of(
            self.feature_choice,
            self.document_choice,
            self.label_maps,
            self.seed,
            "" if self.given is None else self.given.digest,
        )

    @property
    def unit(self) -> float:
        """The side of the features' window, the unit of smoothness, in pixels of the images."""
        return self.feature_choice.scaled_window / self.pixels_per_cell

    def tuned(self, topics: int, hints: Sequence[PaintedHint] = ()) -> Prepared:
        """The same with words for so many topics, and with cores where these are expected.

        What was painted is a core (see `taught_words`).  Where every pixel is learned from
        there are none: the model is then the paper's.  Topics given stay as they are.
        """
        base = self.untuned or self
        if self.stride == 1 or (self.topics == topics and self.untuned is None):
            return self
        if self.given is not None:
            return self
        return base._tuned.made(base, topics, hints)

    def under(self, given: TopicSet) -> Prepared:
        """The same, whose words are made as those of the given topics, with these to begin from."""
        from pmlda_gui.core.corpus import Corpus

        words = self.corpus
        corpus = Corpus(words.words, words.offsets, words.sources, words.layout, given.cores)
        return replace(self, corpus=corpus, topics=given.count, given=given)

    @cached_property
    def _tuned(self) -> TunedWords:
        from pmlda_gui.workspace.tuned_words import TunedWords

        return TunedWords()

    def averaging(self, smoothness: float) -> float:
        """The standard deviation of what maps are averaged over, in pixels of the images."""
        return averaging_of(self.feature_choice, smoothness) / self.pixels_per_cell

    @cached_property
    def words(self) -> Words:
        """The words of all pixels in documents as measured, for methods that learn from them."""
        from pmlda_gui.imagery.words import build_words

        return build_words(
            [self.standardisation.apply(each.values) for each in self.features], self.documents
        )

    @property
    def measured_words(self) -> NDArray[np.float32]:
        """The words (N, p) that are learned from as measured, without averages."""
        sources, before, parts = self.corpus.sources, 0, []
        for found in self.features:
            values = found.values.reshape(-1, found.values.shape[2])
            mine = sources[(sources >= before) & (sources < before + len(values))] - before
            parts.append(self.standardisation.apply(values[mine]))
            before += len(values)
        return np.concatenate(parts)

    @cached_property
    def fields(self) -> tuple[DocumentField, ...]:
        """How the documents of each image act around them."""
        return self.untuned.fields if self.untuned else document_fields(self.documents)

    def words_at(
        self, number: int, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The words (p, N) of some pixels of an image."""
        values = self.averaged[number].values
        if number not in self._planes and _FEW * rows.size < values.shape[0] * values.shape[1]:
            # Not worth the words of all pixels, which the next stroke may change.
            few: NDArray[np.float32] = self.standardisation.apply(values[rows, columns]).T
            return few
        return self.standardised(number)[:, rows, columns]

    def standardised(self, number: int) -> NDArray[np.float32]:
        """The words of every pixel of an image as planes (p, height, width)."""
        if number not in self._planes:
            values = self.standardisation.apply(self.averaged[number].values)
            self._planes[number] = np.ascontiguousarray(values.transpose(2, 0, 1))
        return self._planes[number]

    @cached_property
    def _planes(self) -> dict[int, NDArray[np.float32]]:
        return {}

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.features[0].names

    @property
    def feature_units(self) -> tuple[str, ...]:
        return self.features[0].units

    def is_made_like(self, other: Prepared) -> bool:
        """Whether the same choices made both, so that from the same images they are equal."""
        return self.preparation == other.preparation and (self.topics, self.taught) == (
            other.topics,
            other.taught,
        )

    def is_of(self, images: Sequence[Image]) -> bool:
        """Whether it is made of these very images."""
        return same_objects(self.images, images)

    def documents_of(self, number: int) -> slice:
        """Which rows of a per-document array belong to the documents of one image."""
        counts = [documents.count for documents in self.documents]
        first = sum(counts[:number])
        return slice(first, first + counts[number])


def averaging_of(choice: FeatureChoice, smoothness: float) -> float:
    """The standard deviation of what maps are averaged over, in pixels of full resolution."""
    return _AVERAGED * smoothness * max(choice.scaled_window, _LEAST_AVERAGED)


def document_fields(documents: Sequence[Documents]) -> tuple[DocumentField, ...]:
    """The documents of several images as fields, numbered on from image to image."""
    from pmlda_gui.imagery.document_field import DocumentField

    firsts = np.cumsum([0, *(each.count for each in documents[:-1])])
    return tuple(
        DocumentField(each, int(first)) for each, first in zip(documents, firsts, strict=True)
    )


def same_objects(first: Sequence[object], second: Sequence[object]) -> bool:
    """Whether both hold the very same objects in the same order."""
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))
