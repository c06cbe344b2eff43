"""A filter that fits the ripples of the document it is applied to.

The authors' filter is six blocks, -1 0 1 -1 0 1, each 11 rows by a third of a
ripple's length; the magnitude of its answer is large on ripples and small elsewhere.
Ours turns with the ripples (for crests along track it is theirs) and compares the
blocks' means instead of their sums, so that documents with different lengths agree.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.ripple.estimate import LONGEST, measure_ripple
from pmlda_gui.imagery.features.ripple.regions import left_out, regions_of
from pmlda_gui.imagery.features.windows import reflected

__all__ = ["block_filter", "ripple_magnitude", "ripple_response"]

_BLOCKS = np.array([-1, 0, 1, -1, 0, 1])
_BREADTH = 11


def block_filter(length: float, direction: float = 0.0) -> NDArray[np.int64]:
    """The filter's weights, -1, 0 or 1, on a square with the filter's centre in its middle.

    `length` is the ripple's in pixels, `direction` in degrees as in `Ripple`; at
    direction 0 the filter is 11 rows by six blocks of ceil(length / 3) columns.
    """
    block = math.ceil(length / 3)
    reach = _reach(length)
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    angle = math.radians(direction)
    # Rounded, because a quarter turn must not leave pixels on the wrong side of an edge.
    along = np.round(columns * math.cos(angle) + rows * math.sin(angle), 9)
    across = np.round(rows * math.cos(angle) - columns * math.sin(angle), 9)
    index = np.floor(along / block).astype(np.int64) + len(_BLOCKS) // 2
    inside = (index >= 0) & (index < len(_BLOCKS)) & (np.abs(across) < _BREADTH / 2)
    return np.where(inside, _BLOCKS[np.clip(index, 0, len(_BLOCKS) - 1)], 0)


def _reach(length: float) -> int:
    """How many pixels the filter reaches from its centre, whatever its direction."""
    return math.ceil(math.hypot(len(_BLOCKS) / 2 * math.ceil(length / 3), _BREADTH / 2))


def _runs(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Stretches of equal weights along rows: row, first and end offset, sign, (N, 4)."""
    reach = weights.shape[0] // 2
    stretches = []
    for sign in (-1, 1):
        edges = np.diff(np.pad(weights == sign, ((0, 0), (1, 1))).astype(np.int64), axis=1)
        rows, firsts = np.nonzero(edges == 1)
        _, ends = np.nonzero(edges == -1)
        signs = np.full(rows.size, sign)
        stretches.append(np.stack([rows - reach, firsts - reach, ends - reach, signs], axis=1))
    return np.concatenate(stretches)


def ripple_magnitude(source: FeatureSource) -> NDArray[np.float64]:
    """Magnitude of the filter's answer at each valid pixel, in the image's units.

    Where documents or tiles overlap, their answers are averaged.
    """
    from pmlda_gui.imagery.features.kernels import block_contrast

    margin = _reach(LONGEST)
    valid = reflected(source.valid, margin)
    values = np.where(valid, reflected(source.grey - source.levels[0], margin), 0.0)
    # Sums along rows make each stretch of a block a single difference.
    running = np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))
    running_counts = np.pad(np.cumsum(valid.astype(np.int64), axis=1), ((0, 0), (1, 0)))
    total = np.zeros(source.valid.shape)
    coverage = np.zeros(source.valid.shape)
    regions = chain(
        regions_of(source.valid, source.documents), left_out(source.valid, source.documents)
    )
    for region in regions:
        ripple = measure_ripple(source.grey, region)
        rows, columns = region.coordinates
        runs = _runs(block_filter(ripple.length, ripple.direction))
        total[rows, columns] += block_contrast(
            running, running_counts, rows + margin, columns + margin, runs
        )
        coverage[rows, columns] += 1
    magnitude: NDArray[np.float64] = total / np.maximum(coverage, 1)
    return magnitude


def ripple_response(source: FeatureSource) -> NDArray[np.float64]:
    """The magnitude averaged over the window, since by itself it beats with the crests."""
    return source.neighbourhood.mean(ripple_magnitude(source))
