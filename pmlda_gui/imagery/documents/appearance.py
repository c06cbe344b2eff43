"""The appearance of the seabed around each pixel, for drawing boundaries.

Sonar images are grey and speckled: a boundary drawn on the raw pixels follows the
speckle.  So the image is clipped at percentiles, smoothed without letting masked
pixels in, and standardised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Image

__all__ = ["appearance", "clipped_channels", "masked_mean", "standardised"]

CLIP_PERCENTILES = (1.0, 99.0)
# Percentiles of so many pixels are those of the image to within a thousandth.
SAMPLED_PIXELS = 250_000


def clipped_channels(image: Image, usable: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The bands between 0 and 1 at their percentiles, (channels, height, width), 0 outside.

    Colours become lightness and two opponent colours, on one common scale.
    """
    bands = np.moveaxis(np.atleast_3d(image.pixels), 2, 0)
    sampled = bands[:, usable][:, :: max(1, np.count_nonzero(usable) // SAMPLED_PIXELS)]
    low, high = np.percentile(sampled, CLIP_PERCENTILES)
    span = max(float(high - low), float(np.finfo(np.float32).tiny))
    scaled = np.where(usable, np.clip((bands - low) / span, 0.0, 1.0), 0.0).astype(np.float32)
    if not image.is_colour:
        return scaled
    red, green, blue = scaled
    lightness = (red + green + blue) / 3
    return np.stack([lightness, red - green, (red + green) / 2 - blue])


def masked_mean(
    values: NDArray[np.float32], usable: NDArray[np.bool_], sigma: float
) -> NDArray[np.float32]:
    """The Gaussian mean (deviation `sigma` pixels) over usable pixels alone, (height, width)."""
    from scipy.ndimage import gaussian_filter

    inside = usable.astype(np.float32)
    weight = gaussian_filter(inside, sigma, truncate=3.0)
    total = gaussian_filter(values * inside, sigma, truncate=3.0)
    return np.where(usable, total / np.maximum(weight, 1e-6), 0.0).astype(np.float32)


def standardised(values: NDArray[np.float32], usable: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The values with mean 0 and deviation 1 over the usable pixels, 0 elsewhere."""
    inside = values[usable].astype(np.float64)
    deviation = inside.std()
    if deviation < 1e-6:
        return np.zeros_like(values)
    return np.where(usable, (values - inside.mean()) / deviation, 0.0).astype(np.float32)


def appearance(image: Image, usable: NDArray[np.bool_], sigma: float) -> NDArray[np.float32]:
    """Smoothed brightness (and colour), and contrast, (height, width, channels), standardised.

    `sigma` is the deviation of the smoothing in pixels.  Contrast, the deviation
    around the smoothed brightness over twice that reach, tells ripples from flat
    sand of the same brightness.
    """
    channels = clipped_channels(image, usable)
    smooth = [masked_mean(channel, usable, sigma) for channel in channels]
    residual = (channels[0] - smooth[0]) ** 2
    contrast = np.sqrt(np.maximum(masked_mean(residual, usable, 2 * sigma), 0.0))
    return np.stack([standardised(values, usable) for values in (*smooth, contrast)], axis=-1)
