"""Q, the yardstick of a fit: the mean log likelihood per word, memberships integrated out.

The log joint is no yardstick: it is driven by ln z far down in the corners and
swings by tens of thousands in a stationary chain.  Q depends on the topics and
documents alone.
"""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.kernels.collapsed import collapsed_log_likelihood
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.vector_math import stream_keys

__all__ = ["quality"]


def quality(
    corpus: Corpus, current: Globals, fuzzifier: float, words: int = 2048, draws: int = 128
) -> float:
    """Q on `words` evenly spaced words, each averaged over `draws` memberships.

    The same words and random numbers serve every call, so that differences
    between two states are clearer than the values themselves.
    """
    count = min(words, corpus.size)
    chosen = np.linspace(0, corpus.size - 1, count).astype(np.int64)
    documents = np.searchsorted(corpus.offsets, chosen, side="right") - 1
    values = collapsed_log_likelihood(
        corpus.columns,
        chosen,
        documents,
        current.concentration,
        current.means,
        current.variance,
        fuzzifier,
        draws,
        stream_keys(0, 0, 0, 1)[0],
    )
    return float(values.mean())
