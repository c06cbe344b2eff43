"""The state of a chain, and what a sweep reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.field import Influence
from pmlda_gui.core.kernels.documents import LEAST_CONCENTRATION

__all__ = ["Estimate", "Globals", "Info", "State", "require_fitting"]

Array = NDArray[np.float64]


@dataclass(eq=False)
class Globals:
    """Everything but the memberships: pi (D, K), s (D), mu (K, p), sigma^2."""

    proportions: Array
    scaling: Array
    means: Array
    variance: float

    @property
    def concentration(self) -> Array:
        """s pi, (D, K), kept away from 0."""
        product: Array = np.maximum(self.scaling[:, None] * self.proportions, LEAST_CONCENTRATION)
        return product

    def at_words(self, influence: Influence | None) -> Array:
        """s pi as the kernels take it: (K, D), or with an influence at the words, (K, N)."""
        if influence is None:
            return np.ascontiguousarray(self.concentration.T)
        return influence.spread(self.concentration)

    def copy(self) -> Globals:
        return Globals(
            self.proportions.copy(), self.scaling.copy(), self.means.copy(), self.variance
        )

    def write(self, draft: Draft, name: str) -> None:
        """Add a copy to a checkpoint under this name."""
        draft.arrays[f"{name}.proportions"] = self.proportions.copy()
        draft.arrays[f"{name}.scaling"] = self.scaling.copy()
        draft.arrays[f"{name}.means"] = self.means.copy()
        draft.values[f"{name}.variance"] = self.variance

    @classmethod
    def read(cls, checkpoint: Checkpoint, name: str, shape: tuple[int, int, int]) -> Globals:
        """What a checkpoint holds under this name, checked; `shape` is (D, K, p)."""
        documents, topics, features = shape
        found = cls(
            checkpoint.array(f"{name}.proportions", (documents, topics), np.float64),
            checkpoint.array(f"{name}.scaling", (documents,), np.float64),
            checkpoint.array(f"{name}.means", (topics, features), np.float64),
            float(checkpoint.values[f"{name}.variance"]),
        )
        possible = (
            0.0 < found.variance < np.inf
            and found.scaling.min() > 0.0
            and found.proportions.min() >= 0.0
        )
        if not possible:
            raise PmldaError(
                f"The {name} sample in the checkpoint holds impossible values: it is damaged."
            )
        return found


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

    @classmethod
    def of(cls, current: Globals, log_memberships: Array) -> State:
        """The sample of these globals and ln z (N, K)."""
        return cls(
            log_memberships, current.proportions, current.scaling, current.means, current.variance
        )

    @property
    def memberships(self) -> Array:
        """z, (N, K)."""
        return np.exp(self.log_memberships)

    @property
    def globals(self) -> Globals:
        """Everything but the memberships, as a copy."""
        return Globals(self.proportions, self.scaling, self.means, self.variance).copy()

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

    `steps` gives for each block of variables the fraction of proposals accepted
    (`paper`, `least-squares`) or the number of density evaluations per draw
    (`fast`); `seconds` is the time of the last sweep.  Nothing adapts: every
    sweep leaves the posterior invariant.
    """

    sweep: int
    log_joint: float
    steps: Mapping[str, float]
    seconds: float
    finished: bool = True


def require_fitting(start: Globals | State, corpus: Corpus, topics: int) -> None:
    """Refuse a start whose arrays are not those of this corpus and number of topics."""
    found = [start.proportions.shape, start.scaling.shape, start.means.shape]
    needed: list[tuple[int, ...]] = [
        (corpus.documents, topics), (corpus.documents,), (topics, corpus.features),
    ]  # fmt: skip
    if isinstance(start, State):
        found.append(start.log_memberships.shape)
        needed.append((corpus.size, topics))
    if found != needed:
        raise PmldaError(
            "The start does not fit this corpus and number of topics: its arrays have the "
            f"shapes {found}, but {needed} are needed."
        )
