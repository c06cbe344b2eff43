"""A change goes on from where the chain is: what has nothing to do with it stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core import (
    Chain,
    Changes,
    Corpus,
    Parameters,
    PmldaError,
    State,
    coarse_to_fine,
    generate,
)
from pmlda_gui.core.corpus import Cores
from pmlda_gui.core.ladder import Ladder, default_levels
from tests.core.strips import FIELD, strip

Array = np.ndarray
MEANS = np.array([[0.0, 0.0], [4.0, 0.5], [1.5, 3.5]])
FOUR = np.vstack([MEANS, [[6.0, 5.0]]])
PARAMETERS = Parameters(3, rate=0.3)
CORPUS, TRUTH = generate(PARAMETERS, MEANS, 0.05, [120] * 12, seed=61)


def settled(parameters: Parameters = PARAMETERS, sweeps: int = 80) -> Chain:
    chain = Chain(CORPUS, parameters, seed=3, threads=1)
    chain.sweep(sweeps)
    return chain


def root_mean_square(difference: Array) -> float:
    return float(np.sqrt(np.mean(np.square(difference))))


def test_new_parameters_take_effect_at_the_next_sweep_and_leave_a_mark() -> None:
    chain = settled(sweeps=10)
    assert not np.any(chain.state.scaling == 7.0)
    assert chain.trace.marks == []
    chain.sweep(1, Changes(Parameters(3, rate=0.3, scaling=7.0)))
    assert chain.parameters.scaling == 7.0
    np.testing.assert_array_equal(chain.state.scaling, 7.0)
    assert [tuple(mark) for mark in chain.trace.marks] == [(10, "scaling 7")]
    chain.sweep(2, Changes(Parameters(3, rate=0.3, proportions=(0.2, 0.3, 0.5))))
    np.testing.assert_allclose(chain.state.proportions, np.tile([0.2, 0.3, 0.5], (12, 1)))
    assert np.ptp(chain.state.scaling) > 0.1
    assert "scaling learned" in chain.trace.marks[1].text
    assert "proportions 0.2 0.3 0.5" in chain.trace.marks[1].text
    chain.sweep(1, Changes(Parameters(3, rate=63.0957, proportions=(1 / 3, 1 / 3, 1 / 3))))
    assert chain.trace.marks[2].text == "rate 63.1, proportions 0.333 0.333 0.333"


def test_nothing_changes_until_an_interrupted_sweep_is_done() -> None:
    chain, quiet = settled(sweeps=5), settled(sweeps=5)
    assert not chain.sweep(1, cancel=lambda: True).finished
    with pytest.raises(PmldaError, match="finish it before anything changes"):
        chain.sweep(1, Changes(Parameters(4)))
    chain.sweep(1)
    quiet.sweep(1)
    np.testing.assert_array_equal(chain.state.log_memberships, quiet.state.log_memberships)
    chain.sweep(1, Changes(Parameters(4)))
    assert chain.state.means.shape == (4, 2)


def test_the_same_parameters_again_change_nothing() -> None:
    chain, quiet = settled(sweeps=5), settled(sweeps=5)
    chain.sweep(3, Changes(Parameters(3, rate=0.3)))
    quiet.sweep(3)
    assert chain.trace.marks == []
    np.testing.assert_array_equal(chain.state.log_memberships, quiet.state.log_memberships)


def test_followed_quantities_restart_at_a_mark_and_the_log_joint_does_not() -> None:
    chain = settled(sweeps=10)
    assert len(chain.trace.quantities["means"]) == 10
    chain.sweep(4, Changes(Parameters(3, rate=2.0)))
    assert len(chain.trace.quantities["means"]) == 4
    assert len(chain.trace.log_joint) == 14


def test_estimates_restart_at_a_change() -> None:
    """Twenty sweeps after a change the old target, where z was crisp, has faded to a few per cent.

    Without a restart the estimate would still be dominated by the hundred sweeps before.
    """
    crisp = Parameters(3, scaling=0.01, proportions=(1 / 3, 1 / 3, 1 / 3))
    even = Parameters(3, scaling=1e5, proportions=(1 / 3, 1 / 3, 1 / 3))
    chain = settled(crisp, sweeps=100)
    assert chain.estimate.memberships.max(axis=1).mean() > 0.95
    before = chain.estimate.sweeps
    chain.sweep(20, Changes(even))
    assert chain.estimate.sweeps < before
    assert root_mean_square(chain.estimate.memberships - 1.0 / 3.0) < 0.05
    assert root_mean_square(chain.paper_map.memberships - 1.0 / 3.0) < 0.05


def test_topics_come_and_go_while_the_others_stay() -> None:
    """Means that stay move by their posterior spread, below a fifth of the topics' distances."""
    chain = settled()
    means = chain.state.means
    chain.sweep(1, Changes(Parameters(4, rate=0.3)))
    assert chain.topic_ids == (0, 1, 2, 3)
    assert np.linalg.norm(chain.state.means[:3] - means, axis=1).max() < 0.8
    means = chain.state.means
    chain.sweep(1, Changes(Parameters(3, rate=0.3)))
    assert len(chain.topic_ids) == 3
    for place, topic in enumerate(chain.topic_ids):
        assert np.linalg.norm(chain.state.means[place] - means[topic]) < 0.8


