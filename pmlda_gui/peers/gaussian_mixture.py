"""A mixture of Gaussians by expectation and maximisation, with a full covariance each.

Its memberships are the posterior probabilities of the components: doubt about which
one made a word, not a mixture within the word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.k_means import lloyd, one_hot, start_means
from pmlda_gui.peers.method import Check, Fit, never_stop

__all__ = ["GaussianMixture"]

Array = NDArray[np.float64]
# Added to every variance, so that a component on few words keeps a width.
_LEAST_VARIANCE = 1e-6
_START_STEPS = 10


class _Components(NamedTuple):
    """Shares (K), means (K, p) and covariances (K, p, p)."""

    shares: Array
    means: Array
    covariances: Array


def _maximise(words: Array, memberships: NDArray[np.floating], check: Check) -> _Components:
    weights = memberships.astype(np.float64, copy=False)
    totals = weights.sum(axis=0) + 10.0 * np.finfo(np.float64).eps
    means = weights.T @ words / totals[:, None]
    covariances = np.empty((len(totals), words.shape[1], words.shape[1]))
    for k, total in enumerate(totals):
        check()
        away = words - means[k]
        covariances[k] = (weights[:, k] * away.T) @ away / total
        covariances[k].flat[:: words.shape[1] + 1] += _LEAST_VARIANCE
    return _Components(totals / totals.sum(), means, covariances)


def _expect(words: Array, components: _Components, check: Check) -> tuple[Array, float]:
    """Posterior probabilities (N, K) and the mean log likelihood of a word."""
    logs = np.empty((len(words), len(components.shares)))
    for k, (share, mean, covariance) in enumerate(zip(*components, strict=True)):
        check()
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        white = (words - mean) @ whiten.T
        constant = np.log(share) + np.log(np.diag(whiten)).sum()
        constant -= 0.5 * len(mean) * np.log(2.0 * np.pi)
        logs[:, k] = constant - 0.5 * np.einsum("np,np->n", white, white)
    peaks = logs.max(axis=1, keepdims=True)
    memberships = np.exp(logs - peaks)
    totals = memberships.sum(axis=1, keepdims=True)
    memberships /= totals
    return memberships, float(np.mean(peaks + np.log(totals)))


@dataclass(frozen=True)
class GaussianMixture:
    """Settled once a step adds less than `tolerance` to the mean log likelihood of a word."""

    most_steps: int = 200
    tolerance: float = 1e-3
    name = "gmm"
    title = "Gaussian mixture"
    soft = False

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """One fit an iteration, from a few of k-means; the objective is the log likelihood."""
        table = words.words
        *_, start = lloyd(table, start_means(words, topics, seed), _START_STEPS, check)
        components = _maximise(table, one_hot(start.labels, topics), check)
        trace: list[float] = []
        for number in range(1, self.most_steps + 1):
            memberships, likelihood = _expect(table, components, check)
            settled = bool(trace) and likelihood - trace[-1] < self.tolerance
            trace.append(likelihood)
            variances = np.einsum("kpp->k", components.covariances) / table.shape[1]
            yield Fit(
                fraction=1.0 if settled else number / self.most_steps,
                memberships=memberships,
                means=components.means,
                variance=float(components.shares @ variances),
                trace=tuple(trace),
                diagnostics={"settled": settled, "covariances": components.covariances},
            )
            if settled:
                return
            components = _maximise(table, memberships, check)
