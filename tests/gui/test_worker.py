"""The worker runs, paints, answers and ends when it is told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.frame_maker import Framer
from pmlda_gui.gui.view_request import ViewRequest
from pmlda_gui.workspace.session import TopicLook
from tests.gui.desk import Desk
from tests.gui.small_scenes import small_prepared, small_run


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Kernels that were changed are compiled now, so that no test waits for that."""
    run = small_run()
    run.sweep(2)
    framer = Framer(run, 0)
    wanted = framer.mapper.next_pass(at_rest=True)
    assert wanted is not None
    framer.mapper.make(wanted, lambda: False)
    framer.snapshot()
    run.diagnosis()
    run.close()


@pytest.fixture
def desk(qapp: object) -> Iterator[Desk]:
    desk = Desk()
    desk.worker.start()
    yield desk
    desk.worker.shut_down()
    assert desk.worker.wait(5000)


def test_a_new_run_shows_its_start_before_it_runs(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    snapshot = desk.until(lambda frame: frame.run == 1)
    assert snapshot.figures.sweep == 0
    assert len(snapshot.topics) == 3
    assert snapshot.pictures.maps.shape == (3, 60, 52)


def test_a_running_chain_sends_frames_and_one_scalar_for_each_sweep(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 20)
    desk.worker.set_running(False)
    time.sleep(0.1)
    desk.drain()
    sweeps = [scalar.sweep for scalar in desk.scalars]
    assert sweeps == list(range(1, len(sweeps) + 1))
    assert np.isfinite([scalar.log_joint for scalar in desk.scalars]).all()


def test_pause_holds_the_chain_and_step_does_exactly_one_sweep(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.until(lambda frame: True)
    desk.worker.step()
    assert desk.until(lambda frame: frame.figures.sweep > 0).figures.sweep == 1
    time.sleep(0.1)
    desk.drain()
    assert [scalar.sweep for scalar in desk.scalars] == [1]


def test_what_is_shown_after_a_pause_is_what_the_chain_has(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    for sweeps in (20, 60, 100, 140):
        desk.worker.set_running(True)
        desk.until(lambda frame, sweeps=sweeps: frame.figures.sweep > sweeps)
        desk.worker.set_running(False)
        # A busy machine needs a moment for the sweep under way and its frame.
        desk.until(lambda frame: frame.figures.sweep == len(desk.scalars))


def test_a_pause_that_comes_while_a_frame_is_made_finishes_the_maps(desk: Desk) -> None:
    # From afar, a frame of a running chain is coarser than one at rest.
    desk.worker.set_view(ViewRequest(pixels_per_screen_pixel=8.0))
    desk.worker.begin(1, small_run)
    desk.until(lambda frame: frame.complete and not desk.worker._unfinished)
    frame = desk.worker._frame

    def pause_during_it() -> None:
        frame()
        desk.worker.set_running(False)

    desk.worker._frame = pause_during_it
    desk.worker.set_running(True)
    shown = desk.until(lambda frame: frame.figures.sweep > 0 and frame.complete)
    assert shown.figures.sweep == desk.scalars[-1].sweep


def test_a_parameter_changed_while_running_marks_the_trace(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 3)
    desk.worker.set_parameters(Parameters(3, rate=7.0))
    snapshot = desk.until(lambda frame: bool(frame.marks))
    (sweep, text), *_ = snapshot.marks
    assert text == "rate 7"
    assert 3 < sweep <= snapshot.figures.sweep + 1


def test_more_topics_give_more_maps_and_the_others_keep_their_identity(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 3)
    desk.worker.set_parameters(Parameters(5))
    snapshot = desk.until(lambda frame: len(frame.topics) == 5)
    assert snapshot.topic_ids[:3] == (0, 1, 2)
    assert len(snapshot.pictures.maps) == 5
    assert snapshot.proportions.shape[1] == 5


def test_new_documents_are_taken_up_while_running(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 3)
    grid = small_prepared("grid")
    desk.worker.set_prepared(grid)
    snapshot = desk.until(lambda frame: (frame.prepared.untuned or frame.prepared) is grid)
    assert len(snapshot.scaling) == grid.documents[0].count


def test_a_new_look_is_painted_although_the_chain_rests(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.until(lambda frame: True)
    look = ViewRequest(topics=(TopicLook(1, "rock", (1, 2, 3)),))
    desk.worker.set_view(look)
    snapshot = desk.until(lambda frame: frame.topics[0].name == "rock")
    assert snapshot.topics[0].colour == (1, 2, 3)
    assert snapshot.topics[0].members == (1,)


def test_frames_of_a_new_run_carry_its_number(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.run == 1)
    desk.worker.begin(2, small_run)
    desk.until(lambda frame: frame.run == 2)
    desk.drain()
    runs = [scalar.run for scalar in desk.scalars]
    assert runs == sorted(runs)


def test_a_question_is_answered_on_the_thread_that_owns_the_run(desk: Desk, qtbot: QtBot) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    with qtbot.waitSignal(desk.worker.answered, timeout=5000) as answer:
        question = desk.ask(lambda run: (run.sweeps, threading.get_native_id()))
    answered, (sweeps, thread) = answer.args
    assert answered is question
    assert sweeps >= 0
    assert thread != threading.get_native_id()


def test_a_question_that_fails_does_not_stop_the_chain(desk: Desk, qtbot: QtBot) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    with qtbot.waitSignal(desk.worker.refused, timeout=5000) as refusal:
        question = desk.ask(lambda run: run.no_such_thing)
    assert refusal.args[0] is question
    before = desk.until(lambda frame: True).figures.sweep
    desk.until(lambda frame: frame.figures.sweep > before)


def test_a_failure_stops_the_chain_but_not_the_worker(desk: Desk, qtbot: QtBot) -> None:
    def broken() -> None:
        raise RuntimeError("no such run")

    with qtbot.waitSignal(desk.worker.lost, timeout=5000) as loss:
        desk.worker.begin(1, broken)
    assert loss.args[0] == 1
    assert str(loss.args[1]) == "no such run"
    desk.worker.begin(2, small_run)
    desk.until(lambda frame: frame.run == 2)


def test_what_a_run_was_asked_before_another_was_begun_is_still_answered_by_it(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.step()
    desk.until(lambda frame: frame.figures.sweep == 1)
    holds, seen = threading.Event(), []
    desk.ask(lambda run: holds.wait(5.0))
    # The worker is busy, so all of these lie in its inbox together.
    with qtbot.waitSignals([desk.worker.answered] * 3, timeout=5000):
        desk.ask(lambda run: seen.append(run.sweeps))
        desk.worker.begin(2, small_run)
        desk.ask(lambda run: seen.append(run.sweeps))
        holds.set()
    assert seen == [1, 0]


@pytest.mark.parametrize("without", ["any", "made", "dropped"])
def test_a_question_without_a_run_is_refused(desk: Desk, qtbot: QtBot, without: str) -> None:
    def broken() -> None:
        raise RuntimeError("no such run")

    if without == "made":
        desk.worker.begin(1, broken)
    elif without == "dropped":
        desk.worker.begin(1, small_run)
        desk.until(lambda frame: True)
        desk.worker.drop()
    with qtbot.waitSignal(desk.worker.refused, timeout=5000) as refusal:
        question = desk.ask(lambda run: run.sweeps)
    assert refusal.args[0] is question
    assert "There is no run" in str(refusal.args[1])


def test_a_change_that_the_worker_has_not_read_when_it_ends_is_in_what_is_kept(
    desk: Desk, qtbot: QtBot
) -> None:
    desk.worker.begin(1, small_run)
    desk.until(lambda frame: True)
    holds, kept = threading.Event(), []
    desk.ask(lambda run: holds.wait(5.0))
    changed = replace(small_run().parameters, fuzzifier=1.7)
    desk.worker.set_parameters(changed)
    desk.worker.shut_down(lambda run: kept.append(run.parameters))
    holds.set()
    assert desk.worker.wait(5000)
    assert kept == [changed]


def test_what_the_worker_does_is_what_the_same_run_does_alone(desk: Desk, qtbot: QtBot) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 10)
    desk.worker.set_running(False)
    with qtbot.waitSignal(desk.worker.answered, timeout=5000) as answer:
        desk.ask(lambda run: (run.sweep(1).sweep, run.checkpoint()))
    sweep, checkpoint = answer.args[1]
    alone = small_run()
    alone.sweep(sweep)
    expected = alone.checkpoint()
    alone.close()
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(checkpoint.arrays[name], array, err_msg=name)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.2])
def test_it_ends_within_a_second_at_any_moment(qapp: object, delay: float) -> None:
    desk = Desk()
    desk.worker.start()
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    time.sleep(delay)
    began = time.monotonic()
    desk.worker.shut_down()
    assert desk.worker.wait(5000)
    assert time.monotonic() - began < 1.0


def test_the_farewell_is_the_last_thing_it_does_with_the_run(qapp: object) -> None:
    desk = Desk()
    desk.worker.start()
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 3)
    said: list[int] = []
    desk.worker.shut_down(lambda run: said.append(run.sweeps))
    assert desk.worker.wait(5000)
    desk.drain()
    assert said == [max(scalar.sweep for scalar in desk.scalars)]


def test_dropping_the_run_stops_its_frames(desk: Desk) -> None:
    desk.worker.begin(1, small_run)
    desk.worker.set_running(True)
    desk.until(lambda frame: frame.figures.sweep > 2)
    desk.worker.drop()
    time.sleep(0.15)
    desk.mailbox.take()
    time.sleep(0.15)
    assert desk.mailbox.take() == (None, [])
