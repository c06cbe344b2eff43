"""What can be told of a run without looking into its chain: figures, its trace, its words."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.workspace.preparation import Prepared

__all__ = ["RunFigures"]


class RunFigures(ABC):
    """The part of a run that whoever shows it reads; `sweeps` count on all levels."""

    @property
    @abstractmethod
    def chain(self) -> Chain:
        """The current chain."""

    @property
    @abstractmethod
    def prepared(self) -> Prepared:
        """What the run is on."""

    @property
    @abstractmethod
    def sweeps(self) -> int:
        """Sweeps done on all levels."""

    @property
    def words(self) -> int:
        """How many words a sweep goes over at present."""
        return self.chain.corpus.size

    @property
    def sampler(self) -> str:
        """The name of the sampler."""
        return self.chain.sampler

    @property
    def parameters_in_effect(self) -> Parameters:
        """Those of the last sweep, or of the one under way."""
        return self.chain.parameters_in_effect

    @property
    def in_sweep(self) -> bool:
        """Whether a sweep was interrupted and is to go on."""
        return self.chain.in_sweep

    @property
    def level_sweeps(self) -> int:
        """Sweeps done over as many words as at present."""
        return self.chain.sweeps

    @property
    def marks(self) -> tuple[tuple[int, str], ...]:
        """Every change of the target with the sweep it came after."""
        before = self.sweeps - self.level_sweeps
        return tuple((before + mark.sweep, mark.text) for mark in self.chain.trace.marks)

    @property
    def trace_points(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Sweeps and their log joints of the logits per word, of those that the trace keeps."""
        trace = self.chain.trace
        before = self.sweeps - self.level_sweeps
        return before + trace.joint_sweeps, trace.logit_log_joint / self.words

    @property
    def last_log_joint(self) -> float:
        """The log joint of the logits per word after the last sweep."""
        return self.chain.trace.last_logit_log_joint / self.words

    def feature_values(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chosen words in the units of their features, (words, features)."""
        columns = self.chain.corpus.columns[:, chosen]
        return self.prepared.standardisation.invert(columns.T)
