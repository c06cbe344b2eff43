"""Thousands of small fields beside one another: lines of three documents, drawn from the model.

Each group is an exact draw from its own posterior given its words, so a step that leaves
the posterior as it is changes no mean of any function of the groups.  All of them go
through a kernel in one call, which makes these tests sharp and quick.  The topics are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core import Corpus, Parameters
from pmlda_gui.core.field import Influence, by_document
from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.kernels.field_documents import slice_field
from pmlda_gui.core.kernels.joint_concentration import move_joint_concentration
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.simulate import draw_log_dirichlet
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.core.word_pass import WordPass

Array = NDArray[np.float64]
SIZES = np.array([3, 1, 4])
MEANS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.5]])
VARIANCE = 0.3


def line_weights(sizes: NDArray[np.int64], smoothness: float) -> Array:
    """How much each document of a line acts on each word, (N, D); `smoothness` 1 is 3 words."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    if smoothness == 0.0:
        return np.eye(len(sizes))[owner]
    place = np.arange(sizes.sum())
    pull = np.exp(-0.5 * ((place[:, None] - place[None]) / (3.0 * smoothness)) ** 2)
    weights = pull @ np.eye(len(sizes))[owner]
    return weights / weights.sum(axis=1, keepdims=True)


def line_neighbours(documents: int, groups: int = 1) -> tuple[NDArray[np.int64], ...]:
    """Each document touches the ones before and after it on its line: starts and neighbours."""
    left = np.arange(documents - 1)
    pairs = np.concatenate([np.column_stack([left, left + 1]), np.column_stack([left + 1, left])])
    first = documents * np.arange(groups)[:, None, None]
    pairs = (pairs[None] + first).reshape(-1, 2)
    starts, near, _ = by_document(pairs[:, 1], pairs[:, 0], np.ones(len(pairs)), documents * groups)
    return starts, near


def lines(groups: int, smoothness: float) -> Influence:
    """So many lines of documents that have nothing to do with one another."""
    weights = line_weights(SIZES, smoothness)
    word, document = np.nonzero(weights)
    step = np.arange(groups)[:, None]
    size, count = SIZES.sum(), len(SIZES)
    table = by_document(
        (word + size * step).ravel(), (document + count * step).ravel(),
        np.tile(weights[word, document], groups), count * groups,
    )  # fmt: skip
    return Influence(int(size * groups), *table, *line_neighbours(count, groups))


@dataclass(frozen=True, eq=False)
class Groups:
    """A (D, K), ln z (K, N) and words (p, N) of all groups."""

    parameters: Parameters
    influence: Influence
    concentration: Array
    logs: Array
    words: Array

    @property
    def count(self) -> int:
        return self.influence.documents // len(SIZES)


def draw_groups(parameters: Parameters, count: int, seed: int) -> Groups:
    """Coupled documents by rejection from uncoupled ones, then memberships and words."""
    rng = np.random.default_rng(seed)
    topics, found = parameters.topics, np.empty((0, len(SIZES), parameters.topics))
    while len(found) < count:
        shape = (4 * count, len(SIZES))
        pi = (
            np.exp(draw_log_dirichlet(rng, np.tile(parameters.alpha_vector, (shape[0] * 3, 1))))
            if parameters.proportions is None
            else np.tile(np.asarray(parameters.proportions), (shape[0] * 3, 1))
        ).reshape(*shape, topics)
        s = (
            rng.exponential(1.0 / parameters.rate, shape)
            if parameters.scaling is None
            else np.full(shape, parameters.scaling)
        )
        a = np.maximum(s[..., None] * pi, 1e-10)
        away = np.sum(np.diff(np.log(a), axis=1) ** 2, axis=(1, 2))
        found = np.concatenate(
            [found, a[rng.random(len(a)) < np.exp(-0.5 * parameters.coupling * away)]]
        )
    influence = lines(count, parameters.smoothness)
    concentration = np.ascontiguousarray(found[:count].reshape(-1, topics))
    logs = draw_log_dirichlet(rng, influence.spread(concentration).T)
    centres = topic_weights(logs, parameters.fuzzifier) @ MEANS[:topics]
    words = centres + np.sqrt(VARIANCE) * rng.standard_normal(centres.shape)
    return Groups(
        parameters, influence, concentration,
        np.ascontiguousarray(logs.T), np.ascontiguousarray(words.T),
    )  # fmt: skip


def no_hints(topics: int) -> tuple[Any, Array, Array]:
    """The arguments of a kernel that has no hints to heed."""
    none = WordHints.none(topics)
    return none.places, none.favour, none.avoid


