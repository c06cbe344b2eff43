"""Smooths a track: drops outliers, then fits a local quadratic to the rest.

Recorders repeat a fix until the next one comes, round it, and now and then write one
that is kilometres away.  So only new fixes count, fixes far from their neighbours are
left out, and what remains is fitted over some metres of track with weights that fall
with distance and with the residual.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["smoothed_track"]

Array = NDArray[np.float64]

NEIGHBOURS = 9  # fixes of which a fix's neighbourhood is the median
LARGEST_DEVIATION = 6.0  # times the typical one
LEAST_DEVIATION = 1.0  # metres
REACH = 3.0  # standard deviations of the weights
KNOTS_PER_BANDWIDTH = 3.0
MOST_KNOTS = 4000
LEAST_FIXES = 7
ROBUST_PASSES = 2


def smoothed_track(
    parameter: Array, positions: Array, usable: NDArray[np.bool_], bandwidth: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Positions (pings, 2) in metres on a smooth track, and which fixes it followed.

    `parameter` (pings,) rises along the track: time, or the number of the ping.
    `usable` marks fixes that were recorded; `bandwidth` is in metres of track.
    """
    used = _new_fixes(positions) & usable
    if used.sum() < 2:
        return positions.copy(), used
    used = _without_outliers(positions, used)
    at, fixes = parameter[used], positions[used]
    if len(at) < 4:
        return _interpolated(parameter, at, fixes), used
    along = _distance(fixes)
    if along[-1] <= 0:
        return _interpolated(parameter, at, fixes), used
    # The kernel is in metres: fixes of a slow boat are averaged over more of them.
    knots = int(np.clip(along[-1] / bandwidth * KNOTS_PER_BANDWIDTH, 4, MOST_KNOTS))
    centres = np.interp(np.linspace(0, along[-1], knots), along, at)
    centres = np.unique(centres)
    weights = np.ones(len(at))
    for _ in range(ROBUST_PASSES):
        smooth = _local_quadratics(centres, at, fixes, along, weights, bandwidth)
        residual = np.hypot(*(_interpolated(at, centres, smooth, cubic=True) - fixes).T)
        scale = max(float(np.median(residual)) * LARGEST_DEVIATION, 1e-9)
        weights = np.clip(1 - (residual / scale) ** 2, 0, 1) ** 2 + 1e-6
    return _interpolated(parameter, centres, smooth, cubic=True), used


def _new_fixes(positions: Array) -> NDArray[np.bool_]:
    new = np.ones(len(positions), dtype=np.bool_)
    new[1:] = (np.diff(positions, axis=0) != 0).any(axis=1)
    return new & np.isfinite(positions).all(axis=1)


def _without_outliers(positions: Array, used: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`used` without the fixes that lie far from the median of their neighbours."""
    from scipy.ndimage import median_filter

    fixes = positions[used]
    centre = median_filter(fixes, size=(min(NEIGHBOURS, len(fixes)), 1), mode="nearest")
    deviation = np.hypot(*(fixes - centre).T)
    steps = np.hypot(*np.diff(fixes, axis=0).T)
    # At the ends the median lags half a neighbourhood behind.
    typical = max(float(np.median(deviation)), LEAST_DEVIATION / LARGEST_DEVIATION)
    lag = NEIGHBOURS / 2 * float(np.median(steps)) if len(steps) else 0.0
    keep = used.copy()
    keep[used] = deviation <= LARGEST_DEVIATION * typical + lag
    return keep


def _distance(fixes: Array) -> Array:
    """Metres along the fixes, from medians over neighbours so that noise adds nothing."""
    from scipy.ndimage import uniform_filter1d

    calm = uniform_filter1d(fixes, min(NEIGHBOURS, len(fixes)), axis=0, mode="nearest")
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(calm, axis=0).T))])


def _local_quadratics(
    centres: Array, at: Array, fixes: Array, along: Array, weights: Array, bandwidth: float
) -> Array:
    """The value at each centre of the weighted quadratic through the fixes around it."""
    places = np.interp(centres, at, along)
    smooth = np.empty((len(centres), 2))
    for knot, (centre, place) in enumerate(zip(centres, places, strict=True)):
        first, last = np.searchsorted(along, [place - REACH * bandwidth, place + REACH * bandwidth])
        # Where fixes are sparse the fit reaches out to as many as it needs.
        middle = int(np.searchsorted(at, centre))
        first = max(0, min(int(first), middle - LEAST_FIXES // 2))
        last = min(len(at), max(int(last), middle + LEAST_FIXES // 2 + 1))
        near = slice(first, last)
        reach = max(bandwidth, float(np.abs(along[near] - place).max()) / REACH)
        weight = weights[near] * np.exp(-0.5 * ((along[near] - place) / reach) ** 2)
        offset = at[near] - centre
        unit = max(float(np.abs(offset).max()), 1e-12)
        terms = np.column_stack([np.ones(last - first), offset / unit, (offset / unit) ** 2])
        root = np.sqrt(weight)[:, np.newaxis]
        smooth[knot] = np.linalg.lstsq(terms * root, fixes[near] * root, rcond=None)[0][0]
    return smooth


def _interpolated(parameter: Array, at: Array, fixes: Array, cubic: bool = False) -> Array:
    """Positions at each parameter, beyond the ends in a straight line."""
    from scipy.interpolate import CubicSpline

    if cubic and len(at) >= 4:
        curve = CubicSpline(at, fixes, bc_type="natural")
        inside = np.clip(parameter, at[0], at[-1])
        ends = np.where((parameter < at[0])[:, np.newaxis], curve(at[0], 1), curve(at[-1], 1))
        return np.asarray(curve(inside) + ends * (parameter - inside)[:, np.newaxis])
    return np.column_stack([np.interp(parameter, at, fixes[:, axis]) for axis in range(2)])
