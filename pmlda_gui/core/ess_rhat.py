"""Effective sample size and R-hat of many quantities at once.

Both as Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021) define them, on ranks
turned into normal scores.  Libraries take one quantity after the other in Python: for
the hundred that are followed that held the interpreter for 0.2 s, and the window with it.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = ["effective_sizes", "split_rhat"]

Array = NDArray[np.float64]


def _halves(draws: Array) -> Array:
    """(chains, draws, Q) cut into twice as many chains of half the length."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


@lru_cache(maxsize=8)
def _scores_of_ranks(count: int) -> Array:
    """The normal score of rank 1, 1.5, 2, ... among so many values."""
    normal = NormalDist()
    lower = [normal.inv_cdf((1.0 + 0.5 * i - 0.375) / (count + 0.25)) for i in range(count)]
    # The last of these is the middle rank, whose score is 0.
    return np.array([*lower[:-1], 0.0, *(-score for score in reversed(lower[:-1]))])


def _normal_scores(draws: Array) -> Array:
    """Each value's rank among all of its quantity as a normal deviate; ties share theirs."""
    rows = np.ascontiguousarray(draws.reshape(-1, draws.shape[-1]).T)
    count = rows.shape[1]
    order = np.argsort(rows, axis=1)
    ascending = np.take_along_axis(rows, order, axis=1)
    places = np.arange(count)
    steps = ascending[:, 1:] != ascending[:, :-1]
    edge = np.ones((len(rows), 1), np.bool_)
    first = np.maximum.accumulate(np.where(np.hstack([edge, steps]), places, 0), axis=1)
    last = np.where(np.hstack([steps, edge]), places, count)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    scores = np.empty_like(rows)
    np.put_along_axis(scores, order, _scores_of_ranks(count)[first + last], axis=1)
    return scores.T.reshape(draws.shape)


def _autocovariances(draws: Array) -> Array:
    """Of each chain at every lag, (chains, lags, Q)."""
    length = draws.shape[1]
    away = draws - draws.mean(axis=1, keepdims=True)
    waves = np.fft.rfft(away, 1 << (2 * length - 1).bit_length(), axis=1)
    power = waves.real**2 + waves.imag**2
    covariances: Array = np.fft.irfft(power, axis=1)[:, :length] / length
    return covariances


def effective_sizes(draws: Array) -> Array:
    """Bulk effective sample size of each quantity in (chains, draws, ...)."""
    scores = _normal_scores(_halves(draws.reshape(*draws.shape[:2], -1)))
    chains, length, _ = scores.shape
    covariances = _autocovariances(scores)
    within = covariances[:, 0].mean(axis=0) * length / (length - 1.0)
    total = within * (length - 1.0) / length + scores.mean(axis=1).var(axis=0, ddof=1)
    varies = total > 0.0
    correlations = 1.0 - (within - covariances.mean(axis=0)) / np.where(varies, total, 1.0)
    correlations[0] = 1.0
    # Geyer: correlations of two lags together are positive and fall, or else are noise.
    most = (length - 3) // 2
    pairs = correlations[0 : 2 * most : 2] + correlations[1 : 2 * most + 1 : 2]
    ends = np.concatenate([pairs <= 0.0, np.ones((1, pairs.shape[1]), np.bool_)])
    end = ends.argmax(axis=0)
    falling = np.minimum.accumulate(pairs, axis=0)
    kept = np.where(np.arange(most)[:, None] < end, falling, 0.0).sum(axis=0)
    beyond = np.take_along_axis(correlations, 2 * end[None], axis=0)[0]
    size = chains * length
    time = -1.0 + 2.0 * kept + np.maximum(beyond, 0.0)
    sizes: Array = np.where(varies, size / np.maximum(time, 1.0 / np.log10(size)), size)
    return sizes.reshape(draws.shape[2:])


def split_rhat(draws: Array) -> Array:
    """Rank-normalised R-hat of each quantity in (chains, draws, ...); 1 is perfect.

    Every chain is cut into four, so that a single one can disagree with itself.  The
    larger of that of the values and that of their distance from the median counts.
    """
    parts = _halves(_halves(draws.reshape(*draws.shape[:2], -1)))
    away = np.abs(parts - np.median(parts, axis=(0, 1)))
    found = np.maximum(_rhat(_normal_scores(parts)), _rhat(_normal_scores(away)))
    # A quantity that never varies agrees if all parts hold the same value.
    return np.where(np.ptp(parts, axis=(0, 1)) == 0.0, 1.0, found).reshape(draws.shape[2:])


def _rhat(draws: Array) -> Array:
    length = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = length * draws.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.full(within.shape, np.inf)
    np.divide(between, within, out=ratio, where=within > 0.0)
    # Where nothing varies within any part, they agree only if they are all the same.
    ratio[(within == 0.0) & (between == 0.0)] = 1.0
    values: Array = np.sqrt((ratio + length - 1.0) / length)
    return values
