"""How kinds of seabed mix in transitions: blended or in patches.

Blended, each pixel returns a weighted mean of the kinds' echoes.  Interleaved, each
pixel is of one kind, and only the share of patches follows the memberships; the edges
of the patches are then a texture of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.noise import smooth_noise

__all__ = ["Blended", "Interleaved", "Mixing"]

# A smooth field of length 1 changes its sign every pi / sqrt(-r''(0)) = 2.664 pixels on
# average (Rice), where r is the correlation of cubic B-spline noise, -r''(0) = 1.391.
_CROSSINGS = 2.664
_LEAST = 1e-30


class Mixing(Protocol):
    """From memberships to the weight of each texture at every pixel."""

    def weights(
        self, memberships: NDArray[np.float32], scale: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Weights (topics, height, width) that sum to 1 and average to the memberships.

        `scale` is how many pixels take the place of one along each side.
        """
        ...


@dataclass(frozen=True)
class Blended:
    """Every pixel mixes the kinds by its memberships."""

    def weights(
        self, memberships: NDArray[np.float32], scale: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        return memberships


@dataclass(frozen=True)
class Interleaved:
    """Every pixel is of one kind, in patches.

    `patch` is the mean length in pixels, at scale 1, of a patch along a line where two
    kinds share the ground equally; it is at least about 3.
    """

    patch: float = 12.0

    def weights(
        self, memberships: NDArray[np.float32], scale: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        from scipy.special import log_ndtr

        # The first of independent exponential clocks to ring, each running at the rate of
        # its membership, is of kind k with just that probability; smooth clocks make patches.
        length = self.patch * scale / _CROSSINGS
        clocks = np.stack(
            [-log_ndtr(smooth_noise(memberships.shape[1:], length, rng)) for _ in memberships]
        )
        kinds = np.argmin(clocks / np.maximum(memberships, _LEAST), axis=0)
        chosen = kinds == np.arange(len(memberships))[:, None, None]
        return chosen.astype(np.float32)
