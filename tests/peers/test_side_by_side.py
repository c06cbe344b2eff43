"""Results side by side: one order of topics for all images, and scores against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.peers.scoring import Truth, aligned, score


def segmentation(maps: np.ndarray) -> Segmentation:
    topics = len(maps)
    return Segmentation(
        maps.astype(np.float32),
        maps.astype(np.float32) / 10,
        means=np.arange(topics * 2.0).reshape(topics, 2),
        variance=1.0,
        proportions=np.arange(topics * 4.0).reshape(4, topics),
    )


def soft(seed: int, topics: int = 3) -> np.ndarray:
    return np.moveaxis(np.random.default_rng(seed).dirichlet(np.ones(topics), (8, 9)), -1, 0)


def test_everything_about_a_topic_moves_with_it() -> None:
    found = segmentation(soft(0))
    moved = found.reordered([2, 0, 1])
    np.testing.assert_array_equal(moved.memberships[0], found.memberships[2])
    np.testing.assert_array_equal(moved.uncertainty[1], found.uncertainty[0])
    np.testing.assert_array_equal(moved.means, found.means[[2, 0, 1]])
    np.testing.assert_array_equal(moved.proportions, found.proportions[:, [2, 0, 1]])


def test_all_images_get_the_same_order_even_if_one_of_them_would_prefer_another() -> None:
    clear, vague = soft(1), np.full((3, 8, 9), 1 / 3)
    vague[0] += 0.01
    vague[1] -= 0.01
    shuffled = [segmentation(clear[[1, 2, 0]]), segmentation(vague)]
    first, second = aligned(shuffled, [clear, vague])
    np.testing.assert_allclose(first.memberships, clear, atol=1e-6)
    np.testing.assert_allclose(second.memberships, vague[[2, 0, 1]], atol=1e-6)


def test_topics_that_match_none_come_last() -> None:
    four = soft(2, topics=4)
    (found,) = aligned([segmentation(four)], [four[[3, 1]]])
    np.testing.assert_allclose(found.memberships, four[[3, 1, 0, 2]].astype(np.float32))


def test_the_truth_itself_has_no_error_and_full_agreement() -> None:
    maps = soft(3)
    scores = score(Truth(maps.astype(np.float32)), segmentation(maps))
    assert scores.error == 0.0
    assert scores.error_in_transitions == 0.0
    np.testing.assert_allclose(scores.correlations, 1.0, atol=1e-6)
    np.testing.assert_allclose(scores.correlations_in_transitions, 1.0, atol=1e-6)
    assert scores.rand_index == scores.intersection_over_union == 1.0
    assert scores.mutual_information == pytest.approx(1.0)


def test_crisp_truth_has_no_transitions() -> None:
    labels = np.repeat([[0, 127, 255]], 6, axis=0)
    truth = Truth.from_labels(labels)
    assert truth.memberships.shape == (3, 6, 3)
    np.testing.assert_array_equal(truth.labels, np.repeat([[0, 1, 2]], 6, axis=0))
    scores = score(truth, segmentation(truth.memberships[[2, 1, 0]]))
    assert scores.error == 0.0
    assert np.isnan(scores.error_in_transitions)
    assert scores.rand_index == 1.0


def test_pixels_outside_the_truth_do_not_count() -> None:
    maps = soft(4).astype(np.float32)
    truth = Truth(maps.copy())
    truth.memberships[:, :2] = 0.0
    found = segmentation(maps)
    found.memberships[:, :2] = np.nan
    assert (truth.labels[:2] == -1).all()
    assert score(truth, found).error == 0.0
    assert score(truth, segmentation(maps)).rand_index == 1.0
