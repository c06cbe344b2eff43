"""A chain whose words live in shards: only topics go down to these, and only sums come up.

Sums are added in the order of the shards, so that it does not matter who has which of them
nor who answers first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.densities import LogJoint
from pmlda_gui.core.draws import KeptDraws
from pmlda_gui.core.fast_sampler import draw_topics
from pmlda_gui.core.field import influence_of
from pmlda_gui.core.fit_quality import quality
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.shard import ShardSums
from pmlda_gui.core.state import Globals
from pmlda_gui.core.sweep_context import topics_generator
from pmlda_gui.core.topics import Moments
from pmlda_gui.core.trace import Trace

__all__ = ["ShardGroup", "ShardedChain"]

Array = NDArray[np.float64]
Documents = Sequence[tuple[Array, Array]]


class ShardGroup(Protocol):
    """All shards, in the order of their documents, wherever they are."""

    def sweep(self, number: int, means: Array, variance: float) -> Sequence[ShardSums]:
        """Have all shards make a sweep under these topics."""

    def documents(self) -> Sequence[Documents]:
        """What `Shard.documents` is in each."""


class ShardedChain:
    """Draws the topics from what all shards say.

    There are `words` words in `documents` documents; `start` are the topics to begin with,
    `prior` is theirs, and `held` (K) says which stay, None if none do.
    """

    def __init__(
        self,
        shards: ShardGroup,
        words: int,
        documents: int,
        parameters: Parameters,
        prior: TopicPrior,
        start: Globals,
        seed: int,
        held: NDArray[np.bool_] | None = None,
    ) -> None:
        self.trace = Trace()
        self.sweeps = 0
        self._shards = shards
        self._words, self._documents = words, documents
        self._parameters, self._prior, self._held = parameters, prior, held
        self._seed = seed
        nothing = np.empty((0, parameters.topics))
        self._topics = Globals(nothing, np.empty(0), start.means.copy(), start.variance)
        self._draws = KeptDraws()

    def sweep(self) -> None:
        """Make one sweep over all shards, and draw the topics."""
        topics = self._topics
        self.sweeps += 1
        sums = self._shards.sweep(self.sweeps, topics.means, topics.variance)
        flat = np.add.reduce([each.moments for each in sums], axis=0)
        moments = Moments.from_flat(flat, self._words, *topics.means.shape)
        rng = topics_generator(self._seed, self.sweeps)
        squares = draw_topics(rng, topics, moments, self._prior, self._held)
        self._draws.add(self.sweeps, topics)
        self._record(sums, squares)

    def _record(self, sums: Sequence[ShardSums], squares: float) -> None:
        topics, prior = self._topics, self._prior
        values = self._words * topics.means.shape[1]
        words = -0.5 * (
            values * float(np.log(2.0 * np.pi * topics.variance)) + squares / topics.variance
        )
        proportions, scaling, memberships, coupling = np.add.reduce([each.terms for each in sums])
        terms = LogJoint(
            float(proportions),
            float(scaling),
            float(memberships),
            words,
            prior.log_density_of_means(topics.means),
            prior.log_density_of_variance(topics.variance),
            float(coupling),
        )
        # The trace asks for means over the documents, which one with their means gives as well.
        together = Globals(
            np.add.reduce([each.proportions for each in sums])[None] / self._documents,
            np.exp([sum(each.log_scaling for each in sums) / self._documents]),
            topics.means,
            topics.variance,
        )
        followed = np.concatenate([each.followed for each in sums], axis=1)
        self.trace.record(terms, together, followed, sum(each.log_sum for each in sums))

    def checkpoint(self, of: Checkpoint, corpus: Corpus) -> Checkpoint:
        """The checkpoint `of` a chain on a few words of the same documents, with what was found.

        `corpus` are the words of that chain.  Whoever goes on from it has the draws of all words.
        """
        topics = [*self._draws.globals, self._topics]
        found = [list(each) for each in self._shards.documents()]
        together = []
        for place, at in enumerate(topics):
            proportions = np.concatenate([each[place][0] for each in found])
            scaling = np.concatenate([each[place][1] for each in found])
            together.append(Globals(proportions, scaling, at.means, at.variance))
        *self._draws.globals, last = together
        mean = self._draws.mean()
        draft = Draft()
        parts = ("draws.", "trace.", "best_joint.")
        draft.arrays = {name: of.arrays[name] for name in of.arrays if not name.startswith(parts)}
        draft.values = {name: of.values[name] for name in of.values if not name.startswith(parts)}
        draft.values |= {"sweep": self.sweeps, "age": self.sweeps, "begun": False}
        self._draws.write(draft)
        self.trace.write(draft)
        last.write(draft, "current")
        for name in ("mean", "best_quality"):
            mean.write(draft, name)
        influence = influence_of(corpus, self._parameters)
        fuzzifier = self._parameters.fuzzifier
        draft.values["best_quality.value"] = quality(corpus, mean, fuzzifier, influence=influence)
        return draft.finished()
