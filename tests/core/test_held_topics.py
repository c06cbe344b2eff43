"""Topics that are held stay where they are, and the others still follow the posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.changes import Changes
from pmlda_gui.core.corpus import Cores, Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.core.prior import TopicPrior
from pmlda_gui.core.topics import Moments, draw_free_means, draw_means

MEANS = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 3.0]])


def corpus(cores=None, seed=0):
    """Three documents of words about mixtures of three topics."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.5, 0.5, 0.5], 600)
    words = shares @ MEANS + 0.2 * rng.standard_normal((600, 2))
    return Corpus(words, [0, 200, 400, 600], cores=cores)


def given(word_variance=0.04):
    return corpus(Cores(MEANS, 0.01, word_variance))


def test_held_topics_do_not_move_and_their_variance_stays():
    chain = Chain(given(), Parameters(3, held=(0, 1, 2)), seed=1, threads=1)
    before = chain.state
    chain.sweep(5)
    after = chain.state
    assert np.array_equal(after.means, MEANS)
    assert after.variance == 0.04
    assert not np.array_equal(after.proportions, before.proportions)
    assert np.isfinite(chain.trace.logit_log_joint).all()


def test_a_released_topic_moves_while_the_others_stay():
    chain = Chain(given(), Parameters(3, held=(0, 1, 2)), seed=1, threads=1)
    chain.sweep(2)
    chain.sweep(3, Changes(parameters=replace(chain.parameters, held=(0, 2))))
    assert np.array_equal(chain.state.means[[0, 2]], MEANS[[0, 2]])
    assert not np.array_equal(chain.state.means[1], MEANS[1])
    assert chain.state.variance != 0.04


def test_a_hold_stays_with_its_topic_when_another_is_removed():
    chain = Chain(given(), Parameters(3, held=(0, 1, 2)), seed=1, threads=1)
    chain.sweep(2)
    chain.sweep(2, Changes(parameters=replace(chain.parameters, topics=2)))
    kept = MEANS[list(chain.topic_ids)]
    assert np.array_equal(chain.state.means, kept)


def test_released_means_are_drawn_from_their_conditional_given_the_held_ones():
    rng = np.random.default_rng(3)
    words = corpus()
    shares = rng.dirichlet([1, 1, 1], 600)
    prior = TopicPrior.from_corpus(words)
    residual = words.words - shares @ MEANS
    moments = Moments(600, shares.T @ shares, shares.T @ residual, float(np.sum(residual**2)))
    held = np.array([True, False, True])
    draws = np.array([draw_free_means(rng, MEANS, 0.5, moments, prior, held) for _ in range(4000)])
    assert np.array_equal(draws[0, held], MEANS[held])
    # The same conditional by hand: regress what the held topics leave on the free one's shares.
    left = words.words - shares[:, held] @ MEANS[held]
    precision = shares[:, 1] @ shares[:, 1] / 0.5 * np.eye(2) + np.linalg.inv(prior.covariance)
    pull = shares[:, 1] @ left / 0.5 + np.linalg.inv(prior.covariance) @ prior.centre
    expected, spread = np.linalg.solve(precision, pull), np.linalg.inv(precision)
    assert draws[:, 1].mean(axis=0) == pytest.approx(expected, abs=0.01)
    assert np.cov(draws[:, 1].T) == pytest.approx(spread, abs=0.1 * spread.max())


def test_no_topic_held_gives_the_bits_of_a_plain_draw():
    words = corpus()
    prior, moments = TopicPrior.from_corpus(words), Moments(9, np.eye(3), np.ones((3, 2)), 1.0)
    plain = draw_means(np.random.default_rng(1), MEANS, 0.5, moments, prior)
    none = draw_free_means(np.random.default_rng(1), MEANS, 0.5, moments, prior, np.zeros(3, bool))
    assert np.array_equal(plain, none)


def test_a_chain_with_held_topics_resumes_bit_for_bit():
    chain = Chain(given(), Parameters(3, held=(1,)), seed=1, threads=1)
    chain.sweep(3)
    again = Chain.resume(given(), chain.checkpoint(), threads=1)
    chain.sweep(3)
    again.sweep(3)
    assert again.parameters.held == (1,)
    assert np.array_equal(again.state.log_memberships, chain.state.log_memberships)


def test_topics_outside_the_words_can_be_held():
    far = Cores(MEANS + 50.0, 0.01, 0.04)
    chain = Chain(corpus(far), Parameters(3, held=(0, 1, 2)), seed=1, threads=1)
    chain.sweep(2)
    assert np.array_equal(chain.state.means, MEANS + 50.0)


def test_samplers_of_the_paper_refuse_to_hold_topics():
    with pytest.raises(PmldaError, match="cannot hold topics"):
        Chain(given(), Parameters(3, held=(0,)), "paper", seed=1, threads=1)


@pytest.mark.parametrize("held", [(-1,), (0.5,), ("a",)])
def test_what_is_no_number_of_a_topic_is_refused(held):
    with pytest.raises(PmldaError, match="numbers of topics"):
        Parameters(3, held=held)


def test_a_hold_stays_with_its_topic_when_topics_are_renumbered():
    chain = Chain(given(), Parameters(3, held=(1,)), seed=1, threads=1)
    chain.number_topics((4, 7, 5))
    chain.sweep(3)
    assert chain.parameters.held == (7,)
    assert np.array_equal(chain.state.means[1], MEANS[1])
    assert not np.array_equal(chain.state.means[0], MEANS[0])


def test_held_topics_stay_where_they_are_when_words_are_turned():
    chain = Chain(given(), Parameters(3, held=(1,)), seed=1, threads=1)
    chain.sweep(3)
    was = chain.state.means[1].copy()
    turn = np.array([[0.8, -0.5], [0.3, 1.4]])
    old = given()
    turned = Corpus(old.words @ turn, old.offsets, old.sources, cores=Cores(MEANS @ turn, 0.01))
    chain.sweep(2, Changes(corpus=turned))
    np.testing.assert_allclose(chain.state.means[1], was @ turn, rtol=1e-6)


def test_a_held_topic_is_the_last_to_be_removed():
    chain = Chain(given(), Parameters(3), seed=1, threads=1)
    chain.sweep(5)
    least = chain.topic_ids[int(chain.estimate.memberships.mean(axis=0).argmin())]
    chain.sweep(1, Changes(parameters=replace(chain.parameters, held=(least,))))
    chain.sweep(1, Changes(parameters=replace(chain.parameters, topics=2)))
    assert least in chain.topic_ids
