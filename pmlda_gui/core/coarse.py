"""Coarse to fine: topics are found on a few words and handed to ever more of them.

Neighbouring words are far from independent, because features are computed over
overlapping windows, so a strided subset says nearly as much about the topics as
all words do, and its sweeps take milliseconds.  Each new word begins near the
membership of the neighbour that was there before it.  Where topics are many,
several starts are tried on the coarsest level and the best goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.matching import match_topics
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.samplers import Globals
from pmlda_gui.core.starting import STARTS, usual_start
from pmlda_gui.core.state import Info, State

__all__ = ["Ladder", "Level", "coarse_to_fine", "default_levels"]

# Sweeps on the coarsest level and on each between it and all words.
_SWEEPS_FIRST, _SWEEPS_BETWEEN = 64, 16
_COARSEST_WORDS = 1500
_FACTOR = 8
# Memberships are handed on no crisper than this: a document whose few words were far in
# the corners by chance would keep all its words there for hundreds of sweeps.
_LEAST_LOG_HANDED_ON = -10.0
# Starts whose Q differs by more than this have found different topics.
_DISAGREEMENT = 0.02


def default_levels(corpus: Corpus) -> list[NDArray[np.int64]]:
    """Subsets of the words, coarsest first, each about eight times the one before."""
    stride, strides = 1, []
    while corpus.size // (stride * _FACTOR) >= _COARSEST_WORDS:
        stride *= _FACTOR
        strides.append(stride)
    return [corpus.every(stride) for stride in reversed(strides)]


def _usual_starts(corpus: Corpus, topics: int) -> tuple[str, ...]:
    """What is tried: cores where they are known, else k-means, and others with it if K > 3."""
    first = usual_start(corpus, topics)
    if first == "cores" or topics <= 3:
        return (first,)
    return STARTS[: STARTS.index("cores")]


class Ladder:
    """A chain that climbs from few words to all of them, one sweep at a time.

    `chain` is the current one, on the words `words` (None: all).  The rungs are
    counted in sweeps, not seconds, so a climb is repeated exactly.  `levels` are
    ascending word indices, coarsest first, by default every 8^n-th word of each
    document; each document must keep at least one.  `starts` are tried on the
    first level: by default the corpus' cores, or where it has none k-means, with other
    starts beside it from four topics on, where there are several modes; `agreed` says
    whether they led to fits equally good.
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
    ) -> None:
        self._threads = threads
        self._set_corpus(corpus, levels)
        self._starts = tuple(starts or _usual_starts(corpus, parameters.topics))
        if not self._levels:
            self._starts = self._starts[:1]
        self.level = 0
        self.agreed = True
        self._sweeps_before = 0
        self._tried = 0
        self._qualities: list[float] = []
        self._best: Globals | None = None
        self.chain = self._chain_from(parameters, sampler, seed, self._starts[0])

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
    def _due(self) -> int:
        """Sweeps on this level before the next one."""
        return _SWEEPS_BETWEEN if self.level else _SWEEPS_FIRST

    def sweep(self, n: int = 1, cancel: Callable[[], bool] | None = None) -> Info:
        """Run n sweeps, climbing when it is time; `Info.sweep` counts those of all levels."""
        info = Info(self.sweeps, float("nan"), {}, 0.0, finished=False)
        for _ in range(n):
            due = not self.finest and self.chain.sweeps >= self._due
            # A new corpus is taken up by the chain that was told of it.
            if due and not self.chain.awaits_corpus:
                self._climb()
            info = self.chain.sweep(1, cancel)
            info = info._replace(sweep=self.sweeps)
            if not info.finished:
                break
        return info

    def _climb(self) -> None:
        """Try the next start, or go on from the best one to the next level."""
        old = self.chain
        current = old.globals
        if self.level == 0:
            if self._best is not None and self._best.means.shape != current.means.shape:
                # The operator changed K between two starts: what came before has other topics.
                self._best, self._qualities = None, []
            self._qualities.append(old.best_quality)
            if self._best is None or old.best_quality >= max(self._qualities):
                self._best = current
            self._tried += 1
        self._sweeps_before += old.sweeps
        start: str | Globals | State
        if self.level == 0 and self._tried < len(self._starts):
            start = self._starts[self._tried]
        else:
            if self._best is None or self._best is current:
                start = old.state.of_words(self._neighbours(), _LEAST_LOG_HANDED_ON)
            else:
                start = self._best
            self._best = None
            if self._qualities:
                self.agreed = max(self._qualities) - min(self._qualities) <= _DISAGREEMENT
            self.level += 1
        old.close()
        # What waits in the old chain's inbox waits in the new one's.
        self.chain = self._chain_from(old.parameters_in_effect, old.sampler, old.seed, start)
        if isinstance(start, State):
            self.chain.settle()
        self.chain.follow(old)
        if not isinstance(start, State):
            # Another start finds the same topics in another order.
            same = match_topics(self.chain.globals.means, current.means)
            self.chain.number_topics(tuple(old.topic_ids[each] for each in same))

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

    def change_corpus(self, corpus: Corpus, levels: Sequence[ArrayLike] | None = None) -> None:
        """Go on with other documents or features, on the same level or the nearest there is.

        Starts not tried yet are left out: the present chain goes on.
        """
        was_finest = self.finest
        self._set_corpus(corpus, levels)
        self.level = len(self._levels) if was_finest else min(self.level, len(self._levels))
        self._best, self._qualities = None, []
        self._starts = self._starts[: self._tried + 1]
        self.chain.change_corpus(self._corpus_of(self.level), self._prior)

    def checkpoint(self) -> Checkpoint:
        """The current chain's checkpoint with where it stands on the ladder."""
        inner = self.chain.checkpoint()
        draft = Draft()
        draft.arrays.update(inner.arrays)
        draft.values.update(inner.values)
        draft.values["ladder"] = {
            "level": self.level,
            "agreed": self.agreed,
            "sweeps_before": self._sweeps_before,
            "tried": self._tried,
            "qualities": list(self._qualities),
            "starts": list(self._starts),
        }
        if self._best is not None:
            self._best.write(draft, "ladder_best")
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
        ladder = cls.__new__(cls)
        ladder._threads = threads
        ladder._set_corpus(corpus, levels)
        try:
            values = checkpoint.values["ladder"]
            ladder.level = min(max(int(values["level"]), 0), len(ladder._levels))
            ladder.agreed = bool(values["agreed"])
            ladder._sweeps_before = int(values["sweeps_before"])
            ladder._tried = int(values["tried"])
            ladder._qualities = [float(value) for value in values["qualities"]]
            ladder._starts = tuple(str(name) for name in values["starts"])
            ladder._best = None
            if "ladder_best.variance" in checkpoint.values:
                topics = int(checkpoint.values["parameters"]["topics"])
                shape = (corpus.documents, topics, corpus.features)
                ladder._best = Globals.read(checkpoint, "ladder_best", shape)
        except PmldaError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise PmldaError(
                f"The checkpoint is damaged or of another version ({error})."
            ) from error
        ladder.chain = Chain.resume(
            ladder._corpus_of(ladder.level), checkpoint, threads, prior=ladder._prior
        )
        return ladder


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
        ladder.sweep(ladder._due - chain.sweeps)
        ladder._climb()
        if ladder.level != level:
            yield Level(chain, words, ladder.agreed)
    yield Level(ladder.chain, None, ladder.agreed)
