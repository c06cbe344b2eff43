"""Hints on single words: the density they stand for, and that the sweep leaves it invariant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pmlda_gui.core import (
    Chain,
    Changes,
    Corpus,
    Hints,
    Parameters,
    PmldaError,
    State,
    generate,
)
from pmlda_gui.core.densities import log_joint_terms
from pmlda_gui.core.field import Influence
from pmlda_gui.core.hints import WordHints
from pmlda_gui.core.kernels.joint_concentration import move_joint_concentration
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.map_pass import Places, map_estimate, map_mean
from pmlda_gui.core.related_models import topic_weights
from pmlda_gui.core.simulate import draw_words
from pmlda_gui.core.state import Globals
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.core.word_pass import WordPass
from tests.core.geweke import PRIOR, _corpus, _place, _scores, draw_from_prior, functionals

Array = np.ndarray
BOUND, BROKEN = 4.5, 6.0
MEANS = np.array([[0.0, 0.0], [2.0, 0.2], [0.4, 1.7]])
WORD = np.array([0.8, 0.6])
CONCENTRATION = np.array([0.8, 0.6, 1.1])
VARIANCE = 0.3
# Strengths for and against each topic.
SAID = {
    "for the second": ((0.0, 3.0, 0.0), (0.0, 0.0, 0.0)),
    "against the first": ((0.0, 0.0, 0.0), (4.0, 0.0, 0.0)),
    "against two, weakly": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.5)),
    "for one, against another": ((1.5, 0.0, 0.0), (0.0, 2.0, 0.0)),
}


def everywhere(words: int, favour: Any, avoid: Any) -> WordHints:
    """The same hints on so many words."""
    columns = [np.array(each, float)[:, None].copy() for each in (favour, avoid)]
    return WordHints(np.zeros(words, np.int32), *columns)


def log_density(logs: Array, favour: Any, avoid: Any, fuzzifier: float) -> Array:
    """ln density of the logits of z given the word and what was said, up to a constant."""
    squares = np.sum((WORD - topic_weights(logs, fuzzifier) @ MEANS) ** 2, axis=1)
    rest = np.log(np.maximum(-np.expm1(logs), 1e-300))
    return logs @ (CONCENTRATION + favour) + rest @ np.array(avoid) - 0.5 * squares / VARIANCE


def quadrature(favour: Any, avoid: Any, fuzzifier: float) -> tuple[Array, Array]:
    """Mean and standard deviation (K) of z on a grid of logits."""
    side = np.linspace(-40.0, 40.0, 641)
    first, second = np.meshgrid(side, side)
    raw = np.stack([first.ravel(), second.ravel(), np.zeros(first.size)], axis=1)
    logs = raw - np.logaddexp.reduce(raw, axis=1)[:, None]
    density = log_density(logs, favour, avoid, fuzzifier)
    odds = np.exp(density - density.max())
    odds /= odds.sum()
    z = np.exp(logs)
    mean = odds @ z
    return mean, np.sqrt(odds @ (z - mean) ** 2)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0])
@pytest.mark.parametrize("said", SAID)
def test_a_hinted_word_is_drawn_as_quadrature_tells(said: str, fuzzifier: float) -> None:
    """Many copies of one word, each a chain of its own."""
    count = 12000
    word_pass = WordPass(Corpus(np.tile(WORD, (count, 1)), [0, count]), 3, ThreadPool(1))
    word_pass.hints = everywhere(count, *SAID[said])
    for sweep in range(25):
        keys = stream_keys(5, sweep, 1, 3 * MOST_TRIES).reshape(3, MOST_TRIES)
        word_pass.sweep(slice_sweep, CONCENTRATION[:, None], MEANS, VARIANCE, fuzzifier, keys, 1.0)
    z = np.exp(word_pass.logs)
    mean, deviation = quadrature(*SAID[said], fuzzifier)
    error = deviation / np.sqrt(count)
    assert np.abs((z.mean(axis=1) - mean) / error).max() < BOUND
    np.testing.assert_allclose(z.std(axis=1), deviation, rtol=0.05)
    unsaid, _ = quadrature((0.0,) * 3, (0.0,) * 3, fuzzifier)
    assert np.abs((unsaid - mean) / error).max() > BROKEN, "the hint must matter"


@pytest.mark.parametrize("said", SAID)
def test_a_map_heeds_hints_on_its_pixels(said: str) -> None:
    scaling = CONCENTRATION.sum()
    draw = Globals(CONCENTRATION[None] / scaling, np.array([scaling]), MEANS, VARIANCE)
    columns = np.tile(WORD, (40, 1)).T.astype(np.float32).copy()
    weights = np.zeros((4, 40), np.float32)
    weights[0] = 1.0
    places = Places(np.zeros((4, 40), np.int32), weights)
    hints = everywhere(40, *SAID[said])
    hints.places[20:] = -1
    given = (columns, places, draw.concentration[None], [draw], 1.0)
    maps = [map_mean(*given, seed, ThreadPool(1), sweeps=200, hints=hints) for seed in range(12)]
    found = np.array([each.memberships for each in maps if each is not None])
    for word, (favour, avoid) in ((3, SAID[said]), (33, ((0.0,) * 3, (0.0,) * 3))):
        mean, _ = quadrature(favour, avoid, 1.0)
        error = np.maximum(found[:, :, word].std(axis=0, ddof=1) / np.sqrt(12), 2e-4)
        assert np.abs((found[:, :, word].mean(axis=0) - mean) / error).max() < 6.0


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0])
@pytest.mark.parametrize("said", SAID)
def test_the_mode_of_a_hinted_word_is_a_mode(said: str, fuzzifier: float) -> None:
    scaling = CONCENTRATION.sum()
    draw = Globals(CONCENTRATION[None] / scaling, np.array([scaling]), MEANS, VARIANCE)
    weights = np.zeros((4, 1), np.float32)
    weights[0] = 1.0
    found = map_estimate(
        WORD[:, None].astype(np.float32), Places(np.zeros((4, 1), np.int32), weights),
        draw.concentration, draw, fuzzifier, ThreadPool(1), hints=everywhere(1, *SAID[said]),
    )  # fmt: skip
    assert found is not None
    logs = np.log(np.maximum(found.memberships.T.astype(float), 1e-30))
    best = log_density(logs, *SAID[said], fuzzifier)
    steps = np.random.default_rng(1).standard_normal((500, 3)) * 0.2
    around = logs + steps
    around -= np.logaddexp.reduce(around, axis=1)[:, None]
    assert log_density(around, *SAID[said], fuzzifier).max() <= best[0] + 1e-4


# -- the whole sweep -------------------------------------------------------------------------


def draw_hints(rng: np.random.Generator, state: State) -> WordHints:
    """Draws from some words' z, as hints are: which topic it is, or whether it is the first."""
    topics = len(state.means)
    places = np.array([0, -1, 1, 2, -1, 3, -1, -1, -1], np.int32)
    favour, avoid = np.zeros((topics, 4)), np.zeros((topics, 4))
    shares = state.memberships / state.memberships.sum(axis=1, keepdims=True)
    for place, word, draws in ((0, 0, 1), (1, 2, 3)):
        for _ in range(draws):
            favour[rng.choice(topics, p=shares[word]), place] += 1.0
    for place, word, draws in ((2, 3, 2), (3, 5, 1)):
        for _ in range(draws):
            if rng.random() < shares[word, 0]:
                favour[0, place] += 1.0
            else:
                avoid[0, place] += 1.0
    return WordHints(places, favour, avoid)


