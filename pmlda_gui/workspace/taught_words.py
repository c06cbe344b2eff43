"""Words and cores by what was painted: a stroke teaches what a topic looks like everywhere.

On its own a hint acts on the painted words only.  But whoever paints says more: this is what
the topic looks like, and what varies within it is no change of seabed.  So what was painted is
a core (see `region_cores`): the topic's prior lies around its mean, and words are whitened
by its scatter.  Cores that nothing was painted for stay as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Cores, Corpus
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.preparation import Prepared
from pmlda_gui.workspace.topic_words import WORDS_PER_CORE, whitener

__all__ = ["PaintedCore", "hints_digest", "painted_cores", "taught_words"]

Array = NDArray[np.float64]
# A hint of this strength counts as one word for every half window of ground it covers, and
# what was there before as this many words.
_STRENGTH_OF_A_WORD, _WORDS_BEFORE = 10.0, 1.0
# The share of the painted scatter in the noise.
_SCATTER_SHARE = 0.5
# More pixels of a stroke than these say nothing new.
_MOST_PIXELS = 20_000


@dataclass(frozen=True, eq=False)
class PaintedCore:
    """What was painted as one topic: mean (p) and scatter (p, p), worth so many `words`."""

    topic: int
    words: float
    mean: Array
    scatter: Array


def hints_digest(hints: Sequence[PaintedHint]) -> str:
    """A digest of the hints that teach, those for topics; empty if there are none."""
    digest = hashlib.sha256()
    teaching = [hint for hint in hints if not hint.against]
    for hint in teaching:
        digest.update(f"{hint.image} {hint.topic} {hint.strength!r} {hint.pixels.size} ".encode())
        digest.update(np.ascontiguousarray(hint.pixels, "<i4").tobytes())
    return digest.hexdigest() if teaching else ""


def painted_cores(prepared: Prepared, hints: Sequence[PaintedHint]) -> list[PaintedCore]:
    """The core of every topic that something was painted as, by number, in words of these."""
    found = []
    for topic in sorted({hint.topic for hint in hints if not hint.against}):
        parts = [
            _words_under(prepared, hint)
            for hint in hints
            if hint.topic == topic and not hint.against
        ]
        words = np.concatenate([each[0] for each in parts])
        if not len(words):
            continue
        weights = np.concatenate([each[1] for each in parts])
        mean = weights @ words / weights.sum()
        away = words - mean
        scatter = (away * weights[:, None]).T @ away / weights.sum()
        found.append(PaintedCore(topic, sum(each[2] for each in parts), mean, scatter))
    return found


def _words_under(prepared: Prepared, hint: PaintedHint) -> tuple[Array, Array, float]:
    """The words (N, p) of a stroke's pixels, their weights, and what they are worth."""
    width = prepared.images[hint.image].shape[1]
    rows, columns = np.divmod(hint.pixels.astype(np.int64), width)
    inside = prepared.fields[hint.image].labels[rows, columns] >= 0
    rows, columns = rows[inside], columns[inside]
    side = max(prepared.unit / 2.0, 1.0)
    cells = np.unique((rows // side) * width + columns // side).size
    step = max(1, rows.size // _MOST_PIXELS)
    words = prepared.words_at(hint.image, rows[::step], columns[::step]).T.astype(np.float64)
    weights = np.full(len(words), hint.strength * rows.size / max(len(words), 1))
    return words, weights, cells * hint.strength / _STRENGTH_OF_A_WORD


def taught_words(tuned: Prepared, hints: Sequence[PaintedHint], digest: str) -> Prepared:
    """The same with words and cores by what was painted, if that lies in any document."""
    corpus, cores = tuned.corpus, tuned.corpus.cores
    painted = painted_cores(tuned, hints)
    if cores is None or not painted:
        return replace(tuned, taught=digest)
    centres, numbers = cores.means.copy(), np.full(len(cores.means), -1)
    before = cores.variance * WORDS_PER_CORE * np.eye(corpus.features)
    scatters = [before] * len(centres)
    for each, row in _rows_for(painted, cores.means):
        share = each.words / (each.words + _WORDS_BEFORE)
        centres[row] += share * (each.mean - centres[row])
        scatters[row] = share * each.scatter + (1.0 - share) * before
        numbers[row] = each.topic
    scatter = np.mean(scatters, axis=0)
    matrix = np.eye(corpus.features)
    if tuned.feature_choice.noise_window is not None:
        matrix = whitener(scatter, np.atleast_2d(np.cov(corpus.words.T)), _SCATTER_SHARE)
    within = float(np.trace(matrix @ scatter @ matrix)) / len(matrix)
    taught = Cores(
        centres @ matrix,
        max(within, 1e-12) / WORDS_PER_CORE,
        numbers=tuple(numbers.tolist()),
    )
    words = Corpus(corpus.words @ matrix, corpus.offsets, corpus.sources, corpus.layout, taught)
    return replace(
        tuned, standardisation=tuned.standardisation.whitened(matrix), corpus=words, taught=digest
    )


def _rows_for(painted: Sequence[PaintedCore], means: Array) -> list[tuple[PaintedCore, int]]:
    """Which core each painted one takes the place of: the nearest, none twice."""
    from scipy.optimize import linear_sum_assignment

    away = np.array([np.sum((each.mean - means) ** 2, axis=1) for each in painted])
    rows, places = linear_sum_assignment(away)
    return [(painted[row], int(place)) for row, place in zip(rows, places, strict=True)]
