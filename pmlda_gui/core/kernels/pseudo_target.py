"""The pseudo-target of the slice sampler for memberships: its centre and width."""

from __future__ import annotations

import math

import numba

from pmlda_gui.core.kernels.conditional import logistic
from pmlda_gui.core.vector_math import rough_log

__all__ = ["fit_pseudo_target"]

# How wide q is relative to the curvature of g at its centre.
_WIDTH = 0.9
# Rates below this would overflow as widths; no word ever gets that far.
_SLOWEST = 1e-90


@numba.njit(inline="always", fastmath={"contract"}, error_model="numpy")
def fit_pseudo_target(
    a: float,
    rest: float,
    log_odds: float,
    slope: float,
    bend: float,
    m: float,
    o: float,
    plain: bool,
) -> tuple[float, float, float]:
    """Centre, left and right rate of q: one Newton step from where prior and likelihood meet.

    The steeper the likelihood falls towards an end, the less of the prior's long
    tail on that side q has to cover.
    """
    s = a + rest
    prior = a * rest / s
    best = min(max(slope / (2.0 * bend + 1e-300), 0.02), 0.98)
    spread = best * (1.0 - best)
    # m = 0 carries no information: the weight below vanishes with m.
    likely = (rough_log(best) - rough_log(1.0 - best) - o) * (m / (m * m + 1e-12))
    weight = 2.0 * bend * (m * m) * spread * spread
    l = (prior * log_odds + weight * likely) / (prior + weight)
    y = logistic(l)
    t = y if plain else logistic(m * l + o)
    dy = y * (1.0 - y)
    dt = t * (1.0 - t)
    pull = slope - 2.0 * bend * t
    gradient = a - s * y + pull * m * dt
    expected = s * dy + 2.0 * bend * (m * m) * dt * dt
    curvature = max(
        s * dy + (m * m) * dt * (2.0 * bend * dt - pull * (1.0 - 2.0 * t)),
        0.3 * expected + 1e-300,
    )
    centre = l + min(max(gradient / curvature, -3.0), 3.0)
    steepness = max(_WIDTH * math.sqrt(curvature), _SLOWEST)
    peak = slope * t - bend * t * t
    at_left = slope - bend if m < 0.0 else 0.0
    at_right = 0.0 if m < 0.0 else slope - bend
    left_rate = max(min(a, steepness), _SLOWEST)
    right_rate = max(min(rest, steepness), _SLOWEST)
    fall_left = min(max(0.25 * (peak - at_left), 0.0), 1.0)
    fall_right = min(max(0.25 * (peak - at_right), 0.0), 1.0)
    left_rate += (steepness - left_rate) * fall_left
    right_rate += (steepness - right_rate) * fall_right
    return centre, left_rate, right_rate
