"""Coverage: how often intervals contain the true memberships.

Two readings of a posterior mean and standard deviation.  `normal` is what an operator
reads off the two maps: the mean give or take so many deviations, cut at 0 and 1.
`beta` takes the posterior for the Beta distribution with these moments and, of [0, 1],
the part where its density is highest; that is stricter where a topic is nearly absent.
Intervals between two quantiles would never hold the truth of pure seabed, 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.metrics import match_maps

__all__ = ["Reading", "coverage", "least_level"]

Array = NDArray[np.float64]
Maps = NDArray[np.floating]

_LEAST_MEAN = 1e-6
_LEAST_DEVIATION = 1e-4
_LEAST_COUNT = 1e-3
_HALVINGS = 45


Reading = Literal["normal", "beta"]
"""What the mean and standard deviation of a posterior are taken to say."""


def least_level(values: Array, means: Array, deviations: Array, reading: Reading = "beta") -> Array:
    """The level, 0 to 1, from which on the interval of each posterior holds the value.

    All three have the same shape.  The level is that of all more likely memberships
    together, so for values drawn from the posterior it is uniform.
    """
    from scipy.special import betainc, erf

    if reading == "normal":
        away = np.abs(values - means) / np.maximum(deviations, _LEAST_DEVIATION)
        return np.asarray(erf(away / np.sqrt(2.0)))
    mean = np.clip(means, _LEAST_MEAN, 1.0 - _LEAST_MEAN)
    variance = np.maximum(deviations, _LEAST_DEVIATION) ** 2
    count = np.maximum(mean * (1.0 - mean) / variance - 1.0, _LEAST_COUNT)
    first, second = mean * count, (1.0 - mean) * count
    below = betainc(first, second, values)
    # Densities that only fall, or only rise, are highest at one end.
    level = np.where(first <= second, below, 1.0 - below)
    bent = ((first > 1.0) & (second > 1.0)) | ((first < 1.0) & (second < 1.0))
    a, b, x = first[bent], second[bent], values[bent]
    between = np.abs(betainc(a, b, _across(a, b, x)) - below[bent])
    # Between the two points of equal density lies what is likelier, or what is not.
    level[bent] = np.where(a > 1.0, between, 1.0 - between)
    return np.asarray(level)


def _across(first: Array, second: Array, values: Array) -> Array:
    """The point on the other side of the mode (or of the least) with the same density."""
    turn = np.clip((first - 1.0) / (first + second - 2.0), 0.0, 1.0)

    def log_density(x: Array) -> Array:
        inside = np.clip(x, 1e-300, 1.0 - 1e-16)
        return (first - 1.0) * np.log(inside) + (second - 1.0) * np.log1p(-inside)

    height = log_density(values)
    peaked = first > 1.0
    # The density changes one way from the turn to the far end: halve what is left of it.
    near, far = turn.copy(), np.where(values < turn, 1.0, 0.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        short = (log_density(middle) > height) == peaked
        near, far = np.where(short, middle, near), np.where(short, far, middle)
    return 0.5 * (near + far)


def coverage(
    truth: Maps,
    maps: Maps,
    deviations: Maps,
    levels: Sequence[float] = (0.5, 0.8, 0.95),
    where: NDArray[np.bool_] | None = None,
    reading: Reading = "normal",
) -> tuple[float, ...]:
    """The share of true memberships (K, height, width) within the intervals of each level.

    `maps` and `deviations` are the posterior means and standard deviations; topics are
    matched first, and true topics without a match are left out.  `where` (height, width)
    restricts it; NaN if no pixel is left.
    """
    partner = match_maps(truth, maps)
    valid = ~(np.isnan(truth[0]) | np.isnan(maps[0]) | np.isnan(deviations).any(axis=0))
    valid = valid if where is None else valid & where
    rows = np.flatnonzero(partner >= 0)
    if not valid.any() or not len(rows):
        return (float("nan"),) * len(levels)
    values, means, spreads = (
        each[:, valid].astype(np.float64)
        for each in (truth[rows], maps[partner[rows]], deviations[partner[rows]])
    )
    needed = least_level(np.clip(values, 0.0, 1.0), means, spreads, reading)
    return tuple(float(np.mean(needed <= level)) for level in levels)
