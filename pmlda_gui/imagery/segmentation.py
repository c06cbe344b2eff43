"""The result of any method: soft maps of one image, with its diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.deprecation import warn_deprecated
from pmlda_gui.imagery.documents import Documents

__all__ = ["UNKNOWN_BELOW", "Segmentation"]

UNKNOWN_BELOW = 0.02
"""Where words so far from every mixture of topics are rarer than this, the seabed is unknown."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Soft segmentation of one image; images segmented together share their topics.

    `memberships` (K, height, width) float32 sum to 1 over topics and are NaN
    outside the documents; `uncertainty` has the same shape and holds posterior
    standard deviations, None for methods without.  `means` (K, p) are in the
    features' own units, `variance` is that of the standardised features.
    `proportions` (D, K) and `scaling` (D) belong to this image's `documents`, None
    for methods without.  `trace` is the method's objective by sweep; `diagnostics`
    is what is known about its convergence.  Where topics were given, `unknown`
    (height, width) float32 is how likely words as far from every mixture of them are.
    """

    memberships: NDArray[np.float32]
    uncertainty: NDArray[np.float32] | None
    means: NDArray[np.float64]
    variance: float
    documents: Documents | None = None
    proportions: NDArray[np.float64] | None = None
    scaling: NDArray[np.float64] | None = None
    feature_names: tuple[str, ...] = ()
    feature_units: tuple[str, ...] = ()
    trace: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    unknown: NDArray[np.float32] | None = None

    @property
    def topics(self) -> int:
        """Number of topics K."""
        return int(self.memberships.shape[0])

    @property
    def valid(self) -> NDArray[np.bool_]:
        """The pixels that have memberships, (height, width)."""
        return ~np.isnan(self.memberships[0])

    @property
    def labels(self) -> NDArray[np.int32]:
        """The most likely topic of each pixel, (height, width), -1 where there is none."""
        filled = np.where(self.valid, self.memberships, 0.0)
        return np.where(self.valid, filled.argmax(axis=0), -1).astype(np.int32)

    @property
    def area_fractions(self) -> NDArray[np.float64]:
        """The fraction of the valid area that each topic covers, (K)."""
        totals: NDArray[np.float64] = np.nansum(self.memberships, axis=(1, 2), dtype=np.float64)
        return totals / max(float(totals.sum()), 1e-300)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Deprecated: use `area_fractions`."""
        warn_deprecated("Segmentation.shares", "Segmentation.area_fractions", "0.4")
        return self.area_fractions

    @property
    def unknown_fraction(self) -> float | None:
        """The fraction of the valid area that is unknown; None unless topics were given."""
        if self.unknown is None:
            return None
        valid = int(np.count_nonzero(np.isfinite(self.unknown)))
        return int(np.count_nonzero(self.unknown < UNKNOWN_BELOW)) / max(valid, 1)

    def reordered(self, rows: Sequence[int]) -> Segmentation:
        """The same segmentation with its topics in another order."""
        order = list(rows)
        return replace(
            self,
            memberships=self.memberships[order],
            uncertainty=None if self.uncertainty is None else self.uncertainty[order],
            means=self.means[order],
            proportions=None if self.proportions is None else self.proportions[:, order],
        )
