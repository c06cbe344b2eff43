"""The three estimates are what they say, and the streamed one is the best of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from pmlda_gui.core import Chain, Changes, Parameters, generate, log_joint
from pmlda_gui.core.kernels.accumulate import accumulate_block, moments_size

Array = np.ndarray
MEANS = np.array([[0.0, 0.0], [4.0, 0.5], [1.5, 3.5]])
PARAMETERS = Parameters(3, rate=0.3)
CORPUS, TRUTH = generate(PARAMETERS, MEANS, 0.3, [100] * 15, seed=71)


def root_mean_square(difference: Array) -> float:
    return float(np.sqrt(np.mean(np.square(difference))))


def test_the_posterior_mean_is_nearer_to_the_truth_than_any_sample() -> None:
    """By at least 20 % against the paper's MAP, and against every fifth single sample.

    The chain starts at the truth, so topics keep their order and nothing but the
    estimator differs.
    """
    chain = Chain(CORPUS, PARAMETERS, seed=3, threads=1, start=TRUTH)
    samples = []
    for _ in range(60):
        chain.sweep(5)
        samples.append(root_mean_square(chain.state.memberships - TRUTH.memberships))
    mean = root_mean_square(chain.estimate.memberships - TRUTH.memberships)
    paper = root_mean_square(chain.paper_map.memberships - TRUTH.memberships)
    assert mean < 0.8 * paper
    assert mean < 0.9 * min(samples)


def test_the_running_mean_and_its_spread_weigh_later_sweeps_in_proportion() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=4, threads=1)
    samples = []
    for _ in range(30):
        chain.sweep(1)
        samples.append(chain.state)
    weights = np.arange(1.0, 31.0)
    weights /= weights.sum()
    z = np.array([sample.memberships for sample in samples])
    mean = np.einsum("t,tnk->nk", weights, z)
    spread = np.einsum("t,tnk->nk", weights, (z - mean) ** 2)
    estimate = chain.estimate
    assert estimate.sweeps == 30
    assert estimate.uncertainty is not None
    np.testing.assert_allclose(estimate.memberships, mean, atol=2e-6)
    np.testing.assert_allclose(estimate.uncertainty, np.sqrt(spread), atol=2e-4)
    np.testing.assert_allclose(
        estimate.means, np.einsum("t,tkp->kp", weights, [s.means for s in samples])
    )
    assert estimate.variance == pytest.approx(weights @ [s.variance for s in samples])


def test_the_estimate_begins_anew_when_the_target_changes() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=4, threads=1)
    chain.sweep(40)
    chain.sweep(1, Changes(Parameters(3, rate=0.3, scaling=1.0)))
    samples = [chain.state]
    for _ in range(4):
        chain.sweep(1)
        samples.append(chain.state)
    weights = np.arange(1.0, 6.0) / 15.0
    estimate = chain.estimate
    assert estimate.sweeps == 5
    np.testing.assert_allclose(
        estimate.memberships,
        np.einsum("t,tnk->nk", weights, [each.memberships for each in samples]),
        atol=2e-6,
    )
    np.testing.assert_allclose(estimate.scaling, 1.0)
    np.testing.assert_allclose(
        estimate.means, np.einsum("t,tkp->kp", weights, [s.means for s in samples])
    )


def test_the_running_mean_of_very_many_sweeps_still_sums_to_1() -> None:
    """In single precision it is off by 5e-6 after so many, and drifts on."""
    topics, words = 3, 64
    word_pass = Chain(CORPUS, PARAMETERS, seed=4, threads=1)._word_pass
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(topics), (500, words)).transpose(0, 2, 1).copy()
    log_sums, moments = np.zeros(topics), np.zeros(moments_size(topics, 2))
    for sweep in range(1, 60_001):
        present = shares[sweep % 500]
        accumulate_block(
            0, words, CORPUS.columns, MEANS, present, present, present,
            min(1.0, 2.0 / (sweep + 1.0)), word_pass.average, word_pass.spread, log_sums, moments,
        )  # fmt: skip
    sums = word_pass.average[:, :words].sum(axis=0, dtype=np.float64)
    np.testing.assert_allclose(sums, 1.0, atol=1e-9)


def test_the_papers_map_is_the_sample_with_the_largest_log_joint() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=5, threads=1)
    best, best_state = -np.inf, None
    for _ in range(40):
        info = chain.sweep(1)
        if info.log_joint > best:
            best, best_state = info.log_joint, chain.state
    assert best_state is not None
    found = chain.paper_map
    assert found.uncertainty is None
    np.testing.assert_array_equal(found.means, best_state.means)
    np.testing.assert_allclose(found.memberships, best_state.memberships, atol=5e-6)
    assert found.memberships.min() > 0.0
    assert log_joint(CORPUS, PARAMETERS, best_state, chain.prior) == pytest.approx(best)


def negative_log_density(
    logits: Array, word: Array, concentration: Array, means: Array, variance: float, m: float
) -> float:
    """Of one word's membership in logit measure, with the last topic's logit held at 0."""
    full = np.append(logits, 0.0)
    logs = full - np.logaddexp.reduce(full)
    weights = np.exp(m * logs - np.logaddexp.reduce(m * logs))
    residual = word - weights @ means
    return float(0.5 * residual @ residual / variance - concentration @ logs)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
def test_the_map_of_a_word_is_a_maximum_in_logit_measure(fuzzifier: float) -> None:
    """scipy, started from our mode, finds nothing better than by 0.001 in log density."""
    parameters = Parameters(3, rate=0.3, fuzzifier=fuzzifier)
    corpus, truth = generate(parameters, MEANS, 0.3, [100] * 15, seed=71)
    chain = Chain(corpus, parameters, seed=6, threads=1, start=truth)
    chain.sweep(30)
    for _ in range(3):
        found = chain.map
    gains = []
    for n in range(0, corpus.size, 10):
        document = corpus.document_of[n]
        arguments = (
            corpus.words[n],
            found.scaling[document] * found.proportions[document],
            found.means,
            found.variance,
            fuzzifier,
        )
        logs = np.log(np.maximum(found.memberships[n].astype(float), 1e-30))
        start = logs[:-1] - logs[-1]
        here = negative_log_density(start, *arguments)
        there = optimize.minimize(negative_log_density, start, arguments, method="BFGS").fun
        gains.append(here - there)
    assert max(gains) < 1e-3


def test_the_map_is_bounded_and_smooth_where_the_papers_runs_into_corners() -> None:
    """With s pi_k = 0.1 the density on the simplex has no maximum; in logit measure it has."""
    parameters = Parameters(3, scaling=0.3, proportions=(1 / 3, 1 / 3, 1 / 3))
    corpus, _ = generate(parameters, MEANS, 0.3, [200], seed=72)
    chain = Chain(corpus, parameters, seed=7, threads=1)
    chain.sweep(40)
    for _ in range(20):
        found = chain.map
    assert chain.state.log_memberships.min() < -30.0
    assert np.isfinite(found.memberships).all()
    assert found.memberships.min() > 1e-4
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1.0, atol=1e-5)


def test_the_map_uses_the_topics_of_the_best_quality() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=8, threads=1)
    seen = []
    for _ in range(30):
        chain.sweep(1)
        seen.append((chain.best_quality, chain.state.means))
    qualities = [quality for quality, _ in seen]
    assert np.all(np.diff(qualities) >= 0.0)
    first = qualities.index(qualities[-1])
    np.testing.assert_array_equal(chain.map.means, seen[first][1])


def test_estimates_can_be_read_before_the_first_sweep() -> None:
    chain = Chain(CORPUS, PARAMETERS, seed=9, threads=1)
    for estimate in (chain.estimate, chain.map, chain.paper_map):
        assert estimate.memberships.shape == (CORPUS.size, 3)
        np.testing.assert_allclose(estimate.memberships.sum(axis=1), 1.0, atol=1e-4)
