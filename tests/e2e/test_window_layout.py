"""Room for the pictures: docks, layouts, windows of their own, overlays and swipes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QInputDialog,
    QLineEdit,
    QMenu,
    QSlider,
    QTabBar,
)

from tests.e2e.driver import Script, Stage, drive

import pyqtgraph as pg  # isort: skip (after PySide6)

from pmlda_gui.gui.controller.comparing import Comparing
from pmlda_gui.gui.picture_windows import PictureWindow
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.comparison import MethodResult

pytestmark = pytest.mark.usefixtures("qapp")

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (80, 70)).image.pixels)
    return path


def canvas(view: PictureView) -> pg.GraphicsView:
    return view.findChild(pg.GraphicsView)


def click(view: PictureView) -> None:
    """Click the middle of a picture."""
    surface = canvas(view).viewport()
    QTest.mouseClick(surface, LEFT, pos=surface.rect().center())


def press(stage: Stage, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> Script:
    """Press a key in the main window, once it is in front."""
    chosen = Qt.KeyboardModifier.NoModifier
    for modifier in modifiers:
        chosen |= modifier
    stage.window.activateWindow()
    yield stage.window.isActiveWindow
    QTest.keyClick(stage.window, key, chosen)


def share_of_pictures(stage: Stage) -> float:
    """How much of the window the pictures themselves take."""
    areas = [canvas(view).width() * canvas(view).height() for view in stage.window.grid.views
             if view.isVisible()]  # fmt: skip
    return sum(areas) / (stage.window.width() * stage.window.height())


def test_pictures_take_most_of_the_window_in_both_layouts_and_one_key_gives_them_all(
    image_file: Path,
) -> None:
    def script(stage: Stage) -> Script:
        stage.window.resize(1280, 800)
        yield stage.ready
        yield lambda: share_of_pictures(stage) >= 0.55
        yield from press(stage, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier,
              Qt.KeyboardModifier.AltModifier)  # fmt: skip
        yield lambda: stage.window.grid.arrangement == "focus"
        yield lambda: share_of_pictures(stage) >= 0.55
        yield from press(stage, Qt.Key.Key_F11)
        yield lambda: share_of_pictures(stage) >= 0.85
        assert not stage.window.menuBar().isVisible()
        assert not any(dock.isVisible() for dock in stage.window.docks.values())
        yield from press(stage, Qt.Key.Key_F11)
        yield lambda: stage.window.docks["parameters"].isVisible()
        assert stage.window.menuBar().isVisible()
        yield from press(stage, Qt.Key.Key_F11)
        yield from press(stage, Qt.Key.Key_Escape)
        yield lambda: stage.window.docks["chain"].isVisible()

    drive([str(image_file)], script)


def test_a_click_in_the_strip_exchanges_the_large_picture(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        grid = stage.window.grid
        stage.trigger("layout_focus")
        yield lambda: grid.view("source_view").width() > 2 * grid.view("composite_view").width()
        click(grid.view("composite_view"))
        yield lambda: grid.main == "composite_view"
        yield lambda: grid.view("composite_view").width() > 2 * grid.view("source_view").width()
        # The click on the large one changes nothing, Enter in the strip exchanges again.
        click(grid.view("composite_view"))
        assert grid.main == "composite_view"
        QTest.qWait(QApplication.doubleClickInterval() + 50)
        QTest.keyClick(grid.view("source_view"), Qt.Key.Key_Return)
        assert grid.main == "source_view"

    drive([str(image_file)], script)


def test_a_panel_floats_by_a_double_click_closes_by_its_menu_and_comes_back_by_reset(
    image_file: Path,
) -> None:
    def script(stage: Stage) -> Script:
        window = stage.window
        yield stage.ready
        bar, number = next(
            (bar, number)
            for bar in window.findChildren(QTabBar)
            for number in range(bar.count())
            if bar.tabText(number) == "Trace"
        )
        QTest.mouseDClick(bar, LEFT, pos=bar.tabRect(number).center())
        yield lambda: window.docks["trace"].isFloating()
        assert window.docks["trace"].titleBarWidget().isVisible()
        window.docks["trace"].close()
        assert not window.docks["trace"].isVisible()
        window.docks["images"].toggleViewAction().trigger()
        stage.trigger("layout_reset")
        yield lambda: not window.docks["trace"].isFloating()
        assert not window.docks["trace"].isHidden()
        assert not window.docks["images"].isHidden()
        assert window.docks["trace"] in window.tabifiedDockWidgets(window.docks["chain"])

    drive([str(image_file)], script)


def test_layouts_are_kept_by_name_and_are_there_at_the_next_start(image_file: Path) -> None:
    def keep(stage: Stage) -> Script:
        yield stage.ready
        stage.window.docks["bookmarks"].close()
        stage.trigger("layout_focus")
        stage.trigger("layout_keep")
        yield lambda: stage.window.findChild(QInputDialog, "layout_name") is not None
        dialog = stage.window.findChild(QInputDialog, "layout_name")
        box = dialog.findChild(QLineEdit)
        box.selectAll()
        QTest.keyClicks(box, "Night watch")
        QTest.keyClick(box, Qt.Key.Key_Return)
        yield lambda: len(stage.window.layouts.kept) == 1
        stage.trigger("layout_reset")
        assert not stage.window.docks["bookmarks"].isHidden()

    drive([str(image_file)], keep)

    def use(stage: Stage) -> Script:
        yield stage.ready
        window = stage.window
        assert window.grid.arrangement == "grid"
        entry = next(a for a in window.layouts.menu.actions() if a.text() == "Night watch")
        entry.trigger()
        yield lambda: window.docks["bookmarks"].isHidden()
        assert window.grid.arrangement == "focus"
        menus = [a.menu() for a in window.layouts.menu.actions() if a.menu() is not None]
        assert isinstance(menus[0], QMenu)
        menus[0].actions()[0].trigger()
        assert not window.layouts.kept

    drive([str(image_file)], use)

    def left(stage: Stage) -> Script:
        yield stage.ready
        assert stage.window.grid.arrangement == "focus"
        assert stage.window.docks["bookmarks"].isHidden()

    drive([str(image_file)], left)


def test_a_picture_in_a_window_of_its_own_stays_linked(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        window, grid = stage.window, stage.window.grid
        composite, source = grid.view("composite_view"), grid.view("source_view")
        click(composite)
        yield from press(stage, Qt.Key.Key_F3)
        yield lambda: window.findChild(PictureWindow) is not None
        own = window.findChild(PictureWindow)
        assert own.isVisible()
        assert composite.window() is own
        assert own.windowTitle().startswith("Composite")
        assert composite._scale_bar.isVisible()
        before = source.visible_range
        composite.zoom(3)
        yield lambda: source.visible_range.width() < before.width() / 1.5
        composite._canvas.hovered.emit(canvas(composite).rect().center().toPointF())
        assert all(line.isVisible() for line in source._crosshair.lines)
        stage.press("run")
        sweeps = stage.sweeps
        shown = composite._image.image
        yield lambda: stage.sweeps > sweeps + 3 and composite._image.image is not shown
        stage.press("pause")
        own.close()
        yield lambda: composite.window() is window
        assert composite.isVisible()

    drive([str(image_file)], script)


def test_an_overlay_lies_on_the_source_and_a_key_flickers_it(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        window = stage.window
        source = window.grid.view("source_view")
        yield from press(stage, Qt.Key.Key_F4)
        yield lambda: source._header.detail.text() == "Composite: no map yet: Run (F5)"
        assert not source._overlay.isVisible()
        stage.press("run")
        yield source._overlay.isVisible
        stage.press("pause")
        assert window.overlay.shown.isChecked()
        choices = [
            window.overlay.picture.itemText(n) for n in range(window.overlay.picture.count())
        ]
        assert choices == ["Composite", "topic 1", "topic 2", "topic 3", "Uncertainty",
                           "Crisp labels"]  # fmt: skip
        window.docks["display"].raise_()
        yield lambda: window.overlay.picture.isEnabled()
        QTest.keyClick(window.overlay.picture, Qt.Key.Key_Down)
        assert window.overlay.overlay.picture == "membership_view_0"
        QTest.keyClick(stage.find(QSlider, "overlay_opacity"), Qt.Key.Key_Home)
        assert source._overlay.opacity() == 0.0
        yield from press(stage, Qt.Key.Key_F4)
        assert not source._overlay.isVisible()

    drive([str(image_file)], script)


def test_any_two_pictures_are_swiped_and_live_ones_go_on(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        window, swipe = stage.window, stage.window.swipe
        stage.press("run")
        yield lambda: stage.sweeps > 3
        stage.trigger("keep_bookmark")
        yield lambda: len(stage.controller.session.bookmarks) == 1
        click(window.grid.view("membership_view_1"))
        stage.trigger("swipe")
        assert window.pages.currentWidget() is swipe
        left, right = (stage.find(QComboBox, name) for name in ("swipe_left", "swipe_right"))
        assert (left.currentText(), right.currentText()) == ("Source image", "topic 2")
        swipe.set_share(0.3)
        images = swipe._images
        yield lambda: swipe._images is not images
        assert swipe.share == pytest.approx(0.3)
        stage.press("pause")
        assert "Kept: Result 1" in [left.itemText(n) for n in range(left.count())]
        QTest.keyClick(left, Qt.Key.Key_End)
        yield lambda: left.currentText() == "Kept: Result 1"
        left.activated.emit(left.currentIndex())
        assert swipe.accessibleName() == "Comparison of Kept: Result 1 with topic 2"
        stage.press("swipe_exchange")
        assert right.currentText() == "Kept: Result 1"
        QTest.keyClick(swipe, Qt.Key.Key_Escape)
        assert window.pages.currentWidget() is window.grid

    drive([str(image_file)], script)


def test_a_method_that_was_compared_can_be_swiped(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 1
        stage.press("pause")
        shares = np.random.default_rng(3).dirichlet(np.ones(3), (80, 70)).astype(np.float32)
        found = SimpleNamespace(memberships=np.moveaxis(shares, 2, 0))
        result = MethodResult("fcm", "Fuzzy c-means", True, [found], 1.0)
        topics = stage.controller.presenter.snapshot.topics
        compared = SimpleNamespace(results={"fcm": result}, topics=topics)
        comparing = stage.controller.findChild(Comparing)
        with mock.patch.object(comparing, "_flow", SimpleNamespace(presenter=compared)):
            stage.trigger("swipe")
            stage.window.swipe.chosen.emit("method fcm", "composite_view")
            words = "Comparison of Method: Fuzzy c-means with Composite"
            assert stage.window.swipe.accessibleName() == words
            stage.window.swipe.closed.emit()

    drive([str(image_file)], script)
