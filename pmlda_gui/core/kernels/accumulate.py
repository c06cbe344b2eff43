"""Sums over the words that a pass collects for the steps after it.

Per document the sums of ln z; over all words the products of the weights with
each other and with the residuals, from which means and variance are drawn; and
the running mean and variance of the memberships.  Residuals, not words, enter
the products, so nothing cancels when the noise is small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit

__all__ = ["accumulate_block", "moments_size"]

Array = NDArray[np.float64]
# Below these, estimates are 0: they would go on to denormal numbers.
_NO_SHARE, _NO_SPREAD = 1e-15, 1e-30


def moments_size(topics: int, features: int) -> int:
    """Length of the array of moments: W'W, W'R and the sum of squared residuals."""
    return topics * topics + topics * features + 1


# Plain sums: here the order of addition is free, so LLVM may vectorise them.
@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def accumulate_block(
    first: int,
    count: int,
    words: Array,
    means: Array,
    logs: Array,
    shares: Array,
    weights: Array,
    gain: float,
    average: Array,
    spread: NDArray[np.float32],
    log_sums: Array,
    moments: Array,
) -> None:
    """Add one block of words to the sums and move the running estimate by `gain`.

    `moments` holds W'W (K, K), W'R (K, p) and R'R one behind the other, where R
    are the residuals of the words from the mixed means.
    """
    topics, features = means.shape
    for k in range(topics):
        total = 0.0
        for i in range(count):
            total += logs[k, i]
        log_sums[k] += total
        for i in range(count):
            before = average[k, first + i]
            step = shares[k, i] - before
            after = before + gain * step
            average[k, first + i] = after if after > _NO_SHARE else 0.0
            before = np.float64(spread[k, first + i])
            after = before + gain * (step * (1.0 - gain) * step - before)
            spread[k, first + i] = np.float32(after if after > _NO_SPREAD else 0.0)
        for j in range(k + 1):
            total = 0.0
            for i in range(count):
                total += weights[k, i] * weights[j, i]
            moments[k * topics + j] += total
    residual = np.empty(count)
    for q in range(features):
        for i in range(count):
            residual[i] = words[q, first + i]
        for k in range(topics):
            mean = means[k, q]
            for i in range(count):
                residual[i] -= weights[k, i] * mean
        total = 0.0
        for i in range(count):
            total += residual[i] * residual[i]
        moments[topics * topics + topics * features] += total
        for k in range(topics):
            total = 0.0
            for i in range(count):
                total += weights[k, i] * residual[i]
            moments[topics * topics + k * features + q] += total
