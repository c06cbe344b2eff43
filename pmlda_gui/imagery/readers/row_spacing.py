"""The distance between the pings of a recording along its track."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.navigation import METRES_PER_DEGREE, Navigation

__all__ = ["ping_spacing"]

SMOOTHING = 6.0  # metres of track
# A sonar that moves less than this in all has not moved.
LEAST_TRACK = 0.5


def ping_spacing(navigation: Navigation) -> float | None:
    """Typical metres between pings: from smoothed positions, or speed and time; None if unknown."""
    along = _steps_between_positions(navigation)
    if along is None:
        along = _steps_by_speed(navigation)
    if along is None:
        return None
    moving = along[along > 0]
    return float(np.median(moving)) if len(moving) else None


def _steps_between_positions(navigation: Navigation) -> NDArray[np.float64] | None:
    from pmlda_gui.imagery.geometry.smoothing import smoothed_track

    positions = navigation.positions
    if len(positions) < 2 or np.isnan(positions).any():
        return None
    metres = positions - np.median(positions, axis=0)
    if navigation.geographic:
        turn = np.cos(np.radians(np.median(positions[:, 0])))
        metres = metres[:, ::-1] * METRES_PER_DEGREE * [turn, 1.0]
    pings = np.arange(len(metres), dtype=np.float64)
    track, used = smoothed_track(pings, metres, ~navigation.interpolated, SMOOTHING)
    steps = np.hypot(*np.diff(track, axis=0).T)
    return steps if used.sum() >= 2 and steps.sum() >= LEAST_TRACK else None


def _steps_by_speed(navigation: Navigation) -> NDArray[np.float64] | None:
    with np.errstate(invalid="ignore"):
        steps = np.diff(navigation.time)
        known = np.isfinite(navigation.speed) & (navigation.speed > 0)
    if not known.any() or not np.isfinite(steps).all() or steps.sum() <= 0:
        return None
    # Clocks of full seconds stand still within them, so the mean interval is taken.
    return np.full(len(steps), float(np.median(navigation.speed[known]) * steps.mean()))
