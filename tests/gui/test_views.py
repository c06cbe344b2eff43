"""The views show what they are given, move together and point together."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.mailbox import Scalar
from pmlda_gui.gui.views.readout import Bar, Reading, Readout
from pmlda_gui.gui.views.scale_bar import length_text, round_length
from pmlda_gui.gui.views.scatter_view import ScatterView
from pmlda_gui.gui.views.swipe_view import SwipeView
from pmlda_gui.gui.views.tables import (
    hatch_table,
    hatched,
    label_table,
    membership_table,
    source_table,
)
from pmlda_gui.gui.views.trace_view import TraceView
from pmlda_gui.gui.views.view_grid import ViewGrid

HEIGHT, WIDTH = 60, 90


@pytest.fixture
def grid(qtbot: QtBot) -> ViewGrid:
    grid = ViewGrid()
    qtbot.addWidget(grid)
    grid.resize(800, 500)
    names = ["source_view", "membership_view_0", "composite_view", "uncertainty_view"]
    levels = np.full((HEIGHT, WIDTH), 200, np.uint8)
    for name in names:
        grid.view(name).set_picture(levels, source_table("grey"))
    grid.set_home(QRectF(0, 0, WIDTH, HEIGHT))
    grid.set_shown(names)
    with qtbot.waitExposed(grid):
        grid.show()
    qtbot.wait(30)
    return grid


def test_after_the_first_show_every_view_covers_the_whole_image(grid: ViewGrid) -> None:
    for view in grid.visible_views:
        assert view.visible_range.adjusted(-0.01, -0.01, 0.01, 0.01).contains(
            QRectF(0, 0, WIDTH, HEIGHT)
        )
        # and does not shrink it either: one side fits exactly
        seen = view.visible_range
        assert min(seen.width() / WIDTH, seen.height() / HEIGHT) == pytest.approx(1.0, abs=0.01)


def test_pixels_are_drawn_square(grid: ViewGrid) -> None:
    view = grid.view("source_view")
    seen, canvas = view.visible_range, view._canvas.viewport()
    across, down = seen.width() / canvas.width(), seen.height() / canvas.height()
    assert across == pytest.approx(down, rel=0.02)


def test_views_zoom_together(grid: ViewGrid) -> None:
    before = grid.view("composite_view").visible_range
    grid.zoom(2)
    first = grid.view("source_view").visible_range
    assert first.width() < before.width()
    for view in grid.visible_views:
        assert view.visible_range.center().x() == pytest.approx(first.center().x(), abs=0.5)
        assert view.visible_range.width() == pytest.approx(first.width(), rel=0.02)
    grid.fit()
    assert grid.view("composite_view").visible_range.width() == pytest.approx(
        before.width(), rel=0.01
    )


def test_dragging_one_view_moves_the_others(grid: ViewGrid, qtbot: QtBot) -> None:
    grid.zoom(3)
    before = grid.view("uncertainty_view").visible_range.center()
    canvas = grid.view("source_view")._canvas.viewport()
    middle = canvas.rect().center()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=middle)
    for step in range(1, 6):
        qtbot.mouseMove(canvas, middle + QPoint(8 * step, 0))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=middle + QPoint(40, 0))
    source = grid.view("source_view").visible_range.center()
    assert source.x() < before.x() - 1
    assert grid.view("uncertainty_view").visible_range.center().x() == pytest.approx(
        source.x(), abs=0.5
    )


def test_the_cursor_shows_in_every_view_and_is_told_in_pixels(grid: ViewGrid, qtbot: QtBot) -> None:
    canvas = grid.view("source_view")._canvas.viewport()
    with qtbot.waitSignal(grid.cursor_moved) as moved:
        qtbot.mouseMove(canvas, canvas.rect().center())
    column, row = moved.args[0]
    assert column == pytest.approx(WIDTH / 2, abs=1)
    assert row == pytest.approx(HEIGHT / 2, abs=1)
    for view in grid.visible_views:
        assert [line.value() for line in view._crosshair.lines] == [column, row]
        assert all(line.isVisible() for line in view._crosshair.lines)


def test_arrow_keys_move_the_cursor_by_one_pixel_and_with_shift_by_ten(
    grid: ViewGrid, qtbot: QtBot
) -> None:
    view = grid.view("source_view")
    moves: list[tuple[float, float]] = []
    grid.cursor_moved.connect(moves.append)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    (first, second, third) = moves
    assert second == (first[0] + 1, first[1])
    assert third == (second[0], second[1] + 10)


def test_the_enter_key_enlarges_a_view(grid: ViewGrid, qtbot: QtBot) -> None:
    qtbot.keyClick(grid.view("composite_view"), Qt.Key.Key_Return)
    assert grid.enlarged == "composite_view"


def test_a_double_click_enlarges_a_view_and_another_brings_all_back(
    grid: ViewGrid, qtbot: QtBot
) -> None:
    view = grid.view("composite_view")
    qtbot.mouseDClick(view._canvas.viewport(), Qt.MouseButton.LeftButton)
    assert grid.enlarged == "composite_view"
    assert not grid.view("source_view").isVisible()
    qtbot.mouseDClick(view._canvas.viewport(), Qt.MouseButton.LeftButton)
    assert grid.enlarged is None
    assert grid.view("source_view").isVisible()


def test_wide_images_are_stacked_and_tall_ones_stand_side_by_side(grid: ViewGrid) -> None:
    for home, columns in ((QRectF(0, 0, 1000, 50), 1), (QRectF(0, 0, 50, 1000), 4)):
        grid.set_home(home)
        grid.layout().activate()
        assert len({view.x() for view in grid.visible_views}) == columns


def test_a_picture_is_painted_with_its_table_the_right_way_up(grid: ViewGrid, qtbot: QtBot) -> None:
    levels = np.zeros((HEIGHT, WIDTH), np.uint8)
    levels[: HEIGHT // 2] = 1
    levels[HEIGHT // 2 :] = 2
    view = grid.view("source_view")
    view.set_picture(levels, label_table([(255, 0, 0), (0, 0, 255)]))
    view.set_scale_bar_shown(False)
    qtbot.wait(30)
    picture = view._canvas.grab().toImage()
    middle = picture.width() // 2
    upper = QColor(picture.pixel(middle, int(picture.height() * 0.3)))
    lower = QColor(picture.pixel(middle, int(picture.height() * 0.7)))
    assert (upper.red(), upper.blue()) == (255, 0)
    assert (lower.red(), lower.blue()) == (0, 255)


def test_outlines_are_drawn_over_the_picture(grid: ViewGrid, qtbot: QtBot) -> None:
    path = QPainterPath()
    path.moveTo(0, HEIGHT / 2)
    path.lineTo(WIDTH, HEIGHT / 2)
    view = grid.view("source_view")
    view.set_outlines(path, (255, 0, 0), 1.0)
    qtbot.wait(30)
    picture = view._canvas.grab().toImage()
    column = [QColor(picture.pixel(picture.width() // 3, y)) for y in range(picture.height())]
    assert any(colour.red() > 200 and colour.green() < 100 for colour in column)


def test_the_grid_tells_what_is_visible_and_how_many_pixels_share_one_of_the_screen(
    grid: ViewGrid, qtbot: QtBot
) -> None:
    area, share = grid.seen
    assert area.contains(QRectF(0, 0, WIDTH, HEIGHT))
    assert share < 1
    with qtbot.waitSignal(grid.seen_changed, timeout=500):
        grid.zoom(-8)
    farther, larger = grid.seen
    assert farther.width() > 3 * area.width()
    assert larger > 3 * share
    grid.hide()
    assert grid.seen is None


def test_a_caption_stands_in_the_middle_of_the_picture(grid: ViewGrid) -> None:
    view = grid.view("uncertainty_view")
    view.set_caption("not known yet")
    label = next(each for each in view.findChildren(QLabel) if each.text() == "not known yet")
    assert label.isVisible()
    middle = label.geometry().center() - label.parentWidget().rect().center()
    assert middle.manhattanLength() <= 2
    view.set_caption("")
    assert not label.isVisible()


def test_what_is_not_known_is_neither_dark_nor_bright() -> None:
    inside = np.ones((50, 70), np.bool_)
    inside[:10] = False
    levels = hatched(inside)
    assert not levels[:10].any()
    shown = hatch_table()[levels][10:]
    assert len(np.unique(shown[..., 0])) == 2
    assert 90 < shown[..., :3].min() <= shown[..., :3].max() < 170


@pytest.mark.parametrize(
    ("longest", "expected"), [(7.3, 5.0), (19.9, 10.0), (20.0, 20.0), (0.034, 0.02), (999.0, 500.0)]
)
def test_scale_bars_have_round_lengths(longest: float, expected: float) -> None:
    assert round_length(longest) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("length", "metres", "text"),
    [(0.5, True, "50 cm"), (5, True, "5 m"), (2000, True, "2 km"), (200, False, "200 px")],
)
def test_lengths_are_told_in_fitting_units(length: float, metres: bool, text: str) -> None:
    assert length_text(length, metres) == text


def test_membership_tables_grow_brighter_and_leave_level_zero_clear() -> None:
    table = membership_table((0, 114, 178))
    brightness = table[1:, :3].astype(int).sum(axis=1)
    assert (np.diff(brightness) >= 0).all()
    assert table[0, 3] == 0
    assert (table[1:, 3] == 255).all()


def test_the_trace_replaces_what_a_restart_repeats(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    trace.append([Scalar(1, sweep, float(sweep)) for sweep in (1, 2, 3, 4)])
    trace.append([Scalar(1, 3, 30.0), Scalar(1, 4, 40.0)])
    trace.refresh()
    x, y = trace._curve.getData()
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    np.testing.assert_array_equal(y, [1, 2, 30, 40])


def test_a_long_trace_is_thinned_out_but_keeps_its_ends(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    sweeps = 100_000
    for first in range(1, sweeps, 1000):
        trace.append([Scalar(1, sweep, float(sweep)) for sweep in range(first, first + 1000)])
    trace.refresh()
    shown, values = trace.getPlotItem().listDataItems()[0].getData()
    assert 1000 < len(shown) < 5000
    assert shown[0] == 1
    assert shown[-1] > 0.999 * sweeps
    np.testing.assert_array_equal(shown, values)


def test_marks_stand_before_the_sweep_they_took_effect_in(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    trace.append([Scalar(1, sweep, 0.0) for sweep in range(1, 20)])
    trace.set_marks([(5, "rate 2"), (9, "topics 4")])
    assert [line.value() for line in trace._marks] == [4.5, 8.5]
    trace.set_marks([(5, "rate 2")])
    assert len(trace._marks) == 1


def test_a_mark_says_what_was_changed_in_a_few_letters(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    shares = "proportions " + " ".join(["0.0833"] * 12)
    trace.set_marks([(3, "rate 63.1"), (5, shares)])
    short, long = (line.label.toPlainText() for line in trace._marks)
    assert short == "rate 63.1"
    assert long == "proportions 0.083…"


def test_a_sweep_that_leaps_out_does_not_flatten_the_trace(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    values = [float(sweep % 7) for sweep in range(400)]
    values[300] = 1e6
    trace.append([Scalar(1, sweep, value) for sweep, value in enumerate(values, 1)])
    trace.refresh()
    low, high = trace.getPlotItem().viewRange()[1]
    assert low < 0 < 6 < high < 10


def test_an_empty_plot_has_no_ticks_and_a_filled_one_has(qtbot: QtBot) -> None:
    trace = TraceView()
    qtbot.addWidget(trace)
    trace.resize(300, 200)
    axes = [trace.getPlotItem().getAxis(side) for side in ("left", "bottom")]

    def numbers() -> int:
        canvas = QPixmap(300, 200)
        painter = QPainter(canvas)
        specs = [axis.generateDrawSpecs(painter) for axis in axes]
        painter.end()
        return sum(len(texts) for _, _, texts in specs)

    assert numbers() == 0
    trace.append([Scalar(1, sweep, -2.0 / sweep) for sweep in range(1, 9)])
    trace.refresh()
    trace.grab()
    assert numbers() > 2
    trace.clear_trace()
    assert numbers() == 0


def test_the_readout_grows_with_the_number_of_topics(qtbot: QtBot) -> None:
    readout = Readout()
    qtbot.addWidget(readout)
    bars = tuple(Bar(f"topic {n}", (0, 0, 0), 0.25, 0.2) for n in range(4))
    readout.set_reading(Reading(("column 1, row 2",), bars, 3.0))
    four = readout._bars.height()
    readout.set_reading(Reading(("column 1, row 2",), bars[:2], 3.0))
    assert readout._bars.height() * 2 == four
    assert "3" in readout._scaling.text()


def test_features_are_offered_by_name_with_room_for_it(qtbot: QtBot) -> None:
    scatter = ScatterView()
    qtbot.addWidget(scatter)
    scatter.set_features(("mean", "gabor_12"), ("image unit", "image unit"))
    scatter.resize(190, 190)
    scatter.show()
    for box in scatter.findChildren(QComboBox):
        assert [box.itemText(row) for row in range(2)] == ["mean", "gabor 12"]
        assert box.width() > 0.6 * scatter.width()


def test_the_comparison_says_how_it_is_left(qtbot: QtBot) -> None:
    view = SwipeView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    grey = np.full((30, 40, 3), 128, np.uint8)
    view.compare(grey, grey, "one", "two")
    lower = view.grab(QRect(0, 270, 400, 30)).toImage()
    shades = {lower.pixelColor(column, 12).lightness() for column in range(100, 190)}
    assert max(shades) > 230, "there are no words at the lower edge"


def test_the_swipe_line_parts_two_pictures_and_follows_mouse_and_keys(qtbot: QtBot) -> None:
    swipe = SwipeView()
    qtbot.addWidget(swipe)
    swipe.resize(400, 300)
    red, blue = (np.zeros((30, 40, 3), np.uint8) for _ in range(2))
    red[..., 0] = 255
    blue[..., 2] = 255
    swipe.compare(red, blue, "before", "after")
    swipe.show()
    qtbot.mouseClick(swipe, Qt.MouseButton.LeftButton, pos=QPoint(100, 150))
    assert swipe.share == pytest.approx(0.25, abs=0.01)
    picture = swipe.grab().toImage()
    assert QColor(picture.pixel(50, 250)).red() == 255
    assert QColor(picture.pixel(300, 250)).blue() == 255
    qtbot.keyClick(swipe, Qt.Key.Key_Right)
    assert swipe.share > 0.26
    with qtbot.waitSignal(swipe.closed):
        qtbot.keyClick(swipe, Qt.Key.Key_Escape)
