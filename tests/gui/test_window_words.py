"""What the window says: access keys, names for screen readers, tooltips, titles with room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS

HANDLED = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    return window


def access_key(text: str) -> str:
    bare = text.replace("&&", "")
    return bare[bare.index("&") + 1].lower() if "&" in bare else ""


def test_no_two_entries_of_a_menu_share_an_access_key(window: MainWindow) -> None:
    bar = window.menuBar().actions()
    for actions in (bar, *(entry.menu().actions() for entry in bar)):
        texts = [action.text() for action in actions if action.text()]
        keys = [access_key(text) for text in texts]
        assert "" not in keys, texts
        assert len(set(keys)) == len(keys), texts


def handled(window: MainWindow) -> Iterator[QWidget]:
    """Everything a person can act upon, without the parts that Qt makes of others."""
    for kind in HANDLED:
        for widget in window.findChildren(kind):
            part = isinstance(widget, QScrollBar) or widget.objectName().startswith(
                ("qt_", "Scroll")
            )
            if widget.window() is window and not part:
                yield widget


def test_everything_that_can_be_handled_has_a_name(window: MainWindow) -> None:
    nameless = [
        widget
        for widget in handled(window)
        if not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert not nameless, [(type(each).__name__, each.objectName()) for each in nameless]


def test_everything_that_shows_no_words_explains_itself(window: MainWindow) -> None:
    silent = [
        widget
        for widget in handled(window)
        if isinstance(widget, QAbstractButton | QAbstractSlider | QAbstractSpinBox | QComboBox)
        and not widget.toolTip()
        and not (isinstance(widget, QAbstractButton) and widget.text())
    ]
    assert not silent, [(type(each).__name__, each.objectName()) for each in silent]


def test_texts_in_boxes_are_reached_by_the_keyboard(window: MainWindow) -> None:
    for box in window.findChildren(QLineEdit):
        assert box.focusPolicy() != Qt.FocusPolicy.NoFocus or box.isReadOnly(), box.objectName()


def test_a_narrow_picture_keeps_its_title_and_drops_the_detail(qtbot: QtBot) -> None:
    view = PictureView("uncertainty_view", "Uncertainty")
    qtbot.addWidget(view)
    view.set_detail("± 0 to 0.2")
    view.resize(300, 120)
    view.show()
    title, detail = view._header.title, view._header.detail
    assert detail.isVisible()
    assert title.text() == "Uncertainty"
    view.resize(110, 120)
    assert not detail.isVisible()
    assert title.text() == "Uncertainty"
    view.set_title("a kind of seabed with a long name", TOPIC_COLOURS[0])
    assert title.text().endswith("…")
    assert title.toolTip() == "a kind of seabed with a long name"
    assert title.sizeHint().width() <= view.width()


def test_a_long_recent_path_is_shortened_and_not_scrolled(window: MainWindow, qtbot: QtBot) -> None:
    welcome = window.welcome
    welcome.set_recent([f"/data/{'a_very_long_folder/' * 9}line.xtf", "/data/b.tif"])
    with qtbot.waitExposed(window):
        window.show()
    assert not welcome.recent.horizontalScrollBar().isVisible()
    assert not welcome.recent.verticalScrollBar().isVisible()


def test_files_dropped_on_a_picture_or_a_plot_reach_the_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.grid.view("source_view")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/data/line.xtf")])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for view in window.findChildren(QGraphicsView):
        target: QWidget | None = view.viewport()
        while target is not None and not target.acceptDrops():
            target = target.parentWidget()
        assert target is window, view.objectName()
    with qtbot.waitSignal(window.files_dropped) as dropped:
        window.dropEvent(QDropEvent(QPointF(), Qt.DropAction.CopyAction, files, buttons, keys))
    assert dropped.args == [["/data/line.xtf"]]


def test_the_window_fits_a_small_screen(window: MainWindow) -> None:
    hint = window.minimumSizeHint()
    assert hint.width() <= 1180
    assert hint.height() <= 640


def test_many_notes_leave_room_for_the_pictures(window: MainWindow) -> None:
    bar = window.message_bar
    bar.show_notes(["One.", "Two.", "One."])
    assert bar.text == "One. Two."
    bar.show_notes([f"Note {number}." for number in range(40)])
    assert bar.text.startswith("Note 0. Note 1.")
    assert bar.text.endswith("There are 36 more notes: see the tooltips of the images.")
    assert len(bar.text) < 120


def test_labels_that_name_a_box_lead_to_it(window: MainWindow) -> None:
    named = {label.text(): label.buddy() for label in window.findChildren(QLabel) if label.buddy()}
    for text in ("Scale", "Colours", "Kind", "Preset", "Up", "Across"):
        assert named[text] is not None
