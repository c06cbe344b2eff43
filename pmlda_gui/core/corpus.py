"""The words of all documents, in document order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.field import Layout

__all__ = ["Cores", "Corpus"]


class Cores(NamedTuple):
    """Where topics are to be expected: their `means` (K, p), known up to a `variance`.

    Topics found elsewhere come with the variance of the words about their mixtures,
    `word_variance`: a chain begins with exactly these.  `numbers` (K) are those of the topics
    that cores were painted for, -1 where anybody's; empty if nothing was painted.
    """

    means: NDArray[np.float64]
    variance: float
    word_variance: float | None = None
    numbers: tuple[int, ...] = ()


class Corpus:
    """Words x (N, p) one document behind the other, and where each document begins.

    `offsets` (D + 1) gives document d the words offsets[d] to offsets[d + 1].
    `sources` (N) says which thing, a pixel say, a word describes, so that
    memberships can follow it into a corpus with other documents or features; by
    default words are numbered as they come.  `layout` says where the words lie, so
    that documents can act beyond their borders, and `cores` where topics are to be
    expected.  A corpus does not change once made.
    """

    def __init__(
        self,
        words: ArrayLike,
        offsets: ArrayLike,
        sources: ArrayLike | None = None,
        layout: Layout | None = None,
        cores: Cores | None = None,
    ) -> None:
        table = np.asarray(words, dtype=np.float64)
        bounds = np.asarray(offsets, dtype=np.int64)
        if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] == 0:
            raise PmldaError(
                f"Words must be a table with a row per word and a column per feature, "
                f"but its shape is {table.shape}."
            )
        if bounds.ndim != 1 or bounds.size < 2 or bounds[0] != 0 or bounds[-1] != len(table):
            raise PmldaError(
                f"Document offsets must run from 0 to the number of words, {len(table)}."
            )
        if np.any(np.diff(bounds) <= 0):
            empty = int(np.flatnonzero(np.diff(bounds) <= 0)[0])
            raise PmldaError(
                f"Document {empty} has no words: leave empty documents out of the corpus."
            )
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            document = int(np.searchsorted(bounds, row, side="right")) - 1
            raise PmldaError(
                f"Word {row - bounds[document]} of document {document} is not a finite number: "
                "mask such pixels before making documents."
            )
        origins = (
            np.arange(len(table), dtype=np.int64)
            if sources is None
            else np.array(sources, dtype=np.int64)
        )
        if origins.shape != (len(table),) or origins.min(initial=0) < 0:
            raise PmldaError("Sources must give one number, 0 or more, per word.")
        # A column per word: the kernels read a feature of many words at a time.
        self.columns: NDArray[np.float64] = np.array(table.T, order="C", copy=True)
        self.offsets = bounds.copy()
        self.sources = origins
        self.layout = layout
        self.cores = cores
        for array in (self.columns, self.offsets, self.sources):
            array.setflags(write=False)

    @classmethod
    def from_documents(cls, documents: Sequence[ArrayLike]) -> Corpus:
        """Join documents, each an (N_d, p) array of words."""
        if len(documents) == 0:
            raise PmldaError("A corpus needs at least one document, but none was given.")
        tables: list[NDArray[Any]] = []
        for number, document in enumerate(documents):
            table = np.asarray(document, dtype=np.float64)
            if table.ndim != 2:
                raise PmldaError(
                    f"Document {number} must be a table of words by features, "
                    f"but its shape is {table.shape}."
                )
            if table.shape[0] == 0:
                raise PmldaError(
                    f"Document {number} has no words: leave empty documents out of the corpus."
                )
            if tables and table.shape[1] != tables[0].shape[1]:
                raise PmldaError(
                    f"Document {number} has {table.shape[1]} features, but document 0 has "
                    f"{tables[0].shape[1]}: all documents need the same features."
                )
            tables.append(table)
        sizes = [len(table) for table in tables]
        return cls(np.concatenate(tables), np.concatenate([[0], np.cumsum(sizes)]))

    @property
    def words(self) -> NDArray[np.float64]:
        """The words, (N, p); a view."""
        return self.columns.T

    @property
    def size(self) -> int:
        """Number of words N."""
        return int(self.columns.shape[1])

    @property
    def features(self) -> int:
        """Number of features p."""
        return int(self.columns.shape[0])

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return self.offsets.size - 1

    @property
    def document_sizes(self) -> NDArray[np.int64]:
        """Number of words of each document, (D)."""
        return np.diff(self.offsets)

    @property
    def document_of(self) -> NDArray[np.int64]:
        """The document of each word, (N)."""
        return np.repeat(np.arange(self.documents), self.document_sizes)

    def with_cores(self, cores: Cores | None) -> Corpus:
        """The same words with other cores."""
        return Corpus(self.words, self.offsets, self.sources, self.layout, cores)

    def subset(self, words: ArrayLike) -> Corpus:
        """The corpus of some words only, given by ascending index; every document must keep one."""
        chosen = np.asarray(words, dtype=np.int64)
        if (
            chosen.size == 0
            or np.any(np.diff(chosen) <= 0)
            or not (chosen[0] >= 0 and chosen[-1] < self.size)
        ):
            raise PmldaError("A subset needs ascending indices of words of this corpus.")
        offsets = np.searchsorted(chosen, self.offsets)
        layout = None if self.layout is None else self.layout.subset(chosen)
        return Corpus(self.columns[:, chosen].T, offsets, self.sources[chosen], layout, self.cores)

    def every(self, stride: int) -> NDArray[np.int64]:
        """Indices of every stride-th word of each document, beginning with its first."""
        place = np.arange(self.size) - np.repeat(self.offsets[:-1], self.document_sizes)
        return np.flatnonzero(place % max(int(stride), 1) == 0)

    def regrouped(self, labels: ArrayLike) -> Corpus:
        """The same words in other documents, without a layout: `labels` (N) numbers each word's."""
        groups = np.asarray(labels)
        if groups.shape != (self.size,):
            raise PmldaError(
                f"Labels must number the document of each of the {self.size} words, "
                f"but their shape is {groups.shape}."
            )
        order = np.argsort(groups, kind="stable")
        _, sizes = np.unique(groups, return_counts=True)
        return Corpus(
            self.columns[:, order].T, np.concatenate([[0], np.cumsum(sizes)]), self.sources[order]
        )
