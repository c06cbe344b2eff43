"""Every block of variables is drawn from its conditional: moments against quadrature.

Many identical words, or documents, serve as independent replicates.  A mean must
lie within `BOUND` standard errors; each test can resolve errors of about one per
cent of a standard deviation, which any slip in a density exceeds by far.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, special, stats

from pmlda_gui.core import Corpus, TopicPrior
from pmlda_gui.core.kernels.documents import slice_documents
from pmlda_gui.core.kernels.paper_memberships import propose_sweep
from pmlda_gui.core.kernels.slice_memberships import MOST_TRIES, slice_sweep
from pmlda_gui.core.thread_pool import ThreadPool
from pmlda_gui.core.topics import Moments, draw_means, draw_variance, truncated_normal
from pmlda_gui.core.vector_math import stream_keys
from pmlda_gui.core.word_pass import WordPass

Array = np.ndarray
BOUND = 4.5


def assert_mean(draws: Array, expected: float) -> None:
    """The mean of independent draws lies within BOUND standard errors of `expected`."""
    error = max(float(draws.std(ddof=1)) / np.sqrt(len(draws)), 1e-12)
    score = (float(draws.mean()) - expected) / error
    assert abs(score) < BOUND, f"{draws.mean():.6g} against {expected:.6g}: score {score:.1f}"


def moments_on_a_line(
    log_density: Callable[[Array], Array], functions: list[Callable[[Array], Array]], grid: Array
) -> list[float]:
    """Expectations under an unnormalised density by the trapezoidal rule on a fine grid."""
    logs = log_density(grid)
    density = np.exp(logs - logs.max())
    total = integrate.trapezoid(density, grid)
    return [float(integrate.trapezoid(density * f(grid), grid) / total) for f in functions]


# -- memberships -----------------------------------------------------------------------------

# concentration (s pi), variance, fuzzifier, word; the means are 0 and 1.
WORDS = {
    "a above 1": ((2.0, 3.0), 0.1, 1.0, 0.3),
    "a below 1": ((0.3, 0.6), 0.2, 1.0, 0.4),
    "a far below 1": ((0.02, 0.05), 0.3, 1.0, 0.6),
    "small variance": ((1.0, 1.5), 0.001, 1.0, 0.7),
    "large s": ((300.0, 700.0), 0.05, 1.0, 0.2),
    "very large s": ((2e4, 1e4), 0.001, 1.0, 0.6),
    "word beyond the means": ((0.8, 1.2), 0.1, 1.0, 1.6),
    "m = 2": ((1.5, 0.7), 0.05, 2.0, 0.8),
    "m = -1": ((1.5, 0.7), 0.05, -1.0, 0.8),
    "m = 5, two modes": ((0.9, 0.9), 0.02, 5.0, 0.5),
    "m = 0.5": ((0.6, 2.0), 0.05, 0.5, 0.3),
    "m = 0": ((0.6, 2.0), 0.05, 0.0, 0.3),
}
REPLICATES = 20000


def sweep_words(
    sampler: str, concentration: Array, means: Array, variance: float, fuzzifier: float,
    words: Array, sweeps: int,
) -> Array:  # fmt: skip
    """ln z (K, N) after some sweeps over the memberships alone."""
    topics = len(means)
    word_pass = WordPass(Corpus(words, [0, len(words)]), topics, ThreadPool(1))
    for sweep in range(sweeps):
        if sampler == "fast":
            keys = stream_keys(5, sweep, 1, topics * MOST_TRIES).reshape(topics, MOST_TRIES)
            kernel = slice_sweep
        else:
            keys = stream_keys(5, sweep, 1, topics + 1).reshape(1, -1)
            kernel = propose_sweep
        word_pass.sweep(kernel, concentration[:, None], means, variance, fuzzifier, keys, 1.0)
    return word_pass.logs


def one_word_quadrature(
    concentration: Array, variance: float, fuzzifier: float, word: float
) -> list[float]:
    """E z_1, E z_1^2 and E of ln z_1 cut off at -20, for means 0 and 1, by quadrature in logits."""
    a, b = concentration

    def log_density(l: Array) -> Array:
        weight = special.expit(-fuzzifier * l)
        return (
            a * special.log_expit(l)
            + b * special.log_expit(-l)
            - 0.5 * (word - weight) ** 2 / variance
        )

    centre, reach = np.log(a / b), 60.0 / min(a, b, 1.0) if max(a, b) < 10 else 6.0
    return moments_on_a_line(
        log_density,
        [
            special.expit,
            lambda l: special.expit(l) ** 2,
            lambda l: np.maximum(special.log_expit(l), -20.0),
        ],
        np.linspace(centre - reach, centre + reach, 400001),
    )


@pytest.mark.parametrize("case", WORDS)
def test_slice_sampled_memberships_have_the_posteriors_moments(case: str) -> None:
    shape, variance, fuzzifier, word = WORDS[case]
    concentration = np.array(shape)
    logs = sweep_words(
        "fast", concentration, np.array([[0.0], [1.0]]), variance, fuzzifier,
        np.full((REPLICATES, 1), word), sweeps=25,
    )  # fmt: skip
    first, second, log_moment = one_word_quadrature(concentration, variance, fuzzifier, word)
    z = np.exp(logs[0])
    assert_mean(z, first)
    assert_mean(z**2, second)
    assert_mean(np.maximum(logs[0], -20.0), log_moment)
    np.testing.assert_allclose(np.exp(logs).sum(axis=0), 1.0, atol=1e-12)


@pytest.mark.parametrize("case", ["a above 1", "word beyond the means", "m = 2", "m = -1", "m = 0"])
def test_proposed_memberships_have_the_posteriors_moments(case: str) -> None:
    shape, variance, fuzzifier, word = WORDS[case]
    concentration = np.array(shape)
    logs = sweep_words(
        "paper", concentration, np.array([[0.0], [1.0]]), variance, fuzzifier,
        np.full((REPLICATES, 1), word), sweeps=150,
    )  # fmt: skip
    first, second, _ = one_word_quadrature(concentration, variance, fuzzifier, word)
    assert_mean(np.exp(logs[0]), first)
    assert_mean(np.exp(2.0 * logs[0]), second)


@pytest.mark.parametrize("fuzzifier", [1.0, 2.0, -1.0])
@pytest.mark.parametrize("sampler", ["fast", "paper"])
def test_memberships_in_three_topics_have_the_posteriors_moments(
    sampler: str, fuzzifier: float
) -> None:
    """K = 3 by importance weights of a million draws from the prior."""
    concentration = np.array([1.2, 2.0, 1.5])
    means = np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.0]])
    variance, word = 0.15, np.array([0.5, 0.3])
    logs = sweep_words(
        sampler, concentration, means, variance, fuzzifier, np.tile(word, (REPLICATES, 1)),
        sweeps=60 if sampler == "fast" else 150,
    )  # fmt: skip
    drawn = np.random.default_rng(21).dirichlet(concentration, 1_000_000)
    powers = drawn**fuzzifier
    centres = powers @ means / powers.sum(axis=1, keepdims=True)
    odds = np.exp(-0.5 * np.sum((word - centres) ** 2, axis=1) / variance)
    odds /= odds.sum()
    z = np.exp(logs)
    for k in range(3):
        assert_mean(z[k], float(odds @ drawn[:, k]))
        assert_mean(z[k] * z[k - 1], float(odds @ (drawn[:, k] * drawn[:, k - 1])))


# -- documents -------------------------------------------------------------------------------

DOCUMENTS = 4000
ALPHA, RATE, SIZE = np.array([1.4, 0.8]), 0.3, 6
LOG_SUMS = np.array([-6.0, -9.0])


def sliced_documents(start: Array, learn_proportions: bool, learn_scaling: bool) -> Array:
    """Concentrations (D, K) of identical documents after many rounds."""
    concentration = np.tile(start, (DOCUMENTS, 1))
    sizes = np.full(DOCUMENTS, SIZE)
    sums = np.tile(LOG_SUMS, (DOCUMENTS, 1))
    for sweep in range(30):
        slice_documents(
            concentration, sizes, sums, 0, DOCUMENTS, ALPHA, RATE,
            learn_proportions, learn_scaling, stream_keys(6, sweep, 2, 1)[0],
        )  # fmt: skip
    return concentration


def document_log_density(scaling: Array, share: Array) -> Array:
    """The document's density in (s, pi_1), from the model as it is written."""
    a, b = scaling * share, scaling * (1.0 - share)
    return (
        (ALPHA[0] - 1.0) * np.log(share)
        + (ALPHA[1] - 1.0) * np.log1p(-share)
        - RATE * scaling
        + SIZE * (special.gammaln(scaling) - special.gammaln(a) - special.gammaln(b))
        + a * LOG_SUMS[0]
        + b * LOG_SUMS[1]
    )


