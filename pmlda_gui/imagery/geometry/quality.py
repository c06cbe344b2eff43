"""Finds pings to leave out of a map: turns, gaps in the track, implausible speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.geometry.pings import PingGeometry

__all__ = ["PingLimits", "bad_pings"]


@dataclass(frozen=True)
class PingLimits:
    """What makes a ping bad.

    `turn` is the smallest radius of the track as a share of the range: on a tighter
    turn the inner side is swept twice and the outer one smeared.  `slow` and `fast`
    are shares of the typical distance between rows, `gap` is the largest share between
    two rows that are still joined.
    """

    turn: float = 1.0
    slow: float = 0.1
    fast: float = 3.0
    gap: float = 10.0
    metres: float = 5.0


def bad_pings(
    geometry: PingGeometry, limits: PingLimits | None = None
) -> dict[str, NDArray[np.bool_]]:
    """Masks (rows,) of rows to leave out, by reason: turn, speed, gap, position."""
    limits = PingLimits() if limits is None else limits
    steps = np.diff(geometry.along)
    moving = steps[steps > 0]
    typical = float(np.median(moving)) if len(moving) else 0.0
    count = len(geometry)
    step = np.gradient(geometry.along) if count > 1 else np.zeros(count)
    gap = np.zeros(count, dtype=np.bool_)
    wide = steps > limits.gap * typical if typical else np.zeros(max(0, count - 1), np.bool_)
    gap[:-1] |= wide
    gap[1:] |= wide
    return {
        "turn": _turns(geometry, limits),
        "speed": ~gap & ((step < limits.slow * typical) | (step > limits.fast * typical)),
        "gap": gap,
        "position": ~geometry.followed,
    }


def _turns(geometry: PingGeometry, limits: PingLimits) -> NDArray[np.bool_]:
    """Rows where the way bends more sharply than the range allows, over some metres."""
    along = geometry.along
    if len(geometry) < 3 or along[-1] <= 0:
        return np.zeros(len(geometry), dtype=np.bool_)
    distinct = np.concatenate([[True], np.diff(along) > 0])
    ahead, astern = (
        np.interp(along + metres, along[distinct], geometry.course[distinct])
        for metres in (limits.metres, -limits.metres)
    )
    reach = np.minimum(along + limits.metres, along[-1]) - np.maximum(along - limits.metres, 0)
    bend = np.abs(ahead - astern) / np.maximum(reach, 1e-9)  # radians a metre
    far = max(geometry.layout.port, geometry.layout.starboard) * geometry.layout.pixel
    return np.asarray(bend * far * limits.turn > 1.0)
