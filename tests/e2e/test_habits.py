"""Habits of an operator: files that run by themselves, preferences, the tour, finding things."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QSlider

from pmlda_gui.gui.controller.exporting import Exporting
from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.dialogs.help import HelpWindow
from pmlda_gui.gui.dialogs.palette import CommandPalette
from pmlda_gui.gui.dialogs.preferences import PreferencesDialog
from pmlda_gui.gui.theme import DARK, LIGHT, theme_colours
from pmlda_gui.gui.tour import STEPS
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.settings import settings
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (80, 70)).image.pixels)
    return path


def test_an_image_that_is_opened_runs_by_itself_and_a_saved_workspace_waits(
    image_file: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "work.pmlda"

    def watch(stage: Stage) -> Script:
        yield lambda: stage.sweeps > 3
        assert stage.controller.chain.running
        stage.press("pause")
        stage.controller.findChild(Files).save_to(saved)
        yield lambda: stage.controller.history.saved

    drive([str(image_file)], watch, preferences=True)

    def wait(stage: Stage) -> Script:
        yield stage.ready
        assert not stage.controller.chain.running

    drive([str(saved)], wait, preferences=True)


def test_nothing_is_shown_as_a_map_before_the_first_sweep(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        view = stage.window.grid.view("membership_view_0")
        assert view._caption.text() == "no map yet: Run (F5)"
        assert set(np.unique(view._image.image)) <= {0, 1, 2}
        stage.press("run")
        yield lambda: stage.sweeps > 0 and not view._caption.text()
        assert view._header.key.key is not None

    drive([str(image_file)], script)


def test_preferences_act_at_once_and_are_kept(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        stage.trigger("preferences")
        yield lambda: visible(stage.window, PreferencesDialog) is not None
        dialog = visible(stage.window, PreferencesDialog)
        QTest.keyClick(dialog.theme, Qt.Key.Key_Down)
        assert theme_colours() is LIGHT
        QTest.keyClick(dialog.theme, Qt.Key.Key_Down)
        assert theme_colours() is DARK
        QTest.keyClick(dialog.start, Qt.Key.Key_Space)
        dialog.autosave.setValue(5.0)
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        yield lambda: visible(stage.window, PreferencesDialog) is None

    drive([str(image_file)], script)
    assert settings().get("window/theme") == "dark"
    assert settings().get("chain/start") == "yes"
    assert settings().get("files/autosave_minutes") == 5.0


def test_the_tour_is_there_once_is_skipped_by_esc_and_comes_again_from_the_menu() -> None:
    def first(stage: Stage) -> Script:
        tour = stage.window.tour
        yield tour.isVisible
        for number in range(len(STEPS) - 1):
            assert tour.step == number
            QTest.keyClick(tour.next, Qt.Key.Key_Return)
            assert stage.window.rect().contains(tour.geometry())
        QTest.mouseClick(tour.next, Qt.MouseButton.LeftButton)
        assert not tour.isVisible()

    drive([], first, preferences=True)

    def again(stage: Stage) -> Script:
        yield lambda: stage.window.isVisible()
        yield lambda: not stage.controller.jobs.names
        assert not stage.window.tour.isVisible()
        stage.trigger("tour")
        assert stage.window.tour.isVisible()
        stage.window.activateWindow()
        yield stage.window.isActiveWindow
        QTest.keyClick(stage.window, Qt.Key.Key_Escape)
        yield lambda: not stage.window.tour.isVisible()

    drive([], again, preferences=True)


@pytest.mark.parametrize(
    ("typed", "found"),
    [("lambda", "rate"), ("superpixels", "document_kind"), ("fuzziness", "fuzzifier")],
)
def test_other_words_for_a_setting_lead_to_it(typed: str, found: str, image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("palette")
        yield lambda: visible(stage.window, CommandPalette) is not None
        palette = visible(stage.window, CommandPalette)
        QTest.keyClicks(palette.search, typed)
        QTest.keyClick(palette.search, Qt.Key.Key_Return)
        yield lambda: visible(stage.window, CommandPalette) is None
        focus = stage.window.focusWidget()
        assert focus is not None
        assert focus.objectName() == found

    drive([str(image_file)], script)


def test_the_list_finds_help_pages_and_says_when_it_finds_nothing(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("palette")
        yield lambda: visible(stage.window, CommandPalette) is not None
        palette = visible(stage.window, CommandPalette)
        QTest.keyClicks(palette.search, "contrast")
        assert not palette.findChild(QLabel, "nothing_found").isVisible()
        palette.search.clear()
        QTest.keyClicks(palette.search, "xylophone")
        assert palette.findChild(QLabel, "nothing_found").isVisible()
        palette.search.clear()
        QTest.keyClicks(palette.search, "troubleshooting")
        QTest.keyClick(palette.search, Qt.Key.Key_Return)
        yield lambda: visible(stage.window, HelpWindow) is not None
        assert visible(stage.window, HelpWindow).list.currentItem().text() == "Troubleshooting"
        visible(stage.window, HelpWindow).close()

    drive([str(image_file)], script)


def test_a_picture_is_copied_whole_with_its_notes(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 2
        stage.press("pause")
        view = stage.window.grid.view("composite_view")
        view.setFocus()
        view.pointed_at.emit()
        stage.trigger("copy_picture")
        copied = QApplication.clipboard().image()
        # 70 x 80 pixels, ten times enlarged, with a margin and four lines below.
        assert copied.width() == 700 + 2 * 14
        assert copied.height() > 800 + 3 * 26
        shown = stage.controller.presenter.snapshot.pictures.composite
        colour = copied.pixelColor(14 + 10 * 35 + 5, 14 + 10 * 40 + 5)
        assert (colour.red(), colour.green(), colour.blue()) == tuple(shown[40, 35, :3])

    drive([str(image_file)], script)


def test_a_click_in_the_history_goes_back_and_forward(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        rate = stage.controller.session.parameters.rate
        slider = stage.find(QSlider, "rate")
        slider.setFocus()
        QTest.keyClick(slider, Qt.Key.Key_Right)
        changed = stage.controller.session.parameters.rate
        assert changed != rate
        stage.controller.do("Change the seed", seed=7)
        names = stage.find(QListWidget, "history_list")
        yield names.isVisible
        assert names.count() == 3
        assert names.currentRow() == 2

        def click(row: int) -> None:
            place = names.visualItemRect(names.item(row)).center()
            QTest.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=place)

        click(0)
        assert stage.controller.session.parameters.rate == rate
        assert stage.controller.session.seed != 7
        assert names.item(2).font().italic()
        click(1)
        assert stage.controller.session.parameters.rate == changed
        click(2)
        assert stage.controller.session.seed == 7
        assert names.count() == 3

    assert drive([str(image_file)], script) == 0


def test_the_folder_of_an_export_can_be_opened(
    image_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True
    )

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 5
        choice = ExportChoice(tmp_path / "out", "mean", frozenset({"tables"}))
        stage.controller.findChild(Exporting).export(choice)
        bar = stage.window.message_bar
        yield lambda: bar.folder.isVisible()
        assert not list((tmp_path / "out").glob("*.tif"))
        bar.folder.click()
        assert opened == [str(tmp_path / "out")]
        bar.show_note("Something else.")
        assert not bar.folder.isVisible()

    assert drive([str(image_file)], script) == 0
