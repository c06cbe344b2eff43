"""Latent Dirichlet Allocation (Blei 2003) on quantised words, by collapsed Gibbs sampling.

Feature vectors become codes of a dictionary (100 in the paper), every word has one
topic, and topics and proportions are integrated out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.vector_math import stream_keys, uniform
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.codebook import make_dictionary
from pmlda_gui.peers.gibbs_counts import averaged_fits, count
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["LatentDirichletAllocation"]

Array = NDArray[np.float64]
Integers = NDArray[np.int32]
Counters = NDArray[np.int64]


@kernel
def _sweep(
    numbers: Integers,
    documents: Integers,
    assignments: Integers,
    of_codes: Counters,
    of_documents: Counters,
    of_topics: Counters,
    alpha: float,
    smoothing: float,
    key: np.uint64,
    sums: Array,
) -> None:
    """Draw the topic of every word in turn; add the distribution it came from to `sums`."""
    topics = len(of_topics)
    odds = np.empty(topics)
    everything = smoothing * len(of_codes)
    for n in range(len(numbers)):
        code, document, old = numbers[n], documents[n], assignments[n]
        of_codes[code, old] -= 1
        of_documents[document, old] -= 1
        of_topics[old] -= 1
        total = 0.0
        for k in range(topics):
            odds[k] = (
                (of_documents[document, k] + alpha)
                * (of_codes[code, k] + smoothing)
                / (of_topics[k] + everything)
            )
            total += odds[k]
        height = total * uniform(key, np.uint64(n))
        new = -1
        for k in range(topics):
            sums[n, k] += odds[k] / total
            height -= odds[k]
            if new < 0 and height < 0.0:
                new = k
        new = topics - 1 if new < 0 else new
        assignments[n] = new
        of_codes[code, new] += 1
        of_documents[document, new] += 1
        of_topics[new] += 1


@dataclass(frozen=True)
class LatentDirichletAllocation:
    """`codes` is the size of the dictionary; `alpha` and `smoothing` [beta] are the priors.

    The first `warm_up` sweeps are left out of the average.
    """

    codes: int = 100
    alpha: float = 1.0
    smoothing: float = 0.1
    sweeps: int = 120
    warm_up: int = 60
    name = "lda"
    title = "LDA"
    soft = False

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit a sweep; the objective is the mean log probability of a word in its topic."""
        dictionary = make_dictionary(words, self.codes, seed, check)
        sizes = np.diff(words.offsets)
        documents = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        # Topics that begin as groups of similar codes part sooner than random ones.
        assignments = dictionary.topics_of_codes(words, topics, seed)[dictionary.numbers]
        counts = count(
            dictionary.numbers, documents, assignments, (len(dictionary.codes), len(sizes), topics)
        )
        sums = np.zeros((len(documents), topics))

        def sweep_once(sweep: int) -> None:
            _sweep(
                dictionary.numbers, documents, assignments,
                counts.of_codes, counts.of_documents, counts.of_topics,
                self.alpha, self.smoothing, stream_keys(seed, sweep, 0, 1)[0], sums,
            )  # fmt: skip

        yield from averaged_fits(
            dictionary, counts, sums, sweep_once, self.sweeps, self.warm_up, self.smoothing,
            self.alpha,
        )  # fmt: skip
