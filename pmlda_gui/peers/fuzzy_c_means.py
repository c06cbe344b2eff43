"""Fuzzy c-means (Bezdek): memberships by distance in feature space.

Its fuzzifier m (1.5 in the paper) says how far clusters smear into one another; it
knows neither documents nor noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.k_means import start_means
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["FuzzyCMeans"]

Array = NDArray[np.float64]


@kernel
def _update(
    words: Array, means: Array, fuzzifier: float, memberships: Array
) -> tuple[Array, Array, float]:
    """Renew the memberships (N, K) in place; return weighted sums (K, p), weights (K), objective.

    Distances enter as ratios to the smallest, which stays finite for any m > 1.
    """
    topics, features = means.shape
    sums, totals = np.zeros((topics, features)), np.zeros(topics)
    distances = np.empty(topics)
    objective = 0.0
    exponent = 1.0 / (fuzzifier - 1.0)
    for n in range(len(words)):
        nearest = np.inf
        for k in range(topics):
            square = 0.0
            for q in range(features):
                square += (words[n, q] - means[k, q]) ** 2
            distances[k] = square
            nearest = min(nearest, square)
        total = 0.0
        for k in range(topics):
            # A word on top of a mean belongs to it alone.
            share = 1.0 if distances[k] == nearest else (nearest / distances[k]) ** exponent
            memberships[n, k] = share
            total += share
        for k in range(topics):
            memberships[n, k] /= total
            weight = memberships[n, k] ** fuzzifier
            totals[k] += weight
            objective += weight * distances[k]
            for q in range(features):
                sums[k, q] += weight * words[n, q]
    return sums, totals, objective


@dataclass(frozen=True)
class FuzzyCMeans:
    """Fuzzy c-means with fuzzifier m > 1; settled once no mean moves by more than `tolerance`."""

    fuzzifier: float = 1.5
    most_steps: int = 300
    tolerance: float = 1e-5
    name = "fcm"
    soft = True

    def __post_init__(self) -> None:
        if not 1.0 < self.fuzzifier <= 100.0:
            raise PmldaError(
                f"The fuzzifier of fuzzy c-means is {self.fuzzifier:g}, but must be more than 1 "
                "and at most 100."
            )

    @property
    def title(self) -> str:
        return f"fuzzy c-means, m = {self.fuzzifier:g}"

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit an iteration; the objective is sum z^m |x - mu|^2."""
        means = start_means(words, topics, seed)
        trace: list[float] = []
        for number in range(1, self.most_steps + 1):
            memberships = np.empty((len(words.words), topics))
            sums, totals, objective = _update(words.words, means, self.fuzzifier, memberships)
            renewed = sums / np.maximum(totals, 1e-300)[:, None]
            settled = bool(np.abs(renewed - means).max() <= self.tolerance)
            means = renewed
            trace.append(objective)
            yield Fit(
                fraction=1.0 if settled else number / self.most_steps,
                memberships=memberships,
                means=means,
                variance=objective / words.words.size,
                trace=tuple(trace),
                diagnostics={"settled": settled},
            )
            if settled:
                return
