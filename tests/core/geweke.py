"""Geweke's joint-distribution test: two ways to draw from the joint of parameters and data.

Draw everything from the prior and the words given it; or alternate the sampler's
sweep, given the words, with fresh words given the sample.  If the sweep leaves
the posterior invariant, both have the same distribution.

`alternating_scores` is that test as Geweke wrote it and needs a chain that mixes.
Algorithm 1 does not where s pi_k < 1: its proposals hardly ever reach the corners
and never leave them.  `paired_scores` therefore begins each of many short runs
with an exact draw, which the sweep must leave distributed as it was, whatever
the mixing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core import Chain, Corpus, Parameters, State, TopicPrior, generate
from pmlda_gui.core.field import Influence, by_document
from pmlda_gui.core.simulate import draw_log_dirichlet, draw_words

SIZES = (3, 1, 5)
FEATURES = 2
PRIOR = TopicPrior(
    centre=np.array([0.3, -0.2]),
    covariance=np.array([[2.0, 0.6], [0.6, 1.0]]),
    low=np.array([-2.0, -2.5]),
    high=np.array([2.5, 1.5]),
    least_variance=0.1,
    most_variance=1.2,
)


def draw_from_prior(
    parameters: Parameters, rng: np.random.Generator, prior: TopicPrior = PRIOR
) -> tuple[Corpus, State]:
    """Everything from the model: topics from their prior, then documents and words."""
    root = np.linalg.cholesky(prior.covariance)
    means = np.empty((parameters.topics, FEATURES))
    centres = np.broadcast_to(prior.centre, means.shape)
    for k in range(parameters.topics):
        while True:
            means[k] = centres[k] + root @ rng.standard_normal(FEATURES)
            if PRIOR.contains(means[k : k + 1]):
                break
    variance = rng.uniform(PRIOR.least_variance, PRIOR.most_variance)
    if parameters.hard_documents:
        return generate(parameters, means, variance, SIZES, int(rng.integers(2**31)))
    influence = LAYOUT.influence(parameters.smoothness)
    proportions, scaling = draw_coupled_documents(parameters, influence, rng)
    a = influence.spread(np.maximum(scaling[:, None] * proportions, 1e-10))
    state = State(draw_log_dirichlet(rng, a.T), proportions, scaling, means, float(variance))
    return _corpus(draw_words(rng, state, parameters.fuzzifier)), state


class LineLayout:
    """The words of the three documents one behind the other on a line, a step apart."""

    def influence(self, smoothness: float) -> Influence:
        offsets = np.concatenate([[0], np.cumsum(SIZES)])
        near = (np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]))
        if smoothness == 0.0:
            return Influence.hard(offsets, near)
        place = np.arange(sum(SIZES))
        pull = np.exp(-0.5 * ((place[:, None] - place[None]) / (3.0 * smoothness)) ** 2)
        weights = np.add.reduceat(pull, offsets[:-1], axis=1)
        weights /= weights.sum(axis=1, keepdims=True)
        words, documents = np.indices(weights.shape).reshape(2, -1)
        table = by_document(words, documents, weights.ravel(), len(SIZES))
        return Influence(len(place), *table, *near)

    def subset(self, words: NDArray[np.int64]) -> LineLayout:
        raise NotImplementedError


LAYOUT = LineLayout()


def _corpus(words: NDArray[np.float64]) -> Corpus:
    return Corpus(words, np.concatenate([[0], np.cumsum(SIZES)]), layout=LAYOUT)


def draw_coupled_documents(
    parameters: Parameters, influence: Influence, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Proportions and scaling of coupled documents, by rejection from uncoupled ones."""
    count = influence.documents
    while True:
        proportions = (
            np.exp(draw_log_dirichlet(rng, np.tile(parameters.alpha_vector, (count, 1))))
            if parameters.proportions is None
            else np.tile(np.asarray(parameters.proportions), (count, 1))
        )
        scaling = (
            rng.exponential(1.0 / parameters.rate, count)
            if parameters.scaling is None
            else np.full(count, parameters.scaling)
        )
        logs = np.log(np.maximum(scaling[:, None] * proportions, 1e-10))
        away = np.sum((logs[:-1] - logs[1:]) ** 2)
        if rng.random() <= np.exp(-0.5 * parameters.coupling * away):
            return proportions, scaling


