"""The panels that are lists: images, topics, bookmarks; and the welcome page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QPushButton, QWidget

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.panels.bookmarks_panel import BookmarksPanel, settings_in_words
from pmlda_gui.gui.panels.images_panel import ImagesPanel
from pmlda_gui.gui.panels.lists import dropped_files, moved
from pmlda_gui.gui.panels.topics_panel import TopicsPanel
from pmlda_gui.gui.view_request import default_topic
from pmlda_gui.gui.welcome import WelcomePage
from pmlda_gui.workspace.session import Bookmark, Session, TopicLook


def heard_from(signal) -> list[object]:
    heard: list[object] = []
    signal.connect(lambda *values: heard.append(values[0] if len(values) == 1 else values))
    return heard


def action(panel: QWidget, name: str) -> QAction:
    found = panel.findChild(QAction, name)
    assert found is not None
    return found


def files(*paths: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def drop(target: QWidget, data: QMimeData) -> None:
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    target.dropEvent(event)


def rename(listed: QListWidget, row: int, text: str) -> None:
    """Rename a row the way an operator does: edit, type, Enter."""
    listed.setCurrentRow(row)
    listed.editItem(listed.item(row))
    listed.window().activateWindow()
    QTest.qWaitForWindowActive(listed.window())
    editor = listed.findChildren(QLineEdit)[-1]
    editor.setFocus()
    editor.setText(text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    # Qt takes the text over once the key has been dealt with.
    QApplication.processEvents()


def test_moving_a_row_keeps_all_others_in_order() -> None:
    assert moved(4, 0, 2) == [1, 2, 0, 3]
    assert moved(4, 3, 2) == [0, 1, 3, 2]


def test_only_files_of_this_computer_are_taken() -> None:
    data = files("/data/a.tif")
    data.setUrls([*data.urls(), QUrl("https://example.org/b.tif")])
    assert dropped_files(data) == ["/data/a.tif"]


# -- images -----------------------------------------------------------------------------------


@pytest.fixture
def images(qtbot) -> ImagesPanel:
    panel = ImagesPanel()
    qtbot.addWidget(panel)
    thumbnail = QImage(20, 20, QImage.Format.Format_RGB888)
    thumbnail.fill(0)
    panel.set_entries([(name, thumbnail, f"about {name}") for name in ("a", "b", "c")])
    return panel


def test_choosing_an_image_tells_its_number(images: ImagesPanel) -> None:
    chosen = heard_from(images.current_changed)
    images.list.setCurrentRow(2)
    assert chosen == [2]


def test_showing_images_and_marking_one_tells_nothing(images: ImagesPanel) -> None:
    chosen = heard_from(images.current_changed)
    ordered = heard_from(images.reordered)
    images.set_current(1)
    images.set_entries([])
    assert chosen == []
    assert ordered == []


def test_dropped_files_are_told_with_their_paths(images: ImagesPanel) -> None:
    dropped = heard_from(images.files_dropped)
    drop(images.list, files("/data/x.tif", "/data/y.xtf"))
    assert dropped == [["/data/x.tif", "/data/y.xtf"]]


def test_images_are_moved_with_the_keyboard(images: ImagesPanel) -> None:
    ordered = heard_from(images.reordered)
    images.set_current(0)
    assert not action(images, "image_up").isEnabled()
    action(images, "image_down").trigger()
    assert ordered == [[1, 0, 2]]


def test_a_dragged_image_is_told_with_the_new_order(images: ImagesPanel) -> None:
    ordered = heard_from(images.reordered)
    images.list.model().moveRow(QModelIndex(), 2, QModelIndex(), 0)
    assert ordered == [[2, 0, 1]]


def test_removing_asks_for_the_current_image(images: ImagesPanel) -> None:
    removed = heard_from(images.remove_requested)
    images.set_current(1)
    action(images, "remove_image").trigger()
    assert removed == [1]


def test_nothing_can_be_removed_from_an_empty_list(images: ImagesPanel) -> None:
    images.set_entries([])
    assert not action(images, "remove_image").isEnabled()


def test_a_long_name_is_shortened_instead_of_scrolled(images: ImagesPanel) -> None:
    images.set_entries([("a very long name of a survey line " * 5, QImage(), "")])
    images.resize(220, 300)
    images.show()
    assert not images.list.horizontalScrollBar().isVisible()


# -- topics -----------------------------------------------------------------------------------

Looks = tuple[TopicLook, ...]


@pytest.fixture
def looks() -> Looks:
    return tuple(default_topic(number) for number in range(3))


@pytest.fixture
def topics(qtbot, looks: Looks) -> TopicsPanel:
    panel = TopicsPanel()
    qtbot.addWidget(panel)
    panel.set_topics(looks)
    panel.show()
    return panel


def test_renaming_a_topic_keeps_its_number_and_colour(topics: TopicsPanel, looks: Looks) -> None:
    changed = heard_from(topics.topics_changed)
    rename(topics.list, 1, "  ripple ")
    ((told, text),) = changed
    assert told[1] == replace(looks[1], name="ripple")
    assert "ripple" in text


def test_an_empty_name_is_refused(topics: TopicsPanel, looks: Looks) -> None:
    changed = heard_from(topics.topics_changed)
    rename(topics.list, 1, "   ")
    assert changed == []
    assert topics.list.item(1).text() == looks[1].name


def test_a_colour_is_chosen_for_the_current_topic(topics: TopicsPanel) -> None:
    changed = heard_from(topics.topics_changed)
    topics.list.setCurrentRow(2)
    topics.colour_menu.aboutToShow.emit()
    entry = topics.colour_menu.actions()[3]
    entry.trigger()
    ((told, _),) = changed
    assert told[2].colour == tuple(entry.data())


def test_topics_move_up_and_stay_chosen(topics: TopicsPanel, looks: Looks) -> None:
    changed = heard_from(topics.topics_changed)
    topics.list.setCurrentRow(2)
    action(topics, "topic_up").trigger()
    assert changed[0][0] == (looks[0], looks[2], looks[1])
    assert topics.list.currentRow() == 1


def test_a_dragged_topic_is_told_in_its_new_place(topics: TopicsPanel, looks: Looks) -> None:
    changed = heard_from(topics.topics_changed)
    topics.list.model().moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert changed[0][0] == (looks[1], looks[2], looks[0])


def merge(topics: TopicsPanel, row: int, into: str) -> None:
    topics.list.setCurrentRow(row)
    action(topics, "merge_topic").trigger()
    next(each for each in topics.merge_menu.actions() if each.text() == into).trigger()
    topics.merge_menu.close()


def test_a_topic_is_shown_as_part_of_another_and_on_its_own_again(
    topics: TopicsPanel, looks: Looks
) -> None:
    changed = heard_from(topics.topics_changed)
    merge(topics, 1, looks[0].name)
    assert changed[-1][0][1].merged_into == looks[0].id
    action(topics, "split_topic").trigger()
    assert changed[-1][0] == looks


def test_what_was_part_of_a_topic_goes_along_with_it(topics: TopicsPanel, looks: Looks) -> None:
    changed = heard_from(topics.topics_changed)
    merge(topics, 1, looks[0].name)
    merge(topics, 0, looks[2].name)
    assert [look.merged_into for look in changed[-1][0]] == [2, 2, None]


def test_resetting_brings_back_the_first_looks(topics: TopicsPanel, looks: Looks) -> None:
    topics.set_topics((replace(looks[2], name="mud", colour=(1, 2, 3)), looks[0], looks[1]))
    changed = heard_from(topics.topics_changed)
    action(topics, "reset_topics").trigger()
    assert changed[-1][0] == looks


def test_a_name_being_typed_survives_when_the_same_topics_are_shown_again(
    topics: TopicsPanel, looks: Looks
) -> None:
    changed = heard_from(topics.topics_changed)
    topics.list.editItem(topics.list.item(0))
    topics.list.findChildren(QLineEdit)[-1].setText("mud")
    topics.set_topics(tuple(replace(look) for look in looks))
    editor = topics.list.findChildren(QLineEdit)[-1]
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert changed[0][0][0].name == "mud"


# -- bookmarks --------------------------------------------------------------------------------


@pytest.fixture
def bookmarks(qtbot) -> BookmarksPanel:
    panel = BookmarksPanel()
    qtbot.addWidget(panel)
    panel.set_bookmarks(
        tuple(Bookmark(name, 100, f"key{name}", Session()) for name in ("a", "b", "c"))
    )
    panel.show()
    return panel


def choose(panel: BookmarksPanel, *rows: int) -> None:
    panel.list.clearSelection()
    for row in rows:
        panel.list.item(row).setSelected(True)


def test_two_results_can_be_compared_or_one_with_the_present_and_no_other_number(
    bookmarks: BookmarksPanel,
) -> None:
    compared = heard_from(bookmarks.compare_requested)
    with_present = heard_from(bookmarks.compare_with_present_requested)
    compare = action(bookmarks, "compare_results")
    for rows in ((), (0, 1, 2)):
        choose(bookmarks, *rows)
        assert not compare.isEnabled()
    choose(bookmarks, 2, 0)
    compare.trigger()
    choose(bookmarks, 1)
    compare.trigger()
    assert compared == [(0, 2)]
    assert with_present == [1]


def test_one_chosen_result_can_be_exported(bookmarks: BookmarksPanel) -> None:
    exported = heard_from(bookmarks.export_requested)
    choose(bookmarks, 2, 0)
    assert not action(bookmarks, "export_result").isEnabled()
    choose(bookmarks, 2)
    action(bookmarks, "export_result").trigger()
    assert exported == [2]


def test_a_result_is_kept_restored_and_removed(bookmarks: BookmarksPanel) -> None:
    kept = heard_from(bookmarks.keep_requested)
    restored = heard_from(bookmarks.restore_requested)
    removed = heard_from(bookmarks.remove_requested)
    action(bookmarks, "keep_result").trigger()
    choose(bookmarks, 1)
    action(bookmarks, "restore_result").trigger()
    action(bookmarks, "remove_result").trigger()
    assert len(kept) == 1
    assert restored == [1]
    assert removed == [1]


def test_a_result_is_renamed_in_its_row(bookmarks: BookmarksPanel) -> None:
    renamed = heard_from(bookmarks.renamed)
    restored = heard_from(bookmarks.restore_requested)
    rename(bookmarks.list, 2, "wide transitions")
    assert renamed == [(2, "wide transitions")]
    assert restored == []  # Enter ended the typing, no more


def test_a_result_is_not_renamed_to_nothing(bookmarks: BookmarksPanel) -> None:
    renamed = heard_from(bookmarks.renamed)
    rename(bookmarks.list, 1, "  ")
    assert renamed == []
    assert bookmarks.list.item(1).text() == "b"


def test_the_enter_key_goes_back_to_the_chosen_result(qtbot, bookmarks: BookmarksPanel) -> None:
    restored = heard_from(bookmarks.restore_requested)
    with qtbot.waitActive(bookmarks):
        bookmarks.activateWindow()
    bookmarks.list.setFocus()
    choose(bookmarks, 1)
    QTest.keyClick(bookmarks.list, Qt.Key.Key_Return)
    assert restored == [1]


def test_the_choice_survives_when_another_result_is_kept(bookmarks: BookmarksPanel) -> None:
    choose(bookmarks, 1)
    before = tuple(Bookmark(name, 100, f"key{name}", Session()) for name in ("z", "a", "b", "c"))
    bookmarks.set_bookmarks(before)
    assert [index.row() for index in bookmarks.list.selectedIndexes()] == [2]


def test_settings_are_told_in_one_line() -> None:
    text = settings_in_words(Parameters(4, alpha=0.5, rate=2.0, scaling=300.0))
    assert text == "K = 4, λ = 2, α = 0.5, s = 300, m = 1, π learned"


# -- welcome ----------------------------------------------------------------------------------


@pytest.fixture
def welcome(qtbot) -> WelcomePage:
    page = WelcomePage()
    qtbot.addWidget(page)
    return page


def test_the_welcome_page_offers_to_open_and_to_try_the_demo(welcome: WelcomePage) -> None:
    opened = heard_from(welcome.open_requested)
    demonstrated = heard_from(welcome.demo_requested)
    welcome.findChild(QPushButton, "welcome_open").click()
    welcome.findChild(QPushButton, "welcome_demo").click()
    assert len(opened) == len(demonstrated) == 1


def test_recent_files_are_shown_only_if_there_are_any(welcome: WelcomePage) -> None:
    welcome.show()
    assert not welcome.recent.isVisible()
    welcome.set_recent([Path("/data/a.tif")])
    assert welcome.recent.isVisible()


def test_a_recent_file_is_opened_once_by_the_enter_key(qtbot, welcome: WelcomePage) -> None:
    wanted = heard_from(welcome.path_requested)
    welcome.set_recent([Path("/data/a.tif"), Path("/data/b.tif")])
    with qtbot.waitActive(welcome):
        welcome.show()
        welcome.activateWindow()
    welcome.recent.setFocus()
    welcome.recent.setCurrentRow(1)
    QTest.keyClick(welcome.recent, Qt.Key.Key_Return)
    assert wanted == [str(Path("/data/b.tif"))]


def test_a_recent_file_is_opened_once_by_a_click(welcome: WelcomePage) -> None:
    wanted = heard_from(welcome.path_requested)
    welcome.set_recent([Path("/data/a.tif"), Path("/data/b.tif")])
    welcome.show()
    place = welcome.recent.visualItemRect(welcome.recent.item(0)).center()
    QTest.mouseClick(welcome.recent.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wanted == [str(Path("/data/a.tif"))]


def test_files_may_be_dropped_anywhere_on_the_welcome_page(welcome: WelcomePage) -> None:
    dropped = heard_from(welcome.files_dropped)
    drop(welcome, files("/data/x.tif"))
    assert dropped == [["/data/x.tif"]]


def test_lists_have_names_for_screen_readers(
    images: ImagesPanel, topics: TopicsPanel, bookmarks: BookmarksPanel, welcome: WelcomePage
) -> None:
    for panel in (images, topics, bookmarks, welcome):
        for listed in panel.findChildren(QListWidget):
            assert listed.accessibleName()


def test_names_that_no_topic_has_are_listed_below_the_others(qapp: QApplication) -> None:
    panel = TopicsPanel()
    panel.set_missing(("rock", "mud <b>"))
    assert not panel.missing.isHidden()
    assert panel.missing.text() == "Named, but not found now: rock, mud <b>"
    panel.set_missing(())
    assert panel.missing.isHidden()
