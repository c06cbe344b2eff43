"""The main window: it puts panels and views in their places and does nothing else."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QProgressBar,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.actions import ESTIMATE_COMMANDS, VIEW_COMMANDS, Actions
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.message_bar import MessageBar
from pmlda_gui.gui.panels.bookmarks_panel import BookmarksPanel
from pmlda_gui.gui.panels.chain_panel import ChainPanel
from pmlda_gui.gui.panels.display_panel import DisplayPanel, OutlinesPanel
from pmlda_gui.gui.panels.explain_panel import ExplainPanel
from pmlda_gui.gui.panels.images_panel import ImagesPanel
from pmlda_gui.gui.panels.parameters_panel import ParametersPanel
from pmlda_gui.gui.panels.topics_panel import TopicsPanel
from pmlda_gui.gui.views.readout import Readout
from pmlda_gui.gui.views.scatter_view import ScatterView
from pmlda_gui.gui.views.swipe_view import SwipeView
from pmlda_gui.gui.views.trace_view import TraceView
from pmlda_gui.gui.views.view_grid import ViewGrid
from pmlda_gui.gui.welcome import WelcomePage
from pmlda_gui.workspace.settings import settings

__all__ = ["MainWindow"]

_SIZE = QSize(1280, 800)
_LEFT, _RIGHT, _BOTTOM = 230, 320, 212
_CHAIN, _READOUT = 244, 216
_MARGINS = (8, 4, 8, 4)
_TOOLBAR = ("open", "save", "export", "", "undo", "redo", "")
# Raised when the docks change, so that an old arrangement is not forced upon new ones.
_LAYOUT_VERSION = 1


class MainWindow(QMainWindow):
    """Everything an operator sees; `closing` is told before the window goes."""

    closing = Signal(object)
    files_dropped = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("main_window")
        self.setWindowTitle("pmlda_gui")
        self.setWindowIcon(icon("seabed"))
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.actions_by_name = Actions(self)
        self._build_centre()
        self._build_docks()
        self._build_menus()
        self._build_toolbar()
        self._build_status()
        self._restore()

    def _build_centre(self) -> None:
        self.message_bar = MessageBar(self)
        self.welcome = WelcomePage(self)
        self.grid = ViewGrid(self)
        self.swipe = SwipeView(self)
        self.pages = QStackedWidget(self)
        for page in (self.welcome, self.grid, self.swipe):
            self.pages.addWidget(page)
        centre = QWidget(self)
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.message_bar)
        layout.addWidget(self.pages, 1)
        self.setCentralWidget(centre)

    def _build_docks(self) -> None:
        self.images = ImagesPanel(self)
        self.display = DisplayPanel(self)
        self.outlines = OutlinesPanel(self)
        self.parameters = ParametersPanel(self)
        self.topics = TopicsPanel(self)
        self.bookmarks = BookmarksPanel(self)
        self.explain = ExplainPanel(self)
        self.chain = ChainPanel(self)
        self.trace = TraceView(self)
        self.scatter = ScatterView(self)
        self.readout = Readout(self)
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        images = self._dock("Images", self.images, left)
        display = self._dock("Display", _stacked(self.display, self.outlines), left)
        parameters = self._dock("Parameters", self.parameters, right)
        lower = self._dock("Topics", self.topics, right)
        for title, panel in (("Bookmarks", self.bookmarks), ("Explain", self.explain)):
            self.tabifyDockWidget(lower, self._dock(title, panel, right))
        lower.raise_()
        for tabs in self.findChildren(QTabBar):
            tabs.setAccessibleName("Topics, bookmarks and explanations")
        bottom = QWidget(self)
        row = QHBoxLayout(bottom)
        row.setContentsMargins(0, 0, 0, 0)
        self.chain.setFixedWidth(_CHAIN)
        self.readout.setFixedWidth(_READOUT)
        row.addWidget(self.chain)
        row.addWidget(self.trace, 5)
        row.addWidget(self.scatter, 4)
        row.addWidget(self.readout)
        chain = self._dock("Chain", bottom, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, right)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.resizeDocks([images, parameters], [_LEFT, _RIGHT], Qt.Orientation.Horizontal)
        self.resizeDocks([images, display], [220, 300], Qt.Orientation.Vertical)
        self.resizeDocks([parameters, lower], [500, 240], Qt.Orientation.Vertical)
        self.resizeDocks([chain], [_BOTTOM], Qt.Orientation.Vertical)

    def _dock(self, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{title.lower()}_dock")
        # Panels carry their own headings; a second title above each would only take room.
        dock.setTitleBarWidget(QWidget(dock))
        frame = _framed(panel)
        dock.setWidget(frame)
        # A panel behind another's tab would still take the keyboard's focus, unseen.
        dock.visibilityChanged.connect(frame.setEnabled)
        self.addDockWidget(area, dock)
        return dock

    def _build_menus(self) -> None:
        menus = self.actions_by_name.fill(self.menuBar())
        file_menu, view_menu = menus["&File"], menus["&View"]
        self.recent_menu = QMenu("Open &recent", self)
        self.recent_menu.setIcon(icon("recent"))
        file_menu.insertMenu(self.actions_by_name["save"], self.recent_menu)
        panels = QMenu("&Panels", self)
        for dock in self.findChildren(QDockWidget):
            panels.addAction(dock.toggleViewAction())
        view_menu.addSeparator()
        view_menu.addMenu(panels)

    def _build_toolbar(self) -> None:
        bar = QToolBar("Tools", self)
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setIconSize(QSize(20, 20))
        actions = self.actions_by_name
        for name in _TOOLBAR:
            if name:
                bar.addAction(actions[name])
            else:
                bar.addSeparator()
        bar.addWidget(QLabel(" Estimate ", bar))
        for name in ESTIMATE_COMMANDS.values():
            bar.addAction(actions[name])
        bar.addSeparator()
        views = QToolButton(bar)
        views.setText("Pictures")
        views.setIcon(icon("image"))
        views.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        views.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        views.setToolTip("Choose which pictures are shown")
        menu = QMenu(views)
        menu.addActions([actions[name] for name in VIEW_COMMANDS.values()])
        views.setMenu(menu)
        bar.addWidget(views)
        for name in ("outlines", "fit", "show_all", "", "keep_bookmark", "palette", "help"):
            if name:
                bar.addAction(actions[name])
            else:
                bar.addSeparator()
        self.addToolBar(bar)
        self.grid.set_context_actions(
            [actions[name] for name in ("copy_picture", "save_picture", "fit", "show_all")]
        )

    def _build_status(self) -> None:
        self.activity = QLabel(self)
        self.activity.setObjectName("activity")
        self.progress = QProgressBar(self)
        self.progress.setObjectName("progress")
        self.progress.setRange(0, 100)
        self.progress.setMaximumWidth(160)
        self.progress.setTextVisible(False)
        self.progress.hide()
        self.statusBar().addWidget(self.activity, 1)
        self.statusBar().addPermanentWidget(self.progress)

    # -- state -------------------------------------------------------------------------------

    def show_page(self, page: QWidget) -> None:
        """Bring the welcome page, the pictures or the comparison to the front."""
        self.pages.setCurrentWidget(page)

    def set_activity(self, text: str, fraction: float | None = None) -> None:
        """Say at the bottom what is being done; None hides the bar."""
        self.activity.setText(text)
        self.progress.setVisible(fraction is not None)
        if fraction is not None:
            self.progress.setValue(round(100 * fraction))

    def set_recent_actions(self, actions: list[QAction]) -> None:
        """The entries of the menu of recent files."""
        self.recent_menu.clear()
        self.recent_menu.addActions(actions)
        self.recent_menu.setEnabled(bool(actions))

    def _restore(self) -> None:
        self.resize(_SIZE)
        geometry, state = settings().get("window/geometry"), settings().get("window/state")
        if geometry:
            self.restoreGeometry(geometry)
        if state:
            self.restoreState(state, _LAYOUT_VERSION)

    # -- events ------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        self.closing.emit(event)
        if event.isAccepted():
            settings().set("window/geometry", self.saveGeometry().data())
            settings().set("window/state", self.saveState(_LAYOUT_VERSION).data())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)


def _framed(panel: QWidget) -> QWidget:
    """A panel with some air around it."""
    frame = QWidget()
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(*_MARGINS)
    layout.addWidget(panel)
    return frame


def _stacked(*panels: QWidget) -> QWidget:
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(0, 0, 0, 0)
    for panel in panels:
        layout.addWidget(panel)
    layout.addStretch(1)
    return column
