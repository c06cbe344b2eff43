"""How many topics: those learned on one half of the image must explain the other half."""

from __future__ import annotations

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.analysis.topic_count import count_topics, judged
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from tests.workspace.straight_edges import edge_run

NUMBERS = (2, 3, 4, 5)
MEAN = FeatureChoice(("mean", "std"), window=9)


def test_a_clear_best_is_suggested() -> None:
    scores = np.array([[-9.0, -7.0, -7.6, -8.0], [-9.2, -7.1, -7.5, -8.2]])
    suggestion, reason = judged(NUMBERS, scores)
    assert suggestion == 3
    assert reason.startswith("3 topics")
    assert "as well" not in reason


def test_a_neighbour_that_is_as_good_is_named() -> None:
    suggestion, reason = judged(NUMBERS, np.array([[-9.0, -7.0, -7.05, -8.0]] * 2))
    assert suggestion == 3
    assert "4 suit about as well" in reason


def test_scores_that_are_alike_over_a_wide_range_are_not_clear() -> None:
    suggestion, reason = judged(NUMBERS, np.array([[-7.05, -7.0, -7.02, -8.0]] * 2))
    assert suggestion is None
    assert reason.startswith("Not clear: from 2 to 4")


def test_seeds_that_disagree_make_it_unclear() -> None:
    scores = np.array([[-9.0, -7.0, -8.0, -9.0], [-7.0, -7.3, -7.1, -9.0]])
    assert judged(NUMBERS, scores)[0] is None


def test_two_kinds_of_sand_are_two_topics() -> None:
    run, told = edge_run(50), []
    found = count_topics(run.prepared, run.parameters, seeds=2, most=4, progress=told.append)
    assert found.suggestion == 2
    assert found.scores.shape == (2, 3)
    assert (found.mean[0] > found.mean[1:]).all()
    assert told == sorted(told)
    assert told[-1] == 1.0
    again = count_topics(run.prepared, run.parameters, seeds=1, most=2)
    assert again.scores[0, 0] == found.scores[0, 0]


def test_looking_can_be_stopped_and_a_tiny_image_is_refused() -> None:
    run = edge_run(50)
    with pytest.raises(Cancelled):
        count_topics(run.prepared, run.parameters, cancel=lambda: True)
    tiny = Image(np.random.default_rng(0).random((20, 20), np.float32), np.ones((20, 20), np.bool_))
    prepared = prepare([tiny], MEAN, DocumentChoice("grid", 2))
    with pytest.raises(PmldaError, match="too small"):
        count_topics(prepared, run.parameters)


def test_images_learned_from_pixel_by_pixel_are_looked_at_coarsely() -> None:
    pixels = np.random.default_rng(0).random((120, 120), np.float32)
    image = Image(pixels, np.ones((120, 120), np.bool_))
    every = FeatureChoice(("mean", "std"), window=9, lattice=1)
    prepared = prepare([image], every, DocumentChoice("grid", 9))
    found = count_topics(prepared, edge_run(50).parameters, seeds=1, most=3)
    assert np.isfinite(found.scores).all()