def test_the_scaling_alone_is_drawn_from_its_conditional() -> None:
    drawn = sliced_documents(np.array([1.2, 1.8]), False, True)
    expected = moments_on_a_line(
        lambda l: document_log_density(np.exp(l), 0.4 + 0.0 * l) + l,
        [np.exp, lambda l: l, lambda l: l**2],
        np.linspace(-12.0, 6.0, 200001),
    )
    scaling = drawn.sum(axis=1)
    np.testing.assert_allclose(drawn[:, 0] / scaling, 0.4, rtol=1e-9)
    for draws, value in zip(
        (scaling, np.log(scaling), np.log(scaling) ** 2), expected, strict=True
    ):
        assert_mean(draws, value)


def test_the_proportions_alone_are_drawn_from_their_conditional() -> None:
    drawn = sliced_documents(np.array([1.2, 1.8]), True, False)
    expected = moments_on_a_line(
        lambda l: (
            document_log_density(3.0 + 0.0 * l, special.expit(l))
            + special.log_expit(l)
            + special.log_expit(-l)
        ),
        [special.expit, lambda l: special.expit(l) ** 2, lambda l: l],
        np.linspace(-25.0, 25.0, 200001),
    )
    scaling = drawn.sum(axis=1)
    np.testing.assert_allclose(scaling, 3.0, rtol=1e-9)
    share = drawn[:, 0] / scaling
    for draws, value in zip((share, share**2, special.logit(share)), expected, strict=True):
        assert_mean(draws, value)


