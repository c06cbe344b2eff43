"""The densities agree with scipy's, term by term, and the chain's running sum with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pmlda_gui.core import (
    Chain,
    Corpus,
    Parameters,
    State,
    TopicPrior,
    bfc_log_density,
    bpm_log_density,
    generate,
    generating_distribution,
    log_joint,
    log_joint_terms,
    unified_log_density,
)
from pmlda_gui.core.densities import document_terms, field_terms
from pmlda_gui.core.field import Influence
from tests.core.strips import strip

MEANS = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5]])


def made(parameters: Parameters, seed: int = 1) -> tuple[Corpus, State]:
    return generate(parameters, MEANS[: parameters.topics], 0.2, (7, 1, 30), seed)


def weights_of(memberships: np.ndarray, fuzzifier: float) -> np.ndarray:
    powers = memberships**fuzzifier
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0, 0.0])
def test_each_term_of_the_log_joint_is_scipys_density(fuzzifier: float) -> None:
    parameters = Parameters(3, alpha=(1.5, 0.7, 2.0), rate=0.3, fuzzifier=fuzzifier)
    corpus, state = made(parameters)
    prior = TopicPrior.from_corpus(corpus)
    terms = log_joint_terms(corpus, parameters, state)

    alpha = np.array(parameters.alpha)
    expected_proportions = sum(stats.dirichlet.logpdf(pi, alpha) for pi in state.proportions)
    expected_scaling = stats.expon.logpdf(state.scaling, scale=1.0 / parameters.rate).sum()
    concentration = (state.scaling[:, None] * state.proportions)[corpus.document_of]
    expected_memberships = sum(
        stats.dirichlet.logpdf(z / z.sum(), a)
        for z, a in zip(state.memberships, concentration, strict=True)
    )
    centres = weights_of(state.memberships, fuzzifier) @ state.means
    expected_words = stats.norm.logpdf(corpus.words, centres, np.sqrt(state.variance)).sum()

    assert terms.proportions == pytest.approx(expected_proportions, rel=1e-10)
    assert terms.scaling == pytest.approx(expected_scaling, rel=1e-10)
    assert terms.memberships == pytest.approx(expected_memberships, rel=1e-8)
    assert terms.words == pytest.approx(expected_words, rel=1e-10)
    inside = np.clip(state.means, prior.low, prior.high)
    assert prior.log_density_of_means(inside) == pytest.approx(
        stats.multivariate_normal.logpdf(inside, prior.centre, prior.covariance).sum(), rel=1e-10
    )
    width = prior.most_variance - prior.least_variance
    assert terms.variance == pytest.approx(
        stats.uniform.logpdf(state.variance, prior.least_variance, width), rel=1e-10
    )
    assert terms.total == pytest.approx(
        terms.proportions + terms.scaling + terms.memberships
        + terms.words + terms.means + terms.variance
    )  # fmt: skip


@pytest.mark.parametrize("smoothness", [0.0, 0.7])
def test_each_term_of_a_fields_log_joint_is_scipys_density(smoothness: float) -> None:
    """Written out word by word and pair by pair, from the layout's weights."""
    corpus = strip([5, 1, 9, 4], MEANS, seed=2)
    parameters = Parameters(3, alpha=(1.5, 0.7, 2.0), rate=0.3, smoothness=smoothness, coupling=0.8)
    rng = np.random.default_rng(3)
    proportions, scaling = rng.dirichlet(np.ones(3), 4), rng.gamma(2.0, 1.0, 4)
    memberships = rng.dirichlet(np.ones(3), corpus.size)
    state = State(np.log(memberships), proportions, scaling, MEANS, 0.2)
    terms = log_joint_terms(corpus, parameters, state)

    influence = corpus.layout.influence(smoothness)
    at_words = np.zeros((corpus.size, 3))
    for d in range(4):
        for place in range(influence.starts[d], influence.starts[d + 1]):
            word = influence.members[place]
            at_words[word] += influence.acts[place] * scaling[d] * proportions[d]
    expected = sum(stats.dirichlet.logpdf(z, a) for z, a in zip(memberships, at_words, strict=True))
    assert terms.memberships == pytest.approx(expected, rel=1e-9)
    logs = np.log(scaling[:, None] * proportions)
    # The normal density of each difference, but for its constant: 0 ~ 1 ~ 2 ~ 3.
    constant = stats.norm.logpdf(0.0, scale=1.0 / np.sqrt(0.8))
    expected = sum(
        (stats.norm.logpdf(logs[d] - logs[d + 1], scale=1.0 / np.sqrt(0.8)) - constant).sum()
        for d in range(3)
    )
    assert terms.coupling == pytest.approx(expected, rel=1e-10)
    alpha = np.array(parameters.alpha)
    assert terms.proportions == pytest.approx(
        sum(stats.dirichlet.logpdf(pi, alpha) for pi in proportions), rel=1e-10
    )
    assert terms.scaling == pytest.approx(stats.expon.logpdf(scaling, scale=1.0 / 0.3).sum())
    parts = (terms.proportions, terms.scaling, terms.memberships, terms.words, terms.means)
    assert terms.total == pytest.approx(sum(parts) + terms.variance + terms.coupling)


