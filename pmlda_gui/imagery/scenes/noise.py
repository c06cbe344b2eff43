"""Random fields from which synthetic seabeds are drawn.

Smooth fields come from coarse random grids through cubic B-splines, two small
matrix products instead of a wide convolution, so that a scene takes a fraction
of a second; speckle comes from circular complex Gaussian echoes, as a sonar's does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["smooth_noise", "speckle"]


def _spline_weights(count: int, spacing: float, offset: float) -> NDArray[np.float64]:
    """Weights (count, knots) of cubic B-splines whose knots lie `spacing` pixels apart."""
    position = np.arange(count) / spacing + offset
    knots = np.arange(math.ceil(position[-1]) + 4) - 1
    distance = np.abs(position[:, None] - knots[None, :])
    near = 2 / 3 - distance**2 + distance**3 / 2
    far = np.clip(2 - distance, 0, None) ** 3 / 6
    weights = np.where(distance < 1, near, far)
    # Unit variance everywhere: between two knots the plain spline is a little calmer.
    normalised: NDArray[np.float64] = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    return normalised


def smooth_noise(
    shape: tuple[int, int], length: float | tuple[float, float], rng: np.random.Generator
) -> NDArray[np.float32]:
    """A Gaussian field of mean 0 and variance 1 that varies over `length` pixels.

    `length` may differ between rows and columns; the result is float32 (height, width).
    """
    lengths = length if isinstance(length, tuple) else (length, length)
    offsets = rng.uniform(0, 1, 2)
    down, across = (
        _spline_weights(count, max(spacing, 1.0), offset)
        for count, spacing, offset in zip(shape, lengths, offsets, strict=True)
    )
    coarse = rng.standard_normal((down.shape[1], across.shape[1]))
    return (down @ coarse @ across.T).astype(np.float32)


def speckle(
    shape: tuple[int, int], looks: int, grain: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Multiplicative speckle of mean 1, float32 (height, width).

    The amplitude of one look is Rayleigh distributed; the power of several
    `looks` is averaged.  `grain` is the standard deviation in pixels of the
    point spread that correlates neighbouring pixels.
    """
    from scipy.ndimage import gaussian_filter

    power = np.zeros(shape, dtype=np.float32)
    for _ in range(2 * looks):
        echo = rng.standard_normal(shape, dtype=np.float32)
        if grain > 0:
            echo = gaussian_filter(echo, grain, mode="wrap")
        power += echo**2
    amplitude: NDArray[np.float32] = np.sqrt(power)
    # The mean of a chi distributed amplitude with 2 looks degrees of freedom.
    mean = math.sqrt(2.0) * math.exp(math.lgamma(looks + 0.5) - math.lgamma(looks))
    spread = float(np.sqrt(power.mean() / (2 * looks)))
    return amplitude / np.float32(mean * spread)
