"""The cores of K topics, and the matrix that whitens words by what varies within the cores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Cores
from pmlda_gui.imagery.features import Features, Standardisation
from pmlda_gui.imagery.region_cores import find_cores

__all__ = ["WORDS_PER_CORE", "cores_and_matrix", "whitener"]

Array = NDArray[np.float64]
# Cores are found on so many pixels to a window, or on this many in all; a core counts as so
# many words, and its scatter is this fraction of the noise.
_PIXELS_PER_WINDOW, _MOST_PIXELS = 8, 40_000
WORDS_PER_CORE, _CORE_WEIGHT = 15.0, 0.5


def cores_and_matrix(
    features: Sequence[Features],
    standardisation: Standardisation,
    labels: Sequence[NDArray[np.int32]],
    topics: int,
    window: float,
    *,
    whiten: bool,
    seed: int,
) -> tuple[Cores, Array]:
    """Where so many topics are expected, and what words (p) are multiplied by, (p, p).

    Pixels with negative `labels` are left out; `window` is the features' in pixels.  Words are
    whitened only if `whiten` is set.
    """
    pixels = sum(int(np.count_nonzero(each >= 0)) for each in labels)
    step = max(1, int(window) // _PIXELS_PER_WINDOW, math.isqrt(pixels // _MOST_PIXELS))
    every = (slice(step // 2, None, step),) * 2
    words = [standardisation.apply(each.values[every]) for each in features]
    valid = [each[every] >= 0 for each in labels]
    found = find_cores(words, valid, topics, step, seed)
    matrix = np.eye(len(found.scatter))
    if whiten:
        together = np.concatenate([each[mask] for each, mask in zip(words, valid, strict=True)])
        matrix = whitener(found.scatter, np.atleast_2d(np.cov(together.T)))
    within = float(np.trace(matrix @ found.scatter @ matrix)) / len(matrix)
    return Cores(found.means @ matrix, max(within, 1e-12) / WORDS_PER_CORE), matrix


def whitener(within: Array, overall: Array, share: float = _CORE_WEIGHT) -> Array:
    """The symmetric matrix that makes noise alike in every direction.

    A `share` of the noise is what scatters within cores, and the rest is what words were
    whitened by; on average words keep their variance.
    """
    features = len(within)
    trace = float(np.trace(within))
    if not trace > 0.0:
        return np.eye(features)
    noise = share * within / trace + (1.0 - share) * np.eye(features) / features
    powers, directions = np.linalg.eigh(noise)
    matrix: Array = (directions / np.sqrt(powers)) @ directions.T
    spread = float(np.trace(matrix @ overall @ matrix)) / max(float(np.trace(overall)), 1e-300)
    return matrix / np.sqrt(spread)
