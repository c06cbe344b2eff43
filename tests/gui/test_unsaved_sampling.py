"""Sampling is work: once there is enough of it, nothing takes it away unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from pmlda_gui.gui.controller import background_tasks, unsaved_sampling
from pmlda_gui.gui.controller.unsaved_sampling import WORTH_KEEPING_SECONDS, Sampled
from pmlda_gui.workspace import recovery
from tests.gui.flows import Flows, hold, image_file

BUTTONS = QMessageBox.StandardButton


def test_sampling_is_worth_keeping_after_ten_seconds() -> None:
    work = Sampled()
    work.note(1, 9.9)
    assert not work.worth_keeping
    work.note(1, 10.0)
    assert work.worth_keeping
    assert WORTH_KEEPING_SECONDS == 10.0


def test_what_is_in_a_file_is_not_counted_again() -> None:
    work = Sampled()
    work.note(1, 25.0)
    work.mark_kept(20.0)
    assert not work.worth_keeping
    work.note(1, 30.0)
    assert work.worth_keeping
    work.mark_kept(12.0)
    assert work.worth_keeping, "an older file does not take anything back"
    work.mark_kept(30.0)
    assert not work.worth_keeping


def test_runs_that_follow_each_other_are_added_up() -> None:
    work = Sampled()
    work.note(1, 6.0)
    work.note(2, 1.0)
    work.note(2, 5.0)
    assert work.seconds == 11.0
    assert work.worth_keeping


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment of sampling is worth keeping."""
    monkeypatch.setattr(unsaved_sampling, "WORTH_KEEPING_SECONDS", 0.05)


@pytest.fixture
def sampled_flows(soon: None, first: str, flows: Flows) -> Flows:
    """An image that was sampled for long enough, and of which nothing else was changed."""
    assert not flows.window.isWindowModified()
    flows.controller.run()
    flows.until(lambda: flows.controller.sampled.worth_keeping)
    flows.controller.pause()
    flows.catch_up()
    return flows


def test_the_title_shows_that_there_is_something_to_keep(sampled_flows: Flows) -> None:
    assert sampled_flows.controller.history.saved, "nothing was changed"
    assert sampled_flows.window.isWindowModified()


@pytest.mark.parametrize("command", ["new", "open_demo"])
def test_sampling_is_asked_about_before_it_is_replaced(
    sampled_flows: Flows, first: str, command: str
) -> None:
    sampled_flows.trigger(command)
    sampled_flows.answer(BUTTONS.Cancel)
    assert sampled_flows.names == [first]
    sampled_flows.trigger(command)
    sampled_flows.answer(BUTTONS.Discard)
    assert sampled_flows.names != [first]
    sampled_flows.settle()


def test_sampling_done_while_a_file_was_read_is_asked_about(
    soon: None, flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.open([image_file(tmp_path, "slow.npy")])
    assert flows.question is None
    flows.until(held.reached.is_set)
    flows.controller.run()
    flows.until(lambda: flows.controller.sampled.worth_keeping)
    held.let_go()
    flows.until(lambda: flows.question)
    flows.answer(BUTTONS.Cancel)
    assert flows.names == [first]
    flows.settle()


def test_sampling_that_is_saved_is_asked_about_no_more(
    sampled_flows: Flows, tmp_path: Path
) -> None:
    sampled_flows.files.save_to(tmp_path / "work.pmlda")
    sampled_flows.until(lambda: sampled_flows.files.path is not None)
    assert not sampled_flows.window.isWindowModified()
    sampled_flows.trigger("new")
    assert sampled_flows.question is None
    assert sampled_flows.names == []
    sampled_flows.settle()


def test_sampling_after_a_save_is_work_again(sampled_flows: Flows, tmp_path: Path) -> None:
    sampled_flows.files.save_to(tmp_path / "work.pmlda")
    sampled_flows.until(lambda: sampled_flows.files.path is not None)
    sampled_flows.controller.run()
    sampled_flows.until(sampled_flows.window.isWindowModified)


def test_sampling_is_autosaved_and_offered_after_quitting(sampled_flows: Flows) -> None:
    assert sampled_flows.program.keeping.save_now()
    assert list(Path(os.environ["XDG_STATE_HOME"]).rglob("*.pmlda"))
    sampled_flows.window.close()
    sampled_flows.program.wait()
    (left,) = recovery.found()
    assert left.images == ("first.npy",)
    assert left.sweeps


def test_an_untouched_demo_is_not_work_but_a_changed_one_is(soon: None, flows: Flows) -> None:
    flows.trigger("open_demo")
    flows.until(lambda: flows.controller.sampled.worth_keeping)
    assert not flows.controller.has_unsaved_work
    flows.change()
    assert flows.window.isWindowModified()
    flows.trigger("new")
    flows.answer(BUTTONS.Cancel)
    assert flows.names == ["demo"]
    flows.settle()


def test_a_demo_whose_change_was_undone_keeps_its_sampling(soon: None, flows: Flows) -> None:
    flows.trigger("open_demo")
    flows.until(lambda: flows.controller.sampled.worth_keeping)
    flows.change()
    flows.trigger("undo")
    assert flows.controller.has_unsaved_work
    flows.settle()


def test_an_image_that_was_only_looked_at_is_no_work(flows: Flows, first: str) -> None:
    assert not flows.controller.has_unsaved_work
    flows.trigger("new")
    assert flows.question is None
