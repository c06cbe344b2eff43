"""Dialogs: what they ask, what they answer, and what they leave out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path, PureWindowsPath

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from pmlda_gui import __version__
from pmlda_gui.core.progress import UNWATCHED
from pmlda_gui.gui.actions import COMMANDS
from pmlda_gui.gui.controller.file_jobs import probe_paths
from pmlda_gui.gui.dialogs.about import AboutDialog
from pmlda_gui.gui.dialogs.errors import ErrorReport
from pmlda_gui.gui.dialogs.export import ExportChoice, ExportDialog
from pmlda_gui.gui.dialogs.help import PAGES, HelpWindow
from pmlda_gui.gui.dialogs.missing import MissingImagesDialog
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.dialogs.palette import CommandPalette, matches
from pmlda_gui.gui.dialogs.progress import ProgressDialog
from pmlda_gui.gui.dialogs.recovery import RecoveryDialog
from pmlda_gui.imagery.readers.options import Band, Probe, ReadOptions
from pmlda_gui.workspace import privacy
from pmlda_gui.workspace.privacy import without_private_parts
from pmlda_gui.workspace.recovery import Recoverable
from pmlda_gui.workspace.session import ImageEntry


def button(dialog: QWidget, name: str) -> QPushButton:
    found = dialog.findChild(QPushButton, name)
    assert found is not None
    return found


def open_beside(qtbot, dialog: QDialog) -> QDialog:
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def assert_nothing_cut(dialog: QWidget) -> None:
    """Every visible text has the room it needs."""
    for label in dialog.findChildren(QLabel):
        if label.isVisible() and label.text() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
        elif label.isVisible() and label.text():
            assert label.width() >= label.sizeHint().width(), label.text()


# -- the list of commands ---------------------------------------------------------------------


@pytest.fixture
def done(qapp) -> list[str]:
    return []


@pytest.fixture
def actions(qtbot, done: list[str]) -> list[QAction]:
    holder = QWidget()
    qtbot.addWidget(holder)
    made = []
    for text, keys in (("&Open…", "Ctrl+O"), ("Open the &demo scene", ""), ("&Redo", "Ctrl+Y")):
        action = QAction(text, holder)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _=False, text=text: done.append(text))
        made.append(action)
    made[2].setEnabled(False)
    separator = QAction(holder)
    separator.setSeparator(True)
    # The holder must outlive the test's use of its actions.
    made[0].holder = holder  # type: ignore[attr-defined]
    return [*made, separator]


def test_a_few_letters_and_enter_run_a_command(qtbot, actions, done: list[str]) -> None:
    palette = open_beside(qtbot, CommandPalette(actions))
    QTest.keyClicks(palette.search, "dem op")
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == ["Open the &demo scene"]
    assert not palette.isVisible()


def test_the_first_command_that_can_be_used_now_is_chosen(qtbot, actions, done) -> None:
    palette = open_beside(qtbot, CommandPalette(reversed(actions)))
    QTest.keyClicks(palette.search, "e")
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == ["Open the &demo scene"]


def test_arrow_keys_walk_through_the_list_from_the_search(qtbot, actions, done) -> None:
    palette = open_beside(qtbot, CommandPalette(actions))
    QTest.keyClick(palette.search, Qt.Key.Key_Down)
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == ["Open the &demo scene"]


def test_a_command_that_cannot_be_used_now_does_nothing(qtbot, actions, done) -> None:
    palette = open_beside(qtbot, CommandPalette(actions))
    QTest.keyClicks(palette.search, "redo")
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == []
    assert palette.isVisible()


def test_commands_stand_with_their_keys_and_separators_are_left_out(qtbot, actions) -> None:
    palette = open_beside(qtbot, CommandPalette(actions))
    rows = [palette.list.topLevelItem(row) for row in range(palette.list.topLevelItemCount())]
    assert [(row.text(0), row.text(1)) for row in rows] == [
        ("Open", "Ctrl+O"),
        ("Open the demo scene", ""),
        ("Redo", "Ctrl+Y"),
    ]


def test_words_match_in_any_order_and_case() -> None:
    assert matches("MAPS mem", "Membership maps")
    assert matches("", "anything")
    assert not matches("maps x", "Membership maps")


# -- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "private",
    [
        "/home/annika/survey/line.xtf",
        "/Users/annika/survey/line.xtf",
        r"C:\Users\annika\survey\line.xtf",
        "file of annika could not be read",
        "/home/somebody-else/shared/line.xtf",
    ],
)
def test_names_and_homes_are_left_out_of_reports(private: str) -> None:
    cleaned = without_private_parts(private, Path("/home/annika"), ["annika"])
    assert "annika" not in cleaned
    assert "somebody" not in cleaned


def test_an_unusual_home_is_left_out_as_well() -> None:
    cleaned = without_private_parts("/mnt/people/k7/line.xtf", Path("/mnt/people/k7"), ["k7"])
    assert cleaned == "~/line.xtf"


@pytest.mark.parametrize("slash", ["/", "\\", "\\\\"])
def test_a_home_with_a_space_is_left_out_however_it_is_written(slash: str) -> None:
    home = PureWindowsPath("C:/Users/Anna Maria")
    written = slash.join(["C:", "Users", "Anna Maria", "line.xtf"])
    assert without_private_parts(written, home, ["Anna Maria"]) == f"~{slash}line.xtf"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("cannot read /mnt/navy/line.xtf now", "cannot read …/line.xtf now"),
        ("'/mnt/two words/navy/line 7.xtf'", "'…/line 7.xtf'"),
        (r"D:\navy\2024\line.xtf", "…/line.xtf"),
        ('File "/opt/x/pmlda_gui/gui/app.py", line 3', 'File "…/pmlda_gui/gui/app.py", line 3'),
        ('"/opt/lib/site-packages/numpy/a.py"', '"…/site-packages/numpy/a.py"'),
    ],
)
def test_folders_of_files_are_left_out_and_places_in_the_program_stay(
    written: str, told: str
) -> None:
    assert without_private_parts(written, Path("/home/annika"), ["annika"]) == told


def test_a_folder_with_spaces_is_left_out_of_sentences_once_it_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(privacy, "_hidden", {})
    for folder in ("/mnt/two words/navy", "/mnt/two words"):
        privacy.hide_folder(Path(folder))
    privacy.hide_folder(Path("/"))
    text = "There is no workspace /mnt/two words/navy/line 7.pmlda: choose another, and/or stop."
    told = "There is no workspace …/line 7.pmlda: choose another, and/or stop."
    assert without_private_parts(text, Path("/home/annika"), ["annika"]) == told


def test_ordinary_words_are_kept() -> None:
    text = "The annual survey of 3/4 km, see https://example.org/a/b, and/or willow and goodwill"
    assert without_private_parts(text, Path("/home/will"), ["will", "a"]) == text


def test_a_report_holds_sentence_log_and_versions_and_is_copied(qtbot) -> None:
    report = ErrorReport()
    qtbot.addWidget(report)
    home = Path.home()
    report.show_error("Opening failed", "line.xtf is damaged.", f"in {home}/survey/line.xtf")
    button(report, "copy_report").click()
    copied = QApplication.clipboard().text()
    assert copied == report.report
    assert "line.xtf is damaged." in copied
    assert f"pmlda-gui {__version__}" in copied
    assert "in …/line.xtf" in copied


def test_a_long_sentence_is_never_cut(qtbot) -> None:
    report = ErrorReport()
    qtbot.addWidget(report)
    report.show_error("Opening failed", "This file is damaged in a way. " * 12)
    assert_nothing_cut(report)
    button(report, "error_show_details").click()
    assert_nothing_cut(report)


# -- progress ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["button", "escape", "close"])
def test_cancelling_is_told_once_and_the_dialog_waits_for_the_work(qtbot, way: str) -> None:
    dialog = ProgressDialog("Exporting")
    qtbot.addWidget(dialog)
    told: list[bool] = []
    dialog.cancelled.connect(lambda: told.append(True))
    dialog.show()
    for _ in range(2):
        if way == "button":
            button(dialog, "progress_cancel").click()
        elif way == "escape":
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        else:
            dialog.close()
    assert told == [True]
    assert dialog.isVisible()
    dialog.finish()
    assert not dialog.isVisible()


def test_the_program_can_be_closed_while_progress_is_shown(qtbot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    dialog = ProgressDialog("Exporting", window)
    dialog.show()
    assert not dialog.isModal()
    dialog.finish()


def test_progress_shows_the_share_and_shortens_long_names(qtbot) -> None:
    dialog = open_beside(qtbot, ProgressDialog("Exporting"))
    dialog.set_progress(0.25, "a_very_long_name_of_a_file" * 10)
    assert dialog.bar.value() == dialog.bar.maximum() // 4
    assert_nothing_cut(dialog)
    dialog.set_progress(7.0)
    assert dialog.bar.value() == dialog.bar.maximum()
    dialog.finish()


def test_a_finished_dialog_cancels_nothing(qtbot) -> None:
    dialog = open_beside(qtbot, ProgressDialog("Exporting"))
    told: list[bool] = []
    dialog.cancelled.connect(lambda: told.append(True))
    dialog.finish()
    dialog.close()
    assert told == []


# -- export -----------------------------------------------------------------------------------


def test_export_answers_with_folder_and_estimate(qtbot, tmp_path: Path) -> None:
    dialog = open_beside(qtbot, ExportDialog(["a", "b", "c"], tmp_path, "map"))
    assert dialog.choice == ExportChoice(tmp_path, "map")
    dialog.findChild(QLineEdit, "export_folder").setText(str(tmp_path / "new"))
    dialog.findChild(QComboBox, "export_estimate").setCurrentIndex(0)
    assert dialog.choice == ExportChoice(tmp_path / "new", "mean")
    assert_nothing_cut(dialog)


def test_export_offers_what_to_write(qtbot, tmp_path: Path) -> None:
    dialog = open_beside(qtbot, ExportDialog(["a"], tmp_path, parts=frozenset({"maps"})))
    assert dialog.choice == ExportChoice(tmp_path, "mean", frozenset({"maps"}))
    dialog.parts["tables"].click()
    dialog.parts["maps"].click()
    assert dialog.choice == ExportChoice(tmp_path, "mean", frozenset({"tables"}))
    dialog.parts["tables"].click()
    assert dialog.choice is None
    assert not button(dialog, "export_accept").isEnabled()


def test_export_into_nothing_or_into_a_file_is_refused(qtbot, tmp_path: Path) -> None:
    dialog = open_beside(qtbot, ExportDialog(["a"], tmp_path))
    line = dialog.findChild(QLineEdit, "export_folder")
    accept = button(dialog, "export_accept")
    assert accept.isEnabled()
    line.setText("  ")
    assert not accept.isEnabled()
    (tmp_path / "file").write_text("x")
    line.setText(str(tmp_path / "file"))
    assert not accept.isEnabled()


# -- opening ----------------------------------------------------------------------------------


def probe_of(kind: str, height: int = 100, width: int = 200) -> Probe:
    bands = (Band("depth", "float32", height, width), Band("", "float32", height, width // 2))
    return Probe(Path(f"line.{kind.lower()}"), kind, height, width, "float32", 1, bands)


def test_an_ordinary_file_opens_by_itself(qtbot) -> None:
    dialog = open_beside(qtbot, OpenOptionsDialog(probe_of("GTiff")))
    assert dialog.options == ReadOptions()
    assert not any(box.isVisible() for box in dialog.findChildren(QCheckBox))
    assert_nothing_cut(dialog)


def test_a_band_is_chosen_by_number_and_its_size_is_told(qtbot) -> None:
    dialog = open_beside(qtbot, OpenOptionsDialog(probe_of("GTiff")))
    dialog.findChild(QComboBox, "open_band").setCurrentIndex(2)
    dialog.findChild(QSpinBox, "open_reduce").setValue(3)
    assert dialog.options == ReadOptions(band=2, reduce=3)
    assert "34 × 34" in dialog.findChild(QLabel, "open_size").text()


def test_a_recording_offers_what_can_be_done_to_it(qtbot) -> None:
    dialog = open_beside(qtbot, OpenOptionsDialog(probe_of("XTF")))
    for box in dialog.findChildren(QCheckBox):
        assert box.isVisible()
        box.setChecked(not box.isChecked())
    assert dialog.options == ReadOptions(
        mask_water_column=False,
        correct_slant_range=False,
        normalise_gain=False,
        square_pixels=False,
    )


def test_a_recording_opens_with_the_usual_corrections_unless_they_are_changed(qtbot) -> None:
    dialog = open_beside(qtbot, OpenOptionsDialog(probe_of("XTF")))
    assert dialog.options == ReadOptions()
    dialog.correct_slant_range.setCheckState(Qt.CheckState.Checked)
    assert dialog.options == ReadOptions(correct_slant_range=True)


def test_options_are_asked_for_once_for_all_files_that_were_chosen(tmp_path) -> None:
    paths = [tmp_path / "first.npy", tmp_path / "second.npy"]
    for path in paths:
        np.save(path, np.ones((20, 30), dtype=np.float32))
    probed = probe_paths(paths, True, UNWATCHED)
    assert probed.paths == paths
    assert probed.ask is not None
    assert probed.ask.path == paths[0]
    assert probe_paths(paths, False, UNWATCHED).ask is None


def test_a_very_large_image_is_proposed_reduced(qtbot) -> None:
    dialog = open_beside(qtbot, OpenOptionsDialog(probe_of("GTiff", 10_000, 10_000)))
    assert dialog.options.reduce > 1


# -- recovery and missing images --------------------------------------------------------------


@pytest.fixture
def found() -> list[Recoverable]:
    saved = datetime(2025, 3, 4, 5, 6, tzinfo=UTC)
    return [
        Recoverable(Path("one.pmlda"), saved, Path("/data/survey.pmlda")),
        Recoverable(Path("two.pmlda"), saved, None),
    ]


@pytest.mark.parametrize("answer", ["recover", "discard", "later"])
def test_recovery_answers_for_the_chosen_workspace(qtbot, found, answer: str) -> None:
    dialog = open_beside(qtbot, RecoveryDialog(found))
    assert_nothing_cut(dialog)
    dialog.list.setCurrentRow(1)
    button(dialog, f"recovery_{answer}").click()
    assert dialog.answer == answer
    assert dialog.chosen == found[1]


def test_closing_the_recovery_loses_nothing(qtbot, found) -> None:
    dialog = open_beside(qtbot, RecoveryDialog(found))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.answer == "later"


def test_a_found_image_brings_its_neighbours_along(qtbot, tmp_path: Path) -> None:
    names = ("a.tif", "b.tif", "c.tif")
    for name in names[:2]:
        (tmp_path / name).write_bytes(b"x")
    dialog = open_beside(
        qtbot, MissingImagesDialog(tuple(ImageEntry(Path("/gone") / name) for name in names))
    )
    dialog.place(0, tmp_path / "a.tif")
    assert dialog.found == {0: tmp_path / "a.tif", 1: tmp_path / "b.tif"}
    assert button(dialog, "missing_accept").text() == "Open without the others"
    assert button(dialog, "missing_locate").isDefault()
    (tmp_path / "renamed.tif").write_bytes(b"x")
    dialog.place(2, tmp_path / "renamed.tif")
    assert button(dialog, "missing_accept").text() == "Open"
    assert button(dialog, "missing_accept").isDefault()
    assert_nothing_cut(dialog)


def test_the_name_of_a_missing_image_is_shown_in_full(qtbot) -> None:
    name = "line_0012_starboard_high.xtf"
    dialog = open_beside(qtbot, MissingImagesDialog((ImageEntry(Path("/gone") / name),)))
    assert dialog.list.columnWidth(0) >= dialog.list.fontMetrics().horizontalAdvance(name)


# -- about and help ---------------------------------------------------------------------------


def test_about_tells_versions_and_copies_them(qtbot) -> None:
    dialog = open_beside(qtbot, AboutDialog())
    button(dialog, "copy_versions").click()
    copied = QApplication.clipboard().text()
    assert copied.startswith(f"pmlda-gui {__version__}\nPython 3")
    assert_nothing_cut(dialog)


@pytest.fixture
def help_window(qtbot) -> HelpWindow:
    window = HelpWindow()
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize("name", [name for name, _ in PAGES])
def test_every_help_page_is_there_and_begins_with_its_title(
    help_window: HelpWindow, name: str
) -> None:
    help_window.show_page(name)
    assert help_window.page.toPlainText().startswith(dict(PAGES)[name])


def test_an_unknown_help_page_shows_the_first(help_window: HelpWindow) -> None:
    help_window.show_page("keyboard")
    help_window.show_page("no-such-page")
    assert help_window.page.toPlainText().startswith("Getting started")


def test_links_between_pages_are_followed_and_others_are_not(help_window: HelpWindow) -> None:
    help_window.page.anchorClicked.emit(QUrl("parameters.md"))
    assert help_window.page.toPlainText().startswith("Parameters")
    help_window.page.anchorClicked.emit(QUrl("https://example.org/maps.md"))
    assert help_window.page.toPlainText().startswith("Parameters")


def test_the_page_about_keys_lists_every_key_of_the_menus(help_window: HelpWindow) -> None:
    help_window.show_page("keyboard")
    text = help_window.page.toPlainText()
    for command in COMMANDS:
        if command.keys:
            assert QKeySequence(command.keys).toString() in text
