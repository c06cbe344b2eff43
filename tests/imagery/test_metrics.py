"""Measures of agreement: against closed forms, a library, and what must not change them."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmlda_gui.imagery.metrics import (
    adjusted_rand_index,
    match_maps,
    mean_intersection_over_union,
    membership_error,
    normalised_mutual_information,
    topic_correlations,
    transition_zone,
)

labellings = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 4, (2, 9, 8))
)


def soft(seed: int, topics: int = 3) -> np.ndarray:
    """Random maps (K, 12, 10)."""
    return np.moveaxis(np.random.default_rng(seed).dirichlet(np.ones(topics), (12, 10)), -1, 0)


@pytest.fixture(scope="module")
def metrics() -> ModuleType:
    """scikit-learn's measures; what it warns about while loading is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module: ModuleType = pytest.importorskip("sklearn.metrics")
    return module


@settings(deadline=None)
@given(labellings)
def test_indices_are_those_of_scikit_learn(metrics: ModuleType, pair: np.ndarray) -> None:
    first, second = pair
    assert adjusted_rand_index(first, second) == pytest.approx(
        metrics.adjusted_rand_score(first.ravel(), second.ravel())
    )
    assert normalised_mutual_information(first, second) == pytest.approx(
        metrics.normalized_mutual_info_score(first.ravel(), second.ravel())
    )


@settings(deadline=None)
@given(labellings)
def test_names_of_labels_do_not_matter(pair: np.ndarray) -> None:
    first, second = pair
    renamed = np.array([7, 3, 11, 0])[second]
    for index in (
        adjusted_rand_index,
        normalised_mutual_information,
        mean_intersection_over_union,
    ):
        assert index(first, renamed) == pytest.approx(index(first, second))
        assert index(first, first) == pytest.approx(1.0)


def test_negative_labels_are_left_out() -> None:
    first = np.array([[0, 0, 1, 1, -1, 2]])
    second = np.array([[5, 5, 6, 6, 9, -1]])
    assert adjusted_rand_index(first, second) == 1.0
    assert normalised_mutual_information(first, second) == pytest.approx(1.0)


def test_intersection_over_union_counts_classes_that_nothing_matches_as_lost() -> None:
    truth = np.array([[0, 0, 0, 1, 1, 2]])
    labels = np.array([[4, 4, 4, 4, 4, 4]])
    # One label for three classes: it matches the largest with 3 of 6, the others get none.
    assert mean_intersection_over_union(truth, labels) == pytest.approx(0.5 / 3)


def test_topics_are_matched_whatever_their_order() -> None:
    maps = soft(1)
    order = [2, 0, 1]
    np.testing.assert_array_equal(match_maps(maps[order], maps), order)
    assert membership_error(maps, maps[order]) == 0.0
    np.testing.assert_allclose(topic_correlations(maps, maps[order]), 1.0)


def test_a_missing_topic_counts_as_none_of_it() -> None:
    maps = soft(2)
    merged = np.stack([maps[0], maps[1] + maps[2]])
    partner = match_maps(maps, merged)
    lost = int(np.flatnonzero(partner < 0)[0])
    assert np.isnan(topic_correlations(maps, merged)[lost])
    absent = np.sqrt(np.mean([maps[lost] ** 2, maps[lost] ** 2, 0 * maps[0]]))
    assert membership_error(maps, merged) == pytest.approx(absent)


def test_correlations_are_pearsons_and_follow_the_chosen_pixels() -> None:
    truth, maps = soft(3), 0.5 * soft(3) + 0.5 * soft(4)
    where = np.zeros((12, 10), bool)
    where[:5] = True
    expected = [np.corrcoef(truth[k].ravel(), maps[k].ravel())[0, 1] for k in range(3)]
    np.testing.assert_allclose(topic_correlations(truth, maps), expected)
    inside = [np.corrcoef(truth[k][where], maps[k][where])[0, 1] for k in range(3)]
    np.testing.assert_allclose(topic_correlations(truth, maps, where), inside)


def test_constant_maps_and_empty_zones_have_no_correlation() -> None:
    truth = soft(5)
    even = np.full_like(truth, 1 / 3)
    assert np.isnan(topic_correlations(truth, even)).all()
    nowhere = np.zeros((12, 10), bool)
    assert np.isnan(topic_correlations(truth, truth, nowhere)).all()
    assert np.isnan(membership_error(truth, truth, nowhere))


def test_pixels_without_memberships_are_left_out_everywhere() -> None:
    truth, maps = soft(6), soft(6)
    maps[:, 3] = np.nan
    truth[:, 5] = np.nan
    assert membership_error(truth, maps) == 0.0
    np.testing.assert_allclose(topic_correlations(truth, maps), 1.0)
    assert not transition_zone(truth)[5].any()


def test_the_transition_zone_is_where_no_topic_has_more_than_nine_tenths() -> None:
    truth = np.array([[[1.0, 0.95, 0.9, 0.5, 0.05]], [[0.0, 0.05, 0.1, 0.5, 0.95]]])
    np.testing.assert_array_equal(transition_zone(truth), [[False, False, True, True, False]])
