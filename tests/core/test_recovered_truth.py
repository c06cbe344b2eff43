"""What generated data say is found again, by both samplers, and the limits of s hold."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from pmlda_gui.core import Chain, Corpus, Parameters, State, TopicPrior, generate, quality
from pmlda_gui.core.state import Globals

Array = np.ndarray
MEANS = np.array([[0.0, 0.0], [4.0, 0.5], [1.5, 3.5]])


def order_of(means: Array, truth: Array) -> list[int]:
    """The order of the found topics that lies nearest to the true ones."""
    return min(
        (list(order) for order in permutations(range(len(truth)))),
        key=lambda order: float(np.sum((means[order] - truth) ** 2)),
    )


def root_mean_square(difference: Array) -> float:
    return float(np.sqrt(np.mean(np.square(difference))))


def oracle_memberships(corpus: Corpus, truth: State, sweeps: int = 300) -> Array:
    """The posterior mean of the memberships for one who knows everything else."""
    chain = Chain(corpus, Parameters(len(truth.means)), seed=1, threads=1, start=truth)
    total = np.zeros_like(truth.log_memberships)
    for sweep in range(sweeps):
        chain._globals.proportions[:] = truth.proportions
        chain._globals.scaling[:] = truth.scaling
        chain._globals.means[:] = truth.means
        chain._globals.variance = truth.variance
        chain.sweep(1)
        if sweep >= sweeps // 10:
            total += chain.state.memberships
    return total / (sweeps - sweeps // 10)


@pytest.mark.parametrize("variance", [0.02, 0.1])
def test_generated_topics_and_memberships_are_recovered(variance: float) -> None:
    """Means within 0.15, a thirtieth of their distances; memberships within 15 % of the oracle.

    A wrong sampler of any block leaves the means biased by more than that, and
    memberships at the prior's spread, 0.27.
    """
    corpus, truth = generate(Parameters(3, rate=0.3), MEANS, variance, [150] * 20, seed=41)
    chain = Chain(corpus, Parameters(3, rate=0.3), seed=2, threads=1)
    chain.sweep(500)
    found = chain.estimate
    order = order_of(found.means, MEANS)
    assert np.abs(found.means[order] - MEANS).max() < 0.15
    assert found.variance == pytest.approx(variance, rel=0.2)
    error = root_mean_square(found.memberships[:, order] - truth.memberships)
    best = root_mean_square(oracle_memberships(corpus, truth) - truth.memberships)
    assert best < error < 1.15 * best
    # Proportions of 150 words have a standard error of about 0.03.
    assert root_mean_square(found.proportions[:, order] - truth.proportions) < 0.08


def test_the_stated_uncertainty_is_the_size_of_the_error() -> None:
    corpus, truth = generate(Parameters(3, rate=0.3), MEANS, 0.1, [150] * 20, seed=42)
    chain = Chain(corpus, Parameters(3, rate=0.3), seed=3, threads=1)
    chain.sweep(500)
    found = chain.estimate
    order = order_of(found.means, MEANS)
    error = root_mean_square(found.memberships[:, order] - truth.memberships)
    assert found.uncertainty is not None
    assert root_mean_square(found.uncertainty) == pytest.approx(error, rel=0.15)


def test_paper_and_fast_agree_on_a_small_problem() -> None:
    """Posterior means of both, within 4.5 standard errors by batches.

    Few words and s pi_k of 1 and more, so that Algorithm 1 mixes; an uneven alpha
    tells the topics apart.
    """
    corpus, _ = generate(Parameters(2, scaling=4.0), [[0.0], [1.5]], 0.3, (4, 5), seed=43)
    prior = TopicPrior(
        np.array([0.7]), np.array([[1.0]]), np.array([-1.0]), np.array([2.5]), 0.1, 1.0
    )
    parameters = Parameters(2, alpha=(4.0, 2.0), scaling=4.0)
    batches = {}
    for sampler, sweeps, thin in (("fast", 3500, 1), ("paper", 9000, 2)):
        chain = Chain(corpus, parameters, sampler, seed=4, threads=1, prior=prior)
        rows = []
        for _ in range(sweeps // thin):
            chain.sweep(thin)
            state = chain.globals
            logs = chain._word_pass.logs
            weights = np.exp(logs[0])
            rows.append(
                [
                    state.variance, np.log(state.variance), state.means.sum(),
                    np.square(state.means).sum(), state.means.prod(),
                    *(state.proportions[:, 0] * state.means[0]),
                    *(weights[[0, 4, 8]] * state.means[0, 0]),
                    *(weights[[0, 4, 8]] * (1.0 - weights[[0, 4, 8]])),
                ]
            )  # fmt: skip
        values = np.array(rows[len(rows) // 20 :])
        values = values[: len(values) // 25 * 25]
        batches[sampler] = values.reshape(25, -1, values.shape[1]).mean(axis=1)
    difference = batches["fast"].mean(axis=0) - batches["paper"].mean(axis=0)
    error = np.sqrt(sum(rows.var(axis=0, ddof=1) / len(rows) for rows in batches.values()))
    assert np.abs(difference / error).max() < 4.5


def test_memberships_grow_from_crisp_to_the_documents_proportions_with_s() -> None:
    """Spread around pi falls steadily with s: crisp at 0.01, at pi for a million."""
    shares = (0.2, 0.3, 0.5)
    corpus, _ = generate(Parameters(3, scaling=3.0, proportions=shares), MEANS, 0.3, [300], seed=44)
    largest, spread = [], []
    for scaling in (0.01, 0.3, 3.0, 30.0, 1e3, 1e6):
        parameters = Parameters(3, scaling=scaling, proportions=shares)
        chain = Chain(corpus, parameters, seed=5, threads=1)
        chain.sweep(60)
        memberships = chain.state.memberships
        largest.append(memberships.max(axis=1).mean())
        spread.append(root_mean_square(memberships - np.array(shares)))
    assert largest[0] > 0.99
    assert np.all(np.diff(largest) < 0.0)
    assert np.all(np.diff(spread) < 0.0)
    assert spread[-1] < 2e-3


def test_the_yardstick_is_the_likelihood_with_memberships_integrated_out() -> None:
    """Q of single words, K = 2, against quadrature; 20000 draws leave an error below 0.02."""
    words = np.array([[-0.3], [0.4], [1.2]])
    current = Globals(np.array([[0.3, 0.7]]), np.array([4.0]), np.array([[0.0], [1.0]]), 0.05)
    grid = (np.arange(20000) + 0.5) / 20000
    for fuzzifier in (1.0, 2.0):
        weights = grid**fuzzifier / (grid**fuzzifier + (1.0 - grid) ** fuzzifier)
        prior = stats.beta.pdf(grid, 1.2, 2.8)
        for word in words:
            density = stats.norm.pdf(word, 1.0 - weights, np.sqrt(0.05))
            expected = np.log(np.mean(density * prior))
            corpus = Corpus(word[None], [0, 1])
            assert quality(corpus, current, fuzzifier, draws=20000) == pytest.approx(
                expected, abs=0.06
            )


def test_the_yardstick_prefers_the_truth() -> None:
    corpus, truth = generate(Parameters(3, scaling=3.0), MEANS, 0.1, [400] * 3, seed=45)
    right = Globals(truth.proportions, truth.scaling, truth.means, truth.variance)
    at_truth = quality(corpus, right, 1.0)
    for name, factor in (("means", 1.5), ("variance", 3.0), ("scaling", 3.0), ("scaling", 0.2)):
        wrong = right.copy()
        setattr(wrong, name, getattr(wrong, name) * factor)
        assert quality(corpus, wrong, 1.0) < at_truth - 0.01
