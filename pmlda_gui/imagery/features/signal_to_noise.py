"""The variance of words relative to their noise, by direction.

A seabed that differs from another moves its words by more than noise does.  So the
variances of all words along their principal axes, in units of the noise, say how many
seabeds can be told apart, and how well: pure noise has 1 in every direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["signal_to_noise"]

_MOST_WORDS = 200_000


def signal_to_noise(words: NDArray[np.floating], noise: float) -> tuple[float, ...]:
    """Variances of the words (n, p) along their principal axes, largest first.

    They are in units of `noise`, the variance of the words' noise in any direction;
    without noise or words there is nothing to compare, and no number.
    """
    if len(words) < 2 or not noise > 0.0:
        return ()
    step = -(-len(words) // _MOST_WORDS)
    some = words[::step].astype(np.float64)
    variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(some, rowvar=False)))
    return tuple((np.maximum(variances[::-1], 0.0) / noise).tolist())
