"""Opening, adding, saving and exporting: what happens when they meet, fail or are stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.workspace import archive, bookmarks, run_result
from pmlda_gui.workspace import run as runs
from tests.gui.flows import Flows, hold, image_file

BUTTONS = QMessageBox.StandardButton


# -- adding and opening --------------------------------------------------------------------------


def test_an_add_that_ends_after_a_cancelled_open_still_adds(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flows.change(rate=3.0)
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.add([image_file(tmp_path, "slow.npy")])
    flows.until(held.reached.is_set)
    flows.files.open([image_file(tmp_path, "other.npy")])
    flows.answer(BUTTONS.Cancel)
    held.let_go()
    flows.until(lambda: len(flows.names) != 1 or flows.names != [first])
    assert flows.names == [first, "slow.npy"]
    assert flows.controller.session.parameters.rate == 3.0
    flows.settle()


def test_images_added_one_after_the_other_all_arrive(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.add([image_file(tmp_path, "slow.npy")])
    flows.until(held.reached.is_set)
    flows.files.add([image_file(tmp_path, "quick.npy")])
    flows.until(lambda: "quick.npy" in flows.names)
    held.let_go()
    flows.until(lambda: flows.names == [first, "quick.npy", "slow.npy"])
    flows.settle()


def test_images_for_a_workspace_that_is_closed_meanwhile_are_added_to_no_other(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.add([image_file(tmp_path, "slow.npy")])
    flows.until(held.reached.is_set)
    flows.trigger("new")
    assert flows.names == []
    held.let_go()
    flows.settle()
    assert flows.names == []


def test_of_two_files_opened_the_last_one_counts(
    flows: Flows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.open([image_file(tmp_path, "slow.npy")])
    flows.until(held.reached.is_set)
    flows.files.open([image_file(tmp_path, "quick.npy")])
    flows.until(lambda: flows.names == ["quick.npy"])
    held.let_go()
    flows.settle()
    assert flows.names == ["quick.npy"]


@pytest.mark.parametrize("answer", [BUTTONS.Cancel, BUTTONS.Discard])
def test_work_done_while_a_file_was_read_is_asked_about(
    flows: Flows,
    first: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: QMessageBox.StandardButton,
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.open([image_file(tmp_path, "slow.npy")])
    assert flows.question is None, "nothing was changed yet"
    flows.until(held.reached.is_set)
    flows.change()
    held.let_go()
    flows.until(lambda: flows.question)
    assert flows.names == [first]
    flows.answer(answer)
    assert flows.names == ([first] if answer == BUTTONS.Cancel else ["slow.npy"])
    flows.settle()


def test_reading_that_is_stopped_leaves_everything_as_it_was(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    flows.files.open([image_file(tmp_path, "slow.npy")])
    flows.until(lambda: flows.shown(ProgressDialog))
    flows.shown(ProgressDialog).cancel.click()
    assert flows.shown(ProgressDialog) is None
    held.let_go()
    flows.settle()
    assert flows.names == [first]
    assert flows.told == ""


def test_a_file_that_cannot_be_read_leaves_everything_as_it_was(
    flows: Flows, first: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pmlda"
    broken.write_bytes(b"nothing")
    flows.files.open([broken])
    flows.until(lambda: "broken.pmlda" in flows.told)
    flows.settle()
    assert flows.names == [first]


# -- saving --------------------------------------------------------------------------------------


def test_what_was_to_follow_a_save_that_failed_follows_no_other(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "work.pmlda"
    flows.files.save_to(workspace)
    flows.until(lambda: flows.files.path == workspace)
    flows.change()

    def full(*_arguments: object) -> None:
        raise PmldaError("The disk is full: make room.")

    with monkeypatch.context() as broken:
        broken.setattr(archive, "write", full)
        flows.files.open([image_file(tmp_path, "other.npy")])
        flows.answer(BUTTONS.Save)
        flows.until(lambda: "The disk is full" in flows.told)
        flows.settle()
    flows.trigger("save")
    flows.until(lambda: flows.controller.history.saved)
    flows.settle()
    assert flows.names == [first]


def test_what_is_to_follow_a_save_follows_it(flows: Flows, first: str, tmp_path: Path) -> None:
    workspace = tmp_path / "work.pmlda"
    flows.files.save_to(workspace)
    flows.until(lambda: flows.files.path == workspace)
    flows.change(rate=3.0)
    flows.files.open([image_file(tmp_path, "other.npy")])
    flows.answer(BUTTONS.Save)
    flows.until(lambda: flows.names == ["other.npy"])
    assert archive.load(workspace).session.parameters.rate == 3.0
    assert flows.files.path is None
    flows.settle()


def test_nothing_follows_when_no_file_is_chosen_to_save_to(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    flows.change()
    flows.files.open([image_file(tmp_path, "other.npy")])
    flows.answer(BUTTONS.Save)
    flows.files.save_to(tmp_path / "work.pmlda")
    flows.until(lambda: flows.controller.history.saved)
    flows.settle()
    assert flows.names == [first]


def test_saving_twice_in_a_row_takes_no_save_for_that_of_another_program(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "work.pmlda"
    flows.files.save_to(workspace)
    flows.until(lambda: flows.files.path == workspace)
    held = hold(monkeypatch, archive, "write")
    flows.change(rate=3.0)
    flows.trigger("save")
    flows.until(held.reached.is_set)
    flows.change(rate=4.0)
    flows.trigger("save")
    held.let_go()
    flows.until(lambda: flows.controller.history.saved)
    flows.settle()
    assert flows.question is None
    assert archive.load(workspace).session.parameters.rate == 4.0


def test_a_save_that_ends_when_something_else_is_open_is_not_that_ones_file(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, archive, "write")
    flows.files.save_to(tmp_path / "work.pmlda")
    flows.until(held.reached.is_set)
    flows.trigger("new")
    held.let_go()
    flows.settle()
    assert (tmp_path / "work.pmlda").exists()
    assert flows.files.path is None


# -- without a run -------------------------------------------------------------------------------


@pytest.fixture
def without_a_run(flows: Flows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flows:
    """An image is open, but its run could not be made."""

    def impossible(*_arguments: object, **_options: object) -> None:
        raise PmldaError("There is not enough memory: close other programs.")

    monkeypatch.setattr(runs, "Run", impossible)
    flows.files.open([image_file(tmp_path, "first.npy")])
    flows.until(lambda: "not enough memory" in flows.told)
    return flows


def test_settings_are_saved_although_no_run_could_be_made(
    without_a_run: Flows, tmp_path: Path
) -> None:
    without_a_run.files.save_to(tmp_path / "work.pmlda")
    without_a_run.until((tmp_path / "work.pmlda").exists)
    without_a_run.until(lambda: without_a_run.files.path is not None)
    assert archive.load(tmp_path / "work.pmlda").journal is None


def test_an_export_without_a_run_says_so_and_ends(without_a_run: Flows, tmp_path: Path) -> None:
    without_a_run.program.exporting.export(ExportChoice(tmp_path / "results", "mean"))
    without_a_run.until(lambda: "There is no run" in without_a_run.told)
    assert without_a_run.shown(ProgressDialog) is None
    assert not (tmp_path / "results").exists()


def test_a_run_that_could_not_be_made_is_not_waited_for(without_a_run: Flows) -> None:
    assert not without_a_run.controller.chain.exists
    assert not without_a_run.controller.chain.starting
    assert not without_a_run.controller.chain.running


def test_a_run_can_be_made_after_one_that_could_not(
    without_a_run: Flows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    without_a_run.open(image_file(tmp_path, "second.npy"))
    assert without_a_run.controller.chain.exists


# -- questions to the run ------------------------------------------------------------------------


def test_an_export_stopped_before_the_run_has_answered_writes_nothing(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, run_result, "result_of")
    flows.program.exporting.export(ExportChoice(tmp_path / "results", "mean"))
    flows.until(held.reached.is_set)
    flows.shown(ProgressDialog).cancel.click()
    assert flows.shown(ProgressDialog) is None
    held.let_go()
    flows.catch_up()
    flows.settle()
    assert not (tmp_path / "results").exists()
    assert flows.told == ""


def test_a_bookmark_asked_for_before_another_workspace_is_opened_is_not_kept_there(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = hold(monkeypatch, bookmarks, "keep")
    flows.trigger("keep_bookmark")
    flows.until(held.reached.is_set)
    flows.trigger("open_demo")
    held.let_go()
    flows.until(lambda: flows.controller.presenter.snapshot is not None)
    assert flows.controller.session.bookmarks == ()
    flows.settle()


def test_a_run_answers_each_question_to_whoever_asked_it(flows: Flows, first: str) -> None:
    answers: dict[str, object] = {}
    chain = flows.controller.chain

    def unanswerable(run: object) -> int:
        raise PmldaError("Nobody knows.")

    chain.ask(lambda run: run.topic_ids, lambda answer: answers.update(topics=answer))
    chain.ask(unanswerable, None, lambda error: answers.update(trouble=str(error)))
    chain.ask(lambda run: 1, lambda answer: answers.update(forgotten=answer)).cancel()
    chain.ask(lambda run: run.sweeps, lambda answer: answers.update(sweeps=answer))
    flows.until(lambda: "sweeps" in answers)
    assert answers == {"topics": (0, 1, 2), "trouble": "Nobody knows.", "sweeps": 0}
    assert flows.told == ""


# -- the end -------------------------------------------------------------------------------------


def test_closing_while_files_are_read_and_written_ends_all_of_them(
    flows: Flows, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = hold(monkeypatch, background_tasks, "open_paths", when="slow.npy")
    writing = hold(monkeypatch, archive, "write")
    flows.files.save_to(tmp_path / "work.pmlda")
    flows.files.add([image_file(tmp_path, "slow.npy")])
    flows.until(lambda: reading.reached.is_set() and writing.reached.is_set())
    flows.window.close()
    assert flows.controller.jobs.names == ()
    reading.let_go()
    writing.let_go()
    flows.settle()
    assert flows.names == [first]
