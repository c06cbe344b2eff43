"""The colours of the paper's sunset experiment, smoothed over valid pixels only.

Lightness and opponent colours are CIELAB's; values are taken to lie in 0 to 1,
or are brought there from the 8 or 16 bit range they evidently use.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.image import Image

__all__ = ["lab_channel", "lab_values", "lightness_gradient", "logarithm_of_blue", "smooth_blue"]

_DARKEST = 1 / 255


def _unit_colours(image: Image) -> NDArray[np.float64]:
    """Red, green and blue in 0 to 1, (height, width, 3)."""
    if not image.is_colour:
        raise PmldaError(
            f"{image.name} has a single band, but colour features need red, green and blue: "
            "choose features of intensity such as the preset 'seabed'."
        )
    colours = np.where(image.valid[..., None], image.pixels, 0.0).astype(np.float64)
    highest = colours.max(initial=0.0)
    full = 1.0 if highest <= 1 else 255.0 if highest <= 255 else 65535.0
    unit: NDArray[np.float64] = np.clip(colours / full, 0.0, 1.0)
    return unit


def lab_values(image: Image) -> NDArray[np.float64]:
    """L*, a* and b* of each pixel, (height, width, 3)."""
    from skimage.color import rgb2lab

    lab: NDArray[np.float64] = rgb2lab(_unit_colours(image))
    return lab


def _gaussian_weights(deviation: float) -> NDArray[np.float64]:
    weights = np.exp(-0.5 * (np.arange(-1, 2) / deviation) ** 2)
    normalised: NDArray[np.float64] = weights / weights.sum()
    return normalised


def _weighted(
    values: NDArray[np.float64], down: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate with the outer product of two three-tap weights, edges reflected."""
    from scipy.ndimage import correlate1d

    weighted: NDArray[np.float64] = correlate1d(
        correlate1d(values, down, axis=0, mode="reflect"), across, axis=1, mode="reflect"
    )
    return weighted


def _smoothed(
    values: NDArray[np.float64], valid: NDArray[np.bool_], deviation: float
) -> NDArray[np.float64]:
    """A 3 x 3 Gaussian mean of the valid values."""
    weights = _gaussian_weights(deviation)
    presence = _weighted(valid.astype(np.float64), weights, weights)
    sums = _weighted(np.where(valid, values, 0.0), weights, weights)
    return np.divide(sums, presence, out=np.zeros_like(sums), where=valid)


def lab_channel(source: FeatureSource, channel: int) -> NDArray[np.float64]:
    """3 x 3 Gaussian (deviation 1) of L*, a* or b*."""
    return _smoothed(source.lab[..., channel], source.valid, 1.0)


def smooth_blue(source: FeatureSource) -> NDArray[np.float64]:
    """3 x 3 Gaussian (deviation 2) of blue in 0 to 1."""
    return _smoothed(_unit_colours(source.image)[..., 2], source.valid, 2.0)


def logarithm_of_blue(source: FeatureSource) -> NDArray[np.float64]:
    """Natural logarithm of blue; the darkest blue is that of 1 in 255."""
    blue = _unit_colours(source.image)[..., 2]
    logarithm: NDArray[np.float64] = np.log(np.maximum(blue, _DARKEST))
    return logarithm


def lightness_gradient(source: FeatureSource) -> NDArray[np.float64]:
    """Derivative of a 3 x 3 Gaussian (deviation 1) of L* downwards, in L* per pixel."""
    lightness = source.lab[..., 0]
    across = _gaussian_weights(1.0)
    slope = np.array([-0.5, 0.0, 0.5])
    # Differences to the local mean: a missing neighbour then counts as level.
    level = _smoothed(lightness, source.valid, 1.0)
    known = source.valid.astype(np.float64)
    return _weighted(known * lightness, slope, across) - level * _weighted(known, slope, across)
