"""What the core refuses, it refuses with a sentence that names the value and what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pmlda_gui.core import Chain, Corpus, Parameters, PmldaError, generate
from pmlda_gui.core.initial_state import STARTS, start_globals


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"topics": 1}, ["topics is 1", "from 2 to 64"]),
        ({"topics": 65}, ["topics is 65", "from 2 to 64"]),
        ({"topics": 2.5}, ["topics is 2.5", "whole number"]),
        ({"topics": "many"}, ["topics is 'many'", "must be a number"]),
        ({"alpha": 0.0}, ["alpha is 0", "between 1e-06 and 1e+06"]),
        ({"alpha": (1.0, -2.0, 1.0)}, ["alpha is -2", "between"]),
        ({"alpha": (1.0, 2.0)}, ["alpha has 2 values", "3 topics"]),
        ({"rate": -0.5}, ["rate is -0.5", "between"]),
        ({"rate": float("nan")}, ["rate is nan", "finite"]),
        ({"rate": None}, ["rate is None", "must be a number"]),
        ({"scaling": 1e-4}, ["scaling is 0.0001", "between 0.001 and 1e+08"]),
        ({"scaling": 1e9}, ["scaling is 1e+09", "between 0.001 and 1e+08"]),
        ({"scaling": float("inf")}, ["scaling is inf", "finite"]),
        ({"fuzzifier": -5.1}, ["fuzzifier is -5.1", "between -5 and 20"]),
        ({"fuzzifier": 21}, ["fuzzifier is 21", "between -5 and 20"]),
        ({"proportions": 0.5}, ["proportions"]),
        ({"proportions": (0.5, 0.5)}, ["proportions has 2 values", "3 topics"]),
        ({"proportions": (0.5, 0.5, 0.5)}, ["proportions is (0.5, 0.5, 0.5)", "sum to 1"]),
        ({"proportions": (1.2, -0.1, -0.1)}, ["proportions is (1.2", "from 0 to 1"]),
    ],
)
def test_parameters_out_of_range_are_named_with_their_range(
    arguments: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(PmldaError) as caught:
        Parameters(**{"topics": 3, **arguments})
    for word in words:
        assert word in str(caught.value)
    assert str(caught.value).endswith(".")


def test_parameters_at_the_ends_of_their_ranges_are_accepted() -> None:
    Parameters(2, scaling=1e-3, fuzzifier=-5)
    Parameters(64, scaling=1e8, fuzzifier=20)
    assert Parameters(3.0).topics == 3
    np.testing.assert_array_equal(Parameters(3, alpha=2.0).alpha_vector, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(Parameters(2, alpha=[1, 3]).alpha_vector, [1.0, 3.0])


def test_a_proportion_of_zero_is_raised_so_that_no_topic_is_forbidden() -> None:
    parameters = Parameters(2, proportions=(0.0, 1.0))
    assert parameters.proportions is not None
    assert 0.0 < parameters.proportions[0] < 1e-8
    assert sum(parameters.proportions) == pytest.approx(1.0)


def test_parameters_cannot_be_changed_and_compare_by_value() -> None:
    parameters = Parameters(3, rate=0.25)
    with pytest.raises(AttributeError):
        parameters.rate = 1.0  # type: ignore[misc]
    assert parameters == Parameters(3, rate=0.25)
    assert parameters != Parameters(3, rate=0.5)


WORDS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([], ["at least one document"]),
        ([WORDS, np.empty((0, 2))], ["Document 1 has no words"]),
        ([WORDS, np.zeros((3, 1))], ["Document 1 has 1 features", "document 0 has 2"]),
        ([np.zeros(4)], ["Document 0", "shape is (4,)"]),
        ([np.zeros((3, 0))], ["shape is (3, 0)"]),
        ([WORDS, np.array([[1.0, 2.0], [np.nan, 0.0]])], ["Word 1 of document 1", "finite"]),
        ([np.array([[np.inf, 0.0]])], ["Word 0 of document 0", "finite"]),
    ],
)
def test_documents_that_make_no_corpus_are_refused(documents: Any, words: list[str]) -> None:
    with pytest.raises(PmldaError) as caught:
        Corpus.from_documents(documents)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("offsets", "sources"),
    [([0, 3], None), ([1, 6], None), ([0, 3, 3, 6], None), ([0, 6], [0, 1]), ([0, 6], [-1] * 6)],
)
def test_offsets_and_sources_must_fit_the_words(offsets: Any, sources: Any) -> None:
    with pytest.raises(PmldaError):
        Corpus(WORDS, offsets, sources)


def test_a_corpus_keeps_words_in_document_order_and_cannot_be_changed() -> None:
    corpus = Corpus.from_documents([WORDS[:2], WORDS[2:]])
    assert (corpus.size, corpus.features, corpus.documents) == (6, 2, 2)
    np.testing.assert_array_equal(corpus.words, WORDS)
    np.testing.assert_array_equal(corpus.document_of, [0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(corpus.document_sizes, [2, 4])
    with pytest.raises(ValueError, match="read-only"):
        corpus.words[0, 0] = 1.0


def test_a_corpus_does_not_follow_later_changes_of_the_array_it_was_made_from() -> None:
    words = WORDS[:, :1].copy()
    corpus = Corpus(words, [0, 6])
    words[:] = 99.0
    np.testing.assert_array_equal(corpus.words, WORDS[:, :1])


def test_regrouped_words_take_their_sources_with_them() -> None:
    corpus = Corpus(WORDS, [0, 2, 6], sources=[10, 11, 12, 13, 14, 15])
    regrouped = corpus.regrouped([1, 0, 1, 0, 1, 1])
    np.testing.assert_array_equal(regrouped.sources, [11, 13, 10, 12, 14, 15])
    np.testing.assert_array_equal(regrouped.words, WORDS[[1, 3, 0, 2, 4, 5]])
    np.testing.assert_array_equal(regrouped.offsets, [0, 2, 6])
    with pytest.raises(PmldaError, match="6 words"):
        corpus.regrouped([0, 1])


def test_a_subset_keeps_documents_and_refuses_to_empty_one() -> None:
    corpus = Corpus(WORDS, [0, 2, 6])
    subset = corpus.subset(corpus.every(3))
    np.testing.assert_array_equal(subset.sources, [0, 2, 5])
    np.testing.assert_array_equal(subset.offsets, [0, 1, 3])
    with pytest.raises(PmldaError, match="Document 0 has no words"):
        corpus.subset([3, 4])
    with pytest.raises(PmldaError, match="ascending"):
        corpus.subset([4, 3])
    with pytest.raises(PmldaError, match="ascending"):
        corpus.subset([0, 6])


def test_unknown_samplers_starts_and_seeds_are_refused_with_the_choices() -> None:
    corpus = Corpus(WORDS, [0, 6])
    with pytest.raises(PmldaError, match="fast, paper, least-squares"):
        Chain(corpus, Parameters(2), "gibbs")
    with pytest.raises(PmldaError, match="k-means, hull, random"):
        Chain(corpus, Parameters(2), start="corners")
    with pytest.raises(PmldaError, match="seed is -1"):
        Chain(corpus, Parameters(2), seed=-1)


def test_a_start_of_another_shape_is_refused() -> None:
    means = np.array([[0.0, 0.0], [3.0, 0.5]])
    corpus, state = generate(Parameters(2), means, 0.1, (5, 6), seed=1)
    with pytest.raises(PmldaError, match="does not fit this corpus and number of topics"):
        Chain(corpus, Parameters(3), start=state)


@pytest.mark.parametrize("kind", [kind for kind in STARTS if kind != "cores"])
def test_every_start_begins_with_even_proportions_away_from_the_crisp_trap(kind: str) -> None:
    means = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5]])
    corpus, _ = generate(Parameters(3), means, 0.1, (50, 60), seed=1)
    chain = Chain(corpus, Parameters(3), start=kind)
    started = start_globals(corpus, Parameters(3), chain.prior, 0, kind)
    assert np.all(started.concentration >= 1.0)
    np.testing.assert_allclose(started.proportions, 1.0 / 3.0)
    assert chain.prior.contains(started.means)
    assert chain.prior.least_variance < started.variance <= chain.prior.most_variance
