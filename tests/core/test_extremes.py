"""At the ends of every range the numbers stay finite and no word stays behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core import Chain, Corpus, Parameters, State, generate
from tests.core.strips import FIELD, Strip, strip

Array = np.ndarray
SAMPLERS = ("fast", "paper", "least-squares")


def words_of(features: int, sizes: tuple[int, ...] = (40, 1, 25), seed: int = 51) -> Corpus:
    rng = np.random.default_rng(seed)
    words = rng.standard_normal((sum(sizes), features)) + 2.0 * rng.integers(0, 2, (sum(sizes), 1))
    return Corpus(words, np.concatenate([[0], np.cumsum(sizes)]))


def assert_sound(chain: Chain, sweeps: int = 6) -> None:
    """Everything a chain shows after some sweeps is finite and within its bounds."""
    for _ in range(sweeps):
        info = chain.sweep(1)
        assert np.isfinite(info.log_joint), info
        assert all(np.isfinite(value) for value in info.steps.values())
    state = chain.state
    for name in ("log_memberships", "proportions", "scaling", "means"):
        assert np.isfinite(getattr(state, name)).all(), name
    np.testing.assert_allclose(state.memberships.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(state.proportions.sum(axis=1), 1.0, atol=1e-9)
    assert np.all(state.scaling > 0.0)
    assert chain.prior.least_variance <= state.variance <= chain.prior.most_variance
    for estimate in (chain.estimate, chain.map, chain.paper_map):
        assert np.isfinite(estimate.memberships).all()
        np.testing.assert_allclose(estimate.memberships.sum(axis=1), 1.0, atol=1e-4)
        assert np.isfinite(estimate.means).all()
    assert np.isfinite(chain.estimate.uncertainty).all()


@pytest.mark.parametrize("sampler", ["fast", "paper"])
@pytest.mark.parametrize("scaling", [1e-3, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("fuzzifier", [-5.0, 0.0, 1.0, 20.0])
def test_every_scaling_with_every_fuzzifier(sampler: str, scaling: float, fuzzifier: float) -> None:
    parameters = Parameters(3, scaling=scaling, fuzzifier=fuzzifier)
    assert_sound(Chain(words_of(2), parameters, sampler, seed=1, threads=1))


@pytest.mark.parametrize("topics", [3, 16])
def test_memberships_that_underflow_come_back_right(topics: int) -> None:
    """At small s words jump between corners, past memberships far below what a float holds."""
    chain = Chain(words_of(2), Parameters(topics, scaling=1e-3, fuzzifier=0.0), seed=1, threads=1)
    for _ in range(40):
        chain.sweep(1)
        np.testing.assert_allclose(chain.state.memberships.sum(axis=1), 1.0, atol=1e-9)


def test_estimates_hold_no_denormal_numbers() -> None:
    """They would be right, but a sweep over them takes three times as long."""
    chain = Chain(words_of(2), Parameters(3, scaling=0.01), seed=1, threads=1)
    for _ in range(40):
        chain.sweep(1)
        for found in (chain.estimate.memberships, chain.estimate.uncertainty**2):
            assert np.all((found == 0.0) | (found > np.finfo(np.float32).tiny))


@pytest.mark.parametrize("sampler", ["fast", "paper"])
@pytest.mark.parametrize("topics", [2, 16])
@pytest.mark.parametrize("features", [1, 32])
@pytest.mark.parametrize("fuzzifier", [1.0, 3.0])
def test_few_and_many_topics_and_features(
    sampler: str, topics: int, features: int, fuzzifier: float
) -> None:
    parameters = Parameters(topics, fuzzifier=fuzzifier)
    assert_sound(Chain(words_of(features), parameters, sampler, seed=1, threads=1))


@pytest.mark.parametrize("topics", [2, 16])
def test_the_authors_variant_is_as_sound(topics: int) -> None:
    assert_sound(Chain(words_of(3), Parameters(topics), "least-squares", seed=1, threads=1))


@pytest.mark.parametrize("prior", [{"rate": 1e-6}, {"rate": 1e6}, {"alpha": 1e-6}, {"alpha": 1e6}])
@pytest.mark.parametrize("sampler", ["fast", "paper"])
def test_the_ends_of_the_priors(sampler: str, prior: dict[str, float]) -> None:
    assert_sound(Chain(words_of(2), Parameters(3, **prior), sampler, seed=1, threads=1), sweeps=20)


DEGENERATE = {
    "one word": np.array([[1.0, 2.0]]),
    "two words": np.array([[1.0, 2.0], [3.0, 1.0]]),
    "all words the same": np.full((30, 2), 4.0),
    "all words zero": np.zeros((30, 2)),
    "a constant feature": np.column_stack([np.linspace(0.0, 1.0, 30), np.full(30, 7.0)]),
    "two features that are one": np.column_stack([np.linspace(0.0, 1.0, 30)] * 2),
    "words seen twice": np.repeat(np.arange(15.0)[:, None] * [1.0, -0.3], 2, axis=0),
    "tiny numbers": 1e-12 * np.random.default_rng(3).standard_normal((30, 2)),
    "huge numbers": 1e12 * np.random.default_rng(3).standard_normal((30, 2)),
    "one word far away": np.vstack([np.random.default_rng(3).standard_normal((30, 2)), [[1e6, 0]]]),
}


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_words(sampler: str, case: str) -> None:
    words = DEGENERATE[case]
    assert_sound(Chain(Corpus(words, [0, len(words)]), Parameters(3), sampler, seed=1, threads=1))


def test_documents_of_one_word_each() -> None:
    words = np.random.default_rng(4).standard_normal((200, 2))
    chain = Chain(Corpus(words, np.arange(201)), Parameters(3), seed=1, threads=1)
    assert_sound(chain, sweeps=30)


@pytest.mark.parametrize("depth", [-1e3, -1e6, -1e9])
@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
@pytest.mark.parametrize("scaling", [0.05, 3.0, 300.0])
def test_words_deep_in_the_wrong_corner_come_back(
    depth: float, fuzzifier: float, scaling: float
) -> None:
    """Every word starts with z of e^depth in the topic it belongs to, and finds its way."""
    means = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    shares = (0.3, 0.3, 0.4)
    parameters = Parameters(3, scaling=scaling, proportions=shares, fuzzifier=fuzzifier)
    corpus, truth = generate(parameters, means, 0.1, (300,), seed=52)
    logs = np.full((300, 3), depth)
    logs[np.arange(300), truth.log_memberships.argmin(axis=1)] = 0.0
    start = State(logs, truth.proportions, truth.scaling, means, 0.1)
    chain = Chain(corpus, parameters, seed=6, threads=1, start=start)
    moved = np.zeros((300, 3), bool)
    for _ in range(400):
        chain._globals.means[:], chain._globals.variance = means, 0.1
        before = chain.state.log_memberships
        chain.sweep(1)
        moved |= chain.state.log_memberships != before
        if moved.all() and chain.state.log_memberships.min() > depth / 2.0:
            break
    assert moved.all()
    # Once back, words are where those started at the truth are; 0.05 is the Monte Carlo error.
    other = Chain(corpus, parameters, seed=7, threads=1, start=truth)
    averages = []
    for each in (chain, other):
        total = np.zeros((300, 3))
        for _ in range(200):
            each._globals.means[:], each._globals.variance = means, 0.1
            each.sweep(1)
            total += each.state.memberships
        averages.append(total / 200)
    assert np.sqrt(np.mean((averages[0] - averages[1]) ** 2)) < 0.05


def test_the_variance_of_words_that_are_explained_exactly_stays_above_its_floor() -> None:
    """K - 1 >= p: the topics can reach every word, and the variance would run to 0."""
    words = np.random.default_rng(5).standard_normal((100, 1))
    chain = Chain(Corpus(words, [0, 100]), Parameters(4, scaling=4.0), seed=1, threads=1)
    assert_sound(chain, sweeps=300)


def test_a_kernel_call_stays_small_however_many_words_there_are() -> None:
    words = np.random.default_rng(6).standard_normal((400_000, 1))
    chain = Chain(Corpus(words, [0, 400_000]), Parameters(2, scaling=4.0), seed=1, threads=1)
    word_pass = chain._word_pass
    first_words = word_pass.segments[word_pass.chunks[:-1], 1]
    assert np.diff(np.append(first_words, 400_000)).max() * 2 <= 100_000


# -- documents that act beyond their borders ---------------------------------------------------

FAR = {
    "more topics than features": {"topics": 6},
    "many topics": {"topics": 16, "fuzzifier": 2.0},
    "the largest scaling": {"scaling": 1e8},
    "the smallest scaling": {"scaling": 1e-3, "fuzzifier": -5.0},
    "a tiny alpha": {"alpha": 1e-6},
    "a huge alpha": {"alpha": 1e6},
    "a tiny rate": {"rate": 1e-6},
    "a huge rate": {"rate": 1e6},
    "the strongest coupling": {"coupling": 100.0, "rate": 1e6},
    "the widest field": {"smoothness": 5.0},
    "hardly any smoothness": {"smoothness": 1e-3, "coupling": 0.0},
    "proportions in a corner": {"proportions": (1.0, 0.0, 0.0)},
    "a large fuzzifier": {"fuzzifier": 20.0},
}


@pytest.mark.parametrize("case", FAR)
def test_a_field_at_the_ends_of_every_range(case: str) -> None:
    corpus = strip([12, 1, 30], np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5]]), seed=1)
    parameters = replace(FIELD, **FAR[case])  # type: ignore[arg-type]
    assert_sound(Chain(corpus, parameters, seed=1, threads=1), sweeps=15)


@pytest.mark.parametrize("case", DEGENERATE)
def test_a_field_of_degenerate_words(case: str) -> None:
    words = DEGENERATE[case]
    cut = max(1, len(words) // 3)
    offsets = np.array([0, cut, len(words)]) if len(words) > 1 else np.array([0, 1])
    middles = (offsets[:-1] + offsets[1:]) / 2.0
    layout = Strip(np.arange(len(words)) + 0.5, middles, offsets)
    chain = Chain(Corpus(words, offsets, layout=layout), FIELD, seed=1, threads=1)
    assert_sound(chain, sweeps=15)


def test_a_document_that_acts_on_no_word_is_drawn_from_its_prior() -> None:
    """A document smaller than a cell may have no weight anywhere."""
    words = np.random.default_rng(8).standard_normal((20, 2))
    # The second document lies so far away that nothing of it is left at any word.
    layout = Strip(np.arange(20.0), np.array([9.0, 5000.0]), np.array([0, 19, 20]))
    corpus = Corpus(words, [0, 19, 20], layout=layout)
    chain = Chain(corpus, replace(FIELD, coupling=0.0, rate=0.5), seed=1, threads=1)
    chain.sweep(10)
    scaling = []
    for _ in range(1500):
        chain.sweep(1)
        scaling.append(chain.state.scaling[1])
    assert np.mean(scaling) == pytest.approx(2.0, rel=0.2)
    assert np.mean(np.array(scaling) < 2.0 * np.log(2.0)) == pytest.approx(0.5, abs=0.06)
