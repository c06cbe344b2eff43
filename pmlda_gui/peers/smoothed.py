"""Any method with its maps blurred afterwards.

Whoever claims that neighbours help has to be better than this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.method import Check, Fit, Method, never_stop

__all__ = ["Smoothed", "smoothed_maps"]


def smoothed_maps(maps: NDArray[np.floating], deviation: float) -> NDArray[np.float64]:
    """Maps (K, height, width) blurred by a Gaussian of `deviation` pixels; they sum to 1.

    Pixels without memberships, NaN, stay so and lend nothing to the others.
    """
    from scipy.ndimage import gaussian_filter

    valid = ~np.isnan(maps[0])
    filled = np.where(valid, maps, 0.0).astype(np.float64)
    blurred = np.stack([gaussian_filter(each, deviation, mode="constant") for each in filled])
    total = blurred.sum(axis=0)
    return np.where(valid, blurred / np.where(valid, total, 1.0), np.nan)


@dataclass(frozen=True)
class Smoothed:
    """A method whose maps are blurred by a Gaussian of half the features' `window`, in pixels."""

    method: Method
    window: float = 21.0

    def __post_init__(self) -> None:
        if not self.window > 0.0:
            raise PmldaError(
                f"The window to smooth by is {self.window:g} pixels wide, but must be wider than 0."
            )

    @property
    def name(self) -> str:
        return f"{self.method.name}+smooth"

    @property
    def title(self) -> str:
        return f"{self.method.title}, smoothed"

    @property
    def soft(self) -> bool:
        return self.method.soft

    def fit(self, words: Words, topics: int, seed: int, check: Check = never_stop) -> Iterator[Fit]:
        """The method's own fits with blurred memberships, without their uncertainty."""
        for fit in self.method.fit(words, topics, seed, check):
            check()
            maps = [smoothed_maps(m, self.window / 2.0) for m in words.scatter(fit.memberships)]
            flat = np.concatenate([each.reshape(topics, -1) for each in maps], axis=1)
            yield replace(fit, memberships=flat[:, words.sources].T, uncertainty=None)