def hinted_scores(parameters: Parameters, replicates: int, seed: int) -> Array:
    """Scores of the mean change over two sweeps from exact draws of words and hints."""
    rng = np.random.default_rng(seed)
    corpus, state = draw_from_prior(parameters, rng)
    chain = Chain(corpus, parameters, "fast", seed, threads=1, prior=PRIOR, start=state)
    chain._target = replace(chain._target, prior=PRIOR)
    changes = []
    for _ in range(replicates):
        corpus, state = draw_from_prior(parameters, rng)
        before = functionals(state, corpus.words)
        _place(chain, corpus, state)
        chain._word_pass.hints = draw_hints(rng, state)
        chain.sweep(1)
        corpus = _corpus(draw_words(rng, chain.state, parameters.fuzzifier))
        _place(chain, corpus, chain.state)
        chain._word_pass.hints = draw_hints(rng, chain.state)
        chain.sweep(1)
        changes.append(functionals(chain.state, corpus.words) - before)
    table = np.array(changes)
    return _scores(table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(replicates))


LEARNED = {
    "hard, K = 2": Parameters(2, alpha=1.5, rate=0.7),
    "hard, m = 2, K = 3": Parameters(3, alpha=(1.0, 2.0, 0.8), rate=0.4, fuzzifier=2.0),
    "field, K = 3": Parameters(3, rate=0.7, smoothness=0.7, coupling=1.0),
    "field, s fixed, K = 3": Parameters(3, scaling=2.0, smoothness=0.7),
}


