"""The window of the comparison: its columns, its choices and its read-out."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from pmlda_gui.core.progress import UNWATCHED
from pmlda_gui.gui.compare.columns import ComparisonColumns
from pmlda_gui.gui.compare.methods import (
    DEFAULT_METHODS,
    OFFERED,
    offers,
    store_methods,
    stored_methods,
)
from pmlda_gui.gui.compare.window import CompareWindow
from pmlda_gui.gui.controller.background_tasks import source_picture
from pmlda_gui.gui.frame_renderer import paint_maps
from pmlda_gui.gui.view_request import arrange
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.session import OutlineLook, TopicLook
from tests.gui.small_scenes import small_image

LOOKS = (TopicLook(0, "sand", (200, 100, 0)), TopicLook(1, "rock", (0, 100, 200)))
TOPICS = arrange((0, 1), LOOKS)
CHOSEN = tuple(offer for offer in offers() if offer.name in ("pmlda", "lda"))


def maps_of(image: Image, sand: float) -> np.ndarray:
    maps = np.stack([np.full(image.shape, sand), np.full(image.shape, 1 - sand)])
    return np.where(image.valid, maps, np.nan).astype(np.float32)


@pytest.fixture
def window(qtbot: QtBot) -> CompareWindow:
    window = CompareWindow(offers())
    qtbot.addWidget(window)
    window.chooser.choose(stored_methods())
    with qtbot.waitExposed(window):
        window.show()
    return window


def fill(window: CompareWindow, image: Image) -> ComparisonColumns:
    window.begin([image.name], 0)
    columns = window.columns
    columns.begin(CHOSEN)
    window.set_topics(TOPICS)
    source = source_picture(image, Display(), UNWATCHED)
    columns.set_source(source, QPainterPath(), OutlineLook())
    columns.show_pictures("pmlda", paint_maps(maps_of(image, 0.25), TOPICS))
    columns.show_pictures("lda", paint_maps(maps_of(image, 1.0), TOPICS))
    return columns


def view(columns: ComparisonColumns, name: str) -> PictureView:
    found = columns.findChild(PictureView, name)
    assert found is not None, name
    return found


def point_at(columns: ComparisonColumns, column: float, row: float) -> None:
    view(columns, "compare_view_image").hovered.emit(column, row)


def test_every_method_is_offered_with_a_sentence_and_the_papers_are_ticked(
    window: CompareWindow,
) -> None:
    assert tuple(window.chooser.boxes) == OFFERED
    assert window.chooser.chosen == DEFAULT_METHODS
    for offer in offers():
        assert offer.sentence.endswith(".")
        assert window.chooser.boxes[offer.name].accessibleDescription() == offer.sentence


def test_the_choice_of_methods_is_remembered(qapp: object) -> None:
    store_methods(["kmeans"])
    assert stored_methods() == ("kmeans",)
    store_methods(["gmm", "no longer known", "pmlda"])
    assert stored_methods() == ("pmlda", "gmm")


def test_without_a_method_or_an_image_nothing_can_be_compared(window: CompareWindow) -> None:
    assert not window.bar.run.isEnabled()
    window.set_ready(True, "ready")
    assert window.bar.run.isEnabled()
    window.chooser.choose(())
    assert not window.bar.run.isEnabled()
    window.chooser.boxes["lda"].click()
    window.set_busy()
    assert not window.bar.run.isEnabled()
    assert window.bar.cancel.isEnabled()
    window.finish("done")
    assert window.bar.run.isEnabled()
    assert not window.bar.cancel.isEnabled()


def test_each_method_has_a_column_and_each_topic_a_row(window: CompareWindow) -> None:
    columns = fill(window, small_image())
    window.columns.layout().activate()
    image = view(columns, "compare_view_image")
    rows = [
        [view(columns, f"compare_view_{method}_{row}") for method in ("pmlda", "lda")]
        for row in ("0", "1", "all")
    ]
    for first, second in rows:
        assert first.y() == second.y()
        assert image.x() < first.x() < second.x()
    assert rows[0][0].y() < rows[1][0].y() < rows[2][0].y()
    assert rows[0][0].accessibleName() == "PM-LDA, sand"
    assert rows[2][1].accessibleName() == "LDA, All topics"


def test_the_cursor_reads_every_method_and_points_into_every_picture(
    window: CompareWindow,
) -> None:
    columns = fill(window, small_image())
    point_at(columns, 30.5, 40.5)
    said = columns.readout.accessibleDescription()
    assert "column 30, row 40" in columns.readout.text
    assert "PM-LDA: sand 25 %, rock 75 %" in said
    assert "LDA: sand 100 %, rock 0 %" in said
    for each in columns.visible_views:
        assert all(line.isVisible() for line in each._crosshair.lines)
    point_at(columns, 2.0, 2.0)  # a pixel without data
    assert "PM-LDA" not in columns.readout.accessibleDescription()
    view(columns, "compare_view_image").left.emit()
    assert columns.readout.text.startswith("Point at a picture")


def test_pictures_zoom_together(window: CompareWindow, qtbot: QtBot) -> None:
    columns = fill(window, small_image())
    qtbot.wait(30)
    window.findChild(PictureView, "compare_view_lda_1").zoom(3)
    near = view(columns, "compare_view_lda_1").visible_range
    other = view(columns, "compare_view_pmlda_all").visible_range
    assert other.center().x() == pytest.approx(near.center().x(), abs=0.5)
    assert other.width() == pytest.approx(near.width(), rel=0.05)


def test_one_row_can_have_all_the_room_and_escape_gives_it_back(
    window: CompareWindow, qtbot: QtBot
) -> None:
    columns = fill(window, small_image())
    view(columns, "compare_view_lda_1").enlarge_requested.emit()
    shown = {each.objectName() for each in columns.visible_views}
    assert shown == {"compare_view_image", "compare_view_pmlda_1", "compare_view_lda_1"}
    assert not view(columns, "compare_view_lda_0").isVisible()
    assert window.bar.rows.currentText() == "rock"
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert len(columns.visible_views) == 7
    assert window.bar.rows.currentIndex() == 0
    window.bar.rows.setFocus()
    qtbot.keyClick(window.bar.rows, Qt.Key.Key_Down)
    assert view(columns, "compare_view_lda_0").isVisible()
    assert not view(columns, "compare_view_lda_1").isVisible()


def test_strips_begin_with_all_topics_in_one_below_each_other(window: CompareWindow) -> None:
    strip = Image(np.ones((20, 300), np.float32), np.ones((20, 300), np.bool_))
    columns = fill(window, strip)
    columns.layout().activate()
    assert not view(columns, "compare_view_lda_0").isVisible()
    left, right = view(columns, "compare_view_pmlda_all"), view(columns, "compare_view_lda_all")
    assert left.x() == right.x()
    assert left.y() < right.y()


def test_a_failed_method_says_so_in_its_column(window: CompareWindow) -> None:
    columns = fill(window, small_image())
    columns.fail("lda", "There are 2 words for 3 topics: give more pixels.")
    label = columns.findChild(QLabel, "compare_failure_lda")
    assert label is not None
    assert label.isVisible()
    assert "2 words for 3 topics" in label.text()
    assert not view(columns, "compare_view_lda_0").isVisible()
    assert view(columns, "compare_view_pmlda_0").isVisible()
    columns.begin(CHOSEN)
    window.set_topics(TOPICS)
    assert view(columns, "compare_view_lda_0").isVisible()


def test_a_second_comparison_of_the_same_methods_has_its_heads_too(
    window: CompareWindow, qtbot: QtBot
) -> None:
    columns = fill(window, small_image())
    columns.header("lda").set_status("3.0 s")
    fill(window, small_image())
    columns.header("lda").set_progress(0.5)
    window.columns.layout().activate()
    assert columns.header("lda").isVisible()
    assert columns.header("lda").x() > columns.header("pmlda").x() > 0
    assert columns.header("lda").status.text() == "50 %"
    assert columns.header("lda").bar.isVisible()


def test_everything_that_takes_the_keyboard_has_a_name(window: CompareWindow) -> None:
    fill(window, small_image())
    for kind in (QAbstractButton, QComboBox):
        for widget in window.findChildren(kind):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                assert widget.accessibleName() or widget.text(), widget.objectName()


def test_a_picture_shows_every_column(window: CompareWindow, qtbot: QtBot) -> None:
    columns = fill(window, small_image())
    qtbot.wait(30)
    picture = columns.grab()
    assert not picture.isNull()
    middle = view(columns, "compare_view_lda_0").geometry().center()
    seen = picture.toImage().pixelColor(middle)
    # LDA is sure of sand here: its pale end, reddish.
    assert seen.red() > seen.blue()
