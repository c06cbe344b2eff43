"""The best a chain has seen under its present target, by two measures.

By the log joint, which the paper takes for its MAP, and by Q, which the
well-posed MAP rests on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.samplers import Globals

__all__ = ["Best"]

Array = NDArray[np.float64]


class Best:
    """`joint_*` is the sample with the largest log joint, `quality_*` that with the best Q."""

    def __init__(self) -> None:
        self.joint = -np.inf
        self.joint_globals: Globals | None = None
        self.joint_logs: Array | None = None
        self.quality = -np.inf
        self.quality_globals: Globals | None = None

    def offer_joint(self, log_joint: float, current: Globals, logs: Array) -> None:
        """Keep a copy of this sample if its log joint is the largest yet."""
        if log_joint > self.joint:
            self.joint = log_joint
            self.joint_globals = current.copy()
            if self.joint_logs is None or self.joint_logs.shape != logs.shape:
                self.joint_logs = np.empty_like(logs)
            np.copyto(self.joint_logs, logs)

    def offer_quality(self, quality: float, current: Globals) -> None:
        """Keep these globals if their Q is the best yet."""
        if quality > self.quality:
            self.quality = quality
            self.quality_globals = current.copy()

    def write(self, draft: Draft) -> None:
        """Add what was kept to a checkpoint."""
        if self.joint_globals is not None and self.joint_logs is not None:
            self.joint_globals.write(draft, "best_joint")
            draft.arrays["best_joint.logs"] = self.joint_logs.copy()
            draft.values["best_joint.value"] = self.joint
        if self.quality_globals is not None:
            self.quality_globals.write(draft, "best_quality")
            draft.values["best_quality.value"] = self.quality

    @classmethod
    def read(cls, checkpoint: Checkpoint, shape: tuple[int, int, int, int]) -> Best:
        """What a checkpoint kept; `shape` is (D, K, p, N)."""
        best = cls()
        if "best_joint.value" in checkpoint.values:
            best.joint = float(checkpoint.values["best_joint.value"])
            best.joint_globals = Globals.read(checkpoint, "best_joint", shape[:3])
            best.joint_logs = checkpoint.array("best_joint.logs", (shape[1], shape[3]), np.float64)
        if "best_quality.value" in checkpoint.values:
            best.quality = float(checkpoint.values["best_quality.value"])
            best.quality_globals = Globals.read(checkpoint, "best_quality", shape[:3])
        return best
