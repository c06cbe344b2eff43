"""From when on maps count as settled: the bounds that verdict and light share."""

from __future__ import annotations

__all__ = ["CHANGE_SETTLED", "SIZE_SETTLED"]

CHANGE_SETTLED = 0.01
"""Maps of earlier and later draws that differ by no more, root mean squared, agree."""
SIZE_SETTLED = 50.0
"""The effective number of sweeps that what is followed must be worth."""
