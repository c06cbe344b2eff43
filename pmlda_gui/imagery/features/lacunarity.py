"""Lacunarity: how unevenly echo mass is spread over small boxes within the window.

It is the gliding-box ratio E[M^2] / E[M]^2 of the mass M in boxes of a given
size, 1 for an even bed and larger the gappier it is.  A ratio does not mix
linearly, so it separates textures better than it measures memberships.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.windows import Neighbourhood

__all__ = ["local_lacunarity"]


def local_lacunarity(source: FeatureSource, box: int) -> NDArray[np.float64]:
    """Lacunarity of the mass in boxes of `box` pixels, averaged over the window."""
    # Decibels may be negative; mass may not.
    floor = min(source.levels[0], 0.0)
    mass = np.maximum(source.grey - floor, 0.0)
    box_mass = Neighbourhood(source.valid, box).mean(mass)
    mean = source.neighbourhood.mean(box_mass)
    square = source.neighbourhood.mean(box_mass**2)
    lacunarity = np.ones(mean.shape)
    # Where there is no echo at all, the mass is spread evenly.
    np.divide(square, mean**2, out=lacunarity, where=mean**2 > 0)
    bounded: NDArray[np.float64] = np.maximum(lacunarity, 1.0)
    return bounded
