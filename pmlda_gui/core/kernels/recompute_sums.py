"""Recomputes the sums of a pass from the present memberships, without drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.accumulate import accumulate_block
from pmlda_gui.core.kernels.blocks import BLOCK, load_block, weigh

__all__ = ["recompute_sums"]

Array = NDArray[np.float64]


@kernel
def recompute_sums(
    words: Array,
    log_memberships: Array,
    segments: NDArray[np.int64],
    from_segment: int,
    to_segment: int,
    means: Array,
    fuzzifier: float,
    gain: float,
    average: Array,
    spread: NDArray[np.float32],
    log_sums: Array,
    moments: Array,
) -> None:
    """Fill `log_sums` and `moments` of these segments; arguments as for `slice_sweep`."""
    topics = log_memberships.shape[0]
    logs = np.empty((topics, BLOCK))
    shares = np.empty((topics, BLOCK))
    weights = np.empty((topics, BLOCK))
    spare = np.empty(2 * BLOCK)
    for segment in range(from_segment, to_segment):
        begin, end = segments[segment, 1], segments[segment, 2]
        log_sums[segment, :] = 0.0
        for first in range(begin, end, BLOCK):
            count = min(BLOCK, end - first)
            load_block(log_memberships, first, count, logs, shares, spare)
            weigh(count, fuzzifier, logs, weights)
            accumulate_block(
                first, count, words, means, logs, shares, weights,
                gain, average, spread, log_sums[segment], moments,
            )  # fmt: skip
