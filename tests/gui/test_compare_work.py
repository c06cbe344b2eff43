"""What the thread of a comparison does: in order, matched, streamed, and never all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.compare import comparison_job
from pmlda_gui.gui.compare.comparison_job import Failed, Feed, Frame, Plan, Wanted, WindowResult
from pmlda_gui.gui.view_request import arrange
from pmlda_gui.imagery.metrics import match_maps
from pmlda_gui.workspace.comparison import MethodResult, enough_sweeps
from pmlda_gui.workspace.run import Run
from tests.gui.small_scenes import small_prepared, small_run
from tests.gui.synthetic_methods import REASON, fcm_fails

TOPICS = arrange((0, 1, 2), ())


def ignore(*_arguments: object) -> bool:
    return False


def plan(*methods: str, found: WindowResult | None = None) -> Plan:
    return Plan(methods, small_prepared("slic"), Parameters(3), found=found)


def compared(chosen: Plan) -> list[Frame | Failed]:
    feed = Feed(Wanted(0, TOPICS))
    comparison_job.compare(chosen, feed, ignore, ignore)
    return feed.take()


def done(letters: list[Frame | Failed]) -> dict[str, MethodResult]:
    return {
        each.method: each.result
        for each in letters
        if isinstance(each, Frame) and each.result is not None
    }


@pytest.fixture
def run() -> Iterator[Run]:
    run = small_run()
    yield run
    run.close()


def found_of(run: Run, topics: int = 3) -> WindowResult | None:
    return comparison_job.window_result(small_prepared("slic"), topics, "mean", run)


def test_methods_run_in_order_and_their_topics_stand_in_that_of_the_first() -> None:
    results = done(compared(plan("kmeans", "fcm", "gmm")))
    assert list(results) == ["kmeans", "fcm", "gmm"]
    first = results["kmeans"].segmentations[0].memberships
    for result in results.values():
        assert match_maps(first, result.segmentations[0].memberships).tolist() == [0, 1, 2]


def test_topics_stand_in_the_order_of_the_main_windows(run: Run) -> None:
    run.sweep(4)
    found = found_of(run)
    assert found is not None
    assert not found.finished
    # Methods begin alike, so only another order tells whether topics are matched.
    found = replace(
        found, segmentations=[each.reordered([2, 0, 1]) for each in found.segmentations]
    )
    letters = compared(plan("kmeans", "fcm", found=found))
    reference = found.segmentations[0].memberships
    for result in done(letters).values():
        assert match_maps(reference, result.segmentations[0].memberships).tolist() == [0, 1, 2]
    for frame in letters:
        assert isinstance(frame, Frame)
        shown = (frame.pictures.maps - 1.0) / 254.0
        valid = frame.pictures.labels > 0
        assert match_maps(reference[:, valid][:, None], shown[:, valid][:, None]).tolist() == [
            0, 1, 2,
        ]  # fmt: skip


def test_pictures_show_the_memberships_and_leave_pixels_without_them_blank() -> None:
    *_, frame = compared(plan("fcm"))
    assert isinstance(frame, Frame)
    assert frame.result is not None
    maps = frame.result.segmentations[0].memberships
    known = ~np.isnan(maps[0])
    np.testing.assert_array_equal(frame.pictures.labels == 0, ~known)
    shares = (frame.pictures.maps[:, known] - 1.0) / 254.0
    np.testing.assert_allclose(shares, maps[:, known], atol=0.51 / 254)


def test_a_method_that_fails_says_why_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison_job, "run_named", fcm_fails)
    letters = compared(plan("fcm", "kmeans"))
    assert isinstance(letters[0], Failed)
    assert str(letters[0].error) == REASON
    assert list(done(letters)) == ["kmeans"]


def test_maps_are_streamed_only_when_the_window_has_taken_the_last_ones() -> None:
    letters = compared(plan("lda"))
    # Nobody takes: one frame on the way, and the result.
    assert [each.result is None for each in letters if isinstance(each, Frame)] == [True, False]


def test_a_comparison_that_is_cancelled_ends_with_the_step_it_is_in() -> None:
    asked = 0

    def cancel() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    feed = Feed(Wanted(0, TOPICS))
    with pytest.raises(Cancelled):
        comparison_job.compare(plan("lda", "kmeans"), feed, ignore, cancel)
    assert asked == 4
    assert not done(feed.take())


def test_the_main_windows_result_is_taken_over_once_it_has_gone_far_enough(run: Run) -> None:
    assert found_of(run) is None
    while run.full_sweeps < enough_sweeps(run.prepared):
        run.sweep(1)
    found = found_of(run)
    assert found is not None
    assert found.finished
    assert found_of(run, topics=4) is None
    chosen = plan("pmlda", found=found)
    assert chosen.topic_ids == run.topic_ids
    (result,) = done(compared(chosen)).values()
    np.testing.assert_array_equal(
        result.segmentations[0].memberships, run.segmentations()[0].memberships
    )
    run.set_parameters(Parameters(3, rate=1.0))
    changed = found_of(run)
    assert changed is not None
    assert not changed.finished


def test_results_are_painted_anew_with_other_topics() -> None:
    results = list(done(compared(plan("kmeans"))).values())
    merged = (TOPICS[0], arrange((0, 1, 2), ())[1])
    wanted = Wanted(0, merged)
    answered, pictures = comparison_job.paint_results(results, wanted, ignore, ignore)
    assert answered == wanted
    assert len(pictures["kmeans"].maps) == 2
