"""Q, the yardstick of a fit: the mean log likelihood per word, memberships integrated out.

The log joint is no yardstick: it is driven by ln z far down in the corners and
swings by tens of thousands in a stationary chain.  Q depends on the topics and
documents alone.
"""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.crew import Crew
from pmlda_gui.core.kernels.collapsed import collapsed_log_likelihood
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.vector_math import stream_keys

__all__ = ["quality"]


# The words looked at are shared out in so many parts.
_PARTS = 4


def quality(
    corpus: Corpus,
    current: Globals,
    fuzzifier: float,
    words: int = 2048,
    draws: int = 128,
    crew: Crew | None = None,
) -> float:
    """Q on `words` evenly spaced words, each averaged over `draws` memberships.

    The same words and random numbers serve every call, so that differences
    between two states are clearer than the values themselves.  `crew` is who
    works on it, by default the caller's thread alone.
    """
    count = min(words, corpus.size)
    chosen = np.linspace(0, corpus.size - 1, count).astype(np.int64)
    documents = np.searchsorted(corpus.offsets, chosen, side="right") - 1
    concentration, key = current.concentration, stream_keys(0, 0, 0, 1)[0]
    values = np.empty(count)
    borders = np.linspace(0, count, _PARTS + 1).astype(np.int64)

    def part(i: int) -> None:
        mine = slice(borders[i], borders[i + 1])
        values[mine] = collapsed_log_likelihood(
            corpus.columns, chosen[mine], documents[mine],
            concentration, current.means, current.variance, fuzzifier, draws, key,
        )  # fmt: skip

    (crew or Crew(1)).work(part, 0, _PARTS)
    return float(values.mean())