class Sweeper:
    """The steps of a sweep over all groups, each of which a test may spoil by overriding it."""

    def __init__(self, groups: Groups) -> None:
        self.groups = replace(
            groups, concentration=groups.concentration.copy(), logs=groups.logs.copy()
        )
        corpus = Corpus(self.groups.words.T, [0, groups.influence.words])
        self._word_pass = WordPass(corpus, groups.parameters.topics, ThreadPool(1), by_word=True)
        self._word_pass.logs = self.groups.logs

    def spread(self) -> Array:
        return self.groups.influence.spread(self.groups.concentration)

    def sweep(self, number: int) -> None:
        self.joint_step(number)
        self.memberships(number, self.spread())
        self.documents(number, self.spread())

    def joint_step(self, number: int, kernel=move_joint_concentration) -> None:  # type: ignore[no-untyped-def]
        groups, parameters = self.groups, self.groups.parameters
        if parameters.proportions is not None:
            return
        influence, spread = groups.influence, self.spread()
        for k, key in enumerate(stream_keys(5, number, 4, parameters.topics)):
            kernel(
                groups.words, groups.logs, influence.starts, influence.members, influence.acts,
                np.arange(influence.documents), k, groups.concentration, spread,
                influence.neighbour_starts, influence.neighbours, parameters.coupling,
                MEANS[: parameters.topics], VARIANCE, parameters.fuzzifier,
                parameters.alpha_vector, parameters.rate, parameters.scaling is None, key,
                *no_hints(parameters.topics),
            )  # fmt: skip
        np.testing.assert_allclose(spread, self.spread(), rtol=1e-6, atol=1e-12)

    def memberships(self, number: int, spread: Array) -> None:
        topics = self.groups.parameters.topics
        keys = stream_keys(5, number, 1, topics * MOST_TRIES).reshape(topics, MOST_TRIES)
        self._word_pass.sweep(
            slice_sweep,
            spread,
            MEANS[:topics],
            VARIANCE,
            self.groups.parameters.fuzzifier,
            keys,
            1.0,
        )

    def documents(self, number: int, spread: Array, **changed: float) -> None:
        parameters, influence = self.groups.parameters, self.groups.influence
        slice_field(
            self.groups.concentration, spread, self.groups.logs,
            influence.starts, influence.members, influence.acts,
            influence.neighbour_starts, influence.neighbours,
            changed.get("coupling", parameters.coupling),
            parameters.alpha_vector, changed.get("rate", parameters.rate),
            bool(changed.get("proportions", parameters.proportions is None)),
            parameters.scaling is None, stream_keys(5, number, 2, 1)[0],
        )  # fmt: skip


def functionals(groups: Groups) -> Array:
    """Functions of each group, (groups, functions)."""
    count, topics = groups.count, groups.parameters.topics
    a = groups.concentration.reshape(count, len(SIZES), topics)
    s = a.sum(axis=2)
    log_a = np.maximum(np.log(a), -12.0)
    low = np.maximum(groups.logs, -40.0).reshape(topics, count, -1).transpose(1, 2, 0)
    z = np.exp(groups.logs).reshape(topics, count, -1).transpose(1, 2, 0)
    x = groups.words.reshape(2, count, -1).transpose(1, 2, 0)
    own = np.repeat(log_a, SIZES, axis=1)
    return np.concatenate(
        [
            log_a[:, 0], log_a[:, 1], a[:, 2] / s[:, 2, None], np.log(s), np.log(s) ** 2,
            np.exp(-s), (log_a[:, 0] - log_a[:, 1]) ** 2, log_a[:, 0] * log_a[:, 2],
            z.mean(axis=1), (z**2).mean(axis=1), z[:, 2] * z[:, 4], low.mean(axis=1),
            low.min(axis=1), (low * own).mean(axis=1), low[:, 3] * log_a[:, 0],
            (z[..., 0] * x[..., 0]).mean(axis=1, keepdims=True),
            (low[..., -1] * x[..., 1]).mean(axis=1, keepdims=True),
        ],
        axis=1,
    )  # fmt: skip


def scores(before: Groups, after: Groups) -> Array:
    """Mean change of each functional over its standard error; 0 for what cannot change."""
    changes = functionals(after) - functionals(before)
    spread = changes.std(axis=0, ddof=1)
    moved = spread > 1e-9
    assert np.abs(changes[:, ~moved]).max(initial=0.0) < 1e-6
    return changes[:, moved].mean(axis=0) / spread[moved] * np.sqrt(len(changes))
