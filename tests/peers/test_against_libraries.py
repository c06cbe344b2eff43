"""Our methods against well-kept libraries, where those are installed."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from pmlda_gui.imagery.words import Words
from pmlda_gui.peers.fuzzy_c_means import FuzzyCMeans
from pmlda_gui.peers.gaussian_mixture import GaussianMixture
from pmlda_gui.peers.k_means import KMeans, start_means
from pmlda_gui.peers.lda import LatentDirichletAllocation
from pmlda_gui.peers.method import run_method
from tests.peers.small_words import three_bands


def library(name: str) -> ModuleType:
    """The module, or a skipped test; what it warns about while loading is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module: ModuleType = pytest.importorskip(name)
    return module


def matched(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The rows of ours in the order of theirs that makes them most alike."""
    costs = np.linalg.norm(theirs[:, None] - ours[None], axis=2)
    return ours[linear_sum_assignment(costs)[1]]


@pytest.mark.parametrize("fuzzifier", [1.5, 2.0, 3.0])
def test_fuzzy_c_means_ends_where_scikit_fuzzy_does(fuzzifier: float) -> None:
    cluster = library("skfuzzy.cluster")
    words, _ = three_bands(noise=0.8)
    fit = run_method(FuzzyCMeans(fuzzifier, tolerance=1e-10, most_steps=2000), words, 3)
    centres, memberships, *_ = cluster.cmeans(
        words.words.T, 3, fuzzifier, error=1e-10, maxiter=5000, seed=1
    )
    costs = np.linalg.norm(centres[:, None] - fit.means[None], axis=2)
    order = linear_sum_assignment(costs)[1]
    np.testing.assert_allclose(fit.means[order], centres, atol=1e-6)
    np.testing.assert_allclose(fit.memberships[:, order], memberships.T, atol=1e-6)


def test_k_means_ends_where_scikit_learn_does() -> None:
    cluster = library("sklearn.cluster")
    words, _ = three_bands(noise=1.2)
    fit = run_method(KMeans(), words, 3, seed=4)
    start = start_means(words, 3, 4)
    theirs = cluster.KMeans(3, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(words.words)
    np.testing.assert_allclose(fit.means, theirs.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(fit.memberships.argmax(axis=1), theirs.labels_)
    assert fit.trace[-1] == pytest.approx(theirs.inertia_)


def test_the_gaussian_mixture_ends_where_scikit_learn_does() -> None:
    mixture = library("sklearn.mixture")
    words, _ = three_bands(noise=1.0)
    fit = run_method(GaussianMixture(tolerance=1e-10, most_steps=3000), words, 3)
    theirs = mixture.GaussianMixture(
        3, tol=1e-10, max_iter=5000, means_init=fit.means, reg_covar=1e-6, random_state=0
    ).fit(words.words)
    assert fit.trace[-1] == pytest.approx(theirs.score(words.words), abs=1e-6)
    np.testing.assert_allclose(fit.means, theirs.means_, atol=1e-3)
    np.testing.assert_allclose(fit.diagnostics["covariances"], theirs.covariances_, atol=3e-3)
    np.testing.assert_allclose(fit.memberships, theirs.predict_proba(words.words), atol=3e-3)


def test_lda_finds_the_topics_that_scikit_learn_finds() -> None:
    decomposition = library("sklearn.decomposition")
    rng = np.random.default_rng(0)
    # Twelve codes, far apart on a line; each topic has four of its own and shares none.
    topics = np.kron(np.eye(3), rng.dirichlet(np.full(4, 5.0), 1)) * 0.9 + 0.1 / 12
    proportions = rng.dirichlet(np.full(3, 0.4), 60)
    counts = np.array([rng.multinomial(80, row) for row in proportions @ topics])
    codes = np.concatenate([np.repeat(np.arange(12), row) for row in counts])
    words = Words(
        codes[:, None].astype(float), np.arange(61) * 80, np.arange(len(codes)), ((60, 80),)
    )
    fit = run_method(LatentDirichletAllocation(codes=12, alpha=0.4, smoothing=0.1), words, 3)
    theirs = decomposition.LatentDirichletAllocation(
        3, doc_topic_prior=0.4, topic_word_prior=0.1, max_iter=60, random_state=0
    ).fit(counts)
    assert fit.proportions is not None
    found = theirs.transform(counts)
    ours = matched(fit.proportions.T, found.T).T
    assert np.abs(ours - found).mean() < 0.03
    assert np.abs(matched(fit.proportions.T, proportions.T).T - proportions).mean() < 0.06
