"""The slope of the plane that fits the window best.

Meant for depths beside backscatter; a plane through all valid pixels of a window is
steadier than differences of neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.features.feature_input import FeatureSource

__all__ = ["local_slope"]

# Below this spread of positions, in squared pixels, a window holds no plane.
_LEAST_SPREAD = 1e-6


def local_slope(source: FeatureSource) -> NDArray[np.float64]:
    """Slope of the least-squares plane in the window, in the image's unit per pixel.

    0 where the valid pixels of a window lie on a line or there is only one.
    """
    mean = source.neighbourhood.mean
    height, width = source.valid.shape
    down, across = np.mgrid[:height, :width].astype(np.float64)
    down -= height / 2
    across -= width / 2
    values = source.grey - source.grey[source.valid].mean()
    mean_down, mean_across, mean_value = mean(down), mean(across), mean(values)
    down_down = mean(down * down) - mean_down**2
    across_across = mean(across * across) - mean_across**2
    down_across = mean(down * across) - mean_down * mean_across
    down_value = mean(down * values) - mean_down * mean_value
    across_value = mean(across * values) - mean_across * mean_value
    spread = down_down * across_across - down_across**2
    known = spread > _LEAST_SPREAD
    divisor = np.where(known, spread, 1.0)
    rise_down = (across_across * down_value - down_across * across_value) / divisor
    rise_across = (down_down * across_value - down_across * down_value) / divisor
    slope: NDArray[np.float64] = np.where(known, np.hypot(rise_down, rise_across), 0.0)
    return slope
