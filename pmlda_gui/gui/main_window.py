"""The main window: it puts panels and views in their places and does nothing else."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMenu,
    QProgressBar,
    QStackedWidget,
    QTabWidget,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.actions import ESTIMATE_COMMANDS, TOOL_COMMANDS, VIEW_COMMANDS, Actions
from pmlda_gui.gui.docks import DockTabs, PanelDock
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.layouts import Layouts
from pmlda_gui.gui.message_bar import MessageBar
from pmlda_gui.gui.panels.analysis_panel import AnalysisPanel
from pmlda_gui.gui.panels.bookmarks_panel import BookmarksPanel
from pmlda_gui.gui.panels.chain_panel import ChainPanel
from pmlda_gui.gui.panels.display_panel import DisplayPanel, OutlinesPanel
from pmlda_gui.gui.panels.explain_panel import ExplainPanel
from pmlda_gui.gui.panels.history_panel import HistoryPanel
from pmlda_gui.gui.panels.images_panel import ImagesPanel
from pmlda_gui.gui.panels.overlay_panel import OverlayPanel
from pmlda_gui.gui.panels.parameters_panel import ParametersPanel
from pmlda_gui.gui.panels.queue_panel import QueuePanel
from pmlda_gui.gui.panels.sections import scrolling_column
from pmlda_gui.gui.panels.teach_panel import TeachPanel
from pmlda_gui.gui.panels.topics_panel import TopicsPanel
from pmlda_gui.gui.picture_windows import PictureWindows
from pmlda_gui.gui.screen_fit import first_size, keep_on_screen
from pmlda_gui.gui.tour import Tour
from pmlda_gui.gui.views.readout import Readout
from pmlda_gui.gui.views.scatter_view import ScatterView
from pmlda_gui.gui.views.swipe_view import SwipeView
from pmlda_gui.gui.views.trace_view import TraceView
from pmlda_gui.gui.views.view_grid import ViewGrid
from pmlda_gui.gui.welcome import WelcomePage
from pmlda_gui.workspace.settings import settings

__all__ = ["MainWindow"]

_SCROLLING = ("analysis", "teach", "explain", "chain", "readout")
_CONTEXT = ("own_window", "copy_picture", "save_picture", "swipe", "fit", "show_all")
_TOOLBAR = ("open", "save", "export", "", "undo", "redo", "")
_TOOLBAR_END = (
    "outlines", "overlay", "fit", "layout_grid", "layout_focus", "",
    "keep_bookmark", "palette", "help",
)  # fmt: skip


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
        self.tour = Tour(self)
        self._restore()
        self.show_page(self.welcome)

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
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(2)
        layout.addWidget(self.message_bar)
        layout.addWidget(self.pages, 1)
        self.setCentralWidget(centre)

    def _build_docks(self) -> None:
        self.images = ImagesPanel(self)
        self.display = DisplayPanel(self)
        self.outlines = OutlinesPanel(self)
        self.overlay = OverlayPanel(self)
        self.parameters = ParametersPanel(self)
        self.topics = TopicsPanel(self)
        self.bookmarks = BookmarksPanel(self)
        self.analysis = AnalysisPanel(self)
        self.teach = TeachPanel(self)
        self.explain = ExplainPanel(self)
        self.chain = ChainPanel(self)
        self.trace = TraceView(self)
        self.scatter = ScatterView(self)
        self.readout = Readout(self)
        self.history = HistoryPanel(self)
        self.queue = QueuePanel(self)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        display = QWidget(self)
        scrolling_column(display, self.display, self.overlay, self.outlines)
        self.docks = {
            name: PanelDock(title, name, panel, self, bare=name not in _SCROLLING)
            for title, name, panel in (
                ("Parameters", "parameters", self.parameters),
                ("Images", "images", self.images),
                ("Display", "display", display),
                ("Analysis", "analysis", self.analysis),
                ("Teach", "teach", self.teach),
                ("Topics", "topics", self.topics),
                ("Read-out", "readout", self.readout),
                ("Bookmarks", "bookmarks", self.bookmarks),
                ("Explain", "explain", self.explain),
                ("Chain", "chain", self.chain),
                ("Trace", "trace", self.trace),
                ("Words", "words", self.scatter),
                ("History", "history", self.history),
                ("Queue", "queue", self.queue),
            )
        }
        self._tabs = DockTabs(self, self.docks)
        self.layouts = Layouts(self, self.docks, self.grid, self.actions_by_name)
        self.picture_windows = PictureWindows(self.grid, self)
        self.actions_by_name["own_window"].triggered.connect(self.picture_windows.open_current)

    def _build_menus(self) -> None:
        menus = self.actions_by_name.fill(self.menuBar())
        file_menu, view_menu = menus["&File"], menus["&View"]
        self.recent_menu = QMenu("Open &recent", self)
        self.recent_menu.setIcon(icon("recent"))
        file_menu.insertMenu(self.actions_by_name["save"], self.recent_menu)
        panels = QMenu("&Panels", self)
        for dock in self.docks.values():
            panels.addAction(dock.toggleViewAction())
        before = self.actions_by_name["theme_system"]
        view_menu.insertMenu(before, self.layouts.menu)
        view_menu.insertMenu(before, panels)
        view_menu.insertSeparator(before)

    def _build_toolbar(self) -> None:
        self.tools = bar = QToolBar("Tools", self)
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
        for name in (
            "outlines",
            "overlay",
            "fit",
            "layout_grid",
            "layout_focus",
            "",
            "keep_bookmark",
            "palette",
            "help",
        ):
            if name:
                bar.addAction(actions[name])
            else:
                bar.addSeparator()
        self.addToolBar(bar)
        self._build_drawing_tools()
        self.grid.set_context_actions([actions[name] for name in _CONTEXT])

    def _build_drawing_tools(self) -> None:
        """The tools that draw on the pictures, where they take no room from them."""
        bar = QToolBar("Tools on the pictures", self)
        bar.setObjectName("drawing_tools")
        bar.setMovable(False)
        bar.setIconSize(QSize(20, 20))
        bar.addActions([self.actions_by_name[name] for name in TOOL_COMMANDS.values()])
        self.addToolBar(bar)

    def _build_status(self) -> None:
        self.activity = QLabel(self)
        self.activity.setObjectName("activity")
        self.progress = QProgressBar(self)
        self.progress.setObjectName("progress")
        self.progress.setRange(0, 100)
        self.progress.setMaximumWidth(160)
        self.progress.setTextVisible(False)
        self.progress.hide()
        self.cursor_text = QLabel(self)
        self.cursor_text.setObjectName("cursor_text")
        self.cursor_text.setProperty("role", "note")
        self.readout.summary_changed.connect(self.cursor_text.setText)
        self.statusBar().addWidget(self.activity, 1)
        self.statusBar().addPermanentWidget(self.cursor_text)
        self.statusBar().addPermanentWidget(self.progress)

    # -- state -------------------------------------------------------------------------------

    def show_page(self, page: QWidget) -> None:
        """Bring the welcome page, the pictures or the comparison to the front."""
        self.pages.setCurrentWidget(page)
        if page is self.welcome:
            self.welcome.open_button.setFocus()

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
        self.resize(first_size(self.screen().availableSize()))
        geometry = settings().get("window/geometry")
        if geometry:
            self.restoreGeometry(geometry)
        keep_on_screen(self)
        self.layouts.restore()

    # -- events ------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        self.closing.emit(event)
        if event.isAccepted():
            settings().set("window/geometry", self.saveGeometry().data())
            self.layouts.store()
            self.picture_windows.close_all()
            for dock in self.docks.values():
                if dock.isFloating():
                    dock.hide()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