@pytest.mark.parametrize("setting", LEARNED)
def test_two_sweeps_with_hints_leave_exact_draws_distributed_as_they_were(setting: str) -> None:
    assert np.abs(hinted_scores(LEARNED[setting], 900, 31)).max() < BOUND


def test_hints_that_count_twice_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = WordPass.sweep

    def twice(self: WordPass, *given: Any, **named: Any) -> bool:
        self.hints = replace(self.hints, favour=2.0 * self.hints.favour)
        return right(self, *given, **named)

    monkeypatch.setattr(WordPass, "sweep", twice)
    assert np.abs(hinted_scores(LEARNED["hard, K = 2"], 1500, 32)).max() > BROKEN


@pytest.mark.parametrize("overlooked", [False, True], ids=["right", "overlooked"])
@pytest.mark.parametrize(
    "parameters",
    [Parameters(2, alpha=2.0, scaling=6.0), Parameters(3, alpha=0.5, rate=1.0)],
    ids=["shifts", "stretches"],
)
def test_the_joint_step_alone_heeds_hints(parameters: Parameters, overlooked: bool) -> None:
    """Documents of one word each, from exact draws of words and hints: what the step leaves."""
    topics, count = parameters.topics, 6000
    corpus, state = generate(parameters, MEANS[:topics], 1.0, [1] * count, seed=34)
    rng = np.random.default_rng(35)
    shares = state.memberships / state.memberships.sum(axis=1, keepdims=True)
    drawn = np.array([rng.multinomial(3, each) for each in shares], float)
    is_first = rng.random(count) < shares[:, 0]
    favour = np.ascontiguousarray(drawn.T)
    favour[0] += is_first
    avoid = np.zeros((topics, count))
    avoid[0] = ~is_first
    said = WordHints(np.arange(count, dtype=np.int32), favour, avoid)
    if overlooked:
        said = WordHints.none(topics)
    logs = np.ascontiguousarray(state.log_memberships.T)
    concentration = np.maximum(state.scaling[:, None] * state.proportions, 1e-10)
    hard = Influence.hard(corpus.offsets)

    def seen() -> Array:
        z, pi = np.exp(logs), concentration.T / concentration.sum(axis=1)
        low = np.maximum(logs, -40.0)
        return np.concatenate([z, z * favour, z * avoid[0], low, low * favour, pi, pi * favour])

    before = seen()
    for number, key in enumerate(stream_keys(5, 1, 4, 8 * topics)):
        move_joint_concentration(
            corpus.columns, logs, hard.starts, hard.members, hard.acts, np.arange(count),
            number % topics, concentration, np.empty((topics, 0)),
            hard.neighbour_starts, hard.neighbours, 0.0, state.means, 1.0, 1.0,
            parameters.alpha_vector, parameters.rate, parameters.scaling is None, key,
            said.places, said.favour, said.avoid,
        )  # fmt: skip
    change = seen() - before
    error = change.std(axis=1, ddof=1) / np.sqrt(count)
    largest = np.abs(_scores(change.mean(axis=1), error)).max()
    assert largest > BROKEN if overlooked else largest < BOUND


