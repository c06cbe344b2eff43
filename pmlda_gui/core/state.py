"""What a chain is at, and what a sweep reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "Info", "State"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """One sample: everything the next sweep starts from.

    `log_memberships` (N, K) is ln z, which stays finite where z itself would
    underflow; `proportions` (D, K) is pi, `scaling` (D) is s, `means` (K, p) is
    mu and `variance` is sigma^2.
    """

    log_memberships: Array
    proportions: Array
    scaling: Array
    means: Array
    variance: float

    @property
    def memberships(self) -> Array:
        """z, (N, K)."""
        return np.exp(self.log_memberships)

    def of_words(self, words: NDArray[np.int64], least_log: float = -np.inf) -> State:
        """The sample with the memberships of these words in this order, which may repeat.

        Memberships below exp(`least_log`) are raised to about that.
        """
        logs = np.maximum(self.log_memberships, least_log)
        logs -= np.log(np.sum(np.exp(logs), axis=1, keepdims=True))
        return replace(self, log_memberships=logs[words])


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is shown: memberships with what is known about the rest.

    `uncertainty` (N, K) is the posterior standard deviation of the memberships,
    None for estimates that are single points; `sweeps` is how many sweeps it
    rests on.
    """

    memberships: NDArray[np.float32]
    uncertainty: NDArray[np.float32] | None
    proportions: Array
    scaling: Array
    means: Array
    variance: float
    sweeps: int


class Info(NamedTuple):
    """What a sweep did.

    `steps` gives for each block of variables the share of proposals accepted
    (`paper`, `least-squares`) or the number of density evaluations per draw
    (`fast`); `seconds` is the time of the last sweep.  Nothing adapts: every
    sweep leaves the posterior invariant.
    """

    sweep: int
    log_joint: float
    steps: Mapping[str, float]
    seconds: float
    finished: bool = True