def test_proportions_and_scaling_are_drawn_from_their_joint_conditional() -> None:
    drawn = sliced_documents(np.array([1.2, 1.8]), True, True)
    logs = np.linspace(-10.0, 5.0, 1501)[:, None]
    logits = np.linspace(-20.0, 20.0, 1601)[None, :]
    density = (
        document_log_density(np.exp(logs), special.expit(logits))
        + logs
        + special.log_expit(logits)
        + special.log_expit(-logits)
    )
    odds = np.exp(density - density.max())
    odds /= odds.sum()
    scaling = drawn.sum(axis=1)
    share = drawn[:, 0] / scaling
    assert_mean(np.log(scaling), float(np.sum(odds * logs)))
    assert_mean(np.log(scaling) ** 2, float(np.sum(odds * logs**2)))
    assert_mean(share, float(np.sum(odds * special.expit(logits))))
    assert_mean(share**2, float(np.sum(odds * special.expit(logits) ** 2)))
    assert_mean(share * np.log(scaling), float(np.sum(odds * logs * special.expit(logits))))


def test_three_proportions_with_the_scaling_fixed_are_drawn_from_their_conditional() -> None:
    """One word in the middle of the logs, K = 3, by importance weights of draws from the prior."""
    alpha = np.array([1.4, 0.8, 3.0])
    concentration = np.full((DOCUMENTS, 3), 1.0)
    sizes, sums = np.ones(DOCUMENTS, np.int64), np.zeros((DOCUMENTS, 3))
    for sweep in range(30):
        slice_documents(
            concentration, sizes, sums, 0, DOCUMENTS, alpha, RATE, True, False,
            stream_keys(7, sweep, 2, 1)[0],
        )  # fmt: skip
    shares = concentration / concentration.sum(axis=1, keepdims=True)
    drawn = np.random.default_rng(22).dirichlet(alpha, 1_000_000)
    odds = np.exp(-special.gammaln(3.0 * drawn).sum(axis=1))
    odds /= odds.sum()
    np.testing.assert_allclose(concentration.sum(axis=1), 3.0, rtol=1e-9)
    for k in range(3):
        assert_mean(shares[:, k], float(odds @ drawn[:, k]))
        assert_mean(shares[:, k] ** 2, float(odds @ drawn[:, k] ** 2))


