"""Documents side by side on a long line, whose words know where they lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core import Corpus, Parameters
from pmlda_gui.core.field import Influence, by_document
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.simulate import draw_log_dirichlet

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strip:
    """A layout: `places` of the words in units of the window, `middles` of the documents."""

    places: NDArray[np.float64]
    middles: NDArray[np.float64]
    offsets: Indices

    def influence(self, smoothness: float) -> Influence:
        count = len(self.middles)
        left = np.arange(count - 1)
        near = by_document(
            np.concatenate([left + 1, left]), np.concatenate([left, left + 1]),
            np.ones(2 * count - 2), count,
        )[:2]  # fmt: skip
        if smoothness == 0.0:
            return Influence.hard(self.offsets, near)
        away = (self.places[:, None] - self.middles[None]) / smoothness
        weights = np.exp(-0.5 * (away**2 - (away**2).min(axis=1, keepdims=True)))
        weights[weights < 1e-3] = 0.0
        weights /= weights.sum(axis=1, keepdims=True)
        words, documents = np.nonzero(weights)
        table = by_document(words, documents, weights[words, documents], count)
        return Influence(len(self.places), *table, *near)

    def subset(self, words: Indices) -> Strip:
        return Strip(self.places[words], self.middles, np.searchsorted(words, self.offsets))

    def nearest(self, other: Strip, words: Indices) -> Indices:
        return np.abs(self.places[None] - other.places[words][:, None]).argmin(axis=1)


def strip(sizes: list[int], means: NDArray[np.float64], seed: int) -> Corpus:
    """Words of a field whose documents favour one topic after the other."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    places = np.concatenate([d + (np.arange(n) + 0.5) / n for d, n in enumerate(sizes)])
    layout = Strip(places, np.arange(len(sizes)) + 0.5, offsets)
    topics = len(means)
    concentration = 0.4 + 3.0 * np.eye(topics)[np.arange(len(sizes)) % topics]
    a = layout.influence(0.7).spread(concentration)
    logs = draw_log_dirichlet(rng, a.T)
    words = topic_weights(logs, 1.0) @ means + 0.3 * rng.standard_normal(
        (len(places), means.shape[1])
    )
    return Corpus(words, offsets, layout=layout)


FIELD = Parameters(3, rate=1.0, smoothness=0.7, coupling=1.0)