@pytest.mark.parametrize("sampler", ["fast", "paper", "least-squares"])
def test_topics_keep_their_numbers_and_none_is_used_twice(sampler: str) -> None:
    chain = Chain(CORPUS, PARAMETERS, sampler, seed=3, threads=1)
    chain.sweep(5)
    chain.sweep(1, Changes(Parameters(5, rate=0.3)))
    assert chain.topic_ids == (0, 1, 2, 3, 4)
    assert chain.state.means.shape == (5, 2)
    chain.sweep(1, Changes(Parameters(3, rate=0.3)))
    left = chain.topic_ids
    assert len(left) == len(chain.state.means) == 3
    assert sorted(set(left)) == list(left)
    assert np.isfinite(chain.sweep(1, Changes(Parameters(4, rate=0.3))).log_joint)
    assert chain.topic_ids == (*left, 5)


def test_a_new_topic_starts_where_the_words_are_explained_worst() -> None:
    """Three topics on words of four: the fourth is found in a few sweeps, near its mean."""
    corpus, _ = generate(Parameters(4, scaling=0.5), FOUR, 0.05, [200] * 10, seed=62)
    chain = Chain(corpus, Parameters(3), seed=3, threads=1)
    chain.sweep(100)
    before = chain.state.means
    nearest = np.linalg.norm(FOUR[:, None] - before[None], axis=2).min(axis=1)
    missing = int(np.argmax(nearest))
    chain.sweep(60, Changes(Parameters(4)))
    found = np.linalg.norm(FOUR[:, None] - chain.estimate.means[None], axis=2).min(axis=1)
    assert found[missing] < 0.5 * nearest[missing]
    assert found.max() < 0.6


def test_the_least_used_topic_goes() -> None:
    shares = (0.45, 0.1, 0.45)
    corpus, _ = generate(Parameters(3, scaling=2.0, proportions=shares), MEANS, 0.02, [800], 63)
    chain = Chain(corpus, Parameters(3), seed=3, threads=1)
    chain.sweep(150)
    use = chain.estimate.memberships.mean(axis=0)
    rare = int(np.argmin(use))
    chain.sweep(1, Changes(Parameters(2)))
    assert chain.topic_ids == tuple(topic for topic in range(3) if topic != rare)


def test_memberships_stay_with_their_words_when_documents_change() -> None:
    """Other documents for the same words: z, means and variance stay, pi and s start anew."""
    chain = settled()
    before, means, variance = chain.estimate.memberships, chain.state.means, chain.state.variance
    labels = np.random.default_rng(4).integers(0, 30, CORPUS.size)
    regrouped = CORPUS.regrouped(labels)
    chain.sweep(1, Changes(corpus=regrouped))
    assert chain.corpus is regrouped
    assert chain.state.proportions.shape == (30, 3)
    assert chain.state.scaling.shape == (30,)
    assert chain.trace.marks[-1].text == "documents or features"
    # One sample scatters around the mean by 0.05 to 0.1; unrelated words would by 0.4.
    assert root_mean_square(chain.state.memberships - before[regrouped.sources]) < 0.15
    np.testing.assert_allclose(chain.state.means, means, atol=0.15)
    assert chain.state.variance == pytest.approx(variance, rel=0.3)


def test_documents_that_did_not_change_keep_their_proportions() -> None:
    chain = settled()
    proportions, scaling = chain.globals.proportions, chain.globals.scaling
    corpus = Corpus(CORPUS.words * 2.0, CORPUS.offsets)
    chain.sweep(1, Changes(Parameters(3, rate=0.3, scaling=None), corpus))
    assert np.corrcoef(chain.state.proportions.ravel(), proportions.ravel())[0, 1] > 0.9
    assert np.corrcoef(np.log(chain.state.scaling), np.log(scaling))[0, 1] > 0.7


@pytest.mark.parametrize("turned", [False, True], ids=["other units", "more features"])
def test_means_of_other_features_come_from_a_regression(turned: bool) -> None:
    """Features that are linear in the old ones: the means must be the same combinations."""
    chain = settled()
    means = chain.estimate.means
    mix = np.array([[1.0, 0.5, -1.0], [0.3, 2.0, 1.0]]) if turned else 100.0 * np.eye(2)
    chain.sweep(1, Changes(corpus=Corpus(CORPUS.words @ mix + 1000.0, CORPUS.offsets)))
    expected = means @ mix + 1000.0
    spread = np.ptp(expected, axis=0)
    assert np.all(np.abs(chain.state.means - expected) < 0.15 * spread)
    assert chain.topic_ids == (0, 1, 2)


