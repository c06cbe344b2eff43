"""k-means, as a method and for the codebook of LDA.

The assignment step is scipy's; the loop is ours because it must show what it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.initial_state import start_globals
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["KMeans", "LloydStep", "group_means", "lloyd", "nearest", "one_hot", "start_means"]

Array = NDArray[np.float64]
Labels = NDArray[np.int32]
_STARTS, _WORDS_LOOKED_AT = 6, 5000
# Words between two checks; scipy lets no other thread run meanwhile, so these are few.
_CHUNK = 1 << 12


@dataclass(frozen=True, eq=False)
class LloydStep:
    """`labels` (N) of the nearest of the means before, the `means` (K, p) of these groups.

    `squares` is the sum of squared distances to the means before.
    """

    labels: Labels
    means: Array
    squares: float
    settled: bool


def start_means(words: Words, topics: int, seed: int) -> Array:
    """Means (K, p) to begin with: the best of a few that PM-LDA itself might begin with.

    One k-means on some of the words may end in a poor local optimum, which would be
    held against the method that begins there.
    """
    from scipy.cluster.vq import vq

    corpus = Corpus(words.words, words.offsets)
    prior, parameters = TopicPrior.from_corpus(corpus), Parameters(topics)
    sample = words.words[:: max(1, len(words.words) // _WORDS_LOOKED_AT)]
    tried = [
        start_globals(corpus, parameters, prior, seed * _STARTS + number).means
        for number in range(_STARTS)
    ]
    return min(tried, key=lambda means: float(np.sum(vq(sample, means)[1] ** 2)))


def nearest(words: Array, means: Array, check: Check = never_stop) -> tuple[Labels, Array]:
    """The number (N) of the mean nearest to each word, and its distance (N)."""
    from scipy.cluster.vq import vq

    labels, distances = np.empty(len(words), np.int32), np.empty(len(words))
    for first in range(0, len(words), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        labels[chunk], distances[chunk] = vq(words[chunk], means, check_finite=False)
        check()
    return labels, distances


def lloyd(
    words: Array, means: Array, most_steps: int, check: Check = never_stop
) -> Iterator[LloydStep]:
    """Lloyd's iterations on words (N, p) from these means until no label changes."""
    before: Labels | None = None
    for _ in range(most_steps):
        labels, distances = nearest(words, means, check)
        settled = before is not None and np.array_equal(labels, before)
        means = group_means(words, labels, means)
        yield LloydStep(labels, means, float(distances @ distances), settled)
        if settled:
            return
        before = labels


def group_means(words: Array, labels: Labels, fallback: Array) -> Array:
    """The mean (K, p) of each group of words; a group without any keeps the `fallback`."""
    groups = len(fallback)
    counts = np.bincount(labels, minlength=groups)
    sums = np.stack(
        [np.bincount(labels, weights=column, minlength=groups) for column in words.T], axis=1
    )
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], fallback)


def one_hot(labels: Labels, topics: int) -> NDArray[np.float32]:
    """Memberships (N, K) of words that belong to one topic only."""
    table: NDArray[np.float32] = np.eye(topics, dtype=np.float32)[labels]
    return table


@dataclass(frozen=True)
class KMeans:
    """Crisp clusters of least squared distance, one to each topic."""

    most_steps: int = 100
    name = "kmeans"
    title = "k-means"
    soft = False

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit a Lloyd iteration; the objective is the sum of squared distances."""
        trace: list[float] = []
        start = start_means(words, topics, seed)
        steps = lloyd(words.words, start, self.most_steps, check)
        for number, step in enumerate(steps, 1):
            trace.append(step.squares)
            yield Fit(
                fraction=1.0 if step.settled else number / self.most_steps,
                memberships=one_hot(step.labels, topics),
                means=step.means,
                variance=step.squares / words.words.size,
                trace=tuple(trace),
                diagnostics={"settled": step.settled},
            )
