"""Matches the topics of two sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["match_topics"]

Array = NDArray[np.float64]


def match_topics(reference: Array, means: Array) -> NDArray[np.int64]:
    """The order of `means` (K, p) that brings each nearest to its partner in `reference`."""
    distances = np.sum((reference[:, None, :] - means[None]) ** 2, axis=2)
    order = np.full(len(reference), -1, np.int64)
    for _ in range(len(reference)):
        k, j = np.unravel_index(np.argmin(distances), distances.shape)
        order[k] = j
        distances[k, :] = np.inf
        distances[:, j] = np.inf
    return order
