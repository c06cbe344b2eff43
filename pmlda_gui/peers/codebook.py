"""A codebook for methods that count words: each feature vector becomes one of V codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.k_means import lloyd, nearest, start_means
from pmlda_gui.peers.method import Check, never_stop

__all__ = ["Dictionary", "make_dictionary"]

Array = NDArray[np.float64]
# A dictionary of a hundred codes is the same from this many words as from all of them.
_WORDS_LOOKED_AT = 20_000
_STEPS = 30


@dataclass(frozen=True, eq=False)
class Dictionary:
    """`codes` (V, p) and the number of the nearest one of each word, `numbers` (N).

    `variance` is the mean squared difference of a word's features from its code's.
    """

    codes: Array
    numbers: NDArray[np.int32]
    variance: float

    def topics_of_codes(self, words: Words, topics: int, seed: int) -> NDArray[np.int32]:
        """The topic (V) whose starting mean is nearest to each code."""
        from scipy.cluster.vq import vq

        return vq(self.codes, start_means(words, topics, seed))[0]


def make_dictionary(words: Words, size: int, seed: int, check: Check = never_stop) -> Dictionary:
    """Quantise the words by k-means into a dictionary of at most `size` codes."""
    table = words.words
    sample = np.ascontiguousarray(table[:: max(1, len(table) // _WORDS_LOOKED_AT)])
    distinct = np.unique(sample, axis=0)
    rng = np.random.default_rng([seed, size])
    chosen = rng.choice(len(distinct), min(size, len(distinct)), replace=False)
    codes = distinct[np.sort(chosen)]
    for step in lloyd(sample, codes, _STEPS, check):
        codes = step.means
    numbers, distances = nearest(table, codes, check)
    return Dictionary(codes, numbers, float(distances @ distances) / table.size)
