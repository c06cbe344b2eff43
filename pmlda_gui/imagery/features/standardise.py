"""Standardised features, so that no unit decides the topics.

Centre and scale are robust, the median and the interquartile range, because
shadows and highlights must not squeeze the seabed; several images share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["Standardisation", "fit_standardisation", "standardise"]

# A normal distribution's interquartile range in standard deviations.
_QUARTILES_PER_DEVIATION = 1.3489795
# Below this share of the values' size, differences are rounding of float32.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Standardisation:
    """`centre` and `scale` (p,) of each feature, in the feature's own unit."""

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    def apply(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Standardise values (..., p)."""
        return ((values - self.centre) / self.scale).astype(np.float32)

    def invert(self, standardised: NDArray[np.floating]) -> NDArray[np.float64]:
        """Bring standardised values (..., p), such as topic means, back to their units."""
        return standardised * self.scale + self.centre


def fit_standardisation(
    values: Sequence[NDArray[np.floating]], valid: Sequence[NDArray[np.bool_]]
) -> Standardisation:
    """Robust centre and scale of all valid pixels of all images together.

    `values` are (height, width, p) each, `valid` (height, width) each.
    """
    words = [each[mask].astype(np.float64) for each, mask in zip(values, valid, strict=True)]
    together = np.concatenate(words) if words else np.empty((0, 0))
    if together.size == 0:
        raise PmldaError(
            "No image has a valid pixel with features, so there is nothing to standardise."
        )
    lower, centre, upper = np.percentile(together, [25, 50, 75], axis=0)
    scale = (upper - lower) / _QUARTILES_PER_DEVIATION
    # A feature that is constant but for a few pixels has no quartiles to speak of.
    smallest = _ROUNDING * np.maximum(np.abs(centre), np.finfo(np.float32).tiny)
    scale = np.where(scale > smallest, scale, together.std(axis=0))
    scale = np.where(scale > smallest, scale, 1.0)
    return Standardisation(centre, scale)


def standardise(
    values: NDArray[np.floating], valid: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """Standardise one image's features (height, width, p); also gives centre and scale (p,)."""
    standardisation = fit_standardisation([values], [valid])
    return standardisation.apply(values), standardisation.centre, standardisation.scale
