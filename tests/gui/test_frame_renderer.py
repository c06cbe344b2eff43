"""Frames show what the maps say, pixel by pixel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.gui.canvas import Area, Canvas
from pmlda_gui.gui.frame import LEVELS, UNCERTAINTY_RANGE, Pictures
from pmlda_gui.gui.frame_renderer import Painter, paint_maps
from pmlda_gui.gui.map_schedule import Mapper
from pmlda_gui.gui.view_request import ShownTopic, ViewRequest, arrange
from pmlda_gui.imagery.rendering import composite
from pmlda_gui.workspace.maps import ImageMaps
from pmlda_gui.workspace.run import Run
from tests.gui.small_scenes import small_image, small_prepared, small_run


def finished(
    run: Run,
    topics: tuple[ShownTopic, ...],
    look: ViewRequest = ViewRequest(),  # noqa: B008
) -> Pictures:
    """The pictures of a run at rest."""
    mapper = Mapper(run)
    mapper.set_view(look)
    while (wanted := mapper.next_pass(at_rest=True)) is not None:
        assert mapper.make(wanted, lambda: False)
    assert mapper.complete
    return mapper.paint(topics)


@pytest.fixture(scope="module", params=["slic", "window"])
def painted(request: pytest.FixtureRequest):
    run = small_run(kind=request.param)
    run.sweep(12)
    topics = arrange(run.topic_ids, ())
    yield run.maps(), topics, finished(run, topics)
    run.close()


def test_levels_are_the_memberships_of_the_maps(painted) -> None:
    maps, _, pictures = painted
    inside = ~np.isnan(maps.memberships[0])
    expected = 1 + maps.memberships * (LEVELS - 1)
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
    maps, topics, pictures = painted
    colours = np.array([topic.colour for topic in topics], np.uint8)
    expected = composite(maps.memberships, colours)
    inside = ~np.isnan(maps.memberships[0])
    difference = np.abs(pictures.composite[..., :3].astype(int) - expected)[inside]
    # The brightness table has 4096 steps, which are coarse only near black.
    assert np.quantile(difference, 0.999) <= 1
    assert difference.max() <= 6


def test_labels_are_the_largest_topic_counted_from_one(painted) -> None:
    maps, _, pictures = painted
    inside = ~np.isnan(maps.memberships[0])
    ordered = np.sort(maps.memberships, axis=0)
    clear = inside & (ordered[-1] - ordered[-2] > 1e-4)
    assert clear.sum() > 0.9 * inside.sum()
    expected = maps.memberships.argmax(axis=0) + 1
    np.testing.assert_array_equal(pictures.labels[clear], expected[clear])


def test_uncertainty_is_the_largest_deviation_of_any_topic(painted) -> None:
    maps, _, pictures = painted
    widest = maps.deviation.max(axis=0)
    inside = ~np.isnan(widest)
    expected = 1 + np.minimum(widest / UNCERTAINTY_RANGE, 1) * (LEVELS - 1)
    assert np.abs(pictures.uncertainty - expected)[inside].max() <= 0.51


def test_merged_topics_add_their_memberships() -> None:
    run = small_run()
    together = (
        ShownTopic(0, "both", (0, 0, 255), (0, 2)),
        ShownTopic(1, "other", (255, 0, 0), (1,)),
    )
    pictures = finished(run, together)
    maps = run.maps().memberships
    inside = ~np.isnan(maps[0])
    expected = 1 + (maps[0] + maps[2]) * (LEVELS - 1)
    assert np.abs(pictures.maps[0] - expected)[inside].max() <= 0.51
    run.close()


def test_topics_shown_as_one_have_the_uncertainty_of_their_sum() -> None:
    run = small_run()
    run.sweep(12)
    first, second, third = arrange(run.topic_ids, ())
    both = replace(first, members=(*first.members, *second.members))
    pictures = finished(run, (both, third))
    # The sum of two of three memberships is as uncertain as the third.
    deviation = run.maps().deviation[third.members[0]]
    inside = ~np.isnan(deviation)
    expected = 1 + np.minimum(deviation / UNCERTAINTY_RANGE, 1) * (LEVELS - 1)
    assert np.abs(pictures.uncertainty - expected)[inside].max() <= 2.01
    alone = finished(run, (replace(both, members=(0, 1, 2)),))
    assert alone.uncertainty[inside].max() == 1
    run.close()


def test_a_point_estimate_has_no_uncertainty() -> None:
    run = small_run()
    run.sweep(1)
    pictures = finished(run, arrange(run.topic_ids, ()), ViewRequest("map"))
    assert pictures.uncertainty is None
    run.close()


def test_frames_cannot_be_changed_after_they_were_handed_over(painted) -> None:
    *_, pictures = painted
    for array in pictures:
        assert not array.flags.writeable
        assert array.flags.c_contiguous


def test_other_documents_are_noticed() -> None:
    run = small_run()
    mapper, topics = Mapper(run), arrange(run.topic_ids, ())
    run.sweep(1)
    wanted = mapper.next_pass(at_rest=True)
    assert wanted is not None
    assert mapper.make(wanted, lambda: False)
    run.set_prepared(small_prepared("grid"))
    run.sweep(1)
    mapper.note_sweeps()
    while (wanted := mapper.next_pass(at_rest=True)) is not None:
        assert mapper.make(wanted, lambda: False)
    maps = run.maps().memberships
    inside = ~np.isnan(maps[0])
    pictures = mapper.paint(topics)
    assert np.abs(pictures.maps - 1 - maps * (LEVELS - 1))[:, inside].max() <= 0.51
    run.close()


def test_finished_maps_look_as_those_of_a_run(painted) -> None:
    maps, topics, pictures = painted
    found = paint_maps(maps.memberships, topics)
    np.testing.assert_array_equal(found.maps, pictures.maps)
    np.testing.assert_array_equal(found.composite, pictures.composite)
    assert found.uncertainty is None


# -- coarse passes -------------------------------------------------------------------------------


def ramp(step: int, shape: tuple[int, int] = (96, 130), hole: bool = False) -> ImageMaps:
    """A pass over maps that rise evenly from left to right and from top to bottom."""
    rows, columns = (np.minimum(np.arange(0, side, step) + step // 2, side - 1) for side in shape)
    share = (rows[:, None] / shape[0] + columns[None] / shape[1]).astype(np.float32) / 2
    if hole:
        share[rows > 60] = np.nan
    return ImageMaps(
        np.stack([share, 1 - share]), np.stack([share, share]) / 10, rows, columns, step
    )


def laid(maps: ImageMaps, inside: np.ndarray | None = None) -> Canvas:
    shape = (96, 130)
    canvas = Canvas(np.ones(shape, np.bool_) if inside is None else inside, 2)
    canvas.lay(maps, canvas.whole, 1, 1)
    return canvas


@pytest.mark.parametrize("step", [2, 4, 8, 16])
def test_between_computed_pixels_memberships_change_evenly(step: int) -> None:
    fine, coarse = laid(ramp(1)).shares / 65534, laid(ramp(step)).shares / 65534
    within = (slice(None), slice(step, -step), slice(step, -step))
    assert np.abs(fine - coarse)[within].max() < 1e-3
    # No blocks: neighbours differ by no more than in the fine map.
    assert np.abs(np.diff(coarse, axis=2)).max() < 2 * np.abs(np.diff(fine, axis=2)).max()


def test_pixels_without_data_do_not_darken_their_neighbours() -> None:
    inside = np.ones((96, 130), np.bool_)
    inside[70:] = False
    canvas = laid(ramp(8, hole=True), inside)
    assert canvas.shares[:, :70].all()
    assert not canvas.shares[:, 70:].any()
    np.testing.assert_allclose(canvas.shares[:, :70].sum(axis=0) / 65534, 1, atol=1e-3)


def test_a_coarser_pass_does_not_replace_a_finer_one_that_can_be_seen() -> None:
    canvas = laid(ramp(2))
    before = canvas.shares.copy()
    canvas.lay(ramp(8), canvas.whole, 2, 1)
    np.testing.assert_array_equal(canvas.shares, before)
    assert canvas.coarsest(canvas.whole) == 2
    # On a screen that shows every eighth pixel nobody can tell.
    canvas.lay(ramp(8), canvas.whole, 2, 8)
    assert canvas.is_of(canvas.whole, 2)


def test_only_what_has_changed_is_painted_anew() -> None:
    topics = (ShownTopic(0, "a", (255, 0, 0), (0,)), ShownTopic(1, "b", (0, 255, 0), (1,)))
    canvas, painter = laid(ramp(1)), Painter()
    first = painter.paint(canvas, topics, [], True)
    assert painter.paint(canvas, topics, [], True) is first
    canvas.shares[:] = 65535
    second = painter.paint(canvas, topics, [Area(0, 64, 0, 64)], True)
    assert (second.maps[:, :64, :64] == 255).all()
    np.testing.assert_array_equal(second.maps[:, 64:], first.maps[:, 64:])
