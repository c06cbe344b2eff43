"""Coarse to fine: topics are found on a few words and handed to ever more of them.

Neighbouring words are far from independent, because features are computed over
overlapping windows, so a strided subset says nearly as much about the topics as
all words do, and its sweeps take milliseconds.  With several starts the first
level also tells whether they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.starting import STARTS

__all__ = ["Level", "coarse_to_fine", "default_levels", "refine"]

# Sweeps on each level but the last, and words on the coarsest.
_SWEEPS_PER_LEVEL = 40
_COARSEST_WORDS = 1500
_FACTOR = 4
# Starts whose Q differs by more than this have found different topics.
_DISAGREEMENT = 0.02


@dataclass(frozen=True, eq=False)
class Level:
    """A chain on some of the words; `words` are their indices, None on the last level.

    `agreed` says whether the starts of the first level led to fits equally good.
    """

    chain: Chain
    words: NDArray[np.int64] | None
    agreed: bool


def default_levels(corpus: Corpus) -> list[NDArray[np.int64]]:
    """Subsets of the words, coarsest first, each about four times the one before."""
    stride, strides = 1, []
    while corpus.size // (stride * _FACTOR) >= _COARSEST_WORDS:
        stride *= _FACTOR
        strides.append(stride)
    return [corpus.every(stride) for stride in reversed(strides)]


def refine(chain: Chain, corpus: Corpus, threads: int | None = None) -> Chain:
    """A chain on more words of the same documents that starts from this one's topics.

    The current sample is handed over rather than its average: averages of the
    scaling are drawn up by rare large values.
    """
    return Chain(
        corpus,
        chain.parameters,
        chain.sampler,
        chain.seed,
        threads,
        prior=chain.prior,
        start=chain.globals,
    )


def coarse_to_fine(
    corpus: Corpus,
    parameters: Parameters,
    sampler: str = "fast",
    seed: int = 0,
    threads: int | None = None,
    *,
    levels: Sequence[ArrayLike] | None = None,
    starts: Sequence[str] | None = None,
    sweeps: int = _SWEEPS_PER_LEVEL,
    cancel: Callable[[], bool] | None = None,
) -> Iterator[Level]:
    """Chains from the coarsest level to all words; all but the last have been swept.

    `levels` are ascending word indices, coarsest first, by default every 4^n-th
    word of each document; each document keeps at least one.  `starts` are tried
    on the coarsest level and the one with the best Q goes on; by default k-means
    alone for two or three topics, all of `STARTS` from four on, where there are
    several modes.
    """
    chosen = default_levels(corpus) if levels is None else [np.asarray(each) for each in levels]
    kinds = starts or (STARTS[:1] if parameters.topics <= 3 else STARTS)
    prior = TopicPrior.from_corpus(corpus)
    agreed = True
    start: str | Globals = kinds[0]
    for number, words in enumerate(chosen):
        subset = corpus.subset(words)
        tried = list(kinds) if number == 0 else [start]
        found = []
        for kind in tried:
            chain = Chain(subset, parameters, sampler, seed, threads, prior=prior, start=kind)
            chain.sweep(sweeps, cancel)
            found.append(chain)
        qualities = [chain.best_quality for chain in found]
        if number == 0:
            agreed = max(qualities) - min(qualities) <= _DISAGREEMENT
        chain = found[int(np.argmax(qualities))]
        start = chain.globals
        yield Level(chain, words, agreed)
    full = Chain(corpus, parameters, sampler, seed, threads, prior=prior, start=start)
    yield Level(full, None, agreed)
