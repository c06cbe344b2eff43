"""The trace: values of every sweep, for plots and diagnostics."""

from __future__ import annotations

from array import array
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.densities import LogJoint
from pmlda_gui.core.state import Globals

__all__ = ["Mark", "Trace"]

_WORDS_FOLLOWED = 32
# When so many sweeps are followed every second one is forgotten, and from then on only
# every second one is followed: a chain may run for days.
_MOST_ROWS = 2000
_MOST_JOINTS = 1 << 17


@cache
def _spread_over(words: int) -> NDArray[np.int64]:
    """Which of so many words are followed."""
    return np.linspace(0, words - 1, min(_WORDS_FOLLOWED, words)).astype(np.int64)


class Mark(NamedTuple):
    """A change of the target: from this sweep on, the chain samples something else."""

    sweep: int
    text: str


class Trace:
    """The log joint of every sweep, and the quantities followed under the present target.

    The log joint goes back to the first sweep; `quantities` restart at each mark,
    because diagnostics make sense only while the target stays the same.  Both are thinned
    out as they grow many: a chain may run for days.
    """

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self._log_joint = array("d")
        self._logit_log_joint = array("d")
        self._recorded = 0
        self._joint_every = 1
        self._last_joint = float("nan")
        self._forget_rows()

    def _forget_rows(self) -> None:
        self._rows: dict[str, list[Any]] = {}
        self._followed = 0
        self._every = 1

    def record(
        self, terms: LogJoint, current: Globals, logs: NDArray[np.float64], log_sum: float
    ) -> None:
        """Add one sweep: its log joint, the topics, and the memberships of a few words.

        `log_sum` is the sum of all ln z, the Jacobian of the logits.
        """
        self._record_joint(terms.total, terms.total + log_sum)
        self._followed += 1
        if self._followed % self._every:
            return
        followed = _spread_over(logs.shape[1])
        row = {
            "words": terms.words,
            "variance": current.variance,
            "means": current.means.copy(),
            "scaling": float(np.log(current.scaling).mean()),
            "proportions": current.proportions.mean(axis=0),
            "memberships": np.exp(logs[:, followed]).T,
        }
        for name, value in row.items():
            self._rows.setdefault(name, []).append(value)
        if len(self._rows["words"]) >= _MOST_ROWS:
            self._rows = {name: rows[1::2] for name, rows in self._rows.items()}
            self._every *= 2

    def _record_joint(self, log_joint: float, logit_log_joint: float) -> None:
        self._recorded += 1
        self._last_joint = logit_log_joint
        if self._recorded % self._joint_every:
            return
        self._log_joint.append(log_joint)
        self._logit_log_joint.append(logit_log_joint)
        if len(self._log_joint) >= _MOST_JOINTS:
            self._log_joint, self._logit_log_joint = (
                self._log_joint[1::2],
                self._logit_log_joint[1::2],
            )
            self._joint_every *= 2

    def mark(self, sweep: int, text: str) -> None:
        """Note a change of target and begin the followed quantities anew."""
        self.marks.append(Mark(sweep, text))
        self._forget_rows()

    def continued(self, sweeps: int) -> Trace:
        """A trace to go on with on more words: marks stay, the log joint of fewer words goes."""
        successor = Trace()
        successor.marks = [Mark(mark.sweep - sweeps, mark.text) for mark in self.marks]
        return successor

    @property
    def log_joint(self) -> NDArray[np.float64]:
        """Log joint since the chain began, of the sweeps in `joint_sweeps`."""
        return np.array(self._log_joint)

    @property
    def logit_log_joint(self) -> NDArray[np.float64]:
        """The same as a density of the memberships' logits: the one to look at.

        The density of the memberships themselves has no bound where they go to 0, and
        swings by millions in a settled chain.
        """
        return np.array(self._logit_log_joint)

    @property
    def joint_sweeps(self) -> NDArray[np.int64]:
        """The sweeps whose log joint is kept: all, or of long chains every so many."""
        return np.arange(1, len(self._log_joint) + 1) * self._joint_every

    @property
    def last_logit_log_joint(self) -> float:
        """That of the last sweep."""
        return self._last_joint

    @property
    def quantities(self) -> dict[str, NDArray[np.float64]]:
        """By name, an array whose first axis is the sweeps since the last mark, thinned out.

        `words` is the log likelihood term, `scaling` the mean of ln s over
        documents, `proportions` the mean over documents, `memberships` those of a
        few words spread over the corpus, (sweeps, words, K).
        """
        return {name: np.array(rows) for name, rows in self._rows.items()}

    def write(self, draft: Draft) -> None:
        """Add the trace to a checkpoint."""
        draft.arrays["trace.log_joint"] = self.log_joint
        draft.arrays["trace.logit_log_joint"] = self.logit_log_joint
        for name, rows in self.quantities.items():
            draft.arrays[f"trace.{name}"] = rows
        draft.values["followed"] = [self._followed, self._every]
        draft.values["joints"] = [self._recorded, self._joint_every]
        draft.values["marks"] = [list(mark) for mark in self.marks]

    @classmethod
    def read(cls, checkpoint: Checkpoint) -> Trace:
        """The trace a checkpoint holds."""
        trace = cls()
        trace.marks = [Mark(int(sweep), str(text)) for sweep, text in checkpoint.values["marks"]]
        followed, every = checkpoint.values["followed"]
        trace._followed, trace._every = max(int(followed), 0), max(int(every), 1)
        recorded, every = checkpoint.values["joints"]
        trace._recorded, trace._joint_every = max(int(recorded), 0), max(int(every), 1)
        for name, rows in checkpoint.arrays.items():
            if name == "trace.log_joint":
                trace._log_joint = array("d", rows.astype(np.float64).tolist())
            elif name == "trace.logit_log_joint":
                trace._logit_log_joint = array("d", rows.astype(np.float64).tolist())
            elif name.startswith("trace."):
                trace._rows[name.removeprefix("trace.")] = list(rows)
        if trace._logit_log_joint:
            trace._last_joint = trace._logit_log_joint[-1]
        return trace
