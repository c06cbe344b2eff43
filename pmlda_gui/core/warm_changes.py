"""Continues a chain with the present sample when topics, documents or features change.

Each function returns new globals and the ln z (K, N) to go on with; the chain
then polishes the memberships by a few uphill steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.initial_state import START_CONCENTRATION
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.state import Globals

__all__ = [
    "add_topics",
    "least_used",
    "move_to_corpus",
    "remove_topic",
    "same_features",
    "softened",
    "turned_means",
]

Array = NDArray[np.float64]
_WORDS_LOOKED_AT = 20000
# The share new topics start with in every word, and bounds for a document's scaling
# when it is estimated from memberships rather than learned.
_NEW_SHARE = 0.05
_SCALING_BOUNDS = (1.0, 1e4)
_LEAST_LOG_TAKEN_OVER = -5.0


def _residuals(corpus: Corpus, logs: Array, means: Array, fuzzifier: float) -> tuple[Array, Array]:
    """A sample of the words, and their residuals from the mixed means."""
    step = max(1, corpus.size // _WORDS_LOOKED_AT)
    words = corpus.columns[:, ::step].T
    return words, words - topic_weights(logs[:, ::step].T, fuzzifier) @ means


def add_topics(
    corpus: Corpus, current: Globals, logs: Array, count: int, fuzzifier: float, prior: TopicPrior
) -> tuple[Globals, Array]:
    """`count` topics more, last in order, where the present ones explain the words worst."""
    words, residuals = _residuals(corpus, logs, current.means, fuzzifier)
    squares = np.sum(residuals**2, axis=1)
    means = list(current.means)
    for _ in range(count):
        worst = words[squares >= np.quantile(squares, 0.98)]
        # The worst words may lie on opposite sides of the cloud: keep those around the very worst.
        nearest = np.sum((worst - words[np.argmax(squares)]) ** 2, axis=1)
        means.append(np.median(worst[nearest <= np.median(nearest)], axis=0))
        # Words near the new topic are explained by now.
        squares = np.minimum(squares, np.sum((words - means[-1]) ** 2, axis=1))
    share = count / len(means)
    documents = len(current.proportions)
    proportions = np.column_stack(
        [current.proportions * (1.0 - share), np.full((documents, count), share / count)]
    )
    added = Globals(
        proportions=proportions,
        scaling=current.scaling / (1.0 - share),
        means=np.clip(np.array(means), prior.low, prior.high),
        variance=current.variance,
    )
    kept = 1.0 - _NEW_SHARE
    new = np.full((count, logs.shape[1]), np.log(_NEW_SHARE / count))
    return added, np.vstack([logs + np.log(kept), new])


def least_used(average: Array, hinted: NDArray[np.bool_]) -> int:
    """The topic with the smallest share of all words, from memberships (K, N).

    One that an operator has named stays as long as there are others.
    """
    return int(np.argmin(average.mean(axis=1) + hinted))


def remove_topic(current: Globals, logs: Array, topic: int) -> tuple[Globals, Array]:
    """The same without one topic; the others share what it had in proportion."""
    kept = np.delete(np.arange(len(current.means)), topic)
    shares = np.maximum(current.proportions[:, kept], 1e-9)
    rest = shares.sum(axis=1)
    removed = Globals(
        proportions=shares / rest[:, None],
        scaling=current.scaling * np.maximum(rest, 0.05),
        means=current.means[kept],
        variance=current.variance,
    )
    new_logs = logs[kept]
    new_logs = new_logs - np.logaddexp.reduce(new_logs, axis=0)
    return removed, new_logs


def _follow(old: Corpus, new: Corpus, logs: Array) -> Array:
    """ln z of the new corpus' words: those of the same source, averaged where it had several.

    A word whose source is new takes those of the nearest word, or where places are not
    known, the average of all.
    """
    topics = len(logs)
    size = int(max(old.sources.max(), new.sources.max())) + 1
    counts = np.bincount(old.sources, minlength=size)
    shares = np.exp(logs)
    overall = np.maximum(shares.mean(axis=1), 1e-6)
    result = np.empty((topics, new.size))
    if counts.max() <= 1:
        place = np.full(size, -1, np.int64)
        place[old.sources] = np.arange(old.size)
        found = place[new.sources]
        result[:] = logs[:, np.maximum(found, 0)]
        missing = found < 0
    else:
        for k in range(topics):
            sums = np.bincount(old.sources, weights=shares[k], minlength=size)
            mean = sums / np.maximum(counts, 1)
            result[k] = np.log(np.maximum(mean[new.sources], 1e-12))
        missing = counts[new.sources] == 0
    if old.layout is None or new.layout is None:
        result[:, missing] = np.log(overall)[:, None]
    else:
        words = np.flatnonzero(missing)
        near = logs[:, old.layout.nearest(new.layout, words)]
        # No crisper than a word of its own would be after a while.
        near = np.maximum(near, _LEAST_LOG_TAKEN_OVER)
        result[:, words] = near - np.logaddexp.reduce(near, axis=0)
    return result


def _documents_from(logs: Array, corpus: Corpus) -> tuple[Array, Array]:
    """Proportions and scaling of each document that fit its memberships' mean and spread."""
    shares = np.exp(logs).T
    sizes = corpus.document_sizes[:, None]
    mean = np.add.reduceat(shares, corpus.offsets[:-1], axis=0) / sizes
    square = np.add.reduceat(shares**2, corpus.offsets[:-1], axis=0) / sizes
    mean = (mean * sizes + 1.0 / len(logs)) / (sizes + 1.0)
    spread = np.maximum(square - mean**2, 1e-12).sum(axis=1)
    scaling = np.clip((mean * (1.0 - mean)).sum(axis=1) / spread - 1.0, *_SCALING_BOUNDS)
    return mean / mean.sum(axis=1, keepdims=True), scaling