def test_words_from_new_sources_begin_with_the_average() -> None:
    chain = settled()
    words = np.vstack([CORPUS.words, CORPUS.words[:50]])
    sources = np.concatenate([CORPUS.sources, 10_000 + np.arange(50)])
    offsets = np.append(CORPUS.offsets, CORPUS.size + 50)
    chain.sweep(20, Changes(corpus=Corpus(words, offsets, sources)))
    same = chain.estimate.memberships[:50] - chain.estimate.memberships[-50:]
    assert root_mean_square(same) < 0.15


def test_a_chain_begun_from_a_state_obeys_what_is_fixed() -> None:
    parameters = Parameters(3, scaling=50.0, proportions=(0.2, 0.3, 0.5))
    chain = Chain(CORPUS, parameters, seed=1, threads=1, start=TRUTH)
    chain.sweep(2)
    np.testing.assert_array_equal(chain.state.scaling, 50.0)
    np.testing.assert_allclose(chain.state.proportions, np.tile([0.2, 0.3, 0.5], (12, 1)))


# -- coarse to fine --------------------------------------------------------------------------


def levels_of(corpus: Corpus) -> list[Array]:
    return [corpus.every(12), corpus.every(3)]


def test_levels_grow_eightfold_and_leave_no_document_empty() -> None:
    corpus = Corpus(np.zeros((160_000, 1)), [0, 3, 150_000, 160_000])
    sizes = [len(words) for words in default_levels(corpus)]
    assert len(sizes) == 2
    assert 1500 <= sizes[0] < sizes[1] < 160_000
    for words in default_levels(corpus):
        assert np.all(corpus.subset(words).document_sizes > 0)


def test_coarse_to_fine_hands_over_topics_and_documents() -> None:
    *coarse, last = coarse_to_fine(CORPUS, PARAMETERS, seed=3, threads=1, levels=levels_of(CORPUS))
    assert [level.chain.corpus.size for level in coarse] == [120, 480]
    assert last.words is None
    assert last.agreed
    assert last.chain.corpus is CORPUS
    handed, got = coarse[-1].chain.globals, last.chain.globals
    for name in ("means", "proportions", "scaling", "variance"):
        np.testing.assert_array_equal(getattr(got, name), getattr(handed, name))
    # The first look, before any sweep over all words, is already a map.
    first = last.chain.estimate.memberships
    reference = settled(sweeps=200)
    order = [
        int(np.argmin(np.linalg.norm(last.chain.state.means - mean, axis=1)))
        for mean in reference.estimate.means
    ]
    assert root_mean_square(first[:, order] - reference.estimate.memberships) < 0.15


def test_a_new_word_begins_like_the_one_before_it_in_its_document() -> None:
    corpus = Corpus(np.zeros((9, 1)), [0, 5, 9])
    levels = [np.array([2, 4, 5, 8])]
    ladder = Ladder(corpus, Parameters(2), threads=1, levels=levels)
    # Before the first that was there, that one.
    np.testing.assert_array_equal(ladder._neighbours(), [0, 0, 0, 0, 1, 2, 2, 2, 3])


def test_memberships_are_handed_on_in_order_and_no_crisper_than_allowed() -> None:
    logs = np.log([[0.25, 0.75], [1.0, 1e-300]])
    state = State(logs, np.ones((1, 2)) / 2, np.ones(1), np.zeros((2, 1)), 1.0)
    handed = state.of_words(np.array([1, 0, 0]), least_log=-10.0)
    np.testing.assert_allclose(handed.memberships.sum(axis=1), 1.0)
    np.testing.assert_allclose(handed.log_memberships[0, 1], -10.0, atol=1e-4)
    np.testing.assert_allclose(handed.memberships[1:], [[0.25, 0.75]] * 2, rtol=1e-12)


def test_a_ladder_is_repeated_bit_for_bit_from_a_checkpoint_on_any_rung() -> None:
    def ladder() -> Ladder:
        return Ladder(CORPUS, PARAMETERS, seed=3, threads=1, levels=levels_of(CORPUS))

    whole = ladder()
    whole.sweep(130)
    assert whole.finest
    for stop in (10, 64, 70, 110):
        part = ladder()
        part.sweep(stop)
        resumed = Ladder.resume(CORPUS, part.checkpoint(), 1, levels=levels_of(CORPUS))
        resumed.sweep(130 - stop)
        assert resumed.sweeps == 130
        np.testing.assert_array_equal(
            resumed.chain.state.log_memberships, whole.chain.state.log_memberships
        )


