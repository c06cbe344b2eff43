"""Background jobs: each answers to whoever started it, and all of them end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.gui.jobs import Jobs

Progress = Callable[[float, str], None]
Cancel = Callable[[], bool]


@pytest.fixture
def jobs(qapp: object) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.shut_down()
    assert jobs.wait(5.0)


def patient(progress: Progress, cancel: Cancel) -> str:
    """Works until it is cancelled."""
    progress(0.25, "waiting")
    while not cancel():
        time.sleep(0.002)
    return "cancelled"


def broken(progress: Progress, cancel: Cancel) -> str:
    raise PmldaError("It cannot be done.")


def ended(jobs: Jobs) -> Callable[[], bool]:
    return lambda: jobs.all_ended


def test_a_job_answers_whoever_started_it_and_nobody_else(jobs: Jobs, qtbot: QtBot) -> None:
    first: list[int] = []
    second: list[int] = []
    jobs.start(lambda progress, cancel: 1 + 1, first.append, name="add")
    jobs.start(lambda progress, cancel: 2 + 2, second.append, name="add")
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert (first, second) == ([2], [4])
    assert jobs.names == ()


def test_work_is_done_on_another_thread_and_answered_on_this_one(jobs: Jobs, qtbot: QtBot) -> None:
    threads: list[int] = []

    def work(progress: Progress, cancel: Cancel) -> int:
        return threading.get_native_id()

    def answer(worked: int) -> None:
        threads.extend([worked, threading.get_native_id()])

    jobs.start(work, answer, name="where")
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert threads[0] != threads[1] == threading.get_native_id()


def test_an_error_goes_to_whoever_wants_it(jobs: Jobs, qtbot: QtBot) -> None:
    errors: list[Exception] = []
    told: list[object] = []
    jobs.error_raised.connect(told.append)
    jobs.start(broken, on_failed=errors.append, name="fail")
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert [str(error) for error in errors] == ["It cannot be done."]
    assert not told


def test_an_error_nobody_asked_for_is_told_to_all(jobs: Jobs, qtbot: QtBot) -> None:
    with qtbot.waitSignal(jobs.error_raised, timeout=2000) as trouble:
        jobs.start(broken, name="fail")
    assert str(trouble.args[0]) == "It cannot be done."


def test_work_that_stops_by_itself_when_told_to_is_no_error(jobs: Jobs, qtbot: QtBot) -> None:
    def stopped(progress: Progress, cancel: Cancel) -> None:
        raise Cancelled("It was stopped.")

    heard: list[object] = []
    job = jobs.start(stopped, heard.append, heard.append, name="stop")
    job.ended.connect(lambda: heard.append("ended"))
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert heard == ["ended"]


def test_progress_can_be_read_while_a_job_runs(jobs: Jobs, qtbot: QtBot) -> None:
    job = jobs.start(patient, name="wait")
    qtbot.waitUntil(lambda: job.progress.fraction == 0.25, timeout=2000)
    assert job.progress.text == "waiting"
    assert job.under_way
    assert jobs.names == ("wait",)


def test_a_job_started_instead_of_another_is_the_only_one_that_answers(
    jobs: Jobs, qtbot: QtBot
) -> None:
    results: list[str] = []
    old = jobs.start(patient, results.append, name="work")
    jobs.start(lambda progress, cancel: "new", results.append, name="work", instead_of=old)
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert results == ["new"]


def test_an_answer_on_its_way_when_its_job_is_cancelled_is_dropped(
    jobs: Jobs, qtbot: QtBot
) -> None:
    heard: list[str] = []
    job = jobs.start(lambda progress, cancel: "too late", heard.append, name="work")
    # The thread has ended, but the window has not come to read what it sent.
    assert job.wait(2000)
    job.cancel()
    qtbot.waitUntil(ended(jobs), timeout=2000)
    assert not heard


def test_a_cancelled_job_says_once_that_it_has_ended(jobs: Jobs, qtbot: QtBot) -> None:
    heard: list[str] = []
    job = jobs.start(
        patient, lambda _: heard.append("done"), lambda _: heard.append("failed"), name="work"
    )
    job.ended.connect(lambda: heard.append("ended"))
    job.cancel()
    job.cancel()
    assert not job.under_way
    qtbot.waitUntil(ended(jobs), timeout=2000)
    job.cancel()
    assert heard == ["ended"]


def test_shutting_down_waits_no_longer_than_allowed(qapp: object, qtbot: QtBot) -> None:
    jobs = Jobs()
    release = []

    def deaf(progress: Progress, cancel: Cancel) -> None:
        while not release:
            time.sleep(0.002)

    jobs.start(deaf, name="deaf")
    began = time.monotonic()
    jobs.shut_down()
    assert not jobs.wait(0.2)
    assert time.monotonic() - began < 0.6
    release.append(True)
    assert jobs.wait(2.0)
