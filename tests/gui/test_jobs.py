"""Background jobs: the newest of a name counts, and all of them end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from pmlda_gui.core.errors import PmldaError
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


def test_a_job_gives_its_result_under_its_name(jobs: Jobs, qtbot: QtBot) -> None:
    with qtbot.waitSignal(jobs.succeeded, timeout=2000) as success:
        jobs.start("add", lambda progress, cancel: 1 + 1)
    assert success.args == ["add", 2]
    assert jobs.names == ()


def test_an_error_is_told_and_not_raised(jobs: Jobs, qtbot: QtBot) -> None:
    def fail(progress: Progress, cancel: Cancel) -> None:
        raise PmldaError("It cannot be done.")

    with qtbot.waitSignal(jobs.failed, timeout=2000) as failure:
        jobs.start("fail", fail)
    assert failure.args[0] == "fail"
    assert str(failure.args[1]) == "It cannot be done."


def test_progress_can_be_read_while_a_job_runs(jobs: Jobs, qtbot: QtBot) -> None:
    jobs.start("wait", patient)
    qtbot.waitUntil(lambda: jobs.progress("wait").fraction == 0.25, timeout=2000)
    assert jobs.progress("wait").text == "waiting"
    assert jobs.progress("other") is None


def test_the_result_of_a_superseded_job_is_dropped(jobs: Jobs, qtbot: QtBot) -> None:
    results: list[object] = []
    jobs.succeeded.connect(lambda name, result: results.append(result))
    jobs.start("work", patient)
    with qtbot.waitSignal(jobs.succeeded, timeout=2000):
        jobs.start("work", lambda progress, cancel: "new")
    qtbot.wait(50)
    assert results == ["new"]


def test_a_cancelled_job_says_only_that_it_has_ended(jobs: Jobs, qtbot: QtBot) -> None:
    heard: list[str] = []
    jobs.succeeded.connect(lambda name, result: heard.append("succeeded"))
    jobs.failed.connect(lambda name, error: heard.append("failed"))
    jobs.ended.connect(lambda name: heard.append(f"{name} ended"))
    jobs.start("work", patient)
    jobs.cancel("work")
    qtbot.wait(50)
    assert heard == ["work ended"]


def test_shutting_down_waits_no_longer_than_allowed(qapp: object, qtbot: QtBot) -> None:
    jobs = Jobs()
    release = []

    def deaf(progress: Progress, cancel: Cancel) -> None:
        while not release:
            time.sleep(0.002)

    jobs.start("deaf", deaf)
    began = time.monotonic()
    jobs.shut_down()
    assert not jobs.wait(0.2)
    assert time.monotonic() - began < 0.6
    release.append(True)
    assert jobs.wait(2.0)
