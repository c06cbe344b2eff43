"""Stretching a document with its words leaves the joint distribution as it is.

Thousands of documents are drawn from the model, so that each is an exact draw
from its own posterior; a step that leaves it invariant changes no mean of any
function of document, memberships and words.
"""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Corpus, Parameters, State, generate
from pmlda_gui.core.field import Influence
from pmlda_gui.core.kernels.joint_concentration import MOST_STRETCHED, move_joint_concentration
from pmlda_gui.core.vector_math import stream_keys
from tests.core.groups import no_hints

Array = np.ndarray
BOUND = 4.5
MEANS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.5]])
DOCUMENTS, WORDS = 6000, 5


def stretched(
    corpus: Corpus, state: State, parameters: Parameters, rounds: int, by_word: bool = False
) -> tuple[Array, Array]:
    """s pi (D, K) and ln z (N, K) after some rounds over all topics.

    With `by_word` each word's concentration is kept for itself, as it is in a field.
    """
    logs = np.ascontiguousarray(state.log_memberships.T)
    concentration = state.scaling[:, None] * state.proportions
    hard = Influence.hard(corpus.offsets)
    spread = hard.spread(concentration) if by_word else np.empty((parameters.topics, 0))
    keys = stream_keys(5, 1, 4, rounds * parameters.topics)
    for turn, key in enumerate(keys):
        k = turn % parameters.topics
        evaluations = move_joint_concentration(
            corpus.columns, logs, hard.starts, hard.members, hard.acts,
            np.flatnonzero(concentration[:, k] < MOST_STRETCHED), k, concentration, spread,
            hard.neighbour_starts, hard.neighbours, 0.0,
            state.means, state.variance, parameters.fuzzifier,
            parameters.alpha_vector, parameters.rate, parameters.scaling is None, key,
            *no_hints(parameters.topics),
        )  # fmt: skip
        assert evaluations > 0
    return concentration, logs.T


def functionals(concentration: Array, logs: Array, words: Array) -> Array:
    """Functions of each document, (D, functions)."""
    z = np.exp(logs).reshape(DOCUMENTS, WORDS, -1)
    low = np.maximum(logs, -40.0).reshape(DOCUMENTS, WORDS, -1)
    x = words.reshape(DOCUMENTS, WORDS, -1)
    log_a = np.log(concentration)
    s = concentration.sum(axis=1, keepdims=True)
    return np.concatenate(
        [
            np.maximum(log_a, -12.0), concentration / s, np.exp(-s), np.log(s),
            z.mean(axis=1), (z**2).mean(axis=1), low.mean(axis=1), low.min(axis=1),
            (z[..., 0] * z[..., 1]).mean(axis=1, keepdims=True),
            low.mean(axis=1) * np.maximum(log_a, -12.0),
            (z[..., 1:] * x).mean(axis=1), (low[..., 1:] * x).mean(axis=1),
        ],
        axis=1,
    )  # fmt: skip


@pytest.mark.parametrize("by_word", [False, True], ids=["by document", "by word"])
@pytest.mark.parametrize(
    "parameters",
    [
        Parameters(3, rate=0.5),
        Parameters(3, alpha=(0.5, 1.0, 2.0), rate=2.0),
        Parameters(3, rate=0.5, fuzzifier=2.0),
        Parameters(3, scaling=1.5),
        Parameters(3, alpha=(0.7, 1.0, 1.5), scaling=3.0, fuzzifier=-1.0),
    ],
    ids=["s learned", "alpha by topic", "m = 2", "s fixed", "s fixed, m = -1"],
)
def test_the_joint_distribution_stays(parameters: Parameters, by_word: bool) -> None:
    corpus, state = generate(parameters, MEANS, 0.3, [WORDS] * DOCUMENTS, 7)
    words = np.ascontiguousarray(corpus.columns.T)
    before = state.scaling[:, None] * state.proportions
    concentration, logs = stretched(corpus, state, parameters, rounds=2, by_word=by_word)
    changes = functionals(concentration, logs, words) - functionals(
        before, state.log_memberships, words
    )
    spread = changes.std(axis=0, ddof=1)
    moved = spread > 1e-9
    assert moved.sum() >= changes.shape[1] - 2  # all, or all but those of a fixed s
    scores = changes[:, moved].mean(axis=0) / spread[moved] * np.sqrt(DOCUMENTS)
    assert np.abs(scores).max() < BOUND, scores.round(1)
    assert np.abs(np.log(concentration / before)).mean() > 0.1


def test_memberships_sum_to_one_and_a_given_scaling_stays() -> None:
    parameters = Parameters(3, scaling=0.02)
    corpus, state = generate(parameters, MEANS, 0.3, [WORDS] * DOCUMENTS, 8)
    concentration, logs = stretched(corpus, state, parameters, rounds=3)
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(concentration.sum(axis=1), 0.02, rtol=1e-9)
    assert np.isfinite(logs).all()


def test_both_ways_to_hold_the_concentrations_stretch_alike() -> None:
    for parameters in (Parameters(3, rate=0.5), Parameters(3, scaling=1.5)):
        corpus, state = generate(parameters, MEANS, 0.3, [WORDS] * 500, 9)
        one, logs = stretched(corpus, state, parameters, rounds=1)
        other, other_logs = stretched(corpus, state, parameters, rounds=1, by_word=True)
        # The log gammas differ in their last places, which may turn a try in thousands.
        same = np.isclose(one, other, rtol=1e-9).all(axis=1)
        assert same.mean() > 0.99
        words = np.repeat(same, WORDS)
        np.testing.assert_allclose(logs[words], other_logs[words], rtol=1e-7, atol=1e-9)
