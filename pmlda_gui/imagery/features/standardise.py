"""From features to words: no unit, no outlier and no correlation decides the topics.

Centre and scale are robust, the median and the interquartile range, because
shadows and highlights must not squeeze the seabed; far tails are brought in for
the same reason.  The model takes noise to be alike in every direction, so words
are turned until it is: what varies within small cells of the image is noise.
Several images share all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["Standardisation", "fit_standardisation", "fit_words", "standardise"]

# A normal distribution's interquartile range in standard deviations.
_QUARTILES_PER_DEVIATION = 1.3489795
# Below this share of the values' size, differences are rounding of float32.
_ROUNDING = 1e-6


# In robust standard deviations: a few shadows, highlights or steep edges farther out
# would otherwise be the topics, and the seabeds between them one.
_FARTHEST_OUT = 3.0
# Cells within which variation counts as noise: so many to a side of the image, in pixels.
_CELLS_PER_SIDE = 8
_SMALLEST_CELL, _LARGEST_CELL = 4, 64
# Directions with less than this share of the noise are not stretched any further.
_LEAST_NOISE = 1e-4


@dataclass(frozen=True, eq=False)
class Standardisation:
    """How features become words.

    `centre` and `scale` (p,) of each feature are in its own unit; standardised
    values are cut off at `limit` and multiplied by `mixing` (p, p), None for the
    identity.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    limit: float = np.inf
    mixing: NDArray[np.float64] | None = None

    def apply(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Words (..., p) of features (..., p)."""
        words = np.clip((values - self.centre) / self.scale, -self.limit, self.limit)
        return (words if self.mixing is None else words @ self.mixing).astype(np.float32)

    def invert(self, words: NDArray[np.floating]) -> NDArray[np.float64]:
        """Bring words (..., p), such as topic means, back to the features' units."""
        unmixed = words if self.mixing is None else words @ np.linalg.inv(self.mixing)
        return unmixed * self.scale + self.centre


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


def fit_words(
    values: Sequence[NDArray[np.floating]],
    valid: Sequence[NDArray[np.bool_]],
    pixels_per_value: int = 1,
) -> Standardisation:
    """How the features of these images become words: standardised, cut off and whitened.

    `pixels_per_value` is the step between neighbouring values in pixels of the image.
    """
    plain = fit_standardisation(values, valid)
    limited = replace(plain, limit=_FARTHEST_OUT)
    noise = sum(
        _scatter_within_cells(limited.apply(each), mask, pixels_per_value)
        for each, mask in zip(values, valid, strict=True)
    )
    powers, directions = np.linalg.eigh(noise)
    if not powers[-1] > 0.0:
        return limited
    powers = np.maximum(powers, _LEAST_NOISE * powers[-1])
    mixing = (directions / np.sqrt(powers)) @ directions.T
    words = replace(limited, mixing=mixing)
    together = [words.apply(each[mask]) for each, mask in zip(values, valid, strict=True)]
    # On average a feature keeps a variance of 1.
    spread = float(np.concatenate(together).var(axis=0, dtype=np.float64).mean())
    return replace(words, mixing=mixing / np.sqrt(spread))


def _scatter_within_cells(
    words: NDArray[np.float32], valid: NDArray[np.bool_], pixels_per_value: int
) -> NDArray[np.float64]:
    """Sum over the valid pixels of (p, p) products of deviations from their cell's mean."""
    side = np.sqrt(np.count_nonzero(valid)) * pixels_per_value / _CELLS_PER_SIDE
    cell = max(1, round(np.clip(side, _SMALLEST_CELL, _LARGEST_CELL) / pixels_per_value))
    rows, columns = np.nonzero(valid)
    _, group = np.unique(
        (rows // cell) * (valid.shape[1] // cell + 1) + columns // cell, return_inverse=True
    )
    mine = words[valid].astype(np.float64)
    counts = np.bincount(group)
    means = np.stack([np.bincount(group, column) / counts for column in mine.T], axis=1)
    away = mine - means[group]
    return away.T @ away
