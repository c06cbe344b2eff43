"""The weights with which documents act on words: within their borders only, or beyond.

A document's Dirichlet parameters A_d = s_d pi_d act on word n with weight w_nd, and the
weights of a word sum to 1.  With hard documents, the paper's, w is 1 in the word's own
document.  Documents that touch may be coupled besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION

if TYPE_CHECKING:
    from pmlda_gui.core.corpus import Corpus
    from pmlda_gui.core.parameters import Parameters

__all__ = ["Influence", "Layout", "by_document", "influence_of"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Influence:
    """Which words each document acts on, and which documents touch.

    Document d acts on the words `members[starts[d]:starts[d + 1]]` with weights `acts`, and
    touches the documents `neighbours[neighbour_starts[d]:neighbour_starts[d + 1]]`.
    """

    words: int
    starts: Indices
    members: Indices
    acts: Array
    neighbour_starts: Indices
    neighbours: Indices

    def __post_init__(self) -> None:
        totals = np.bincount(self.members, weights=self.acts, minlength=self.words)
        if len(totals) != self.words or np.abs(totals - 1.0).max(initial=0.0) > 1e-6:
            raise PmldaError("The weights of the documents that act on a word must sum to 1.")

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return self.starts.size - 1

    def spread(self, concentration: Array) -> Array:
        """s pi of the documents (D, K) as it comes to each word, (K, N)."""
        result = np.zeros((concentration.shape[1], self.words))
        _spread(np.ascontiguousarray(concentration), self.starts, self.members, self.acts, result)
        return np.maximum(result, LEAST_CONCENTRATION, out=result)

    @classmethod
    def hard(cls, offsets: Indices, neighbours: tuple[Indices, Indices] | None = None) -> Influence:
        """Each document acts on its own words alone, those from offsets[d] to offsets[d + 1]."""
        size, documents = int(offsets[-1]), len(offsets) - 1
        starts, near = (
            (np.zeros(documents + 1, np.int64), np.empty(0, np.int64))
            if neighbours is None
            else neighbours
        )
        return cls(size, offsets, np.arange(size), np.ones(size), starts, near)


class Layout(Protocol):
    """Where the words of a corpus lie, so far as it matters to how documents act on them."""

    def influence(self, smoothness: float) -> Influence:
        """How documents act on the words; `smoothness` is in units of the features' window."""

    def subset(self, words: Indices) -> Layout:
        """The layout of some of the words, given by ascending index."""

    def nearest(self, other: Any, words: Indices) -> Indices:
        """The word of this layout nearest to each of these words of another of its kind."""


def influence_of(corpus: Corpus, parameters: Parameters) -> Influence | None:
    """How documents act under these parameters; None if on their own words alone."""
    if parameters.hard_documents:
        return None
    if corpus.layout is None:
        raise PmldaError(
            "Smoothness and coupling need words whose places are known: set both to 0, or make the "
            "corpus with a layout."
        )
    return corpus.layout.influence(parameters.smoothness)


def by_document(
    words: Indices, documents: Indices, weights: Array, count: int
) -> tuple[Indices, Indices, Array]:
    """Triples (word, document, weight) sorted by document: starts, members and weights."""
    order = np.lexsort((words, documents))
    starts = np.searchsorted(documents[order], np.arange(count + 1))
    return starts, words[order], weights[order]


@kernel
def _spread(
    concentration: Array, starts: Indices, members: Indices, acts: Array, result: Array
) -> None:
    for document in range(starts.size - 1):
        for place in range(starts[document], starts[document + 1]):
            for k in range(result.shape[0]):
                result[k, members[place]] += acts[place] * concentration[document, k]
