"""Passes over the words: fixed chunks, divided among threads, interruptible in between.

The corpus is cut into chunks of words and these at document borders into
segments.  Each segment keeps its own sums of ln z and each chunk its own moments,
added up in a fixed order, so the result is the same for any number of threads,
and a pass that was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.checkpoint import Checkpoint, Draft
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.kernels.accumulate import moments_size
from pmlda_gui.core.kernels.membership_modes import climb
from pmlda_gui.core.kernels.recompute_sums import recompute_sums
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.topics import Moments

__all__ = ["WordPass"]

Array = NDArray[np.float64]
# Chunks of this many words times topics keep a kernel call well below 50 ms.
_LARGEST_CHUNK = 98304
_LEAST_CHUNK = 2048
_CHUNKS_WANTED = 16
# What a checkpoint keeps of a pass.
_WORD_ARRAYS = ("logs", "average", "spread")
_SUM_ARRAYS = ("segment_sums", "chunk_moments", "counts")
Cancel = Callable[[], bool] | None
# slice_sweep and propose_sweep: see there for the arguments.
SweepKernel = Callable[..., int]


def _cut(offsets: NDArray[np.int64], chunk: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Segments (document, first, end), and the first segment of each chunk with the end."""
    size = int(offsets[-1])
    borders = np.unique(np.concatenate([offsets, np.arange(0, size, chunk)]))
    first, end = borders[:-1], borders[1:]
    document = np.searchsorted(offsets, first, side="right") - 1
    segments = np.column_stack([document, first, end])
    chunks = np.searchsorted(first, np.arange(0, size, chunk))
    return np.ascontiguousarray(segments), np.append(chunks, len(segments))


class WordPass:
    """The memberships of a corpus' words with everything one pass over them needs.

    `logs` (K, N) is ln z; `average` and `spread` (K, N) are the running mean and
    variance of z.  `by_word` says that each word has Dirichlet parameters of its own,
    (K, N), where else those of a document serve all its words, (K, D); sums of ln z by
    document are then not kept.  `hints` are what has been said about single words.
    """

    def __init__(
        self, corpus: Corpus, topics: int, pool: ThreadPool, by_word: bool = False
    ) -> None:
        self.corpus = corpus
        self.pool = pool
        self.topics = topics
        self.by_word = by_word
        self.hints = WordHints.none(topics)
        wanted = -(-corpus.size // _CHUNKS_WANTED)
        chunk = min(max(wanted, _LEAST_CHUNK), max(_LARGEST_CHUNK // topics, _LEAST_CHUNK))
        borders = np.array([0, corpus.size]) if by_word else corpus.offsets
        self.segments, self.chunks = _cut(borders, chunk)
        self._first_of_document = np.searchsorted(
            self.segments[:, 0], np.arange(1 if by_word else corpus.documents)
        )
        shape = (topics, corpus.size)
        self.logs: Array = np.full(shape, -np.log(topics))
        # In single precision the mean of very many sweeps would drift from summing to 1.
        self.average: Array = np.full(shape, 1.0 / topics)
        self.spread: NDArray[np.float32] = np.zeros(shape, np.float32)
        self.segment_sums: Array = np.zeros((len(self.segments), topics))
        self.chunk_moments: Array = np.zeros(
            (len(self.chunks) - 1, moments_size(topics, corpus.features))
        )
        self.counts = np.zeros(len(self.chunks) - 1, np.int64)
        self.position = 0

    @property
    def pieces(self) -> int:
        """Number of chunks."""
        return len(self.chunks) - 1

    def sweep(
        self,
        sweep_kernel: SweepKernel,
        concentration: Array,
        means: Array,
        variance: float,
        fuzzifier: float,
        keys: NDArray[np.uint64],
        gain: float,
        cancel: Cancel = None,
    ) -> bool:
        """Draw the memberships of all words, from where the last call stopped.

        Returns whether the pass is complete; `position` is then 0 again.
        """

        def piece(c: int) -> None:
            self.chunk_moments[c] = 0.0
            self.counts[c] = sweep_kernel(
                self.corpus.columns, self.logs, self.segments, self.chunks[c], self.chunks[c + 1],
                concentration, self.by_word, means, variance, fuzzifier, keys, gain,
                self.average, self.spread, self.segment_sums, self.chunk_moments[c],
                self.hints.places, self.hints.favour, self.hints.avoid,
            )  # fmt: skip

        self.position = self.pool.run(piece, self.position, self.pieces, cancel)
        if self.position < self.pieces:
            return False
        self.position = 0
        return True

    def recompute(self, means: Array, fuzzifier: float, gain: float = 0.0) -> None:
        """Bring sums and moments up to date with `logs`; `gain` 1 restarts the estimate there."""

        def piece(c: int) -> None:
            self.chunk_moments[c] = 0.0
            recompute_sums(
                self.corpus.columns, self.logs, self.segments, self.chunks[c], self.chunks[c + 1],
                means, fuzzifier, gain,
                self.average, self.spread, self.segment_sums, self.chunk_moments[c],
            )  # fmt: skip

        self.pool.run(piece, 0, self.pieces)

    def climb(
        self,
        logs: Array,
        concentration: Array,
        means: Array,
        variance: float,
        fuzzifier: float,
        rounds: int,
    ) -> None:
        """Move `logs` (K, N), which may be this object's own, towards each word's mode."""

        def piece(c: int) -> None:
            climb(
                self.corpus.columns, logs, self.segments, self.chunks[c], self.chunks[c + 1],
                concentration, self.by_word, means, variance, fuzzifier, rounds,
                self.hints.places, self.hints.favour, self.hints.avoid,
            )  # fmt: skip

        self.pool.run(piece, 0, self.pieces)

    @property
    def log_sums(self) -> Array:
        """Sums of ln z by document, (D, K), or of all words, (1, K), if `by_word`."""
        sums: Array = np.add.reduceat(self.segment_sums, self._first_of_document, axis=0)
        return sums

    @property
    def moments(self) -> Moments:
        """The moments of the last pass."""
        flat = np.add.reduce(self.chunk_moments, axis=0)
        return Moments.from_flat(flat, self.corpus.size, self.topics, self.corpus.features)

    def write(self, draft: Draft) -> None:
        """Add memberships, estimate, sums and position to a checkpoint."""
        for name in (*_WORD_ARRAYS, *_SUM_ARRAYS):
            draft.arrays[name] = getattr(self, name).copy()
        draft.values["position"] = self.position

    def read(self, checkpoint: Checkpoint) -> None:
        """Take over what `write` gave."""
        for name in (*_WORD_ARRAYS, *_SUM_ARRAYS):
            there = getattr(self, name)
            there[:] = checkpoint.array(name, there.shape, there.dtype.type)
        self.position = min(max(int(checkpoint.values["position"]), 0), self.pieces)
