"""The samplers by name: what a sweep does before, in and after its pass over the words.

`fast` is ours, `paper` is Algorithm 1 with its slips mended, `least-squares` is
the variant in the authors' own code.  All draw from streams keyed by seed and
sweep alone.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.fast_sampler import FastSampler
from pmlda_gui.core.paper_sampler import LeastSquaresSampler, PaperSampler
from pmlda_gui.core.sweep_context import SweepContext
from pmlda_gui.core.word_pass import SweepKernel

__all__ = ["SAMPLERS", "Sampler", "sampler_named"]


class Sampler(Protocol):
    """How one kind of sweep is made around its pass over the words.

    `hard_only` says that it knows no documents that act beyond their borders,
    `means_have_prior` that the topics' means are drawn under their prior, and `takes_hints`
    that it heeds hints on words and holds topics.
    """

    kernel: SweepKernel
    hard_only: bool
    means_have_prior: bool
    takes_hints: bool

    def keys(self, context: SweepContext) -> NDArray[np.uint64]:
        """The random streams of the pass."""

    def before_pass(self, context: SweepContext) -> None:
        """What comes before the pass; the sums of ln z are those of the present memberships."""

    def after_pass(self, context: SweepContext) -> None:
        """What comes after the pass."""


SAMPLERS: dict[str, Sampler] = {
    "fast": FastSampler(),
    "paper": PaperSampler(),
    "least-squares": LeastSquaresSampler(),
}


def sampler_named(name: str) -> Sampler:
    """The sampler of that name, or a sentence that lists the names there are."""
    if name not in SAMPLERS:
        raise PmldaError(f"There is no sampler {name!r}: choose one of {', '.join(SAMPLERS)}.")
    return SAMPLERS[name]
