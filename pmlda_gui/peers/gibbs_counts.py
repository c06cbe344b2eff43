"""What LDA and spatial LDA share: counts of topics, and the average over kept sweeps.

Memberships are the posterior probabilities of a word's topic, averaged over the
conditional distributions its topic was drawn from.  That is the kindest soft reading
of a model whose words have one topic each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.peers.codebook import Dictionary
from pmlda_gui.peers.method import Fit

__all__ = ["Counts", "averaged_fits", "count"]

Array = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Counts:
    """Words of each topic by code, `of_codes` (V, K), and altogether, `of_topics` (K).

    `of_documents` (D, K) counts them by document.
    """

    of_codes: NDArray[np.int64]
    of_documents: NDArray[np.int64]
    of_topics: NDArray[np.int64]

    def log_likelihood(self, smoothing: float) -> float:
        """Mean log probability of a word under its topic's smoothed distribution of codes."""
        shares = (self.of_codes + smoothing) / (self.of_topics + smoothing * len(self.of_codes))
        return float(np.sum(self.of_codes * np.log(shares)) / max(int(self.of_topics.sum()), 1))


def count(
    numbers: Integers,
    documents: Integers,
    assignments: Integers,
    sizes: tuple[int, int, int],
) -> Counts:
    """Counts of words with these codes, documents and topics; `sizes` are V, D and K."""
    codes, document_count, topics = sizes

    def table(rows: Integers, length: int) -> NDArray[np.int64]:
        flat = np.bincount(rows.astype(np.int64) * topics + assignments, minlength=length * topics)
        return flat.reshape(length, topics)

    of_codes = table(numbers, codes)
    return Counts(of_codes, table(documents, document_count), of_codes.sum(axis=0))


def averaged_fits(
    dictionary: Dictionary,
    counts: Counts,
    sums: Array,
    sweep_once: Callable[[int], None],
    sweeps: int,
    warm_up: int,
    smoothing: float,
    alpha: float | None = None,
) -> Iterator[Fit]:
    """A fit after each sweep, averaged over those after the warm-up.

    `sweep_once` draws all topics anew, changes the counts and adds the conditionals of all
    words to `sums` (N, K).  With `alpha`, the prior of the proportions, these are averaged too.
    """
    proportions = np.zeros(counts.of_documents.shape)
    trace: list[float] = []
    kept = 0
    for sweep in range(sweeps):
        if sweep <= warm_up:
            sums[:], proportions[:], kept = 0.0, 0.0, 0
        sweep_once(sweep)
        kept += 1
        if alpha is not None:
            smoothed = counts.of_documents + alpha
            proportions += smoothed / smoothed.sum(axis=1, keepdims=True)
        trace.append(counts.log_likelihood(smoothing))
        yield _fit(
            dictionary, counts, sums / kept, (sweep + 1) / sweeps, trace,
            None if alpha is None else proportions / kept,
        )  # fmt: skip


def _fit(
    dictionary: Dictionary,
    counts: Counts,
    memberships: Array,
    fraction: float,
    trace: list[float],
    proportions: Array | None,
) -> Fit:
    """The fit after a sweep; a topic's mean is that of its codes."""
    of_codes = counts.of_codes / np.maximum(counts.of_topics, 1)
    means = of_codes.T @ dictionary.codes
    spread = of_codes.T @ dictionary.codes**2 - means**2
    weights = counts.of_topics / max(int(counts.of_topics.sum()), 1)
    return Fit(
        fraction=fraction,
        memberships=memberships.astype(np.float32),
        means=means,
        variance=dictionary.variance + float(weights @ spread.mean(axis=1)),
        trace=tuple(trace),
        proportions=proportions,
    )
