"""The prior of the topics, which the paper takes from the data themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Cores, Corpus
from pmlda_gui.core.matching import match_topics

__all__ = ["TopicPrior"]

Array = NDArray[np.float64]

# The factor f in Algorithm 1's N(mu_D, f Sigma_D): topics are corners of the cloud of
# words, so their means lie further out than the words do.
_SPREAD = 4.0
# Directions in which the words hardly vary keep this share of the largest variance.
_LEAST_VARIANCE = 1e-9


@dataclass(frozen=True, eq=False)
class TopicPrior:
    """Normal(`centre`, `covariance`) for each mean inside the box, uniform for the variance.

    `centre` is mu_D (p), or (K, p) where each topic has one of its own; `covariance` (p, p)
    is f Sigma_D; `low` and `high` (p) bound the means: with large scaling the words say
    little about how far out the topics lie, and without the box the means run away.  The
    variance sigma^2 is uniform between `least_variance`, which keeps it from collapsing where the
    topics can explain every word exactly, and `most_variance`.
    """

    centre: Array
    covariance: Array
    low: Array
    high: Array
    least_variance: float
    most_variance: float

    @classmethod
    def from_corpus(
        cls, corpus: Corpus, spread: float = _SPREAD, topics: int | None = None
    ) -> TopicPrior:
        """The paper's prior: moments of the words, and half the range of squared distances.

        Where the corpus has cores, topics lie around these instead, unless there are to be
        more or fewer `topics` than cores.
        """
        columns = corpus.columns
        centre = columns.mean(axis=1)
        away = columns - centre[:, None]
        covariance = away @ away.T / columns.shape[1]
        scale = max(float(np.trace(covariance)) / len(centre), np.finfo(float).tiny ** 0.5)
        covariance = covariance + _LEAST_VARIANCE * scale * np.eye(len(centre))
        distances = np.einsum("qn,qn->n", away, away)
        most = max(0.5 * float(distances.max() - distances.min()), _LEAST_VARIANCE * scale)
        cores = corpus.cores
        if cores is not None and topics not in (None, len(cores.means)):
            cores = None
        made = cls(
            centre=centre if cores is None else cores.means,
            covariance=(
                spread * covariance if cores is None else cores.variance * np.eye(len(centre))
            ),
            low=columns.min(axis=1),
            high=columns.max(axis=1),
            least_variance=min(1e-7 * scale, 0.5 * most),
            most_variance=most,
        )
        given = None if cores is None else cores.word_variance
        return made if cores is None or given is None else made.widened(cores.means, given)

    def widened(self, means: Array, variance: float) -> TopicPrior:
        """The same prior with bounds that let in these means (K, p) and this variance."""
        return replace(
            self,
            low=np.minimum(self.low, means.min(axis=0)),
            high=np.maximum(self.high, means.max(axis=0)),
            least_variance=min(self.least_variance, 0.5 * variance),
            most_variance=max(self.most_variance, 2.0 * variance),
        )

    def of_topics(self, rows: NDArray[np.bool_]) -> TopicPrior:
        """The prior of some of the topics."""
        return self if self.centre.ndim == 1 else replace(self, centre=self.centre[rows])

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """Variances (p) along the axes of the covariance, and these as columns (p, p)."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.maximum(values, values[-1] * 1e-12), vectors

    @property
    def middle(self) -> Array:
        """One centre (p) for all topics."""
        return np.atleast_2d(self.centre).mean(axis=0)

    def serves(self, topics: int) -> bool:
        """Whether it is a prior of so many topics."""
        return self.centre.ndim == 1 or len(self.centre) == topics

    def matched(self, means: Array) -> TopicPrior:
        """The same prior with its centres in the order of the topics they are nearest to."""
        if self.centre.shape != means.shape:
            return self
        return replace(self, centre=self.centre[match_topics(means, self.centre)])

    def matched_to(self, cores: Cores | None, means: Array, ids: tuple[int, ...]) -> TopicPrior:
        """The same, but cores that were painted for a topic are its own.

        `ids` are the numbers of the topics with these means.
        """
        if cores is None or not cores.numbers or cores.means.shape != means.shape:
            return self.matched(means)
        own = [cores.numbers.index(each) if each in cores.numbers else -1 for each in ids]
        order = np.array(own)
        open_rows, free = order < 0, np.setdiff1d(np.arange(len(ids)), order)
        if free.size:
            order[open_rows] = free[match_topics(means[open_rows], cores.means[free])]
        return replace(self, centre=cores.means[order])

    def contains(self, means: Array) -> bool:
        """Whether all means (K, p) lie in the box."""
        return bool(np.all((means >= self.low) & (means <= self.high)))

    def log_density_of_means(self, means: Array) -> float:
        """Log density of K means, without the constant of the truncation."""
        if not self.contains(means):
            return -np.inf
        values, vectors = self.axes
        squared = np.sum(((means - self.centre) @ vectors) ** 2 / values)
        log_determinant = np.sum(np.log(2.0 * np.pi * values))
        return float(-0.5 * squared - 0.5 * len(means) * log_determinant)

    def log_density_of_variance(self, variance: float) -> float:
        """Log density of the variance."""
        if not self.least_variance <= variance <= self.most_variance:
            return -np.inf
        return -float(np.log(self.most_variance - self.least_variance))