@pytest.mark.parametrize("smoothness", [0.0, 0.7])
def test_a_fields_running_log_joint_is_that_of_its_state(smoothness: float) -> None:
    corpus = strip([5, 1, 9, 4], MEANS, seed=2)
    parameters = Parameters(3, smoothness=smoothness, coupling=0.8)
    chain = Chain(corpus, parameters, seed=3, threads=1)
    for _ in range(3):
        info = chain.sweep(4)
        expected = log_joint(corpus, parameters, chain.state, chain.prior)
        assert info.log_joint == pytest.approx(expected, rel=1e-9)


def test_hard_documents_as_a_field_have_the_same_log_joint() -> None:
    corpus, state = made(Parameters(3))
    parameters = Parameters(3, alpha=1.5)
    log_sums = np.add.reduceat(state.log_memberships, corpus.offsets[:-1], axis=0)
    given = (parameters, state.proportions, state.scaling)
    hard = document_terms(*given, corpus.document_sizes, log_sums)
    logs = np.ascontiguousarray(state.log_memberships.T)
    *field, coupling = field_terms(*given, Influence.hard(corpus.offsets), logs)
    assert field == pytest.approx(hard, rel=1e-10)
    assert coupling == 0.0


def test_a_fixed_value_has_no_prior_term() -> None:
    parameters = Parameters(2, scaling=4.0, proportions=(0.4, 0.6))
    corpus, state = made(parameters)
    terms = log_joint_terms(corpus, parameters, state)
    assert terms.proportions == 0.0
    assert terms.scaling == 0.0


def test_means_outside_the_box_and_variances_out_of_bounds_are_impossible() -> None:
    corpus, _ = made(Parameters(2))
    prior = TopicPrior.from_corpus(corpus)
    inside = np.tile(prior.centre, (2, 1))
    outside = inside.copy()
    outside[1, 0] = prior.high[0] + 1e-6
    assert np.isfinite(prior.log_density_of_means(inside))
    assert prior.log_density_of_means(outside) == -np.inf
    assert prior.log_density_of_variance(prior.most_variance * 1.01) == -np.inf
    assert prior.log_density_of_variance(prior.least_variance * 0.99) == -np.inf


def test_the_prior_of_the_topics_comes_from_the_moments_of_the_words() -> None:
    corpus, _ = made(Parameters(3))
    prior = TopicPrior.from_corpus(corpus, spread=3.0)
    words = corpus.words
    distances = np.sum((words - words.mean(axis=0)) ** 2, axis=1)
    np.testing.assert_allclose(prior.centre, words.mean(axis=0))
    np.testing.assert_allclose(prior.covariance, 3.0 * np.cov(words.T, bias=True), rtol=1e-6)
    np.testing.assert_array_equal(prior.low, words.min(axis=0))
    np.testing.assert_array_equal(prior.high, words.max(axis=0))
    assert prior.most_variance == pytest.approx(0.5 * np.ptp(distances))


@pytest.mark.parametrize("sampler", ["fast", "paper"])
@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
@pytest.mark.parametrize(
    "fixed",
    [{}, {"scaling": 3.0}, {"proportions": (0.2, 0.3, 0.5)}],
    ids=["learned", "s fixed", "pi fixed"],
)
def test_the_chains_running_log_joint_is_that_of_its_state(
    sampler: str, fuzzifier: float, fixed: dict[str, object]
) -> None:
    parameters = Parameters(3, alpha=1.3, fuzzifier=fuzzifier, **fixed)
    corpus, _ = made(parameters)
    chain = Chain(corpus, parameters, sampler, seed=3, threads=1)
    for _ in range(3):
        info = chain.sweep(4)
        expected = log_joint(corpus, parameters, chain.state, chain.prior)
        assert info.log_joint == pytest.approx(expected, rel=1e-9)
    assert chain.trace.log_joint[-1] == info.log_joint
    # The logits' density has the Jacobian prod z besides.
    in_logits = expected + chain.state.log_memberships.sum()
    assert chain.trace.logit_log_joint[-1] == pytest.approx(in_logits, rel=1e-9)
    assert info.sweep == chain.sweeps == len(chain.trace.log_joint) == 12


def some_memberships(seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(20, 2)), rng.dirichlet((1.0, 2.0, 0.8), size=20)