def test_documents_with_both_fixed_are_left_alone() -> None:
    drawn = sliced_documents(np.array([1.2, 1.8]), False, False)
    np.testing.assert_array_equal(drawn, np.tile([1.2, 1.8], (DOCUMENTS, 1)))


# -- topics ----------------------------------------------------------------------------------


def synthetic_moments(means: Array, seed: int = 23) -> tuple[Moments, Array, Array]:
    """Moments of some words with some weights under `means`, and the words and weights."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(means)), 12)
    words = weights @ np.array([[0.0, 0.0], [2.0, 1.0]]) + 0.4 * rng.standard_normal((12, 2))
    residuals = words - weights @ means
    moments = Moments(12, weights.T @ weights, weights.T @ residuals, float(np.sum(residuals**2)))
    return moments, weights, words


def topic_prior(low: float, high: float, most_variance: float = 5.0) -> TopicPrior:
    covariance = np.array([[1.5, 0.5], [0.5, 0.8]])
    return TopicPrior(
        np.array([0.5, 0.4]), covariance, np.full(2, low), np.full(2, high), 1e-3, most_variance
    )


def exact_normal(weights: Array, words: Array, prior: TopicPrior, variance: float) -> tuple:
    """Mean and covariance of vec(mu), topic by topic, by the textbook formula."""
    inverse = np.linalg.inv(prior.covariance)
    topics = weights.shape[1]
    precision = np.kron(weights.T @ weights, np.eye(2)) / variance + np.kron(
        np.eye(topics), inverse
    )
    pull = (weights.T @ words / variance + inverse @ prior.centre).ravel()
    covariance = np.linalg.inv(precision)
    return covariance @ pull, covariance


def test_moments_of_moved_means_are_those_of_the_words_under_them() -> None:
    means = np.array([[0.1, 0.2], [1.5, 0.8]])
    moments, weights, words = synthetic_moments(means)
    step = np.array([[0.3, -0.2], [0.1, 0.5]])
    moved = moments.moved(step)
    residuals = words - weights @ (means + step)
    np.testing.assert_allclose(moved.residuals, weights.T @ residuals, rtol=1e-10)
    assert moved.squares == pytest.approx(np.sum(residuals**2))
    assert moved.log_likelihood(0.3) == pytest.approx(
        stats.norm.logpdf(residuals, 0.0, np.sqrt(0.3)).sum()
    )


def test_means_in_a_wide_box_are_drawn_from_the_exact_normal() -> None:
    start = np.array([[0.1, 0.2], [1.5, 0.8]])
    moments, weights, words = synthetic_moments(start)
    prior = topic_prior(-50.0, 50.0)
    centre, covariance = exact_normal(weights, words, prior, 0.3)
    rng = np.random.default_rng(24)
    drawn = np.array([draw_means(rng, start, 0.3, moments, prior).ravel() for _ in range(8000)])
    for i in range(4):
        assert_mean(drawn[:, i], centre[i])
        for j in range(4):
            product = (drawn[:, i] - centre[i]) * (drawn[:, j] - centre[j])
            assert_mean(product, covariance[i, j])


def test_means_in_a_narrow_box_are_drawn_from_the_truncated_normal() -> None:
    """A chain of draws, each from the last, against rejection from the exact normal."""
    means = np.array([[0.4, 0.2], [0.9, 0.8]])
    prior = topic_prior(-0.2, 2.0)
    moments, weights, words = synthetic_moments(means)
    centre, covariance = exact_normal(weights, words, prior, 0.3)
    rng = np.random.default_rng(25)
    exact = rng.multivariate_normal(centre, covariance, 400_000)
    exact = exact[np.all((exact >= -0.2) & (exact <= 2.0), axis=1)]
    share_inside = len(exact) / 400_000
    assert 0.005 < share_inside < 0.5, "both ways of drawing must be used here"
    chain = np.empty((12000, 4))
    for t in range(len(chain)):
        step = draw_means(rng, means, 0.3, moments, prior)
        moments, means = moments.moved(step - means), step
        chain[t] = means.ravel()
    assert prior.contains(chain.reshape(-1, 2))
    for i in range(4):
        for power in (1, 2):
            # Means over batches of 40 draws are as good as independent.
            batches = (chain[:, i] ** power).reshape(-1, 40).mean(axis=1)
            assert_mean(batches, float((exact[:, i] ** power).mean()))


@pytest.mark.parametrize("most", [5.0, 0.25, 0.12], ids=["wide", "cut off", "tail"])
def test_the_variance_is_drawn_from_the_truncated_inverse_gamma(most: float) -> None:
    moments, _, _ = synthetic_moments(np.array([[0.1, 0.2], [1.5, 0.8]]))
    prior = topic_prior(-9.0, 9.0, most)
    # A density sigma^-Np e^(-RSS / 2 sigma^2) in sigma^2.
    law = stats.invgamma(12 * 2 / 2 - 1, scale=moments.squares / 2)
    low, high = law.cdf(prior.least_variance), law.cdf(most)
    grid = law.ppf(low + (high - low) * (np.arange(200_000) + 0.5) / 200_000)
    rng = np.random.default_rng(26)
    variance, chain = min(0.1, most), np.empty(12000)
    for t in range(len(chain)):
        variance = draw_variance(rng, variance, moments, prior)
        chain[t] = variance
    assert chain.min() >= prior.least_variance
    assert chain.max() <= most
    for f in (lambda v: v, np.log):
        assert_mean(f(chain).reshape(-1, 20).mean(axis=1), float(f(grid).mean()))


@pytest.mark.parametrize(
    ("centre", "deviation", "low", "high"),
    [
        (0.0, 1.0, -1.0, 3.0),
        (0.0, 1.0, -0.2, 0.3),
        (0.0, 1.0, 4.0, 9.0),
        (0.0, 1.0, 4.0, 4.1),
        (10.0, 2.0, -5.0, 1.0),
        (3.0, 0.5, 3.2, 100.0),
        (0.0, 1.0, 0.0, 50.0),
        (1e6, 1.0, 0.0, 1.0),
    ],
)
def test_truncated_normals_have_scipys_moments(
    centre: float, deviation: float, low: float, high: float
) -> None:
    rng = np.random.default_rng(27)
    drawn = np.array([truncated_normal(rng, centre, deviation, low, high) for _ in range(8000)])
    assert drawn.min() >= low
    assert drawn.max() <= high
    if abs(centre) > 1e5:
        # So far out the density is an exponential that clings to the nearer end.
        assert_mean((high - drawn) * (centre - high), 1.0)
        return
    law = stats.truncnorm(
        (low - centre) / deviation, (high - centre) / deviation, centre, deviation
    )
    assert_mean(drawn, float(law.mean()))
    assert_mean((drawn - law.mean()) ** 2, float(law.var()))
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-5


def test_a_truncated_normal_on_an_empty_interval_is_its_end() -> None:
    assert truncated_normal(np.random.default_rng(1), 0.0, 1.0, 0.7, 0.7) == 0.7
