"""How the window and its pictures are laid out, on any screen and at any size."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainterPath
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.screen_fit import first_size, keep_on_screen
from pmlda_gui.gui.views.colour_key import Bar, Legend, key_width
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.gui.views.tables import membership_table
from pmlda_gui.gui.views.view_grid import ViewGrid
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize(
    ("width", "height"), [(1366, 768), (1280, 800), (1920, 1080), (2560, 1440), (1280, 720)]
)
def test_the_first_window_fits_the_screen_and_uses_most_of_it(width: int, height: int) -> None:
    size = first_size(QSize(width, height))
    assert size.width() <= width
    assert size.height() <= height - 30
    assert size.width() * size.height() > 0.6 * width * height


def test_the_window_can_be_900_points_wide(window: MainWindow) -> None:
    assert window.minimumSizeHint().width() <= 900
    assert window.minimumSizeHint().height() <= 640


def test_a_window_that_is_too_large_for_its_screen_is_made_smaller(window: MainWindow) -> None:
    available = window.screen().availableGeometry()
    window.resize(available.size() + QSize(500, 400))
    window.move(available.right() - 10, available.bottom() - 10)
    keep_on_screen(window)
    assert available.contains(window.geometry())


def test_a_panel_alone_has_a_title_and_one_among_tabs_has_none(
    window: MainWindow, qtbot: QtBot
) -> None:
    with qtbot.waitExposed(window):
        window.show()
    chain = window.docks["chain"]
    qtbot.waitUntil(lambda: chain.titleBarWidget() is chain._none)
    window.docks["trace"].setFloating(True)
    window.docks["words"].close()
    window.docks["teach"].close()
    window.docks["history"].close()
    qtbot.waitUntil(lambda: chain.titleBarWidget() is chain._title)
    assert window.docks["trace"].titleBarWidget().isVisible()
    window.docks["trace"].hide()


def test_every_tab_bar_has_a_name(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitExposed(window):
        window.show()
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    assert len(bars) == 3
    qtbot.waitUntil(lambda: all(bar.accessibleName() for bar in bars))


@pytest.fixture
def grid(qtbot: QtBot) -> ViewGrid:
    grid = ViewGrid()
    qtbot.addWidget(grid)
    grid.resize(900, 600)
    grid.set_home(QRectF(0, 0, 100, 90))
    grid.set_shown(["source_view", *(f"membership_view_{n}" for n in range(4))])
    with qtbot.waitExposed(grid):
        grid.show()
    return grid


def test_in_focus_one_picture_has_most_of_the_room(grid: ViewGrid) -> None:
    grid.arrange("focus", "membership_view_2")
    QTest.qWait(1)
    areas = {view.objectName(): view.width() * view.height() for view in grid.visible_views}
    assert max(areas, key=areas.get) == "membership_view_2"
    assert areas["membership_view_2"] > 0.5 * grid.width() * grid.height()
    others = [area for name, area in areas.items() if name != "membership_view_2"]
    assert min(others) > 0.02 * grid.width() * grid.height()


def test_the_strip_lies_below_a_wide_picture_and_beside_a_tall_one(grid: ViewGrid) -> None:
    grid.arrange("focus", "source_view")
    QTest.qWait(1)
    large, small = grid.view("source_view"), grid.view("membership_view_0")
    assert small.x() > large.x()
    grid.set_home(QRectF(0, 0, 900, 60))
    QTest.qWait(1)
    assert small.y() > large.y()


def test_a_picture_that_is_taken_out_leaves_its_room_to_the_others(grid: ViewGrid) -> None:
    view = grid.take_out("source_view")
    QTest.qWait(1)
    assert view in grid.visible_views
    assert grid._layout.indexOf(view) < 0
    withdrawn = []
    grid.withdrawn.connect(withdrawn.append)
    grid.set_shown(["membership_view_0"])
    assert withdrawn == ["source_view"]
    grid.put_back("source_view")
    assert not view.isVisible()


def outlined(qtbot: QtBot, squares: int) -> PictureView:
    """A picture of 200 pixels a side with so many squares along each."""
    view = PictureView("source_view", "Source image")
    qtbot.addWidget(view)
    view.resize(220, 240)
    view.set_picture(np.zeros((200, 200), np.uint8), membership_table((9, 9, 9)))
    with qtbot.waitExposed(view):
        view.show()
    QTest.qWait(5)
    path = QPainterPath()
    for at in np.linspace(0, 200, squares + 1):
        for start, end in (((at, 0), (at, 200)), ((0, at), (200, at))):
            path.moveTo(QPointF(*start))
            path.lineTo(QPointF(*end))
    view.set_outlines(path, (255, 221, 51), 0.6)
    return view


def test_outlines_fade_where_documents_are_many_and_come_back_when_zoomed_in(
    qtbot: QtBot,
) -> None:
    assert outlined(qtbot, 5)._outlines.opacity == pytest.approx(0.6)
    many = outlined(qtbot, 60)
    assert many._outlines.opacity < 0.05
    many.set_range(QRectF(80, 80, 20, 20))
    assert many._outlines.opacity == pytest.approx(0.6)


def test_a_colour_bar_is_shortened_and_at_last_loses_its_words(window: MainWindow) -> None:
    metrics = window.fontMetrics()
    bar = Bar(membership_table(TOPIC_COLOURS[0]), "0", "100 %")
    words = sum(metrics.horizontalAdvance(text) for text in ("0", "100 %"))
    assert key_width(bar, metrics, 1000) > words + 80
    assert key_width(bar, metrics, 100) == 100
    assert key_width(bar, metrics, 40) == 40
    assert key_width(bar, metrics, 10) == 0


def test_a_legend_shows_names_where_there_is_room_and_squares_where_there_is_little(
    window: MainWindow,
) -> None:
    metrics = window.fontMetrics()
    legend = Legend(tuple((f"topic {n}", colour) for n, colour in enumerate(TOPIC_COLOURS)))
    named, squares = key_width(legend, metrics, 4000), key_width(legend, metrics, 300)
    assert named > 2 * squares > 0
    assert key_width(legend, metrics, 50) == 0


def test_enter_on_the_welcome_page_opens_files(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitExposed(window):
        window.show()
    assert window.focusWidget() is window.welcome.open_button
    with qtbot.waitSignal(window.welcome.open_requested):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
