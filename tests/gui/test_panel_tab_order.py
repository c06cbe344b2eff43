"""With the keyboard alone: Tab walks through controls in the order they are read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.dialogs.export import ExportDialog
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.panels.display_panel import DisplayPanel, OutlinesPanel
from pmlda_gui.gui.panels.parameters_panel import ParametersPanel
from pmlda_gui.gui.views.view_grid import ViewGrid
from pmlda_gui.gui.welcome import WelcomePage
from pmlda_gui.imagery.readers.options import Band, Probe
from pmlda_gui.workspace.preparation import DocumentChoice
from pmlda_gui.workspace.session import OutlineLook, Session

# Controls whose middles differ by less than this many pixels stand in one row.
SAME_ROW = 8
MOST_CONTROLS = 80


def walk(qtbot, widget: QWidget) -> list[QWidget]:
    """The controls in the order of Tab, each once, from the one read first."""
    qtbot.addWidget(widget)
    with qtbot.waitActive(widget):
        widget.show()
        widget.activateWindow()
    reached: list[QWidget] = []
    for _ in range(MOST_CONTROLS):
        focused = QApplication.focusWidget()
        if focused is not None and focused in reached:
            break
        if focused is not None:
            reached.append(focused)
        QTest.keyClick(focused or widget, Qt.Key.Key_Tab)
    first = min(range(len(reached)), key=lambda number: place(reached[number], widget))
    return reached[first:] + reached[:first]


def place(control: QWidget, within: QWidget) -> tuple[int, int]:
    """Row and column of a control, in pixels, with controls of one row made level."""
    middle = control.mapTo(within, QPoint(0, control.height() // 2))
    return middle.y() // SAME_ROW * SAME_ROW, middle.x()


def parameters() -> QWidget:
    panel = ParametersPanel()
    panel.set_session(
        Session(
            parameters=Parameters(6, alpha=(1.0,) * 6, scaling=3.0, proportions=(1 / 6,) * 6),
            documents=DocumentChoice("window"),
        )
    )
    panel.model.set_parameters(Parameters(5, alpha=(1.0,) * 5, scaling=3.0, proportions=(0.2,) * 5))
    panel.resize(340, 1000)
    return panel


def outlines() -> QWidget:
    panel = OutlinesPanel()
    panel.set_view(OutlineLook(True))
    return panel


def export() -> QWidget:
    return ExportDialog(["a"], Path("results"))


def open_options() -> QWidget:
    band = Band("sonar", "uint8", 10, 10)
    return OpenOptionsDialog(Probe(Path("line.xtf"), "XTF", 10, 10, "uint8", 1, (band,)))


def welcome() -> QWidget:
    page = WelcomePage()
    page.set_recent([Path("a.tif")])
    return page


@pytest.mark.parametrize(
    "make", [parameters, DisplayPanel, outlines, export, open_options, welcome]
)
def test_tab_walks_in_reading_order(qtbot, make: Callable[[], QWidget]) -> None:
    widget = make()
    reached = walk(qtbot, widget)
    rows = [control.mapTo(widget, QPoint(0, control.height() // 2)).y() for control in reached]
    for (above, upper), (below, lower) in pairwise(zip(reached, rows, strict=True)):
        assert lower > upper - SAME_ROW, f"{below.objectName()} comes after {above.objectName()}"


def test_tab_walks_from_picture_to_picture_as_they_are_shown(qtbot) -> None:
    grid = ViewGrid()
    grid.resize(700, 500)
    # Views are made in another order than they are shown in.
    for name in ("source_view", "composite_view", "membership_view_1", "membership_view_0"):
        grid.view(name)
    grid.set_shown(["source_view", "membership_view_0", "membership_view_1", "composite_view"])
    names = [view.objectName() for view in walk(qtbot, grid)]
    assert names == list(grid.shown)


def test_tab_never_leads_into_a_panel_behind_another(qtbot) -> None:
    window = MainWindow()
    reached = walk(qtbot, window)
    assert window.topics.list in reached
    assert window.bookmarks.list not in reached
    window.findChild(QDockWidget, "bookmarks_dock").raise_()
    QApplication.processEvents()
    assert window.bookmarks.list.isEnabled()
    assert not window.topics.list.isEnabled()


def test_tab_reaches_every_control_of_the_parameters(qtbot) -> None:
    panel = parameters()
    names = {control.objectName() for control in walk(qtbot, panel)}
    expected = {"topics", "topics_box", "alpha", "scaling_fixed", "scaling", "fuzzifier"}
    expected |= {"alphas_0", "alphas_4", "proportions_fixed", "shares_0", "shares_4"}
    expected |= {"document_kind", "document_count", "document_window", "document_stride"}
    expected |= {"feature_preset", "feature_window", "disclose_features"}
    assert expected <= names
