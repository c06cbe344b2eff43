"""Which frames come in which order: coarse ones at once, then finer, and at rest every pixel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui import map_schedule
from pmlda_gui.gui.frame import LEVELS, Snapshot
from pmlda_gui.gui.map_schedule import Mapper
from pmlda_gui.gui.view_request import ViewRequest
from pmlda_gui.workspace.maps import ImageMaps
from pmlda_gui.workspace.run import Run
from tests.gui.desk import Desk
from tests.gui.small_scenes import small_run

CORNER = ViewRequest(visible=(0, 20, 0, 20), pixels_per_screen_pixel=4.0)


@pytest.fixture
def desk(qapp: object) -> Iterator[Desk]:
    desk = Desk()
    desk.worker.start()
    yield desk
    desk.worker.shut_down()
    assert desk.worker.wait(5000)


@pytest.fixture
def dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps are thought to be so dear that only a coarse one can be had at once."""
    monkeypatch.setattr(map_schedule, "_SECONDS_PER_PIXEL", 1e-3)


def targets(frames: list[Snapshot]) -> list[list[int]]:
    """The steps of the frames of each target in turn."""
    found: list[list[int]] = []
    last = None
    for frame in frames:
        target = (len(frame.marks), frame.figures.sweep > 0)
        if target != last:
            found.append([])
            last = target
        found[-1].append(frame.step)
    return found


def test_what_is_shown_at_rest_is_what_an_export_gives(desk: Desk, qtbot: QtBot) -> None:
    desk.worker.set_view(CORNER)
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 15)
    desk.worker.set_running(False)
    with qtbot.waitSignal(desk.worker.answered, timeout=5000) as answer:
        desk.ask(lambda run: (run.sweeps, run.segmentations()))
    sweeps, (exported,) = answer.args[1]
    frame = desk.until(lambda frame: frame.complete and frame.figures.sweep == sweeps)
    inside = ~np.isnan(exported.memberships[0])
    difference = np.abs(frame.pictures.maps - 1 - exported.memberships * (LEVELS - 1))
    assert difference[:, inside].max() <= 1


@pytest.mark.usefixtures("dear")
def test_no_frame_is_coarser_than_the_one_before_under_the_same_target(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 5 and frame.step == 1)
    desk.worker.set_parameters(Parameters(3, rate=7.0))
    desk.until(lambda frame: bool(frame.marks) and frame.step == 1)
    seen = desk.snapshot.figures.sweep
    desk.until(lambda frame: frame.figures.sweep > seen + 40)
    desk.worker.set_running(False)
    desk.until(lambda frame: frame.complete)
    start, run, changed = targets(desk.mailbox.posted)
    for steps in (start, run, changed):
        assert steps == sorted(steps, reverse=True)
    assert run[0] > run[-1] == 1
    assert changed[0] > changed[-1] == 1


class SlowRun:
    """A run whose fine maps take for ever, unless they are cancelled."""

    def __init__(self, coarsest: int) -> None:
        self.cancelled: list[int] = []
        self._coarsest = coarsest

    def __call__(self) -> Run:
        run = small_run()
        quick = run.maps

        def maps(
            kind: str, image: int, step: int, window: Any, *, cancel: Callable[[], bool]
        ) -> ImageMaps | None:
            if step > self._coarsest:
                return quick(kind, image, step, window, cancel=cancel)
            deadline = time.monotonic() + 20.0
            while not cancel():
                assert time.monotonic() < deadline, "nobody has cancelled the pass"
                time.sleep(0.002)
            self.cancelled.append(step)
            return None

        run.maps = maps  # type: ignore[method-assign, assignment]
        return run


@pytest.mark.usefixtures("dear")
def test_the_first_frame_after_a_change_comes_although_a_full_pass_would_take_long(
    desk: Desk,
) -> None:
    slow = SlowRun(coarsest=8)
    desk.worker.begin(1, slow)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 0)
    for rate in (2.0, 3.0, 4.0):
        # Meanwhile the worker begins a pass that takes for ever.
        time.sleep(0.15)
        desk.worker.set_parameters(Parameters(3, rate=rate))
        wanted = f"rate {rate:g}"
        frame = desk.until(lambda frame, text=wanted: [t for _, t in frame.marks][-1:] == [text])
        assert frame.step > 8


@pytest.mark.usefixtures("dear")
def test_a_change_cancels_a_pass_that_is_under_way(desk: Desk) -> None:
    slow = SlowRun(coarsest=8)
    desk.worker.begin(1, slow)
    desk.until(lambda frame: True)
    # The chain rests, and the worker tries to make the maps finer.
    time.sleep(0.05)
    desk.worker.set_running(True)
    desk.worker.set_parameters(Parameters(3, rate=7.0))
    desk.until(lambda frame: bool(frame.marks))
    assert slow.cancelled


@pytest.mark.usefixtures("dear")
def test_the_visible_part_comes_first_and_the_rest_when_there_is_time() -> None:
    run = small_run()
    run.sweep(3)
    mapper = Mapper(run)
    mapper.set_view(CORNER)
    order = []
    while (wanted := mapper.next_pass(at_rest=False)) is not None:
        order.append(wanted.step)
        assert mapper.make(wanted, lambda: False)
    assert order == sorted(order, reverse=True)
    # The screen shows one pixel in four: nothing finer is made while the chain runs.
    assert order[-1] == 4
    assert mapper.sharp
    assert not mapper.complete
    while (wanted := mapper.next_pass(at_rest=True)) is not None:
        assert wanted.step == 1
        assert mapper.make(wanted, lambda: False)
    assert mapper.complete
    run.close()


def test_nothing_is_made_twice_from_the_same_draws() -> None:
    run = small_run()
    run.sweep(3)
    mapper = Mapper(run)
    while (wanted := mapper.next_pass(at_rest=True)) is not None:
        assert mapper.make(wanted, lambda: False)
    mapper.note_sweeps()
    assert mapper.next_pass(at_rest=True) is None
    run.sweep(1)
    mapper.note_sweeps()
    assert mapper.next_pass(at_rest=False) is not None
    run.close()


def test_uncertainty_is_not_known_before_there_are_a_few_draws(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    assert not desk.until(lambda frame: True).deviation_known
    desk.worker.step()
    assert not desk.until(lambda frame: frame.figures.sweep == 1).deviation_known
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 20 and frame.deviation_known)
