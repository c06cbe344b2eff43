"""The kept draws of topics and documents, from which maps are computed.

About twenty, spread evenly over the later half of the sweeps since the target last
changed: early ones still come from the start, and neighbouring ones say the same.
"""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.state import Globals

__all__ = ["KeptDraws"]

# When there are so many, every second one is let go, and from then on half as many are kept.
_MOST = 32


class KeptDraws:
    """Samples of the globals; `ages` are the sweeps after which they were taken."""

    def __init__(self) -> None:
        self.ages: list[int] = []
        self.globals: list[Globals] = []
        self._every = 1

    def __len__(self) -> int:
        return len(self.globals)

    def add(self, age: int, current: Globals) -> None:
        """Take in the sample after `age` sweeps under the present target."""
        if age % self._every:
            return
        self.ages.append(age)
        self.globals.append(current.copy())
        while self.ages[0] <= age // 2:
            del self.ages[0], self.globals[0]
        if len(self.ages) >= _MOST:
            self._every *= 2
            kept = [i for i, taken in enumerate(self.ages) if taken % self._every == 0]
            self.ages = [self.ages[i] for i in kept]
            self.globals = [self.globals[i] for i in kept]

    def mean(self) -> Globals:
        """The mean of the draws."""
        return Globals(
            np.mean([each.proportions for each in self.globals], axis=0),
            np.mean([each.scaling for each in self.globals], axis=0),
            np.mean([each.means for each in self.globals], axis=0),
            float(np.mean([each.variance for each in self.globals])),
        )

    def write(self, draft: Draft) -> None:
        """Add the draws to a checkpoint."""
        draft.values["draws"] = {"ages": list(self.ages), "every": self._every}
        if self.globals:
            draft.arrays["draws.proportions"] = np.array([g.proportions for g in self.globals])
            draft.arrays["draws.scaling"] = np.array([g.scaling for g in self.globals])
            draft.arrays["draws.means"] = np.array([g.means for g in self.globals])
            draft.arrays["draws.variance"] = np.array([g.variance for g in self.globals])

    @classmethod
    def read(cls, checkpoint: Checkpoint, shape: tuple[int, int, int]) -> KeptDraws:
        """What a checkpoint holds; `shape` is (D, K, p)."""
        documents, topics, features = shape
        values, kept = checkpoint.values["draws"], cls()
        kept.ages = [int(age) for age in values["ages"]]
        kept._every = int(values["every"])
        count = len(kept.ages)
        if count > _MOST or kept._every < 1 or sorted(set(kept.ages)) != kept.ages:
            raise PmldaError("The checkpoint's draws contradict each other: it is damaged.")
        if count == 0:
            return kept
        proportions = checkpoint.array("draws.proportions", (count, documents, topics), np.float64)
        scaling = checkpoint.array("draws.scaling", (count, documents), np.float64)
        means = checkpoint.array("draws.means", (count, topics, features), np.float64)
        variance = checkpoint.array("draws.variance", (count,), np.float64)
        if not (scaling.min() > 0.0 and proportions.min() >= 0.0 and variance.min() > 0.0):
            raise PmldaError("The draws in the checkpoint hold impossible values: it is damaged.")
        kept.globals = [
            Globals(proportions[i], scaling[i], means[i], float(variance[i])) for i in range(count)
        ]
        return kept
