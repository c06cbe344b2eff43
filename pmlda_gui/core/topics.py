"""Draws of the topics' means and variance from the moments of one pass over the words.

The moments are W'W, W'R and R'R, where W are the weights and R the residuals of
the words under the present means; from them the likelihood of any other means is
known exactly, so nothing here looks at the words again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.prior import TopicPrior

__all__ = [
    "Moments",
    "draw_free_means",
    "draw_means",
    "draw_variance",
    "propose_means",
    "propose_variance",
    "regress_means",
    "truncated_normal",
]

Array = NDArray[np.float64]

# Half of the tries succeed where the numbers make sense.
_MOST_TRIES = 10_000
_ABSURD = "The chain has left all sensible values: open the workspace saved before, or restart."


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the words, which number `words`.

    `products` (K, K) is W'W, `residuals` (K, p) is W'R and `squares` is R'R.
    """

    words: int
    products: Array
    residuals: Array
    squares: float

    @classmethod
    def from_flat(cls, flat: Array, words: int, topics: int, features: int) -> Moments:
        """Unpack what the kernels accumulate (lower triangle, cross products, squares)."""
        lower = flat[: topics * topics].reshape(topics, topics)
        return cls(
            words=words,
            products=np.tril(lower) + np.tril(lower, -1).T,
            residuals=flat[topics * topics : -1].reshape(topics, features).copy(),
            squares=float(flat[-1]),
        )

    def moved(self, step: Array) -> Moments:
        """The moments once the means have moved by `step` (K, p)."""
        shift = self.products @ step
        squares = self.squares - 2.0 * np.sum(step * self.residuals) + np.sum(step * shift)
        return Moments(self.words, self.products, self.residuals - shift, max(float(squares), 0.0))

    def of_topics(self, rows: NDArray[np.bool_]) -> Moments:
        """What they say about some of the topics while the others stay where they are."""
        return Moments(
            self.words, self.products[np.ix_(rows, rows)], self.residuals[rows], self.squares
        )

    def log_likelihood(self, variance: float) -> float:
        """Log density of all words."""
        values = self.words * self.residuals.shape[1]
        return -0.5 * (values * math.log(2.0 * math.pi * variance) + self.squares / variance)


def draw_means(
    rng: np.random.Generator, means: Array, variance: float, moments: Moments, prior: TopicPrior
) -> Array:
    """Draw all means (K, p) given everything else: normal, cut off at the prior's box.

    The joint normal is drawn first; if it falls outside the box, one round of
    Gibbs over single coordinates from the present means takes its place.  Which
    of the two happens does not depend on the present means, so both leave the
    truncated normal invariant.
    """
    values, vectors = prior.axes
    # W'(X - 1 centre') in the eigenbasis of the prior, where features are independent.
    pull = (moments.residuals + moments.products @ (means - prior.centre)) @ vectors / variance
    precision = moments.products / variance + np.eye(len(means)) / values[:, None, None]
    root = np.linalg.cholesky(precision)
    noise = rng.standard_normal((len(values), len(means), 1))
    inner = np.linalg.solve(root, pull.T[:, :, None]) + noise
    drawn = np.linalg.solve(root.transpose(0, 2, 1), inner)[:, :, 0].T
    proposal: Array = prior.centre + drawn @ vectors.T
    if prior.contains(proposal):
        return proposal
    return _gibbs_in_box(rng, means, variance, moments, prior)


def draw_free_means(
    rng: np.random.Generator,
    means: Array,
    variance: float,
    moments: Moments,
    prior: TopicPrior,
    held: NDArray[np.bool_],
) -> Array:
    """Draw the means (K, p) of topics that are not `held` (K), given those that are."""
    free = ~held
    if not free.any():
        return means
    drawn = means.copy()
    drawn[free] = draw_means(
        rng, means[free], variance, moments.of_topics(free), prior.of_topics(free)
    )
    return drawn


def _gibbs_in_box(
    rng: np.random.Generator, means: Array, variance: float, moments: Moments, prior: TopicPrior
) -> Array:
    means = np.clip(means, prior.low, prior.high)
    centres = np.broadcast_to(prior.centre, means.shape)
    inverse = np.linalg.inv(prior.covariance)
    for k in range(len(means)):
        for q in range(means.shape[1]):
            precision = moments.products[k, k] / variance + inverse[q, q]
            gradient = moments.residuals[k, q] / variance - inverse[q] @ (means[k] - centres[k])
            value = truncated_normal(
                rng,
                means[k, q] + gradient / precision,
                1.0 / math.sqrt(precision),
                prior.low[q],
                prior.high[q],
            )
            step = np.zeros_like(means)
            step[k, q] = value - means[k, q]
            moments = moments.moved(step)
            means[k, q] = value
    return means


