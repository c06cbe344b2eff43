"""Profiles, regions and measurements, drawn with the mouse or the keyboard as an operator does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pyogrio
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QListWidget

from tests.e2e.driver import Script, Stage, drive, visible

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui import run_stats
from pmlda_gui.gui.dialogs.export import ExportDialog
from pmlda_gui.gui.dialogs.topic_count import TopicCountDialog
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.analysis import topic_count
from pmlda_gui.workspace.analysis.light import Light
from pmlda_gui.workspace.analysis.topic_count import TopicCounts
from pmlda_gui.workspace.settings import settings

pytestmark = pytest.mark.usefixtures("qapp")

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Place = tuple[float, float]


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (80, 70)).image.pixels)
    return path


def at(view: PictureView, place: Place) -> QPoint:
    """The point of a picture's surface at shares of its width and height."""
    size = view.findChild(pg.GraphicsView).viewport().size()
    return QPoint(round(size.width() * place[0]), round(size.height() * place[1]))


def drag(view: PictureView, *places: Place) -> None:
    """Press at the first place, move over the others, release at the last."""
    surface = view.findChild(pg.GraphicsView).viewport()
    QTest.mousePress(surface, LEFT, NONE, at(view, places[0]))
    for place in places[1:]:
        QTest.mouseMove(surface, at(view, place))
    QTest.mouseRelease(surface, LEFT, NONE, at(view, places[-1]))


def click(view: PictureView, place: Place) -> None:
    drag(view, place)


def key(stage: Stage, pressed: Qt.Key) -> None:
    """Press a key where the focus is."""
    stage.window.activateWindow()
    QTest.keyClick(QApplication.focusWidget() or stage.window, pressed)


def kinds(stage: Stage) -> list[str]:
    return [shape.kind for shape in stage.controller.session.shapes]


def figures(stage: Stage) -> str:
    return stage.window.analysis.figures.text()


def test_a_profile_is_drawn_shown_renamed_undone_and_saved(image_file: Path) -> None:
    saved = image_file.with_suffix(".pmlda")

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 30
        key(stage, Qt.Key.Key_P)
        view = stage.window.grid.view("composite_view")
        before = view.visible_range
        drag(view, (0.1, 0.5), (0.5, 0.5), (0.9, 0.5))
        assert view.visible_range == before
        assert kinds(stage) == ["profile"]
        yield lambda: "px" in figures(stage)
        assert stage.window.analysis.profile.isVisible()
        (start, end) = stage.controller.session.shapes[0].points
        assert abs(start[1] - end[1]) < 2.0
        assert end[0] - start[0] > 40.0
        shapes = stage.find(QListWidget, "shape_list")
        shapes.item(0).setText("Across the ripples")
        assert stage.controller.session.shapes[0].name == "Across the ripples"
        assert "Across the ripples" in stage.window.actions_by_name["undo"].text()
        stage.trigger("undo")
        stage.trigger("undo")
        assert kinds(stage) == []
        stage.trigger("redo")
        assert kinds(stage) == ["profile"]
        key(stage, Qt.Key.Key_Escape)
        assert stage.window.grid.drawing.tool is None
        drag(view, (0.3, 0.5), (0.6, 0.5))
        assert kinds(stage) == ["profile"]
        with mock.patch.object(QFileDialog, "getSaveFileName", return_value=(str(saved), "")):
            stage.trigger("save")
        yield saved.exists

    assert drive([str(image_file)], script) == 0

    def again(stage: Stage) -> Script:
        yield stage.ready
        assert kinds(stage) == ["profile"]
        stage.window.docks["analysis"].raise_()
        stage.window.analysis.choose(0)
        yield lambda: "px" in figures(stage)

    assert drive([str(saved)], again) == 0