def functionals(state: State, words: NDArray[np.float64]) -> NDArray[np.float64]:
    """Functions of every variable whose means the two ways must agree on."""
    z, log_z = state.memberships, np.maximum(state.log_memberships, -50.0)
    pi, log_s = state.proportions, np.log(state.scaling)
    mu, x = state.means, words
    return np.array(
        [
            pi[0, 0], pi[0, 0] ** 2, np.log(pi[:, 0]).mean(), log_s.mean(), (log_s**2).mean(),
            np.exp(-state.scaling).mean(),
            z[0, 0], (z[:, 0] ** 2).mean(), log_z[:, 0].mean(), log_z[:, -1].mean(),
            (z[:, 0] * z[:, 1]).mean(), (pi[0] * z[0]).sum(),
            mu[0, 0], mu[-1, 1], (mu**2).mean(), mu[0, 0] * mu[0, 1], mu[0, 0] * mu[1, 0],
            state.variance, np.log(state.variance),
            x.mean(), (x**2).mean(), x[0, 0] * mu[0, 0], (x[:, 0] * z[:, 0]).mean(),
            (x[:, 1] * log_z[:, 0]).mean(),
        ]
    )  # fmt: skip


def _place(chain: Chain, corpus: Corpus, state: State) -> None:
    """Put a chain at a sample of another corpus of the same shape."""
    chain.corpus.columns = corpus.columns
    chain._word_pass.logs[:] = state.log_memberships.T
    chain._globals = state.globals
    chain._word_pass.recompute(state.means, chain.parameters.fuzzifier)


def paired_scores(
    parameters: Parameters,
    sampler: str,
    replicates: int = 3000,
    seed: int = 0,
    prior: TopicPrior = PRIOR,
) -> NDArray[np.float64]:
    """Scores of the mean change of each functional over two sweeps from exact draws."""
    rng = np.random.default_rng(seed)
    corpus, state = draw_from_prior(parameters, rng, prior)
    chain = Chain(corpus, parameters, sampler, seed, threads=1, prior=prior, start=state)
    # A chain puts the centres in the order of its first topics.
    chain._target = replace(chain._target, prior=prior)
    changes = np.empty((replicates, len(functionals(state, corpus.words))))
    for r in range(replicates):
        corpus, state = draw_from_prior(parameters, rng, prior)
        before = functionals(state, corpus.words)
        _place(chain, corpus, state)
        chain.sweep(1)
        corpus = _corpus(draw_words(rng, chain.state, parameters.fuzzifier))
        _place(chain, corpus, chain.state)
        chain.sweep(1)
        changes[r] = functionals(chain.state, corpus.words) - before
    error = changes.std(axis=0, ddof=1) / np.sqrt(replicates)
    return _scores(changes.mean(axis=0), error)


def alternating_scores(
    parameters: Parameters, sampler: str, sweeps: int = 6000, draws: int = 12000, seed: int = 0
) -> NDArray[np.float64]:
    """Scores of the difference between one long alternating chain and draws from the prior."""
    rng = np.random.default_rng(seed)
    forward = np.array(
        [
            functionals(state, corpus.words)
            for corpus, state in (draw_from_prior(parameters, rng) for _ in range(draws))
        ]
    )
    corpus, state = draw_from_prior(parameters, rng)
    chain = Chain(corpus, parameters, sampler, seed, threads=1, prior=PRIOR, start=state)
    around = np.empty((sweeps, forward.shape[1]))
    for t in range(sweeps):
        chain.sweep(1)
        around[t] = functionals(chain.state, chain.corpus.words)
        chain.corpus.columns = np.ascontiguousarray(
            draw_words(rng, chain.state, parameters.fuzzifier).T
        )
    batches = 50
    means = around[: sweeps // batches * batches].reshape(batches, -1, around.shape[1]).mean(axis=1)
    error = np.sqrt(means.var(axis=0, ddof=1) / batches + forward.var(axis=0, ddof=1) / draws)
    return _scores(around.mean(axis=0) - forward.mean(axis=0), error)


def _scores(differences: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
    # A functional of fixed values agrees exactly or not at all.
    fixed = error < 1e-12
    scores = np.where(np.abs(differences) < 1e-6, 0.0, np.inf)
    scores[~fixed] = differences[~fixed] / error[~fixed]
    return scores