# -- hints under a running chain ---------------------------------------------------------------

CORPUS, _ = generate(Parameters(3, rate=0.3), MEANS, 0.1, (60, 50, 70), seed=3)
SOME = Hints.of([5, 17, 17, 140], [0, 1, 2, 2], [3.0, 2.0, 1.0, 5.0], [False, False, True, False])


def hinted(sweeps: int = 4) -> Chain:
    chain = Chain(CORPUS, Parameters(3), seed=5, threads=1)
    chain.sweep(3)
    chain.sweep(sweeps, Changes(hints=SOME))
    return chain


def test_hints_restart_the_estimates_and_pull_their_words() -> None:
    chain = Chain(CORPUS, Parameters(3), seed=5, threads=1)
    chain.sweep(30)
    # The topic that the word has least of.
    topic = int(chain.estimate.memberships[5].argmin())
    before = chain.estimate.memberships[5, topic]
    chain.sweep(30, Changes(hints=Hints.of([5], topic, 40.0)))
    assert chain.sweeps_under_target == 30
    assert chain.trace.marks[-1].text == "hints"
    assert chain.topic_ids == (0, 1, 2)
    assert chain.estimate.memberships[5, topic] > before + 0.3


def test_no_hints_and_hints_taken_back_leave_the_model_as_it_was() -> None:
    chain, quiet = hinted(), Chain(CORPUS, Parameters(3), seed=5, threads=1)
    quiet.sweep(7)
    assert not np.array_equal(chain.state.means, quiet.state.means)
    none = Hints.of([], [], [])
    quiet.sweep(1, Changes(hints=none))
    assert quiet.trace.marks == []
    chain.sweep(1, Changes(hints=none))
    assert not chain._word_pass.hints.any


def test_a_chain_with_hints_is_resumed_bit_for_bit() -> None:
    whole = hinted()
    part = Chain.resume(CORPUS, whole.checkpoint(), threads=1)
    assert part.hints.same_as(SOME)
    for chain in (whole, part):
        chain.sweep(4)
    np.testing.assert_array_equal(whole.state.log_memberships, part.state.log_memberships)
    np.testing.assert_array_equal(whole.map.memberships, part.map.memberships)


def test_hints_follow_their_words_and_topics_through_other_changes() -> None:
    chain = hinted()
    regrouped = CORPUS.regrouped(np.arange(CORPUS.size) % 4)
    chain.sweep(1, Changes(Parameters(2), regrouped))
    there = chain._word_pass.hints
    assert set(regrouped.sources[there.places >= 0]) <= {5, 17, 140}
    left = chain.topic_ids
    chain.number_topics((9, 8))
    again = chain.hints.on(chain.corpus, chain.topic_ids)
    np.testing.assert_array_equal(again.favour, there.favour)
    np.testing.assert_array_equal(again.avoid, there.avoid)
    assert set(chain.hints.topics.tolist()) - {9, 8} == {0, 1, 2} - set(left)


def test_the_log_joint_counts_hints() -> None:
    chain = hinted()
    terms = log_joint_terms(
        CORPUS, Parameters(3), chain.state, chain.prior, SOME.on(CORPUS, (0, 1, 2))
    )
    z = chain.state.memberships
    expected = 3 * np.log(z[5, 0]) + 2 * np.log(z[17, 1]) + np.log1p(-z[17, 2])
    assert terms.hints == pytest.approx(expected + 5 * np.log(z[140, 2]), rel=1e-6)
    assert chain.trace.log_joint[-1] == pytest.approx(terms.total, rel=1e-9)


def test_hints_that_cannot_be_are_refused() -> None:
    with pytest.raises(PmldaError, match="strength"):
        Hints.of([1], 0, 0.0)
    with pytest.raises(PmldaError, match="0 or more"):
        Hints.of([-1], 0, 1.0)
    chain = Chain(CORPUS, Parameters(3), "paper", seed=5, threads=1)
    with pytest.raises(PmldaError, match="knows no hints"):
        chain.sweep(1, Changes(hints=SOME))