def test_regions_are_drawn_in_three_ways_and_told_apart_from_the_rest(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 30
        view = stage.window.grid.view("source_view")
        key(stage, Qt.Key.Key_R)
        drag(view, (0.2, 0.2), (0.4, 0.3), (0.6, 0.6))
        yield lambda: "elsewhere" in figures(stage)
        assert stage.window.analysis.histogram.isVisible()
        key(stage, Qt.Key.Key_G)
        for place in ((0.2, 0.2), (0.7, 0.2), (0.7, 0.7)):
            click(view, place)
        key(stage, Qt.Key.Key_Return)
        assert kinds(stage) == ["region"] * 2
        assert len(stage.controller.session.shapes[1].points) == 3
        key(stage, Qt.Key.Key_L)
        drag(view, (0.2, 0.2), (0.7, 0.2), (0.7, 0.7), (0.2, 0.7))
        assert kinds(stage) == ["region"] * 3
        stage.press("pause")
        yield lambda: "Document" in figures(stage)
        stage.window.analysis.feature.setCurrentIndex(1)
        stage.window.analysis.feature.textActivated.emit(
            stage.window.analysis.feature.currentText()
        )
        name = stage.window.analysis.feature.currentText()
        label = stage.window.analysis.histogram.getPlotItem().getAxis("bottom")
        yield lambda: name in label.labelText
        stage.window.analysis.list.setFocus()
        QTest.keyClick(stage.window.analysis.list, Qt.Key.Key_Delete)
        assert kinds(stage) == ["region"] * 2

    assert drive([str(image_file)], script) == 0


def test_a_path_is_measured_from_the_keyboard_alone(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        key(stage, Qt.Key.Key_M)
        view = stage.window.grid.current
        assert view is not None
        assert view.hasFocus()
        QTest.keyClick(view, Qt.Key.Key_Space)
        for _ in range(3):
            QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view, Qt.Key.Key_Space)
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view, Qt.Key.Key_Space)
        QTest.keyClick(view, Qt.Key.Key_Backspace)
        QTest.keyClick(view, Qt.Key.Key_Return)
        assert kinds(stage) == ["measurement"]
        yield lambda: "Length 30 px" in figures(stage)
        assert "Bearing 090.0° from up in the image" in figures(stage)
        assert view.objectName() != stage.window.grid.enlarged

    assert drive([str(image_file)], script) == 0


def test_what_is_drawn_is_exported_as_table_picture_and_package(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        key(stage, Qt.Key.Key_P)
        drag(stage.window.grid.view("source_view"), (0.1, 0.5), (0.9, 0.5))
        yield lambda: "px" in figures(stage)
        for ending in ("csv", "png", "gpkg"):
            target = image_file.with_name(f"drawn.{ending}")
            with mock.patch.object(QFileDialog, "getSaveFileName", return_value=(str(target), "")):
                stage.window.analysis.export.trigger()
            yield target.exists
        folder = image_file.with_name("results")
        stage.trigger("export")
        yield lambda: visible(stage.window, ExportDialog) is not None
        dialog = visible(stage.window, ExportDialog)
        assert dialog is not None
        dialog.folder.findChild(QLineEdit).setText(str(folder))
        dialog.accept()
        yield (folder / "transitions.csv").exists
        yield (folder / "report.html").exists
        yield lambda: not stage.controller.jobs.names

    assert drive([str(image_file)], script) == 0
    assert image_file.with_name("drawn.csv").read_text().startswith("distance [px],topic 1,")
    layers = pyogrio.list_layers(image_file.with_name("drawn.gpkg"))
    assert "profiles" in [name for name, _ in layers]
    layers = pyogrio.list_layers(image_file.with_name("results") / "seabed_polygons.gpkg")
    assert {"topics", "profiles"} <= {name for name, _ in layers}


def test_how_many_topics_is_asked_and_taken_with_one_click(image_file: Path) -> None:
    counts = TopicCounts((2, 3, 4), np.array([[-9.0, -8.0, -7.0], [-9.1, -8.2, -7.1]]), 4, "four")

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("how_many_topics")
        yield lambda: visible(stage.window, TopicCountDialog) is not None
        dialog = visible(stage.window, TopicCountDialog)
        assert dialog is not None
        yield dialog.take.isEnabled
        assert dialog.reason.text() == "four"
        QTest.mouseClick(dialog.take, LEFT)
        assert stage.controller.session.parameters.topics == 4
        stage.trigger("undo")
        assert stage.controller.session.parameters.topics == 3

    with mock.patch.object(topic_count, "count_topics", return_value=counts):
        assert drive([str(image_file)], script) == 0


def _green_after_hundred(_diagnosis: object, sweeps: int, _pace: object) -> Light:
    """A light that does not depend on how fast this machine is."""
    return Light("green", "done", final=True) if sweeps > 100 else Light("amber", "usable")


def test_the_chain_rests_when_the_light_is_green_and_goes_on_at_a_change(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        settings().set("chain/rest", "yes")
        yield stage.ready
        stage.press("run")
        yield lambda: stage.window.chain.light.colour == "green"
        yield lambda: not stage.controller.chain.running
        parameters = stage.controller.session.parameters
        stage.controller.do("Change rate", parameters=replace(parameters, rate=2.0))
        assert stage.controller.chain.running
        yield lambda: stage.window.chain.light.colour == "red"
        yield lambda: stage.window.chain.light.colour == "green"
        yield lambda: not stage.controller.chain.running
        stage.press("run")
        before = stage.sweeps
        yield lambda: stage.sweeps > before + 200
        assert stage.controller.chain.running

    with mock.patch.object(run_stats, "light_of", _green_after_hundred):
        assert drive([str(image_file)], script) == 0
