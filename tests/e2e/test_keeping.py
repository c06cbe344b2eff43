"""Work that was never saved is there again at the next start."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QFileDialog, QMessageBox, QSlider

from pmlda_gui.gui.controller import autosave
from pmlda_gui.gui.controller.autosave import Keeping
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.controller.recovering import Recovering
from pmlda_gui.gui.dialogs.missing import MissingImagesDialog
from pmlda_gui.gui.dialogs.questions import OVERWRITE, SAVE_ELSEWHERE
from pmlda_gui.gui.dialogs.recovery import RecoveryDialog
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace import archive, recovery
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (80, 70)).image.pixels)
    return path


def tweaked(stage: Stage) -> Script:
    """Change something, run a little, and close without saving."""
    yield stage.ready
    stage.find(QSlider, "topics").setValue(4)
    stage.press("run")
    yield lambda: stage.sweeps > 5 and len(stage.controller.presenter.snapshot.topics) == 4


def test_unsaved_work_is_offered_at_the_next_start_and_goes_on(image_file: Path) -> None:
    drive([str(image_file)], tweaked)

    def script(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        visible(stage.window, RecoveryDialog).recover.click()
        yield stage.ready
        assert stage.controller.session.parameters.topics == 4
        assert stage.sweeps > 5
        assert not stage.controller.history.saved

    drive([], script)


def offered(stage: Stage) -> Script:
    """Wait for the offer of unsaved work and take it up."""
    yield lambda: visible(stage.window, RecoveryDialog) is not None
    visible(stage.window, RecoveryDialog).recover.click()
    yield stage.ready


def nothing_is_offered(stage: Stage) -> Script:
    yield lambda: not stage.controller.jobs.names
    yield lambda: True
    assert visible(stage.window, RecoveryDialog) is None


def autosaved() -> list[Path]:
    return list(Path(os.environ["XDG_STATE_HOME"]).rglob("*.pmlda"))


def test_recovered_work_that_is_saved_is_not_offered_again(
    image_file: Path, tmp_path: Path
) -> None:
    drive([str(image_file)], tweaked)

    def save(stage: Stage) -> Script:
        yield from offered(stage)
        stage.controller.findChild(Files).save_to(tmp_path / "work.pmlda")
        yield lambda: stage.controller.history.saved

    drive([], save)
    assert not autosaved()
    drive([], nothing_is_offered)


def test_recovered_work_that_is_not_saved_is_offered_once_more_and_not_twice(
    image_file: Path,
) -> None:
    drive([str(image_file)], tweaked)
    (before,) = autosaved()
    drive([], offered)
    assert autosaved() == [before]

    def still_there(stage: Stage) -> Script:
        yield from offered(stage)
        assert stage.controller.session.parameters.topics == 4

    drive([], still_there)


def test_unsaved_work_whose_images_are_looked_for_in_vain_stays(image_file: Path) -> None:
    drive([str(image_file)], tweaked)
    image_file.unlink()

    def give_up(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        visible(stage.window, RecoveryDialog).recover.click()
        yield lambda: visible(stage.window, MissingImagesDialog) is not None
        visible(stage.window, MissingImagesDialog).reject()
        yield lambda: True

    drive([], give_up)
    assert len(autosaved()) == 1


def test_discarded_work_is_not_offered_again(image_file: Path) -> None:
    drive([str(image_file)], tweaked)

    def discard(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        visible(stage.window, RecoveryDialog).discard.click()
        yield lambda: True

    drive([], discard)
    assert not autosaved()
    drive([], nothing_is_offered)


def test_an_image_that_was_only_looked_at_leaves_nothing_behind(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready

    drive([str(image_file)], script)
    assert not autosaved()


def test_a_workspace_whose_image_has_moved_asks_for_it(image_file: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "work.pmlda"

    def save(stage: Stage) -> Script:
        yield stage.ready
        stage.controller.findChild(Files).save_to(workspace)
        yield workspace.exists

    drive([str(image_file)], save)
    moved = tmp_path / "elsewhere" / image_file.name
    moved.parent.mkdir()
    image_file.rename(moved)

    def locate(stage: Stage) -> Script:
        yield lambda: visible(stage.window, MissingImagesDialog) is not None
        dialog = visible(stage.window, MissingImagesDialog)
        dialog.place(0, moved)
        dialog.go_on.click()
        yield stage.ready
        assert stage.controller.session.images[0].path == moved

    drive([str(workspace)], locate)


def test_a_workspace_opens_without_the_images_that_are_gone(
    image_file: Path, tmp_path: Path
) -> None:
    workspace, other = tmp_path / "work.pmlda", tmp_path / "other.npy"
    np.save(other, make_scene("demo", (60, 90)).image.pixels)

    def save(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 3
        stage.controller.findChild(Files).save_to(workspace)
        yield workspace.exists

    drive([str(image_file), str(other)], save)
    image_file.unlink()

    def without(stage: Stage) -> Script:
        yield lambda: visible(stage.window, MissingImagesDialog) is not None
        visible(stage.window, MissingImagesDialog).go_on.click()
        yield stage.ready
        assert [entry.path for entry in stage.controller.session.images] == [other]
        assert stage.controller.presenter.snapshot.pictures.labels.shape == (60, 90)
        stage.press("run")
        yield lambda: stage.sweeps > 3
        # The run on both images is in the file, which nobody has agreed to replace.
        assert stage.controller.findChild(Files).path is None
        assert "without seabed.npy" in stage.window.message_bar.text

    saved = workspace.read_bytes()
    drive([str(workspace)], without)
    assert workspace.read_bytes() == saved


def test_unsaved_work_that_is_opened_without_an_image_stays_for_when_that_is_found(
    image_file: Path, tmp_path: Path
) -> None:
    other, elsewhere = tmp_path / "other.npy", tmp_path / "elsewhere.npy"
    np.save(other, make_scene("demo", (60, 90)).image.pixels)
    drive([str(image_file), str(other)], tweaked)
    (kept,) = autosaved()
    image_file.rename(elsewhere)

    def without(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        visible(stage.window, RecoveryDialog).recover.click()
        yield lambda: visible(stage.window, MissingImagesDialog) is not None
        visible(stage.window, MissingImagesDialog).go_on.click()
        yield stage.ready
        stage.find(QSlider, "rate").setValue(33)
        stage.press("run")
        yield lambda: stage.sweeps > 3

    before = kept.read_bytes()
    drive([], without)
    assert kept.read_bytes() == before
    elsewhere.rename(image_file)
    loaded = archive.load(kept)
    assert len(loaded.session.images) == 2
    assert loaded.checkpoint is not None


# -- never backwards, and one program at a time --------------------------------------------------


def test_saving_drops_the_autosave_at_once(image_file: Path, tmp_path: Path) -> None:
    def script(stage: Stage) -> Script:
        yield from tweaked(stage)
        assert stage.controller.findChild(Keeping).save_now()
        assert len(autosaved()) == 1
        stage.controller.findChild(Files).save_to(tmp_path / "work.pmlda")
        yield lambda: stage.controller.history.saved
        # A program killed from here on has nothing older to offer.
        yield lambda: not autosaved()

    drive([str(image_file)], script)


def test_work_changed_while_it_was_being_saved_is_still_kept(
    image_file: Path, tmp_path: Path
) -> None:
    def script(stage: Stage) -> Script:
        yield from tweaked(stage)
        keeping = stage.controller.findChild(Keeping)
        assert keeping.save_now()
        stage.controller.findChild(Files).save_to(tmp_path / "work.pmlda")
        stage.find(QSlider, "rate").setValue(33)
        yield lambda: (tmp_path / "work.pmlda").exists() and not stage.controller.jobs.names
        assert not stage.controller.history.saved
        yield lambda: bool(autosaved())

    drive([str(image_file)], script)

    def changed(stage: Stage) -> Script:
        yield from offered(stage)
        assert stage.find(QSlider, "rate").value() == 33

    drive([], changed)


def test_work_that_was_given_up_for_something_else_is_not_offered(
    image_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.npy"
    np.save(other, make_scene("demo", (70, 60), seed=5).image.pixels)

    def script(stage: Stage) -> Script:
        yield from tweaked(stage)
        assert stage.controller.findChild(Keeping).save_now()
        stage.controller.findChild(Files).open([str(other)])
        visible(stage.window, QMessageBox).button(QMessageBox.StandardButton.Discard).click()
        yield lambda: stage.controller.session.images[0].name == "other.npy"
        yield lambda: not autosaved()

    drive([str(image_file)], script)


def test_work_that_another_window_goes_on_with_is_left_to_it(image_file: Path) -> None:
    drive([str(image_file)], tweaked)
    (before,) = recovery.found()
    content = before.path.read_bytes()

    def script(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        theirs = recovery.claim(before)
        visible(stage.window, RecoveryDialog).recover.click()
        yield lambda: "open in another window" in stage.window.message_bar.text
        assert not stage.controller.session.images
        stage.controller.findChild(Recovering).offer([before])
        visible(stage.window, RecoveryDialog).discard.click()
        yield lambda: True
        theirs.release()

    drive([], script)
    assert before.path.read_bytes() == content


def test_the_offer_says_which_images_and_how_many_sweeps(image_file: Path) -> None:
    drive([str(image_file)], tweaked)
    (left,) = recovery.found()
    assert left.sweeps is not None

    def script(stage: Stage) -> Script:
        yield lambda: visible(stage.window, RecoveryDialog) is not None
        text = visible(stage.window, RecoveryDialog).list.item(0).text()
        assert "seabed.npy" in text
        assert f"{QLocale().toString(left.sweeps)} sweeps" in text

    drive([], script)


def test_what_is_done_by_hand_is_autosaved_soon_and_not_after_a_minute(
    image_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autosave, "SOON_SECONDS", 0.2)

    def kept_names() -> list[str]:
        return [look.name for path in autosaved() for look in archive.load(path).session.topics]

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 5
        # Sweeps alone can wait.
        assert not autosaved()
        stage.window.topics.list.item(0).setText("rock")
        yield lambda: "rock" in kept_names()
        stage.window.topics.list.item(1).setText("mud")
        yield lambda: {"rock", "mud"} <= set(kept_names())

    drive([str(image_file)], script)


def test_settings_changed_before_there_is_a_chain_are_kept(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield lambda: bool(stage.controller.session.images)
        stage.controller.chain.drop()
        stage.find(QSlider, "rate").setValue(33)

    drive([str(image_file)], script)

    def changed(stage: Stage) -> Script:
        yield from offered(stage)
        assert stage.find(QSlider, "rate").value() == 33

    drive([], changed)


@pytest.mark.parametrize("answer", [OVERWRITE, SAVE_ELSEWHERE, QMessageBox.StandardButton.Cancel])
def test_whoever_saves_second_is_told(
    image_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: QMessageBox.StandardButton,
) -> None:
    workspace, another = tmp_path / "work.pmlda", tmp_path / "another.pmlda"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(another), ""))

    def script(stage: Stage) -> Script:
        yield stage.ready
        files = stage.controller.findChild(Files)
        files.save_to(workspace)
        yield lambda: stage.controller.history.saved and files.path == workspace
        stage.find(QSlider, "rate").setValue(20)
        stage.trigger("save")
        yield lambda: stage.controller.history.saved
        assert visible(stage.window, QMessageBox) is None, "its own saving is no other program's"

        # Another program has the same file open, and saves it first.
        archive.save(workspace, archive.load(workspace).session.replace(seed=77))
        stage.find(QSlider, "rate").setValue(33)
        stage.trigger("save")
        yield lambda: visible(stage.window, QMessageBox) is not None
        assert archive.load(workspace).session.seed == 77
        question = visible(stage.window, QMessageBox)
        assert "work.pmlda was saved by another program" in question.text()
        question.button(answer).click()
        if answer == QMessageBox.StandardButton.Cancel:
            yield lambda: not stage.controller.jobs.names
            assert not stage.controller.history.saved
        else:
            yield lambda: stage.controller.history.saved

    drive([str(image_file)], script)
    assert (archive.load(workspace).session.seed == 77) == (answer != OVERWRITE)
    assert another.exists() == (answer == SAVE_ELSEWHERE)


def test_a_file_saved_by_another_program_while_it_was_open_here_is_noticed(
    image_file: Path, tmp_path: Path
) -> None:
    workspace = tmp_path / "work.pmlda"

    def save(stage: Stage) -> Script:
        yield stage.ready
        stage.controller.findChild(Files).save_to(workspace)
        yield lambda: stage.controller.history.saved and workspace.exists()

    drive([str(image_file)], save)

    def both(stage: Stage) -> Script:
        yield stage.ready
        archive.save(workspace, archive.load(workspace).session.replace(seed=77))
        stage.trigger("save")
        yield lambda: visible(stage.window, QMessageBox) is not None
        visible(stage.window, QMessageBox).button(QMessageBox.StandardButton.Cancel).click()

    drive([str(workspace)], both)
    assert archive.load(workspace).session.seed == 77
