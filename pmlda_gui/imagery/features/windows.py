"""Averages over square windows, of valid pixels only.

Edges are reflected (the edge pixel is repeated) and every sum is divided by the
number of valid pixels it holds, so neither the border nor nodata leaks into a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["Neighbourhood", "check_window", "reflected"]

_LARGEST_WINDOW = 501


def check_window(size: int) -> None:
    """Refuse a window that has no centre pixel or is absurdly large."""
    if size < 1 or size % 2 == 0 or size > _LARGEST_WINDOW:
        raise PmldaError(
            f"A window of {size} pixels cannot be used: "
            f"give an odd number from 1 to {_LARGEST_WINDOW}."
        )


Element = TypeVar("Element", bound=np.generic)


def reflected(values: NDArray[Element], margin: int) -> NDArray[Element]:
    """The image continued by `margin` pixels on each side as in mirrors at its edges."""
    return np.pad(values, margin, mode="symmetric")


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The valid pixels in the `size` x `size` window around each pixel."""

    valid: NDArray[np.bool_]
    size: int

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How many valid pixels each window holds, (height, width), at least 1."""
        if self.valid.all():
            return np.full(self.valid.shape, float(self.size**2))
        return np.maximum(self._sums(self.valid.astype(np.float64)), 1.0)

    def mean(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Mean of the valid values in each window, (height, width)."""
        return self._sums(np.where(self.valid, values, 0.0)) / self.counts

    def _sums(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        from pmlda_gui.imagery.features.kernels import box_sums

        padded = reflected(np.asarray(values, dtype=np.float64), self.size // 2)
        sums: NDArray[np.float64] = box_sums(padded, self.size)
        return sums
