"""An operator's day, through the real `main()`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QMessageBox,
    QSlider,
    QWidget,
)

from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.about import AboutDialog
from pmlda_gui.gui.dialogs.export import ExportChoice, ExportDialog
from pmlda_gui.gui.dialogs.help import HelpWindow
from pmlda_gui.gui.dialogs.palette import CommandPalette
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.scenes import make_scene
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def image_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small synthetic scene in a file."""
    path = tmp_path_factory.mktemp("images") / "seabed.npy"
    np.save(path, make_scene("demo", (120, 110)).image.pixels)
    return path


def test_without_arguments_the_welcome_page_is_shown() -> None:
    def script(stage: Stage) -> Script:
        yield lambda: True
        assert stage.window.pages.currentWidget() is stage.window.welcome
        assert stage.window.objectName() == "main_window"

    assert drive([], script) == 0


def test_an_operator_opens_runs_tweaks_keeps_exports_saves_and_closes(
    image_file: Path, tmp_path: Path
) -> None:
    results, workspace = tmp_path / "results", tmp_path / "work.pmlda"

    def script(stage: Stage) -> Script:
        yield stage.ready
        controller = stage.controller
        stage.press("run")
        yield lambda: stage.sweeps > 5
        for name in ("rate", "alpha", "fuzzifier"):
            before = controller.session.parameters
            slider = stage.find(QSlider, name)
            slider.setValue(slider.value() + 7)
            assert controller.session.parameters != before, name
            marks = len(controller.presenter.snapshot.marks)
            yield lambda marks=marks: len(controller.presenter.snapshot.marks) > marks
        stage.find(QCheckBox, "scaling_fixed").click()
        stage.find(QSlider, "scaling").setValue(60)
        assert controller.session.parameters.scaling is not None
        stage.find(QCheckBox, "proportions_fixed").click()
        assert controller.session.parameters.proportions is not None
        stage.find(QCheckBox, "proportions_fixed").click()

        stage.find(QSlider, "topics").setValue(5)
        yield lambda: len(controller.presenter.snapshot.topics) == 5
        assert stage.find(PictureView, "membership_view_4").isVisible()
        documents = controller.prepared.documents[0].count
        stage.find(QSlider, "document_count").setValue(60)
        yield lambda: controller.prepared.documents[0].count != documents
        yield lambda: len(controller.presenter.snapshot.scaling) == 60
        kind = stage.find(QComboBox, "document_kind")
        kind.setCurrentIndex(kind.findData("grid"))
        yield lambda: controller.prepared.document_choice.kind == "grid"

        stage.press("pause")
        assert not controller.chain.running
        stage.trigger("keep_bookmark")
        yield lambda: len(controller.session.bookmarks) == 1
        controller.undo()
        assert not controller.session.bookmarks
        controller.redo()
        assert len(controller.session.bookmarks) == 1

        stage.trigger("export")
        yield lambda: visible(stage.window, ExportDialog) is not None
        dialog = visible(stage.window, ExportDialog)
        assert dialog.choice.folder == Path.home() / "pmlda-results"
        dialog.reject()
        bar = stage.window.message_bar
        exporting = controller.findChild(Exporting)
        exporting.export(ExportChoice(results, "mean"))
        yield lambda: "files were written" in bar.text
        files = controller.findChild(Files)
        files.save_to(workspace)
        yield lambda: controller.history.saved and workspace.exists()

    assert drive([str(image_file)], script) == 0
    names = {path.name for path in results.iterdir()}
    assert {"seabed_memberships.tif", "report.html", "topics.csv"} <= names

    def reopened(stage: Stage) -> Script:
        yield stage.ready
        session = stage.controller.session
        assert session.parameters.topics == 5
        assert session.documents.kind == "grid"
        assert len(session.bookmarks) == 1
        before = stage.sweeps
        assert before > 5
        stage.press("run")
        yield lambda: stage.sweeps > before + 3

    assert drive([str(workspace)], reopened) == 0


def test_closing_while_the_chain_runs_ends_within_a_second(image_file: Path) -> None:
    moment: list[float] = []

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 3
        moment.append(time.monotonic())

    assert drive([str(image_file)], script) == 0
    assert time.monotonic() - moment[0] < 1.0


