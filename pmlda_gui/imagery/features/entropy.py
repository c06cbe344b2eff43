"""Local entropy: how evenly the intensities in a window spread over 256 levels.

The levels divide the image's robust range as those of an 8 bit image would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.windows import reflected

__all__ = ["LEVEL_COUNT", "intensity_levels", "local_entropy"]

LEVEL_COUNT = 256


def intensity_levels(values: NDArray[np.float64], levels: tuple[float, float]) -> NDArray[np.int16]:
    """Round intensities to 0 .. 255 over the range `levels`; what lies beyond is clipped."""
    low, high = levels
    if high <= low:
        return np.zeros(values.shape, dtype=np.int16)
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.rint(share * (LEVEL_COUNT - 1)).astype(np.int16)


def local_entropy(source: FeatureSource) -> NDArray[np.float64]:
    """Entropy of the intensity levels in the window, in bits."""
    from pmlda_gui.imagery.features.kernels import window_entropy

    levels = np.where(source.valid, intensity_levels(source.grey, source.levels), np.int16(-1))
    padded = reflected(levels, source.window // 2)
    entropy: NDArray[np.float64] = window_entropy(padded, source.window, LEVEL_COUNT)
    return entropy
