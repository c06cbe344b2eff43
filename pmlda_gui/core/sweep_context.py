"""What the parts of one sweep share: the sample they change and its random streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.field import Influence
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.state import Globals
from pmlda_gui.core.target import Target
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.core.word_pass import WordPass

__all__ = [
    "FOR_DOCUMENTS",
    "FOR_JOINT_STEPS",
    "FOR_TOPICS",
    "FOR_WORDS",
    "SweepContext",
    "topics_generator",
]

Array = NDArray[np.float64]
# What the random streams of one sweep are used for.
FOR_WORDS, FOR_DOCUMENTS, FOR_TOPICS, FOR_JOINT_STEPS = 1, 2, 3, 4


def topics_generator(seed: int, sweep: int) -> np.random.Generator:
    """The generator for the topics of a sweep."""
    return _generator(seed, sweep, FOR_TOPICS)


def _generator(seed: int, sweep: int, use: int) -> np.random.Generator:
    key = np.array([seed, sweep * 8 + use], np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


@dataclass(eq=False)
class SweepContext:
    """One sweep under way: what it works on, and what it found out.

    `at_words` is what s pi comes to at the words of this sweep's pass.  `steps` collects
    acceptance rates or evaluations by block of variables; `squares` is the residual sum of
    squares under the final means, and `log_joint` the log joint density in the end.  `held`
    (K) are the topics whose means stay, None if none do.  Where words and documents are part of
    a larger corpus, `first_word` and `first_document` are how many come before them there:
    random numbers belong to the word or document, whatever it is sampled together with.
    """

    target: Target
    globals: Globals
    word_pass: WordPass
    seed: int
    sweep: int
    held: NDArray[np.bool_] | None = None
    first_word: int = 0
    first_document: int = 0
    at_words: Array = field(init=False)
    steps: dict[str, float] = field(default_factory=dict)
    squares: float = 0.0
    log_joint: float = float("nan")

    def __post_init__(self) -> None:
        self.spread_documents()

    def spread_documents(self) -> None:
        """Bring what comes to the words up to date with the documents."""
        self.at_words = self.globals.at_words(self.influence)

    @property
    def parameters(self) -> Parameters:
        """The model's parameters."""
        return self.target.parameters

    @property
    def prior(self) -> TopicPrior:
        """The prior of the topics."""
        return self.target.prior

    @property
    def influence(self) -> Influence | None:
        """How documents act on words, None for hard documents."""
        return self.target.influence

    def generator(self, use: int) -> np.random.Generator:
        """A generator of this sweep for draws outside the kernels."""
        return _generator(self.seed, self.sweep, use)

    def keys(self, use: int, count: int) -> NDArray[np.uint64]:
        """Streams of this sweep for the kernels."""
        return stream_keys(self.seed, self.sweep, use, count)
