"""The ladder: chains on ever more words, from coarse to fine.

Neighbouring words are far from independent, because features are computed over
overlapping windows, so a strided subset says nearly as much about the topics as
all words do, and its sweeps take milliseconds.  Each new word begins near the
membership of the neighbour that was there before it.  Where topics are many,
several starts are tried on the coarsest level and the best goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.changes import NO_CHANGES, Changes
from pmlda_gui.core.checkpoint import (
    Checkpoint,
    Draft,
    checkpoint_parameters,
    damaged_if_unreadable,
)
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.matching import match_topics
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.start_trials import StartTrials, usual_starts
from pmlda_gui.core.state import Globals, Info, State

__all__ = ["Ladder", "Level", "coarse_to_fine", "default_levels"]

# Sweeps on the coarsest level and on each between it and all words.
_SWEEPS_FIRST, _SWEEPS_BETWEEN = 64, 16
_COARSEST_WORDS = 1500
_FACTOR = 8
# Memberships are handed on no crisper than this: a document whose few words were far in
# the corners by chance would keep all its words there for hundreds of sweeps.
_LEAST_LOG_HANDED_ON = -10.0


def default_levels(corpus: Corpus) -> list[NDArray[np.int64]]:
    """Subsets of the words, coarsest first, each about eight times the one before."""
    stride, strides = 1, []
    while corpus.size // (stride * _FACTOR) >= _COARSEST_WORDS:
        stride *= _FACTOR
        strides.append(stride)
    return [corpus.every(stride) for stride in reversed(strides)]


class Ladder:
    """The levels that a chain climbs, from few words to all of them, one sweep at a time.

    `chain` is the current one, on the words `words` (None: all).  The levels are
    counted in sweeps, not seconds, so a climb is repeated exactly.  `levels` are
    ascending word indices, coarsest first, by default every 8^n-th word of each
    document; each document must keep at least one.  `starts` are tried on the
    first level: by default the corpus' cores, or where it has none k-means, with other
    starts beside it from four topics on, where there are several modes; `agreed` says
    whether they led to fits equally good.  `checkpoint` is that of a ladder to go on with.
    """

    def __init__(
        self,
        corpus: Corpus,
        parameters: Parameters,
        sampler: str = "fast",
        seed: int = 0,
        threads: int | None = None,
        *,
        levels: Sequence[ArrayLike] | None = None,
        starts: Sequence[str] | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._threads = threads
        self._set_corpus(corpus, levels)
        self.level = 0
        self.agreed = True
        self._sweeps_before = 0
        if checkpoint is not None:
            self._trials = self._restore(checkpoint)
            self.chain = Chain.resume(
                self._corpus_of(self.level), checkpoint, threads, prior=self._prior
            )
            return
        chosen = tuple(starts or usual_starts(corpus, parameters.topics))
        self._trials = StartTrials(chosen if self._levels else chosen[:1])
        self.chain = self._chain_from(parameters, sampler, seed, chosen[0])

    def _set_corpus(self, corpus: Corpus, levels: Sequence[ArrayLike] | None) -> None:
        self._corpus = corpus
        self._prior = TopicPrior.from_corpus(corpus)
        self._levels = (
            default_levels(corpus)
            if levels is None
            else [np.asarray(each, dtype=np.int64) for each in levels]
        )

    def _chain_from(
        self, parameters: Parameters, sampler: str, seed: int, start: str | Globals | State
    ) -> Chain:
        return Chain(
            self._corpus_of(self.level),
            parameters,
            sampler,
            seed,
            self._threads,
            prior=self._prior,
            start=start,
        )

    def _corpus_of(self, level: int) -> Corpus:
        return (
            self._corpus if level == len(self._levels) else self._corpus.subset(self._levels[level])
        )

    @property
    def words(self) -> NDArray[np.int64] | None:
        """Indices of the words the current chain is on; None once it is on all."""
        return None if self.finest else self._levels[self.level]

    @property
    def finest(self) -> bool:
        """Whether the chain has reached all words."""
        return self.level == len(self._levels)

    @property
    def sweeps(self) -> int:
        """Sweeps done on all levels together."""
        return self._sweeps_before + self.chain.sweeps

    @property
    def sweeps_below(self) -> int:
        """Sweeps done before the current chain began."""
        return self._sweeps_before

    @property
    def due(self) -> int:
        """Sweeps on this level before the next one."""
        return _SWEEPS_BETWEEN if self.level else _SWEEPS_FIRST

    def sweep(
        self,
        n: int = 1,
        changes: Changes = NO_CHANGES,
        cancel: Callable[[], bool] | None = None,
        *,
        levels: Sequence[ArrayLike] | None = None,
    ) -> Info:
        """Run n sweeps, climbing when it is time; `Info.sweep` counts those of all levels.

        The first sweep takes up the changes, whose corpus is that of all words; `levels` are
        those of a new corpus.  See `Chain.sweep` for `cancel`.
        """
        info = Info(self.sweeps, float("nan"), {}, 0.0, finished=False)
        for _ in range(n):
            # A new corpus is taken up by the chain that is there.
            if changes.corpus is not None:
                changes = self._on_level(changes, levels)
            elif not self.finest and self.chain.sweeps >= self.due:
                self.climb()
            info = self.chain.sweep(1, changes, cancel)._replace(sweep=self.sweeps)
            changes = NO_CHANGES
            if not info.finished:
                break
        return info

    def climb(self) -> None:
        """Try the next start, or go on from the best one to the next level."""
        old, trials = self.chain, self._trials
        current = old.globals
        if self.level == 0:
            trials.take_in(current, old.best_quality)
        self._sweeps_before += old.sweeps
        start: str | Globals | State
        if self.level == 0 and trials.left:
            start = trials.starts[trials.tried]
        else:
            if trials.best is None or trials.best is current:
                start = old.state.of_words(self._neighbours(), _LEAST_LOG_HANDED_ON)
            else:
                start = trials.best
            trials.best = None
            if trials.qualities:
                self.agreed = trials.agreed
            self.level += 1
        old.close()
        self.chain = self._chain_from(old.parameters, old.sampler, old.seed, start)
        if isinstance(start, State):
            self.chain.succeed(old)
            self.chain.refit_memberships()
        else:
            # Another start finds the same topics in another order.
            self.chain.succeed(old, match_topics(self.chain.globals.means, current.means))

    def _neighbours(self) -> NDArray[np.int64]:
        """For each word of the next level, which of this level's it begins like.

        That is the word before it in its document: given the topics alone each new word
        would have to find its place first, and meanwhile drag the topics along.
        """
        offsets, here = self._corpus.offsets, self._levels[self.level]
        above = (
            self._levels[self.level + 1]
            if self.level + 1 < len(self._levels)
            else np.arange(self._corpus.size)
        )
        document = np.searchsorted(offsets, above, side="right") - 1
        before = np.searchsorted(here, above, side="right") - 1
        # A level given from outside may leave out a document's first words.
        first_here = np.searchsorted(here, offsets[:-1])
        return np.maximum(before, first_here[document])

    def _on_level(self, changes: Changes, levels: Sequence[ArrayLike] | None) -> Changes:
        """Go on with a new corpus on the same level or the nearest there is.

        Starts not tried yet are left out: the present chain goes on.
        """
        assert changes.corpus is not None
        was_finest = self.finest
        self._set_corpus(changes.corpus, levels)
        self.level = len(self._levels) if was_finest else min(self.level, len(self._levels))
        self._trials.abandon()
        return replace(changes, corpus=self._corpus_of(self.level), prior=self._prior)

    def checkpoint(self) -> Checkpoint:
        """The current chain's checkpoint with where it stands on the ladder."""
        inner, trials = self.chain.checkpoint(), self._trials
        draft = Draft()
        draft.arrays.update(inner.arrays)
        draft.values.update(inner.values)
        draft.values["ladder"] = {
            "level": self.level,
            "agreed": self.agreed,
            "sweeps_before": self._sweeps_before,
            "tried": trials.tried,
            "qualities": list(trials.qualities),
            "starts": list(trials.starts),
        }
        if trials.best is not None:
            trials.best.write(draft, "ladder_best")
        return draft.finished()

    @classmethod
    def resume(
        cls,
        corpus: Corpus,
        checkpoint: Checkpoint,
        threads: int | None = None,
        *,
        levels: Sequence[ArrayLike] | None = None,
    ) -> Ladder:
        """The ladder that wrote this checkpoint, on the same corpus and levels."""
        parameters = checkpoint_parameters(checkpoint)
        return cls(corpus, parameters, threads=threads, levels=levels, checkpoint=checkpoint)

    def _restore(self, checkpoint: Checkpoint) -> StartTrials:
        """Stand where the checkpoint stood; return its trials."""
        with damaged_if_unreadable():
            values = checkpoint.values["ladder"]
            self.level = min(max(int(values["level"]), 0), len(self._levels))
            self.agreed = bool(values["agreed"])
            self._sweeps_before = int(values["sweeps_before"])
            trials = StartTrials(
                tuple(str(name) for name in values["starts"]),
                int(values["tried"]),
                [float(value) for value in values["qualities"]],
            )
            if "ladder_best.variance" in checkpoint.values:
                topics = int(checkpoint.values["parameters"]["topics"])
                shape = (self._corpus.documents, topics, self._corpus.features)
                trials.best = Globals.read(checkpoint, "ladder_best", shape)
            return trials


@dataclass(frozen=True, eq=False)
class Level:
    """A chain that has done its sweeps on some of the words; `words` None means all."""

    chain: Chain
    words: NDArray[np.int64] | None
    agreed: bool


def coarse_to_fine(
    corpus: Corpus,
    parameters: Parameters,
    sampler: str = "fast",
    seed: int = 0,
    threads: int | None = None,
    *,
    levels: Sequence[ArrayLike] | None = None,
    starts: Sequence[str] | None = None,
) -> Iterator[Level]:
    """The chain of each level once it is done there, and last the one on all words, unswept.

    Arguments are those of `Ladder`.
    """
    ladder = Ladder(corpus, parameters, sampler, seed, threads, levels=levels, starts=starts)
    while not ladder.finest:
        level, chain, words = ladder.level, ladder.chain, ladder.words
        ladder.sweep(ladder.due - chain.sweeps)
        ladder.climb()
        if ladder.level != level:
            yield Level(chain, words, ladder.agreed)
    yield Level(ladder.chain, None, ladder.agreed)
