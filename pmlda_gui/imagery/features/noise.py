"""Estimates the noise of words, which whitening makes the same in every direction.

Three words in a row tell it: where the seabed is even or changes steadily, the middle
one is the mean of its neighbours but for noise.  So a gradual transition, which within a
cell of the image would count as noise, does not.  The three are so far apart that their
windows do not overlap, and the fifth that differ most are left out: borders lie there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["difference_noise", "noise_lag"]

# Windows this many pixels apart see no pixel in common, nor do short wave filters in them.
_GAP = 3
# Every so many pixels a triple begins, in both directions.
_STEP = 4
# x - 2y + z of independent words has six times the variance of one.
_VARIANCES = 6.0
# Triples across borders of seabeds, at most.
_LEFT_OUT = 0.2
# Words within half a window are hardly independent; each entry wants a few that are.
_TRIPLES_PER_FEATURE = 6
_SMALLEST = 1e-10


def noise_lag(window: int) -> int:
    """How far apart the words of a triple are in pixels, for features of this window."""
    return window + _GAP


def difference_noise(
    words: Sequence[NDArray[np.float32]],
    valid: Sequence[NDArray[np.bool_]],
    window: int,
    pixels_per_value: int = 1,
) -> NDArray[np.float64] | None:
    """Covariance (p, p) of the noise of words (height, width, p); None where triples are few.

    `window` is the features' window and `pixels_per_value` the step from one word to the
    next, both in pixels of the image.
    """
    lag = max(1, round(noise_lag(window) / pixels_per_value))
    step = max(1, round(_STEP / pixels_per_value))
    found = [
        differences
        for each, mask in zip(words, valid, strict=True)
        for differences in _second_differences(each, mask, lag, step)
    ]
    differences = np.concatenate(found) if found else np.empty((0, 1), np.float32)
    count, features = differences.shape
    independent = count * (2.0 * step * pixels_per_value / window) ** 2
    if independent < _TRIPLES_PER_FEATURE * features or count <= features:
        return None
    scatter = _products(differences)
    # Directions without noise would decide alone which triples differ most.
    powers, directions = np.linalg.eigh(scatter)
    if not powers[-1] > 0.0:
        return np.zeros((features, features))
    lengths = np.square(
        differences @ (directions / np.sqrt(np.maximum(powers, _SMALLEST * powers[-1])))
    ).sum(axis=1)
    kept = max(1, count - int(_LEFT_OUT * count))
    nearest = np.argpartition(lengths, kept - 1)[:kept]
    covariance: NDArray[np.float64] = _products(differences[nearest]) / (_VARIANCES * kept)
    return covariance


def _products(differences: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sums of products of features, (p, p); in single precision a hundred thousand add up well."""
    return (differences.T @ differences).astype(np.float64)


def _second_differences(
    words: NDArray[np.float32], valid: NDArray[np.bool_], lag: int, step: int
) -> Iterator[NDArray[np.float32]]:
    """Second differences (n, p) down the columns, then along the rows."""
    for values, mask in ((words, valid), (words.swapaxes(0, 1), valid.swapaxes(0, 1))):
        if len(values) <= 2 * lag:
            continue
        first, middle, last = (
            slice(start, start + len(values) - 2 * lag, step) for start in (0, lag, 2 * lag)
        )
        across = slice(None, None, step)
        known = mask[first, across] & mask[middle, across] & mask[last, across]
        difference = values[first, across] + values[last, across] - 2 * values[middle, across]
        yield difference[known]
