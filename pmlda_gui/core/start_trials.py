"""Tries several starts on the coarsest level and keeps the best."""

from __future__ import annotations

from dataclasses import dataclass, field

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.initial_state import STARTS, usual_start
from pmlda_gui.core.state import Globals

__all__ = ["StartTrials", "usual_starts"]

# Starts whose Q differs by more than this have found different topics.
_DISAGREEMENT = 0.02


def usual_starts(corpus: Corpus, topics: int) -> tuple[str, ...]:
    """What is tried: cores where they are known, else k-means, and others with it if K > 3."""
    first = usual_start(corpus, topics)
    if first == "cores" or topics <= 3:
        return (first,)
    return STARTS[: STARTS.index("cores")]


@dataclass(eq=False)
class StartTrials:
    """The starts that are tried on the coarsest level, and the best so far."""

    starts: tuple[str, ...]
    tried: int = 0
    qualities: list[float] = field(default_factory=list)
    best: Globals | None = None

    def take_in(self, current: Globals, quality: float) -> None:
        """Note what the present start has led to."""
        if self.best is not None and self.best.means.shape != current.means.shape:
            # The operator changed K between two starts: what came before has other topics.
            self.best, self.qualities = None, []
        self.qualities.append(quality)
        if self.best is None or quality >= max(self.qualities):
            self.best = current
        self.tried += 1

    @property
    def left(self) -> bool:
        """Whether there is a start to try yet."""
        return self.tried < len(self.starts)

    @property
    def agreed(self) -> bool:
        """Whether the starts led to fits equally good."""
        if not self.qualities:
            return True
        return max(self.qualities) - min(self.qualities) <= _DISAGREEMENT

    def abandon(self) -> None:
        """Leave out the starts not tried yet."""
        self.best, self.qualities = None, []
        self.starts = self.starts[: self.tried + 1]
