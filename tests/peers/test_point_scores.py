"""Scores at points: which class a topic gets, agreement beyond chance, and calibration."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.peers.point_truth import classes_of_topics, score_points


def test_each_class_gets_a_topic_of_its_own_if_there_are_enough():
    # The first topic overlaps both classes most, but the second has only the second class.
    overlap = np.array([[9.0, 1.0, 4.0], [8.0, 6.0, 1.0]])
    assert classes_of_topics(overlap) == (0, 1, 0)


def test_more_classes_than_topics_leave_some_without():
    assert classes_of_topics(np.array([[5.0], [9.0], [1.0]])) == (1,)


def test_points_are_counted_by_true_and_found_class():
    memberships = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]])
    scores = score_points(memberships, ["sand", "sand", "rock", "rock", "rock"])
    assert scores.classes == ("rock", "sand")
    assert scores.class_of == (1, 0)
    assert scores.confusion.tolist() == [[2, 1], [0, 2]]
    assert scores.accuracy == pytest.approx(0.8)
    # By chance 3/5 * 2/5 + 2/5 * 3/5 = 0.48 would agree.
    assert scores.kappa == pytest.approx((0.8 - 0.48) / 0.52)
    assert scores.brier == pytest.approx(2 * (0.01 + 0.04 + 0.09 + 0.04 + 0.36) / 5)


def test_memberships_that_say_how_often_they_are_right_are_calibrated():
    rng = np.random.default_rng(8)
    sure = rng.uniform(0.5, 1.0, 20_000)
    truth = np.where(rng.random(20_000) < sure, "a", "b")
    memberships = np.stack([sure, 1 - sure], axis=1)
    assert score_points(memberships, list(truth)).calibration_error < 0.02
    certain = np.stack([np.ones_like(sure), np.zeros_like(sure)], axis=1)
    scores = score_points(certain, list(truth))
    assert scores.calibration_error == pytest.approx(1 - scores.accuracy)
    assert sum(each.points for each in scores.bins) == 20_000


def test_points_without_memberships_are_left_out():
    nan = float("nan")
    scores = score_points(np.array([[1.0, 0.0], [nan, nan], [0.0, 1.0]]), ["a", "c", "b"])
    assert scores.points == 2
    assert scores.classes == ("a", "b")
    with pytest.raises(PmldaError, match="No point lies where the result has memberships"):
        score_points(np.full((2, 2), nan), ["a", "b"])
