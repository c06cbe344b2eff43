"""The samplers with the fuzzy data likelihood against quadrature and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.related_models import bfc_log_density, unified_log_density
from pmlda_gui.peers import bfc
from pmlda_gui.peers.bfc import UnifiedModel
from pmlda_gui.peers.method import run_method
from tests.peers.small_words import three_bands


@pytest.mark.parametrize(("fuzzifier", "alpha"), [(1.0, 1.0), (2.0, 0.6), (1.5, 3.0), (-0.5, 2.0)])
def test_memberships_have_the_mean_that_quadrature_gives(fuzzifier: float, alpha: float) -> None:
    copies, means = 20_000, np.array([[0.0], [3.0]])
    word = np.array([1.0])
    z = (np.arange(100_000) + 0.5) / 100_000
    both = np.stack([z, 1.0 - z], axis=1)
    priors = np.array([alpha, alpha])
    logs = bfc_log_density(word[None].repeat(len(z), axis=0), both, means, priors, fuzzifier)
    density = np.exp(logs - logs.max())
    exact = float(density @ z / density.sum())

    rng = np.random.default_rng(1)
    state = np.log(np.full((copies, 2), 0.5))
    distances = np.repeat([[1.0, 4.0]], copies, axis=0)
    concentration = np.full((copies, 2), alpha)
    for _ in range(60):
        bfc._renew_memberships(rng, state, distances, concentration, fuzzifier)
    # The standard error of the mean of 20000 words is below 0.003.
    assert np.exp(state[:, 0]).mean() == pytest.approx(exact, abs=0.01)


def test_means_of_crisp_groups_are_drawn_around_the_groups_means() -> None:
    rng = np.random.default_rng(0)
    words = np.concatenate([rng.normal(-2, 1, (400, 2)), rng.normal(3, 1, (600, 2))])
    logs = np.full((1000, 2), -np.inf)
    logs[:400, 0] = logs[400:, 1] = 0.0
    wide = TopicPrior(np.zeros(2), 100 * np.eye(2), words.min(0), words.max(0), 1e-7, 10.0)
    draws = np.array([bfc._draw_means(rng, words, logs, wide, 1.5) for _ in range(500)])
    groups = np.array([words[:400].mean(axis=0), words[400:].mean(axis=0)])
    np.testing.assert_allclose(draws.mean(axis=0), groups, atol=0.01)
    # Each word has unit precision, so the spread is one over the root of the group's size.
    np.testing.assert_allclose(draws.std(axis=0)[:, 0], [1 / 20, 1 / np.sqrt(600)], rtol=0.12)


def test_the_unified_model_with_flat_proportions_is_bayesian_fuzzy_clustering() -> None:
    words, memberships = np.array([[0.3], [0.9]]), np.array([[0.2, 0.8], [0.6, 0.4]])
    means, alpha = np.array([[0.0], [1.0]]), np.array([1.0, 1.0])
    unified = unified_log_density(
        words, memberships, np.array([0.5, 0.5]), 2.0, means, alpha, rate=1.0, fuzzifier=1.5
    )
    fuzzy = bfc_log_density(words, memberships, means, alpha, 1.5)
    np.testing.assert_allclose(unified - fuzzy, (unified - fuzzy)[0])


def test_documents_of_one_seabed_learn_that_they_are() -> None:
    words, band = three_bands()
    fit = run_method(UnifiedModel(), words, 3)
    assert fit.proportions is not None
    assert fit.scaling is not None
    # Blocks are six pixels wide and bands ten, so the outer columns of blocks are pure.
    first = np.array(
        [np.ptp(band[a:b]) == 0 for a, b in zip(words.offsets, words.offsets[1:], strict=False)]
    )
    assert fit.proportions[first].max(axis=1).min() > 0.7
    assert (fit.scaling > 0.0).all()
