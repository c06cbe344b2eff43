"""Blocks of words: loads them, and computes the weights of their topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.vector_math import exp, log

__all__ = ["BLOCK", "gather_columns", "load_block", "weigh"]

# Words worked off together: enough to fill the vector units, few enough for the L1 cache.
BLOCK = 256
Array = NDArray[np.float64]


@kernel
def load_block(
    log_memberships: Array, first: int, count: int, logs: Array, shares: Array, spare: Array
) -> None:
    """Copy a block's ln z into `logs`, renormalised, and z into `shares`.

    `spare` is scratch of at least two blocks.
    """
    topics = logs.shape[0]
    for i in range(count):
        spare[i] = log_memberships[0, first + i]
        spare[BLOCK + i] = 0.0
    for k in range(1, topics):
        for i in range(count):
            value = log_memberships[k, first + i]
            peak = spare[i]
            spare[i] = value if value > peak else peak
    for k in range(topics):
        for i in range(count):
            shares[k, i] = exp(log_memberships[k, first + i] - spare[i])
            spare[BLOCK + i] += shares[k, i]
    for i in range(count):
        total = spare[BLOCK + i]
        spare[BLOCK + i] = 1.0 / total
        spare[i] += log(total)
    for k in range(topics):
        for i in range(count):
            shares[k, i] *= spare[BLOCK + i]
            logs[k, i] = log_memberships[k, first + i] - spare[i]


@kernel
def weigh(count: int, fuzzifier: float, logs: Array, weights: Array) -> None:
    """w_k = z_k^m / sum z^m for every topic of the block."""
    topics = logs.shape[0]
    for i in range(count):
        peak = fuzzifier * logs[0, i]
        for k in range(1, topics):
            peak = max(peak, fuzzifier * logs[k, i])
        total = 0.0
        for k in range(topics):
            weights[k, i] = exp(fuzzifier * logs[k, i] - peak)
            total += weights[k, i]
        for k in range(topics):
            weights[k, i] /= total


@kernel
def gather_columns(members: NDArray[np.int64], columns: Array, gathered: Array) -> None:
    """The columns of these words side by side."""
    for q in range(columns.shape[0]):
        for i in range(members.size):
            gathered[q, i] = columns[q, members[i]]
