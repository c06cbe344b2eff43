"""The parts of the controller that need no event loop of the whole program."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.background_tasks import source_picture, thumbnail
from pmlda_gui.gui.controller.presenter import Presenter, occupied
from pmlda_gui.gui.controller.session_differences import pictures_of
from pmlda_gui.gui.dialogs.errors import ErrorReport
from pmlda_gui.gui.program import Program
from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.run_result import result_of
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook
from pmlda_gui.workspace.vocabulary import TopicCodes
from tests.gui.small_scenes import small_image, small_run


def ignore(*_arguments: object) -> bool:
    return False


def test_level_zero_of_the_source_is_left_to_pixels_without_data() -> None:
    image = small_image()
    levels = source_picture(image, Display(), ignore, ignore).picture
    np.testing.assert_array_equal(levels == 0, ~image.valid)


def test_a_thumbnail_keeps_the_shape_of_the_image(qapp: object) -> None:
    picture = thumbnail(small_image(), Display())
    assert picture.width() / picture.height() == pytest.approx(52 / 60, abs=0.02)


def test_a_thumbnail_of_a_long_strip_shows_its_middle(qapp: object) -> None:
    pixels = np.zeros((20, 2000), np.float32)
    pixels[:, 990:1010] = 1.0
    picture = thumbnail(Image(pixels, np.ones(pixels.shape, np.bool_)), Display())
    assert picture.width() / picture.height() == pytest.approx(3.0, abs=0.1)
    middle, edge = (picture.pixelColor(column, 10).lightness() for column in (30, 1))
    assert middle > edge


def test_the_occupied_rectangle_surrounds_everything_valid() -> None:
    valid = np.zeros((40, 50), np.bool_)
    valid[10:20, 5:45] = True
    assert occupied(Image(np.zeros((40, 50), np.float32), valid)) == QRectF(5, 10, 40, 10)
    nothing = Image(np.zeros((40, 50), np.float32), np.zeros((40, 50), np.bool_))
    assert occupied(nothing) == QRectF(0, 0, 50, 40)


def test_pictures_are_shown_in_a_fixed_order_and_unknown_ones_are_left_out() -> None:
    assert pictures_of(Session()) == Presenter.DEFAULT_PICTURES
    chosen = Session(view={"pictures": ["labels", "hologram", "source"]})
    assert pictures_of(chosen) == ("source", "labels")


def test_a_result_is_exported_as_it_is_shown() -> None:
    run = small_run()
    run.sweep(2)
    rock = TopicLook(2, "rock", (9, 9, 9), codes=TopicCodes("S1.1.1", "9"))
    looks = (rock, TopicLook(0, "sand", (1, 2, 3), merged_into=2))
    result = result_of(run, Session(images=(ImageEntry(scene="demo"),), topics=looks))
    assert list(result.topic_names) == ["rock", "topic 2"]
    np.testing.assert_array_equal(result.colours[0], (9, 9, 9))
    assert result.codes == (rock.codes, TopicCodes())
    found, original = result.images[0].segmentation, run.segmentations()[0]
    np.testing.assert_allclose(
        found.memberships[0], original.memberships[2] + original.memberships[0]
    )
    np.testing.assert_allclose(found.proportions.sum(axis=1), 1.0)
    run.close()


@pytest.fixture
def program(qtbot: QtBot, qapp: object) -> Program:
    program = Program(qapp)
    program.window.show()
    yield program
    program.window.close()
    program.wait()
    program.dispose()


def test_what_an_operator_can_mend_is_one_sentence_above_the_pictures(program: Program) -> None:
    program.controller.error_raised.emit(PmldaError("The file is a folder: choose a file."))
    assert program.window.message_bar.text == "The file is a folder: choose a file."
    assert not program.window.findChildren(ErrorReport)


def test_what_only_we_can_mend_becomes_a_report_and_the_window_lives_on(program: Program) -> None:
    try:
        raise RuntimeError("a cable came loose")
    except RuntimeError as error:
        program.tell(error)
    (report,) = program.window.findChildren(ErrorReport)
    assert report.isVisible()
    assert "a cable came loose" in report.report
    report.close()
    assert program.window.isVisible()


def test_a_change_is_undone_and_named_in_the_menu(program: Program) -> None:
    actions = program.window.actions_by_name
    assert not actions["undo"].isEnabled()
    program.controller.do("Choose estimate", estimate="map")
    assert actions["estimate_map"].isChecked()
    assert "Choose estimate" in actions["undo"].text()
    actions["undo"].trigger()
    assert actions["estimate_mean"].isChecked()
    assert actions["redo"].isEnabled()


def test_every_command_has_words_and_no_two_share_a_key(program: Program) -> None:
    keys = [
        action.shortcut().toString()
        for action in program.window.actions_by_name.all
        if not action.shortcut().isEmpty()
    ]
    assert len(set(keys)) == len(keys)
    assert all(action.text() for action in program.window.actions_by_name.all)


def test_everything_that_takes_the_keyboard_has_an_accessible_name(program: Program) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QComboBox

    nameless = [
        widget
        for kind in (QAbstractButton, QAbstractSlider, QComboBox)
        for widget in program.window.findChildren(kind)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and "qt_" not in widget.objectName()
    ]
    assert not [(type(each).__name__, each.objectName()) for each in nameless]


def test_the_status_says_that_a_first_map_is_on_its_way(program: Program) -> None:
    controller, activity = program.controller, program.window.activity
    controller.chain.starting = True
    controller.frames.show_progress()
    assert activity.text() == "Computing the first map…"
    controller.chain.starting = False
    controller.frames.show_progress()
    assert activity.text() == ""
