"""Standardises features into words, so that units, outliers and correlations do not matter.

Centre and scale are robust, the median and the interquartile range, because
shadows and highlights must not squeeze the seabed; far tails are brought in for
the same reason.  The model takes noise to be alike in every direction, so words
are whitened.  `noise` estimates the noise from words far apart; in small images,
and for features that were chosen with it, what varies within small cells of the image is
noise.  Several images share all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features.noise import difference_noise
from pmlda_gui.imagery.features.signal_to_noise import signal_to_noise

__all__ = ["Standardisation", "fit_standardisation", "fit_words", "standardise", "words_to_noise"]

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
    identity.  `noise` is the variance of the words' noise in any direction, 0 if unknown.
    `guide` (p, p) is what standardised values are multiplied by so that their noise has
    variance 1, None where words a window apart do not tell it.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    limit: float = np.inf
    mixing: NDArray[np.float64] | None = None
    noise: float = 0.0
    guide: NDArray[np.float64] | None = None

    def apply(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Words (..., p) of features (..., p)."""
        words = np.clip((values - self.centre) / self.scale, -self.limit, self.limit)
        return (words if self.mixing is None else words @ self.mixing).astype(np.float32)

    def whitened(self, matrix: NDArray[np.float64]) -> Standardisation:
        """The same with words multiplied by a matrix (p, p) besides."""
        mixing = matrix if self.mixing is None else self.mixing @ matrix
        return replace(self, mixing=mixing)

    @property
    def as_measured(self) -> Standardisation:
        """The same for words that are not averaged over ground that looks alike."""
        return replace(self, guide=None)

    def measures_like(self, other: Standardisation) -> bool:
        """Whether both have the same units and noise, whatever words are multiplied by."""
        if (self.guide is None) != (other.guide is None):
            return False
        same = np.array_equal(self.centre, other.centre) and np.array_equal(self.scale, other.scale)
        if self.guide is not None and other.guide is not None:
            same = same and np.array_equal(self.guide, other.guide)
        return same and self.limit == other.limit

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
    window: int | None = None,
) -> Standardisation:
    """How the features of these images become words: standardised, cut off and whitened.

    `pixels_per_value` is the step between neighbouring values in pixels of the image.
    `window` is that of the features: words farther apart than that tell the noise.
    Without it, and where the images are too small, the noise is what varies within cells.
    """
    limited = replace(fit_standardisation(values, valid), limit=_FARTHEST_OUT)
    standardised = [limited.apply(each) for each in values]
    if window is not None:
        whitened = _whitened_by_differences(limited, standardised, valid, pixels_per_value, window)
        if whitened is not None:
            return whitened
    scatter = sum(
        (
            _scatter_within_cells(each, mask, pixels_per_value)
            for each, mask in zip(standardised, valid, strict=True)
        ),
        start=np.zeros((len(limited.centre),) * 2),
    )
    mixing = _mixing(scatter)
    if mixing is None:
        return limited
    words = replace(limited, mixing=mixing)
    together = [words.apply(each[mask]) for each, mask in zip(values, valid, strict=True)]
    count = sum(map(len, together))
    # On average a feature keeps a variance of 1.
    spread = float(np.concatenate(together).var(axis=0, dtype=np.float64).mean())
    return replace(words, mixing=mixing / np.sqrt(spread), noise=1.0 / (count * spread))


def _mixing(noise: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """What words are multiplied by to make their noise alike; None where there is none."""
    powers, directions = np.linalg.eigh(noise)
    if not powers[-1] > 0.0:
        return None
    powers = np.maximum(powers, _LEAST_NOISE * powers[-1])
    mixing: NDArray[np.float64] = (directions / np.sqrt(powers)) @ directions.T
    return mixing


def words_to_noise(
    values: Sequence[NDArray[np.floating]], valid: Sequence[NDArray[np.bool_]], window: int
) -> tuple[float, ...]:
    """How far the seabeds of these images stand out of the noise; see `signal_to_noise`.

    Nothing is told where the images are too small for words a window apart.
    """
    limited = replace(fit_standardisation(values, valid), limit=_FARTHEST_OUT)
    standardised = [limited.apply(each) for each in values]
    whitened = _whitened_by_differences(limited, standardised, valid, 1, window)
    if whitened is None or whitened.mixing is None:
        return ()
    together = [each[mask] for each, mask in zip(standardised, valid, strict=True)]
    return signal_to_noise(np.concatenate(together) @ whitened.mixing, whitened.noise)


def _whitened_by_differences(
    limited: Standardisation,
    standardised: Sequence[NDArray[np.float32]],
    valid: Sequence[NDArray[np.bool_]],
    pixels_per_value: int,
    window: int,
) -> Standardisation | None:
    """Whitened by the noise that words a window apart tell; None where these are too few."""
    noise = difference_noise(standardised, valid, window, pixels_per_value)
    if noise is None:
        return None
    mixing = _mixing(noise)
    if mixing is None:
        return limited
    together = np.concatenate([each[mask] for each, mask in zip(standardised, valid, strict=True)])
    centred = together - together.mean(axis=0, dtype=np.float64).astype(np.float32)
    covariance = (centred.T @ centred).astype(np.float64) / len(centred)
    # On average a feature keeps a variance of 1.
    spread = float(np.trace(mixing @ covariance @ mixing)) / len(mixing)
    return replace(limited, mixing=mixing / np.sqrt(spread), noise=1.0 / spread, guide=mixing)


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
