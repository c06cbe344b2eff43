"""How much of a map is explained by the image column alone.

A recording has one range in each column, so a map that follows the columns shows the
sonar instead of the seabed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["column_share"]


def column_share(memberships: NDArray[np.floating]) -> float:
    """Share of the variance of memberships (topics, height, width) between columns, 0 to 1.

    NaN marks pixels without memberships.  Squares are summed over topics; maps that are
    the same everywhere have a share of 0.
    """
    between = total = 0.0
    for plane in memberships:
        known = np.isfinite(plane)
        counts = known.sum(axis=0)
        if not counts.any():
            continue
        values = np.where(known, plane, 0.0).astype(np.float64)
        mean = values.sum() / counts.sum()
        columns = values.sum(axis=0) / np.maximum(counts, 1)
        between += float((counts * (columns - mean) ** 2).sum())
        total += float((np.where(known, values - mean, 0.0) ** 2).sum())
    return between / total if total > 0 else 0.0
