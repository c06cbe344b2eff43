"""Findings about topics and documents that the operator should know.

A chain that has settled may still have a topic nobody needs, two that are the same, or
documents whose words no mixture of topics explains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.state import State

__all__ = ["Findings", "look_at"]

# A topic with less than this share of the words is nearly empty; means nearer than so many
# standard deviations of the noise are hardly two; and in a document that is not explained
# words lie this many times as far from their mixtures, squared, as they do on average.
_EMPTY_SHARE = 0.01
_ALIKE_DEVIATIONS = 1.5
_UNEXPLAINED = 2.5
_LEAST_WORDS = 6


class Findings(NamedTuple):
    """Topics by row: nearly `empty` ones and pairs that are `alike`; `unexplained` documents."""

    empty: tuple[int, ...]
    alike: tuple[tuple[int, int], ...]
    unexplained: tuple[int, ...]


def look_at(corpus: Corpus, state: State, fuzzifier: float) -> Findings:
    """What is to be said about a sample."""
    shares = state.memberships.mean(axis=0)
    deviation = np.sqrt(state.variance)
    distances = np.linalg.norm(state.means[:, None] - state.means[None], axis=2)
    topics = range(len(shares))
    alike = tuple(
        (one, other)
        for one in topics
        for other in topics
        if one < other and distances[one, other] < _ALIKE_DEVIATIONS * deviation
    )
    residuals = corpus.words - topic_weights(state.log_memberships, fuzzifier) @ state.means
    squares: NDArray[np.float64] = np.mean(residuals**2, axis=1) / state.variance
    by_document = np.add.reduceat(squares, corpus.offsets[:-1]) / corpus.document_sizes
    unexplained = np.flatnonzero(
        (by_document > _UNEXPLAINED) & (corpus.document_sizes >= _LEAST_WORDS)
    )
    return Findings(
        tuple(int(topic) for topic in np.flatnonzero(shares < _EMPTY_SHARE)),
        alike,
        tuple(int(document) for document in unexplained),
    )