@pytest.mark.parametrize("sweeps", [5, 64, 65, 128, 140])
def test_topics_may_change_at_any_moment_of_the_climb(sweeps: int) -> None:
    ladder = Ladder(
        CORPUS, PARAMETERS, seed=3, threads=1, levels=levels_of(CORPUS), starts=("k-means", "hull")
    )
    ladder.sweep(sweeps)
    ladder.sweep(180 - sweeps, Changes(Parameters(4, rate=0.3, scaling=5.0)))
    assert ladder.finest
    assert ladder.chain.state.means.shape == (4, 2)
    np.testing.assert_array_equal(ladder.chain.state.scaling, 5.0)


@pytest.mark.parametrize("sweeps", [5, 70, 120])
def test_features_may_change_at_any_moment_of_the_climb(sweeps: int) -> None:
    ladder = Ladder(CORPUS, PARAMETERS, seed=3, threads=1, levels=levels_of(CORPUS))
    ladder.sweep(sweeps)
    words = np.column_stack([CORPUS.words * 100.0 + 1000.0, CORPUS.words[:, 0]])
    corpus = Corpus(words, CORPUS.offsets)
    ladder.sweep(60, Changes(corpus=corpus), levels=levels_of(corpus))
    assert ladder.chain.state.means.shape == (3, 3)
    assert np.all(ladder.chain.state.means[:, 0] > 800.0)
    assert np.ptp(ladder.chain.state.means[:, 0]) > 200.0


# -- documents that act beyond their borders ---------------------------------------------------


@pytest.mark.parametrize(
    ("sampler", "text"), [("paper", "hard documents only"), ("fast", "places")]
)
def test_a_field_that_cannot_be_is_refused_and_leaves_the_chain_as_it_was(
    sampler: str, text: str
) -> None:
    corpus = strip([30, 1, 50], MEANS, seed=3) if sampler == "paper" else CORPUS
    chain, quiet = (Chain(corpus, PARAMETERS, sampler, seed=3, threads=1) for _ in range(2))
    with pytest.raises(PmldaError, match=text):
        chain.sweep(1, Changes(Parameters(4, smoothness=0.7)))
    assert chain.parameters == PARAMETERS
    chain.sweep(3)
    quiet.sweep(3)
    np.testing.assert_array_equal(chain.state.log_memberships, quiet.state.log_memberships)
    assert chain.trace.marks == []


def test_a_field_goes_on_warm_when_it_changes() -> None:
    chain = Chain(strip([60, 1, 90], MEANS, seed=3), FIELD, seed=3, threads=1)
    chain.sweep(60)
    before = chain.estimate.memberships
    for changed in ({"smoothness": 0.4}, {"coupling": 2.0}, {"smoothness": 0.0, "coupling": 0.0}):
        chain.sweep(30, Changes(replace(FIELD, **changed)))
        assert root_mean_square(chain.estimate.memberships - before) < 0.2
    assert chain.trace.marks[0].text == "smoothness 0.4"


# -- topics around cores -----------------------------------------------------------------------


def with_cores(count: int) -> Corpus:
    base = strip([30, 1, 50], MEANS, seed=3)
    return Corpus(base.words, base.offsets, layout=base.layout, cores=Cores(FOUR[:count], 0.3))


@pytest.mark.parametrize("topics", [2, 4])
def test_more_or_fewer_topics_than_cores_have_the_prior_of_the_words(topics: int) -> None:
    changed = replace(FIELD, topics=topics)
    begun = Chain(with_cores(3), changed, seed=1, threads=1)
    later = Chain(with_cores(3), FIELD, seed=1, threads=1)
    assert later.prior.centre.shape == (3, 2)
    later.sweep(2)
    for chain in (begun, later):
        chain.sweep(2, Changes(changed))
        assert chain.prior.centre.shape == (2,)
        resumed = Chain.resume(with_cores(3), chain.checkpoint(), threads=1)
        chain.sweep(1)
        resumed.sweep(1)
        np.testing.assert_array_equal(chain.state.means, resumed.state.means)


def test_topics_and_cores_change_together() -> None:
    chain = Chain(with_cores(3), FIELD, seed=1, threads=1)
    chain.sweep(2)
    chain.sweep(2, Changes(replace(FIELD, topics=4), with_cores(4)))
    assert chain.prior.centre.shape == (4, 2)
    # Each topic's prior lies around the core nearest to where the topic is.
    away = np.sum((chain.prior.centre[:, None] - FOUR[None]) ** 2, axis=2)
    assert sorted(away.argmin(axis=1).tolist()) == [0, 1, 2, 3]