def test_step_and_restart(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        assert stage.sweeps == 0
        stage.press("step")
        yield lambda: stage.sweeps == 1
        stage.press("run")
        yield lambda: stage.sweeps > 4
        stage.press("pause")
        before = stage.sweeps
        stage.press("restart")
        yield lambda: stage.sweeps < before

    assert drive([str(image_file)], script) == 0


def test_a_file_that_cannot_be_read_becomes_a_sentence_and_the_work_stays(
    image_file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.tif"
    broken.write_bytes(b"not an image")

    def script(stage: Stage) -> Script:
        yield stage.ready
        images = stage.controller.session.images
        files = stage.controller.findChild(Files)
        files.add([str(broken)])
        yield lambda: "broken.tif" in stage.window.message_bar.text
        assert stage.controller.session.images == images
        assert stage.ready()

    assert drive([str(image_file)], script) == 0


def test_two_images_form_one_corpus_and_can_be_removed_and_brought_back(
    image_file: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second.npy"
    np.save(second, make_scene("demo", (80, 90), seed=3).image.pixels)

    def script(stage: Stage) -> Script:
        yield stage.ready
        controller = stage.controller
        files = controller.findChild(Files)
        files.add([str(second)])
        yield lambda: controller.prepared is not None and len(controller.prepared.images) == 2
        yield stage.ready
        controller.show_image(1)
        yield lambda: stage.ready() and controller.presenter.snapshot.image == 1
        assert controller.presenter.snapshot.pictures.labels.shape == (80, 90)
        stage.window.images.remove_requested.emit(1)
        yield lambda: len(controller.prepared.images) == 1
        controller.undo()
        yield lambda: len(controller.prepared.images) == 2

    assert drive([str(image_file)], script) == 0


def test_unsaved_work_is_asked_about_before_it_is_replaced(
    image_file: Path, tmp_path: Path
) -> None:
    other, workspace = tmp_path / "other.npy", tmp_path / "kept.pmlda"
    np.save(other, make_scene("demo", (70, 60), seed=5).image.pixels)
    buttons = QMessageBox.StandardButton

    def script(stage: Stage) -> Script:
        yield stage.ready
        controller, window = stage.controller, stage.window
        files = controller.findChild(Files)
        stage.find(QSlider, "rate").setValue(10)
        before = controller.session
        files.open([str(other)])
        visible(window, QMessageBox).button(buttons.Cancel).click()
        yield lambda: not controller.jobs.names
        assert controller.session is before
        files.save_to(workspace)
        yield lambda: controller.history.saved
        stage.find(QSlider, "rate").setValue(20)
        files.open([str(other)])
        visible(window, QMessageBox).button(buttons.Save).click()
        yield lambda: stage.ready() and controller.session.images[0].name == "other.npy"

    assert drive([str(image_file)], script) == 0

    def reopened(stage: Stage) -> Script:
        yield stage.ready
        assert stage.find(QSlider, "rate").value() == 20

    assert drive([str(workspace)], reopened) == 0


def test_every_estimate_and_picture_can_be_shown_and_enlarged(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        controller = stage.controller
        for command, estimate in (
            ("estimate_map", "map"),
            ("estimate_paper_map", "paper-map"),
            ("estimate_mean", "mean"),
        ):
            stage.trigger(command)
            yield lambda estimate=estimate: controller.presenter.snapshot.estimate == estimate
        stage.trigger("show_labels")
        assert stage.find(PictureView, "labels_view").isVisible()
        stage.trigger("show_composite")
        assert not stage.find(PictureView, "composite_view").isVisible()
        stage.trigger("outlines")
        assert not controller.session.outlines.shown
        stage.find(PictureView, "source_view").enlarge_requested.emit()
        assert stage.window.grid.enlarged == "source_view"
        assert not stage.find(PictureView, "membership_view_0").isVisible()
        stage.trigger("show_all")
        assert stage.find(PictureView, "membership_view_0").isVisible()

    assert drive([str(image_file)], script) == 0


def test_bookmarks_are_compared_with_a_swipe_line_and_returned_to(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        controller = stage.controller
        stage.trigger("keep_bookmark")
        yield lambda: len(controller.session.bookmarks) == 1
        stage.find(QSlider, "rate").setValue(70)
        changed = controller.session.parameters
        stage.trigger("keep_bookmark")
        yield lambda: len(controller.session.bookmarks) == 2
        stage.window.bookmarks.compare_requested.emit(0, 1)
        assert stage.window.pages.currentWidget() is stage.window.swipe
        stage.trigger("show_all")
        assert stage.window.pages.currentWidget() is stage.window.grid
        stage.window.bookmarks.restore_requested.emit(0)
        assert controller.session.parameters != changed

    assert drive([str(image_file)], script) == 0


def test_the_command_list_the_help_and_the_about_box_open_and_close(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        for command, kind in (
            ("palette", CommandPalette),
            ("help", HelpWindow),
            ("about", AboutDialog),
        ):
            stage.trigger(command)
            yield lambda kind=kind: visible(stage.window, kind) is not None
            visible(stage.window, kind).close()
            yield lambda kind=kind: visible(stage.window, kind) is None

    assert drive([str(image_file)], script) == 0


def test_topics_are_renamed_and_keep_their_names_when_others_come_and_go(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        controller = stage.controller
        looks = list(controller.looks)
        looks[1] = replace(looks[1], name="ripples", colour=(1, 2, 3))
        stage.window.topics.topics_changed.emit(tuple(looks), "Rename a topic")
        yield lambda: controller.presenter.snapshot.topics[1].name == "ripples"
        stage.press("run")
        stage.find(QSlider, "topics").setValue(4)
        yield lambda: len(controller.presenter.snapshot.topics) == 4
        assert controller.presenter.snapshot.topics[1].name == "ripples"
        assert controller.presenter.snapshot.topics[1].colour == (1, 2, 3)
        controller.undo()
        controller.undo()
        yield lambda: "ripples" not in [t.name for t in controller.presenter.snapshot.topics]

    assert drive([str(image_file)], script) == 0


def test_two_thousand_random_events_end_with_a_live_window(
    image_file: Path, tmp_path: Path
) -> None:
    random = np.random.default_rng(20)
    others = [image_file]
    for seed in (1, 2):
        others.append(tmp_path / f"other{seed}.npy")
        np.save(others[-1], make_scene("demo", (70, 60), seed=seed).image.pixels)
    sliders = (
        "topics", "smoothness", "coupling", "rate", "alpha", "scaling", "fuzzifier",
        "document_count",
    )  # fmt: skip
    boxes = ("scaling_fixed", "proportions_fixed")
    buttons = ("run", "pause", "step", "restart")
    commands = (
        "undo", "redo", "estimate_mean", "estimate_map", "estimate_paper_map", "outlines",
        "show_labels", "show_uncertainty", "enlarge_next", "show_all", "fit", "zoom_in",
        "zoom_out", "keep_bookmark", "theme_dark", "theme_light",
    )  # fmt: skip
    troubles: list[object] = []

    def event(stage: Stage) -> None:
        window, controller = stage.window, stage.controller
        kind = random.integers(100)
        if kind < 50:
            slider = stage.find(QSlider, str(random.choice(sliders)))
            slider.setValue(int(random.integers(slider.minimum(), slider.maximum() + 1)))
        elif kind < 58:
            stage.find(QCheckBox, str(random.choice(boxes))).click()
        elif kind < 72:
            name = str(random.choice(buttons))
            stage.find(QWidget, name).click()
        elif kind < 92:
            window.actions_by_name[str(random.choice(commands))].trigger()
        elif kind < 97:
            window.resize(int(random.integers(700, 1600)), int(random.integers(500, 1100)))
        else:
            files = controller.findChild(Files)
            path = str(others[random.integers(len(others))])
            (files.open if random.integers(2) else files.add)([path])
            question = visible(window, QMessageBox)
            if question is not None:
                question.button(QMessageBox.StandardButton.Discard).click()

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.controller.error_raised.connect(troubles.append)
        for number in range(2000):
            event(stage)
            if number % 40 == 0:
                yield lambda: True
        controller = stage.controller
        yield lambda: not controller.jobs.names and not controller.is_preparing
        controller.pause()
        controller.run()
        before = stage.sweeps
        yield lambda: stage.ready() and stage.sweeps != before
        snapshot = controller.presenter.snapshot
        assert len(snapshot.topic_ids) == controller.session.parameters.topics
        assert snapshot.prepared.document_choice == controller.session.documents

    assert drive([str(image_file)], script) == 0
    assert not troubles, troubles
    assert QApplication.instance() is not None


def test_without_a_display_the_demo_writes_a_screenshot_and_maps(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    finished = subprocess.run(
        [sys.executable, "-m", "pmlda_gui", "--demo"],
        env={**environment, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    (folder,) = tmp_path.glob("pmlda-gui-demo-*")
    assert str(folder) in finished.stdout
    assert (folder / "screenshot.png").stat().st_size > 10_000
    assert (folder / "image_memberships.tif").exists()


_FIRST_SECONDS = """
import sys, time
from pmlda_gui.gui.app import make_application
from pmlda_gui.gui.program import Program

application = make_application()
program = Program(application)
begun = []
program.warm_up.start = lambda: begun.append("warm-up")
program.recovering.look_for_work = lambda: begun.append("look")
program.show()
program.open_later([], demo=False)
assert begun == [], "nothing may hold up the first paint"
until = time.monotonic() + 20.0
while len(begun) < 2 and time.monotonic() < until:
    application.processEvents()
    time.sleep(0.005)
program.window.explain._draw()
assert program.window.explain.sentence.text()
print(begun, sorted({"numba", "scipy", "skimage", "rasterio"} & set(sys.modules)))
program.window.close()
program.wait()
program.dispose()
"""


def test_the_window_is_painted_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", _FIRST_SECONDS],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)},
    )
    assert finished.returncode == 0, finished.stderr
    # Only a paint lets the rest begin, and even the explanations need no library then.
    assert finished.stdout.strip() == "['look', 'warm-up'] []"
