"""The histogram of an image's values, on which its contrast is set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.display import CONTRAST_SAMPLE, Display, contrast, decibels
from pmlda_gui.imagery.image import Image

__all__ = ["SourceHistogram", "source_histogram"]

Array = NDArray[np.float64]
_BINS = 128
# Values beyond these percentiles are counted at the ends: a few would flatten all others.
_SPANNED = (0.1, 99.9)
_NEAREST = 0.5


@dataclass(frozen=True, eq=False)
class SourceHistogram:
    """How often values (decibels for a log scale) occur among the valid pixels.

    `counts` lie between `edges`; `low` and `high` are drawn darkest and brightest.
    """

    edges: Array
    counts: NDArray[np.int64]
    low: float
    high: float
    ascending: NDArray[np.float32]

    def percentile(self, value: float) -> float:
        """The share of values below this one, 0 to 100."""
        return 100.0 * float(np.searchsorted(self.ascending, value)) / max(len(self.ascending), 1)

    def clipped(self, display: Display, low: float, high: float) -> Display:
        """The display whose contrast goes from one value to another, with some left between."""
        first, last = sorted((self.percentile(low), self.percentile(high)))
        if last - first < _NEAREST:
            middle = min(max((first + last) / 2, _NEAREST / 2), 100.0 - _NEAREST / 2)
            first, last = middle - _NEAREST / 2, middle + _NEAREST / 2
        return replace(display, low=round(first, 2), high=round(last, 2))


@lru_cache(maxsize=1)
def _ascending(image: Image, scale: str) -> NDArray[np.float32]:
    """A sample of the valid values in ascending order; a drag of a handle asks often."""
    values = decibels(image) if scale == "log" else image.pixels
    known = values[image.valid].ravel()
    return np.sort(known[:: max(1, len(known) // CONTRAST_SAMPLE)])


def source_histogram(image: Image, display: Display) -> SourceHistogram:
    """The histogram of the values that `display` shows; all bands together of a colour image."""
    ascending = _ascending(image, display.scale)
    low, high = contrast(ascending, np.ones(ascending.shape, np.bool_), display)
    if not len(ascending):
        return SourceHistogram(np.array([0.0, 1.0]), np.zeros(1, np.int64), low, high, ascending)
    first, last = (float(each) for each in np.percentile(ascending, _SPANNED))
    first, last = min(first, low), max(last, high)
    edges = np.linspace(first, last if last > first else first + 1.0, _BINS + 1)
    counts, _ = np.histogram(np.clip(ascending, edges[0], edges[-1]), edges)
    return SourceHistogram(edges, counts.astype(np.int64), low, high, ascending)
