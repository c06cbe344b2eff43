"""Running estimates of the memberships: the posterior mean and two kinds of MAP.

The running mean of the memberships is kept by the pass itself; here are the mean
of everything else, the best samples seen under the present target, and how these
become an `Estimate`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.draws import KeptDraws
from pmlda_gui.core.field import Influence
from pmlda_gui.core.fit_quality import quality
from pmlda_gui.core.state import Estimate, Globals
from pmlda_gui.core.word_pass import WordPass

__all__ = ["Estimates"]

Array = NDArray[np.float64]
# Rounds in which a mode is sought at most; most blocks need five to ten.
_MAP_ROUNDS = 60
# Q is looked at in these sweeps after a change, and then in every tenth.
_EARLY_LOOKS = (1, 2, 4, 7)
_LOOK_EVERY = 10
# Where sweeps are over a few words, a look takes longer than many of them.
_LOOK_EVERY_ON_FEW = 60
# The paper's MAP lets memberships run into the corners; they are shown no closer than this.
_MEMBERSHIP_FLOOR = 1e-6


class Estimates:
    """The streamed estimates of one chain.

    `age` counts the sweeps the running mean rests on; `joint` is the largest log
    joint seen, the paper's measure of a sample, and `quality` the best Q, ours.
    """

    def __init__(self, current: Globals) -> None:
        self.age = 0
        self.mean = current.copy()
        self._forget()

    def _forget(self) -> None:
        self.draws = KeptDraws()
        self.joint = self.quality = -np.inf
        self._joint_globals: Globals | None = None
        self._joint_logs: Array | None = None
        self._quality_globals: Globals | None = None

    @property
    def gain(self) -> float:
        """Weight of the present sweep in the running mean: sweeps count in proportion to age."""
        return min(1.0, 2.0 / (self.age + 1.0))

    def replace_mean(self, current: Globals) -> None:
        """Begin the mean of the globals at these, when their shapes have changed."""
        self.mean = current.copy()

    def restart(self) -> None:
        """The target has changed: nothing sampled so far belongs to it.

        The next sweep counts in full, so what is shown changes with it and not before.
        """
        self.age = 0
        self._forget()

    def add(
        self,
        word_pass: WordPass,
        current: Globals,
        log_joint: float,
        fuzzifier: float,
        influence: Influence | None = None,
    ) -> None:
        """Take in the sample of a finished sweep."""
        self.draws.add(self.age, current)
        mean, gain, logs = self.mean, self.gain, word_pass.logs
        mean.proportions += gain * (current.proportions - mean.proportions)
        mean.scaling += gain * (current.scaling - mean.scaling)
        mean.means += gain * (current.means - mean.means)
        mean.variance += gain * (current.variance - mean.variance)
        if log_joint > self.joint:
            self.joint = log_joint
            self._joint_globals = current.copy()
            if self._joint_logs is None or self._joint_logs.shape != logs.shape:
                self._joint_logs = np.empty_like(logs)
            np.copyto(self._joint_logs, logs)
        every = _LOOK_EVERY if influence is None else _LOOK_EVERY_ON_FEW
        if self.age in _EARLY_LOOKS or self.age % every == 0:
            found = quality(
                word_pass.corpus, current, fuzzifier, pool=word_pass.pool, influence=influence
            )
            if found > self.quality:
                self.quality = found
                self._quality_globals = current.copy()

    def best_by_quality(self, current: Globals) -> Globals:
        """The sample with the best Q under the present target, or this one if none is known."""
        return self._quality_globals or current

    def best_by_joint(self, current: Globals) -> Globals:
        """The sample with the largest log joint, or this one if none is known."""
        return self._joint_globals or current

    def posterior_mean(self, word_pass: WordPass) -> Estimate:
        """The running mean with its standard deviation."""
        return self._estimate(word_pass.average.copy(), np.sqrt(word_pass.spread), self.mean)

    def well_posed_map(
        self,
        word_pass: WordPass,
        current: Globals,
        fuzzifier: float,
        influence: Influence | None = None,
    ) -> Estimate:
        """Topics and documents of the best Q so far, and each word's mode given them.

        Modes are sought in logit measure, uphill from the running mean, so that what
        is read does not depend on what was read before.
        """
        best = self.best_by_quality(current)
        logs = np.log(np.maximum(word_pass.average, 1e-9))
        word_pass.climb(
            logs, best.at_words(influence), best.means, best.variance, fuzzifier, _MAP_ROUNDS
        )
        return self._estimate(np.exp(logs), None, best)

    def papers_map(self, word_pass: WordPass, current: Globals) -> Estimate:
        """The sample with the largest log joint so far."""
        logs = word_pass.logs if self._joint_logs is None else self._joint_logs
        shares = np.maximum(np.exp(logs), _MEMBERSHIP_FLOOR)
        shares /= shares.sum(axis=0)
        return self._estimate(shares, None, self.best_by_joint(current))

    def _estimate(
        self,
        shares: NDArray[np.floating],
        uncertainty: NDArray[np.float32] | None,
        at: Globals,
    ) -> Estimate:
        copy = at.copy()
        return Estimate(
            memberships=shares.astype(np.float32, copy=False).T,
            uncertainty=None if uncertainty is None else uncertainty.T,
            proportions=copy.proportions,
            scaling=copy.scaling,
            means=copy.means,
            variance=copy.variance,
            sweeps=self.age,
        )

    def write(self, draft: Draft) -> None:
        """Add everything to a checkpoint."""
        draft.values["age"] = self.age
        self.mean.write(draft, "mean")
        self.draws.write(draft)
        if self._joint_globals is not None and self._joint_logs is not None:
            self._joint_globals.write(draft, "best_joint")
            draft.arrays["best_joint.logs"] = self._joint_logs.copy()
            draft.values["best_joint.value"] = self.joint
        if self._quality_globals is not None:
            self._quality_globals.write(draft, "best_quality")
            draft.values["best_quality.value"] = self.quality

    @classmethod
    def read(cls, checkpoint: Checkpoint, shape: tuple[int, int, int], words: int) -> Estimates:
        """What a checkpoint holds; `shape` is (D, K, p)."""
        estimates = cls(Globals.read(checkpoint, "mean", shape))
        values, logs = checkpoint.values, (shape[1], words)
        estimates.age = int(values["age"])
        estimates.draws = KeptDraws.read(checkpoint, shape)
        if "best_joint.value" in values:
            estimates.joint = float(values["best_joint.value"])
            estimates._joint_globals = Globals.read(checkpoint, "best_joint", shape)
            estimates._joint_logs = checkpoint.array("best_joint.logs", logs, np.float64)
        if "best_quality.value" in values:
            estimates.quality = float(values["best_quality.value"])
            estimates._quality_globals = Globals.read(checkpoint, "best_quality", shape)
        return estimates
