"""Q, how good a fit is: the mean log likelihood per word, memberships integrated out.

The log joint does not say so: it is driven by ln z far down in the corners and
swings by tens of thousands in a stationary chain.  Q depends on the topics and
documents alone.
"""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.field import Influence
from pmlda_gui.core.kernels.marginal_likelihood import marginal_log_likelihood
from pmlda_gui.core.state import Globals
from pmlda_gui.core.thread_pool import ThreadPool
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
    pool: ThreadPool | None = None,
    influence: Influence | None = None,
) -> float:
    """Q on `words` evenly spaced words, each averaged over `draws` memberships.

    With an `influence`, each word has draws of its own, and a quarter of both is taken.

    The same words and random numbers serve every call, so that differences
    between two states are clearer than the values themselves.  `pool` is who
    works on it, by default the caller's thread alone.
    """
    if influence is not None:
        words, draws = words // 4, draws // 4
    count = min(words, corpus.size)
    chosen = np.linspace(0, corpus.size - 1, count).astype(np.int64)
    if influence is None:
        documents = np.searchsorted(corpus.offsets, chosen, side="right") - 1
        concentration = current.concentration
    else:
        documents = np.arange(count)
        concentration = np.ascontiguousarray(current.at_words(influence)[:, chosen].T)
    key = stream_keys(0, 0, 0, 1)[0]
    values = np.empty(count)
    borders = np.linspace(0, count, _PARTS + 1).astype(np.int64)

    def part(i: int) -> None:
        mine = slice(borders[i], borders[i + 1])
        values[mine] = marginal_log_likelihood(
            corpus.columns, chosen[mine], documents[mine],
            concentration, current.means, current.variance, fuzzifier, draws, key,
        )  # fmt: skip

    (pool or ThreadPool(1)).run(part, 0, _PARTS)
    return float(values.mean())
