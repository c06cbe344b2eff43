"""Frames show what the estimate says, pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest
from small_scenes import small_image, small_run

from pmlda_gui.gui.look import ShownTopic, arrange
from pmlda_gui.gui.painting import Painter
from pmlda_gui.gui.snapshot import LEVELS, UNCERTAINTY_RANGE
from pmlda_gui.imagery.rendering import composite


@pytest.fixture(scope="module", params=["slic", "window"])
def painted(request: pytest.FixtureRequest):
    run = small_run(kind=request.param)
    run.sweep(3)
    estimate = run.estimate()
    topics = arrange(run.topic_ids, ())
    yield run, estimate, topics, Painter().paint(run, estimate, 0, topics)
    run.close()


def test_levels_are_the_memberships_of_the_maps(painted) -> None:
    run, estimate, _, pictures = painted
    maps = run.maps(estimate.memberships)[0]
    inside = ~np.isnan(maps[0])
    expected = 1 + maps * (LEVELS - 1)
    assert np.abs(pictures.maps - expected)[:, inside].max() <= 0.51


def test_pixels_without_data_are_level_zero_and_transparent(painted) -> None:
    *_, pictures = painted
    outside = ~small_image().valid
    assert not pictures.maps[:, outside].any()
    assert not pictures.composite[outside].any()
    assert not pictures.labels[outside].any()
    assert not pictures.uncertainty[outside].any()
    assert pictures.maps[:, ~outside].all()


def test_the_composite_mixes_colours_as_exported_pictures_do(painted) -> None:
    run, estimate, topics, pictures = painted
    maps = run.maps(estimate.memberships)[0]
    expected = composite(maps, np.array([topic.colour for topic in topics], np.uint8))
    inside = ~np.isnan(maps[0])
    difference = np.abs(pictures.composite[..., :3].astype(int) - expected)[inside]
    # The brightness table has 4096 steps, which are coarse only near black.
    assert np.quantile(difference, 0.999) <= 1
    assert difference.max() <= 6


def test_labels_are_the_largest_topic_counted_from_one(painted) -> None:
    run, estimate, _, pictures = painted
    maps = run.maps(estimate.memberships)[0]
    inside = ~np.isnan(maps[0])
    np.testing.assert_array_equal(pictures.labels[inside], maps.argmax(axis=0)[inside] + 1)


def test_uncertainty_is_the_largest_deviation_of_any_topic(painted) -> None:
    run, estimate, _, pictures = painted
    widest = run.maps(estimate.uncertainty)[0].max(axis=0)
    inside = ~np.isnan(widest)
    expected = 1 + np.minimum(widest / UNCERTAINTY_RANGE, 1) * (LEVELS - 1)
    assert np.abs(pictures.uncertainty - expected)[inside].max() <= 0.51


def test_merged_topics_add_their_memberships() -> None:
    run = small_run()
    estimate = run.estimate()
    together = (
        ShownTopic(0, "both", (0, 0, 255), (0, 2)),
        ShownTopic(1, "other", (255, 0, 0), (1,)),
    )
    pictures = Painter().paint(run, estimate, 0, together)
    maps = run.maps(estimate.memberships)[0]
    inside = ~np.isnan(maps[0])
    expected = 1 + (maps[0] + maps[2]) * (LEVELS - 1)
    assert np.abs(pictures.maps[0] - expected)[inside].max() <= 0.51
    run.close()


def test_a_point_estimate_has_no_uncertainty() -> None:
    run = small_run()
    run.sweep(1)
    pictures = Painter().paint(run, run.estimate("map"), 0, arrange(run.topic_ids, ()))
    assert pictures.uncertainty is None
    run.close()


def test_frames_cannot_be_changed_after_they_were_handed_over(painted) -> None:
    *_, pictures = painted
    for array in pictures:
        assert not array.flags.writeable
        assert array.flags.c_contiguous


def test_a_painter_notices_that_the_documents_have_changed() -> None:
    from small_scenes import small_prepared

    run = small_run()
    painter, topics = Painter(), arrange(run.topic_ids, ())
    run.sweep(1)
    painter.paint(run, run.estimate(), 0, topics)
    run.set_prepared(small_prepared("grid"))
    run.sweep(1)
    estimate = run.estimate()
    pictures = painter.paint(run, estimate, 0, topics)
    maps = run.maps(estimate.memberships)[0]
    inside = ~np.isnan(maps[0])
    assert np.abs(pictures.maps - 1 - maps * (LEVELS - 1))[:, inside].max() <= 0.51
    run.close()
