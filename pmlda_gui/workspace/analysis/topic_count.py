"""How many topics?  Topics learned on one half of the image must explain the other half.

The image is cut into blocks, wider than a window, which are dealt out to two halves at
random, several times.  For each number of topics a short chain learns on the coarse words
of one half, and the words of the other are scored by their predictive density, and the
other way round.  Topics that a half has learned by chance do not help the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.lattice import lattice_corpus, lattice_stride
from pmlda_gui.workspace.analysis.predictive import log_predictive
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.suggestions import suggest_topics
from pmlda_gui.workspace.topic_words import cores_and_matrix

__all__ = ["FEWEST", "MOST", "TopicCounts", "count_topics", "judged"]

Array = NDArray[np.float64]
FEWEST, MOST = 2, 8
_SEEDS = 3
_SWEEPS = 30
# Blocks in windows, and the words of the other half that are scored.
_BLOCK = 1.5
_MOST_SCORED = 400
_CONCENTRATION = 0.5
_LEAST_WORDS = 60
# Scores that differ by less, in nats a word, are the same.
_SAME = 0.1


@dataclass(frozen=True, eq=False)
class TopicCounts:
    """Scores (seeds, len(topics)) in nats a word, higher is better.

    `suggestion` is None where it is not clear.
    """

    topics: tuple[int, ...]
    scores: Array
    suggestion: int | None
    reason: str

    @property
    def mean(self) -> Array:
        """The mean score of each number of topics."""
        mean: Array = self.scores.mean(axis=0)
        return mean

    @property
    def spread(self) -> Array:
        """The standard deviation of each score over the seeds."""
        spread: Array = self.scores.std(axis=0, ddof=min(1, len(self.scores) - 1))
        return spread


def count_topics(
    prepared: Prepared,
    parameters: Parameters,
    *,
    seeds: int = _SEEDS,
    most: int = MOST,
    progress: Callable[[float], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> TopicCounts:
    """Try 2 to `most` topics on halves of it; once `cancel` says so, `Cancelled` is raised."""
    base = prepared.untuned or prepared
    words = _coarse_words(base)
    numbers = tuple(range(FEWEST, most + 1))
    scores = np.empty((seeds, len(numbers)))
    for seed in range(seeds):
        first = _half(words, base.unit * _BLOCK, seed)
        for place, topics in enumerate(numbers):
            if cancel is not None and cancel():
                raise Cancelled("Looking for the number of topics was stopped.")
            given = replace(
                parameters, topics=topics, smoothness=0.0, coupling=0.0, proportions=None
            )
            sides = [_score(base, words, mine, given, seed) for mine in (first, ~first)]
            scores[seed, place] = np.mean(sides)
            if progress is not None:
                progress((seed * len(numbers) + place + 1) / scores.size)
    suggestion, reason = judged(numbers, scores)
    if not suggest_topics(base).directions:
        suggestion = None
        reason = "Not clear: no feature varies clearly more than its noise; this may be one seabed."
    return TopicCounts(numbers, scores, suggestion, reason)


@dataclass(frozen=True, eq=False)
class _Words:
    """The coarse words (N, p) of all images: document, image, row and column of each."""

    values: Array
    document: NDArray[np.int64]
    image: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]


def _coarse_words(base: Prepared) -> _Words:
    corpus = base.corpus
    if base.stride == 1:
        pixels = sum(int(np.count_nonzero(image.valid)) for image in base.images)
        corpus = lattice_corpus(
            [each.values for each in base.averaged],
            base.standardisation,
            base.fields,
            max(2, lattice_stride(base.feature_choice.scaled_window, pixels)),
            base.feature_choice.scaled_window,
        )
    if corpus.size < _LEAST_WORDS:
        raise PmldaError("The images are too small to tell how many topics there are.")
    sizes = [image.shape[0] * image.shape[1] for image in base.images]
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    image = np.searchsorted(firsts, corpus.sources, side="right") - 1
    widths = np.array([image.shape[1] for image in base.images])[image]
    row, column = np.divmod(corpus.sources - firsts[image], widths)
    return _Words(corpus.words, corpus.document_of, image, row, column)


def _half(words: _Words, block: float, seed: int) -> NDArray[np.bool_]:
    """Which words are in the first half: those of every other block in random order."""
    rng = np.random.default_rng([seed, 17])
    row, column = (
        ((each + shift) // block).astype(np.int64)
        for each, shift in zip((words.row, words.column), rng.uniform(0, block, 2), strict=True)
    )
    _, blocks = np.unique(np.stack([words.image, row, column]), axis=1, return_inverse=True)
    order = rng.permutation(int(blocks.max()) + 1)
    mine: NDArray[np.bool_] = order[blocks.ravel()] % 2 == 0
    return mine


def _score(
    base: Prepared, words: _Words, mine: NDArray[np.bool_], given: Parameters, seed: int
) -> float:
    """The mean log predictive density of the words that are not `mine`, learned on those."""
    if min(mine.sum(), (~mine).sum()) < max(_LEAST_WORDS // 2, given.topics):
        raise PmldaError("The images are too small to tell how many topics there are.")
    cores, matrix = cores_and_matrix(
        base.averaged,
        base.standardisation,
        _labels_near(base, words, mine),
        given.topics,
        base.unit,
        whiten=base.feature_choice.noise_window is not None,
        seed=seed,
    )
    whitened = words.values @ matrix
    _, sizes = np.unique(words.document[mine], return_counts=True)
    corpus = Corpus(whitened[mine], np.concatenate([[0], np.cumsum(sizes)]), cores=cores)
    chain = Chain(corpus, given, seed=seed, threads=1)
    chain.sweep(_SWEEPS)
    draw = chain.mean_draw
    chain.close()
    others = np.flatnonzero(~mine)
    others = others[:: max(1, len(others) // _MOST_SCORED)]
    flat = np.full((len(others), given.topics), _CONCENTRATION)
    found = log_predictive(whitened[others], flat, draw.means, draw.variance, given.fuzzifier)
    return float(found.mean()) + float(np.linalg.slogdet(matrix)[1])


def _labels_near(base: Prepared, words: _Words, mine: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
    """The documents' labels, -1 on pixels whose nearest words are not `mine`."""
    result = []
    for number, field in enumerate(base.fields):
        labels = field.labels.copy()
        here = words.image == number
        rows, columns = np.unique(words.row[here]), np.unique(words.column[here])
        known = np.zeros((len(rows), len(columns)), np.bool_)
        at = (np.searchsorted(rows, words.row[here]), np.searchsorted(columns, words.column[here]))
        known[at] = mine[here]
        height, width = labels.shape
        near = np.ix_(_nearest(rows, height), _nearest(columns, width))
        labels[~known[near]] = -1
        result.append(labels)
    return result


def _nearest(places: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The number of the nearest of the sorted places for each of 0 to size - 1."""
    between = (places[1:] + places[:-1]) / 2
    found: NDArray[np.int64] = np.searchsorted(between, np.arange(size))
    return found


def judged(numbers: Sequence[int], scores: Array) -> tuple[int | None, str]:
    """The number of topics that scores (seeds, numbers) suggest, None if not clear; and why.

    Numbers whose score is not surely below the best are as good.  If all these are neighbours
    the best is suggested, else it is not clear.
    """
    best = int(scores.mean(axis=0).argmax())
    behind = scores[:, [best]] - scores
    doubt = behind.std(axis=0, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else 0.0
    equal = np.flatnonzero(behind.mean(axis=0) <= np.maximum(doubt, _SAME))
    first, last = numbers[int(equal[0])], numbers[int(equal[-1])]
    if last - first > 1:
        return None, (
            f"Not clear: from {first} to {last} topics, those learned on one half of the image "
            "explain the other half about equally well."
        )
    other = "" if first == last else f"; {first + last - numbers[best]} suit about as well"
    return numbers[best], (
        f"{numbers[best]} topics: learned on one half of the image, they explain the other half "
        f"best{other}."
    )