def move_to_corpus(
    old: Corpus, new: Corpus, current: Globals, logs: Array, fuzzifier: float, prior: TopicPrior
) -> tuple[Globals, Array]:
    """Go on with other documents, other features, or both, for the same sources.

    Memberships follow their sources.  Documents keep proportions and scaling only
    if every word is in the document it was in.  Means and variance are kept if
    the features are the same, else regressed on the memberships.
    """
    new_logs = _follow(old, new, logs)
    same_documents = np.array_equal(old.offsets, new.offsets) and np.array_equal(
        old.sources, new.sources
    )
    if same_documents:
        proportions, scaling = current.proportions.copy(), current.scaling.copy()
    else:
        proportions, scaling = _documents_from(new_logs, new)
    if same_features(old, new):
        means, variance = current.means.copy(), current.variance
    else:
        step = max(1, new.size // _WORDS_LOOKED_AT)
        words = new.columns[:, ::step].T
        weights = topic_weights(new_logs[:, ::step].T, fuzzifier)
        ridge = 1e-6 * len(weights) * np.eye(weights.shape[1])
        centred = words - prior.middle
        means = prior.middle + np.linalg.solve(weights.T @ weights + ridge, weights.T @ centred)
        means = np.clip(means, prior.low, prior.high)
        variance = float(np.mean((words - weights @ means) ** 2))
    variance = min(max(variance, prior.least_variance * 2.0), prior.most_variance)
    return Globals(proportions, scaling, means, variance), new_logs


def softened(current: Globals) -> Globals:
    """The same topics, with documents as soft as a chain begins with."""
    topics = len(current.means)
    least = 0.1 / topics
    proportions = np.maximum(current.proportions, least)
    return Globals(
        proportions=proportions / proportions.sum(axis=1, keepdims=True),
        scaling=np.maximum(current.scaling, START_CONCENTRATION * topics),
        means=current.means.copy(),
        variance=current.variance,
    )


def same_features(old: Corpus, new: Corpus) -> bool:
    """Whether words of the same source are the same words, by a sample of them."""
    if old.features != new.features:
        return False
    _, in_old, in_new = np.intersect1d(old.sources, new.sources, return_indices=True)
    step = max(1, len(in_old) // 1000)
    return bool(np.array_equal(old.columns[:, in_old[::step]], new.columns[:, in_new[::step]]))


def turned_means(old: Corpus, new: Corpus, means: Array, otherwise: Array) -> Array:
    """Means (H, p) in the words of a new corpus, if these are the old ones turned and scaled.

    Where they are other words altogether, `otherwise`.
    """
    if old.features != new.features:
        return otherwise
    _, in_old, in_new = np.intersect1d(old.sources, new.sources, return_indices=True)
    step = max(1, len(in_old) // 1000)
    before, after = old.columns[:, in_old[::step]].T, new.columns[:, in_new[::step]].T
    if len(before) <= old.features:
        return otherwise
    matrix, *_ = np.linalg.lstsq(before, after, rcond=None)
    if not np.allclose(before @ matrix, after, rtol=0.0, atol=1e-6 * np.abs(after).max()):
        return otherwise
    turned: Array = means @ matrix
    return turned