def test_bpm_is_the_density_of_one_document_with_its_priors() -> None:
    words, memberships = some_memberships()
    proportions, alpha = np.array([0.2, 0.5, 0.3]), np.array([1.5, 1.0, 2.0])
    found = bpm_log_density(words, memberships, proportions, 4.0, MEANS, 0.3, alpha, 0.6)
    for n in range(len(words)):
        expected = (
            stats.multivariate_normal.logpdf(words[n], memberships[n] @ MEANS, 0.3 * np.eye(2))
            + stats.dirichlet.logpdf(memberships[n] / memberships[n].sum(), 4.0 * proportions)
            + stats.dirichlet.logpdf(proportions, alpha)
            + stats.expon.logpdf(4.0, scale=1.0 / 0.6)
        )
        assert found[n] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, 1.5])
def test_bfc_weighs_squared_distances_by_powered_memberships(fuzzifier: float) -> None:
    words, memberships = some_memberships()
    alpha = np.array([1.5, 1.0, 2.0])
    found = bfc_log_density(words, memberships, MEANS, alpha, fuzzifier)
    for n in range(len(words)):
        expected = stats.dirichlet.logpdf(memberships[n] / memberships[n].sum(), alpha)
        for k in range(3):
            # A normal with precision z^m I, without the normaliser that cancels.
            distance = words[n] - MEANS[k]
            expected -= 0.5 * memberships[n, k] ** fuzzifier * distance @ distance
        assert found[n] == pytest.approx(expected, rel=1e-10)


def test_the_unified_model_is_bfcs_likelihood_under_bpms_priors() -> None:
    words, memberships = some_memberships()
    proportions, alpha = np.array([0.2, 0.5, 0.3]), np.array([1.5, 1.0, 2.0])
    found = unified_log_density(words, memberships, proportions, 4.0, MEANS, alpha, 0.6, 2.0)
    priors = stats.dirichlet.logpdf(proportions, alpha) + stats.expon.logpdf(4.0, scale=1.0 / 0.6)
    fuzzy = bfc_log_density(words, memberships, MEANS, 4.0 * proportions, 2.0)
    np.testing.assert_allclose(found, fuzzy + priors, rtol=1e-12)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0])
def test_the_generating_distribution_is_the_normalised_product_of_powered_normals(
    fuzzifier: float,
) -> None:
    memberships = np.array([0.5, 0.2, 0.3])
    covariances = np.array(
        [[[1.0, 0.3], [0.3, 0.5]], [[0.4, 0.0], [0.0, 2.0]], [[0.8, -0.2], [-0.2, 0.6]]]
    )
    mean, covariance = generating_distribution(memberships, MEANS, covariances, fuzzifier)

    axis = np.linspace(-6.0, 8.0, 281)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    weights = weights_of(memberships, fuzzifier)
    logs = sum(
        w * stats.multivariate_normal.logpdf(grid, m, c)
        for w, m, c in zip(weights, MEANS, covariances, strict=True)
    )
    density = np.exp(logs - logs.max())
    density /= density.sum()
    grid_mean = np.einsum("ij,ijp->p", density, grid)
    away = grid - grid_mean
    grid_covariance = np.einsum("ij,ijp,ijq->pq", density, away, away)
    np.testing.assert_allclose(mean, grid_mean, atol=1e-6)
    np.testing.assert_allclose(covariance, grid_covariance, atol=1e-6)


def test_a_pure_word_has_its_topics_own_distribution() -> None:
    covariances = np.array([np.eye(2), 2.0 * np.eye(2), 3.0 * np.eye(2)])
    mean, covariance = generating_distribution([0.0, 1.0, 0.0], MEANS, covariances)
    np.testing.assert_allclose(mean, MEANS[1])
    np.testing.assert_allclose(covariance, covariances[1])


@pytest.mark.parametrize("fuzzifier", [0.0, -1.0])
def test_a_membership_of_zero_has_a_generating_distribution_for_every_fuzzifier(
    fuzzifier: float,
) -> None:
    covariances = np.array([np.eye(2), 2.0 * np.eye(2), 3.0 * np.eye(2)])
    mean, covariance = generating_distribution([0.0, 1.0, 0.0], MEANS, covariances, fuzzifier)
    assert np.isfinite(mean).all()
    assert np.isfinite(covariance).all()


def test_the_log_joint_of_nearly_pure_documents_is_a_number() -> None:
    parameters = Parameters(3, alpha=1e-3)
    corpus, state = generate(parameters, MEANS, 0.1, (20,) * 30, seed=1)
    assert state.proportions.min() < 1e-300
    assert not np.isnan(log_joint_terms(corpus, parameters, state).proportions)
    assert not np.isnan(log_joint_terms(corpus, parameters, state).memberships)