def truncated_normal(
    rng: np.random.Generator, centre: float, deviation: float, low: float, high: float
) -> float:
    """Draw from Normal(centre, deviation^2) between low and high, by rejection.

    The proposal is the normal itself, an exponential in the tail, or uniform on
    a narrow interval, whichever fits, so that about half or more are accepted;
    numbers so absurd that none is are refused.
    """
    if not all(map(math.isfinite, (centre, deviation, low, high))):
        raise PmldaError(_ABSURD)
    if not low < high:
        return low
    left, right = (low - centre) / deviation, (high - centre) / deviation
    if right < 0.0:
        return -truncated_normal(rng, -centre, deviation, -high, -low)
    if left <= 0.0 and right - left > 2.0:
        draw_normal, flat, peak = True, False, 0.0
    else:
        peak = max(left, 0.0)
        rate = 0.5 * (peak + math.sqrt(peak * peak + 4.0))
        draw_normal, flat = False, (right - left) * rate < 2.0 or left <= 0.0
    for _ in range(_MOST_TRIES):
        if draw_normal:
            value = rng.standard_normal()
            accepted = left <= value <= right
        elif flat:
            value = rng.uniform(left, right)
            accepted = math.log1p(-rng.random()) <= 0.5 * (peak * peak - value * value)
        else:
            value = left + rng.standard_exponential() / rate
            away = value - rate
            accepted = value <= right and math.log1p(-rng.random()) <= -0.5 * away * away
        if accepted:
            return min(max(centre + deviation * value, low), high)
    raise PmldaError(_ABSURD)


def draw_variance(
    rng: np.random.Generator, variance: float, moments: Moments, prior: TopicPrior
) -> float:
    """Draw sigma^2: inverse gamma between the prior's bounds.

    Rejection first; where the bounds leave it little chance, a slice step on
    ln sigma^2 from the present value.  As for the means, the choice between them
    does not depend on the present value.
    """
    shape = 0.5 * moments.words * moments.residuals.shape[1] - 1.0
    half = 0.5 * moments.squares
    if shape > 0.0 and half > 0.0:
        for _ in range(20):
            value = half / rng.standard_gamma(shape)
            if prior.least_variance <= value <= prior.most_variance:
                return float(value)

    def log_density(log_variance: float) -> float:
        return -shape * log_variance - half * math.exp(-log_variance)

    left, right = math.log(prior.least_variance), math.log(prior.most_variance)
    here = min(max(math.log(variance), left), right)
    height = log_density(here) + math.log1p(-rng.random())
    for _ in range(_MOST_TRIES):
        if not right - left > 1e-14:
            break
        value = rng.uniform(left, right)
        if log_density(value) >= height:
            return min(max(math.exp(value), prior.least_variance), prior.most_variance)
        if value < here:
            left = value
        else:
            right = value
    return math.exp(here)


def propose_means(
    rng: np.random.Generator, means: Array, variance: float, moments: Moments, prior: TopicPrior
) -> tuple[Array, Moments, float]:
    """Algorithm 1's step for the means: propose each from the prior N(mu_D, f Sigma_D).

    Proposal and prior are the same density, f included, and cancel; what remains
    is the ratio of likelihoods.  (The paper corrects for the proposal without f.)
    Returns the means, their moments and the share accepted.
    """
    means = means.copy()
    accepted = 0
    root = np.linalg.cholesky(prior.covariance)
    for k in range(len(means)):
        candidate = prior.middle + root @ rng.standard_normal(means.shape[1])
        step = np.zeros_like(means)
        step[k] = candidate - means[k]
        there = moments.moved(step)
        gain = (moments.squares - there.squares) / (2.0 * variance)
        inside = prior.contains(candidate[None])
        if math.log1p(-rng.random()) <= gain and inside:
            means[k] = candidate
            moments = there
            accepted += 1
    return means, moments, accepted / len(means)


def propose_variance(
    rng: np.random.Generator, variance: float, moments: Moments, prior: TopicPrior
) -> tuple[float, float]:
    """Algorithm 1's step for sigma^2: propose from its uniform prior, accept by the likelihood.

    The paper's "draw" is the constant half range of squared distances to the data
    mean; read as written the candidate would never change, so we take that number
    as the upper end of a uniform distribution.  Returns the variance and whether
    the candidate was accepted.
    """
    candidate = rng.uniform(prior.least_variance, prior.most_variance)
    gain = moments.log_likelihood(candidate) - moments.log_likelihood(variance)
    if math.log1p(-rng.random()) <= gain:
        return float(candidate), 1.0
    return variance, 0.0


def regress_means(means: Array, moments: Moments) -> Array:
    """The authors' variant: means by least squares of the words on the weights."""
    ridge = 1e-9 * (np.trace(moments.products) + 1.0) / len(means)
    system = moments.products + ridge * np.eye(len(means))
    regressed: Array = means + np.linalg.solve(system, moments.residuals)
    return regressed
