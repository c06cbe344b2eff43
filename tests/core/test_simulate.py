"""What `generate` draws has the model's moments."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core import Parameters, generate
from pmlda_gui.core.simulate import draw_log_dirichlet

MEANS = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5]])


def test_proportions_and_scaling_of_many_documents_have_their_priors_moments() -> None:
    parameters = Parameters(3, alpha=(1.0, 2.0, 3.0), rate=0.25)
    _, state = generate(parameters, MEANS, 0.1, [1] * 20000, seed=5)
    # Standard errors are about 0.001 and 0.03; the bounds are five of them.
    np.testing.assert_allclose(state.proportions.mean(axis=0), [1 / 6, 2 / 6, 3 / 6], atol=0.007)
    assert state.scaling.mean() == pytest.approx(4.0, abs=0.15)
    assert state.scaling.std() == pytest.approx(4.0, abs=0.25)


def test_memberships_of_one_document_are_dirichlet() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    parameters = Parameters(3, scaling=6.0, proportions=tuple(shares))
    _, state = generate(parameters, MEANS, 0.1, [40000], seed=6)
    np.testing.assert_allclose(state.memberships.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(state.memberships.mean(axis=0), shares, atol=0.005)
    expected = shares * (1.0 - shares) / 7.0
    np.testing.assert_allclose(state.memberships.var(axis=0), expected, rtol=0.05)


@pytest.mark.parametrize("fuzzifier", [1.0, 3.0])
def test_words_scatter_around_the_mixed_means(fuzzifier: float) -> None:
    parameters = Parameters(3, fuzzifier=fuzzifier)
    corpus, state = generate(parameters, MEANS, 0.3, [5000, 5000], seed=7)
    powers = state.memberships**fuzzifier
    residuals = corpus.words - powers / powers.sum(axis=1, keepdims=True) @ MEANS
    np.testing.assert_allclose(residuals.mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(np.cov(residuals.T), 0.3 * np.eye(2), atol=0.025)


def test_logs_of_dirichlet_draws_stay_finite_for_tiny_concentrations() -> None:
    logs = draw_log_dirichlet(np.random.default_rng(8), np.full((2000, 3), 1e-6))
    assert np.isfinite(logs).all()
    assert logs.min() < -1e5
    # Almost every draw is a corner, each corner as often.
    winners = np.bincount(logs.argmax(axis=1), minlength=3)
    assert winners.min() > 560
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-12)


def test_the_same_seed_draws_the_same_corpus() -> None:
    one, _ = generate(Parameters(3), MEANS, 0.1, [5, 6], seed=9)
    same, _ = generate(Parameters(3), MEANS, 0.1, [5, 6], seed=9)
    other, _ = generate(Parameters(3), MEANS, 0.1, [5, 6], seed=10)
    np.testing.assert_array_equal(one.words, same.words)
    assert not np.array_equal(one.words, other.words)
