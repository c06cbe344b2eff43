"""Panels as docks: movable, tabbed, floating and closable, with as little frame as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QScrollArea,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.icons import icon

__all__ = ["DockTabs", "PanelDock", "arrange_docks"]

_MARGINS = (6, 4, 6, 4)
_BUTTON = 16
_LEAST_HEIGHT = 90
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_COLUMN_WIDTH = 318
# The groups of panels from top to bottom, each as tabs with the first in front, and how the
# height of the column is divided among them.
_GROUPS = (
    (("parameters", "images", "display", "analysis", "queue"), 336),
    (("topics", "readout", "bookmarks", "explain"), 168),
    (("chain", "trace", "words", "teach", "history"), 216),
)
# Panels that few need, which View > Panels and their commands open.
_CLOSED = ("queue",)


class PanelDock(QDockWidget):
    """A panel; it shows a title of its own only where no tab does.

    One that is not `bare` scrolls where it is lower than it should be.
    """

    def __init__(
        self, title: str, name: str, panel: QWidget, window: QMainWindow, bare: bool = True
    ) -> None:
        super().__init__(title, window)
        self.setObjectName(f"{name}_dock")
        self.setAllowedAreas(Qt.DockWidgetArea.AllDockWidgetAreas)
        frame = QWidget(self)
        layout = QVBoxLayout(frame)
        layout.setContentsMargins(*_MARGINS)
        layout.addWidget(panel if bare else _scrolling(panel, frame))
        self.setWidget(frame)
        self._title = _DockTitle(self)
        self._none = QWidget(self)
        self._none.hide()
        self.setTitleBarWidget(self._title)
        # A panel behind another's tab would still take the keyboard's focus, unseen.
        self.visibilityChanged.connect(frame.setEnabled)

    def show_title(self, shown: bool) -> None:
        """Have a title bar, or none where a tab says the same."""
        wanted = self._title if shown else self._none
        if self.titleBarWidget() is not wanted:
            self.titleBarWidget().hide()
            self.setTitleBarWidget(wanted)
            wanted.show()


def _scrolling(panel: QWidget, parent: QWidget) -> QScrollArea:
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(panel)
    area.setMinimumSize(panel.minimumSizeHint().width(), _LEAST_HEIGHT)
    return area


class _DockTitle(QWidget):
    """The name of a dock, by which it is dragged, with buttons to float and to close it."""

    def __init__(self, dock: PanelDock) -> None:
        super().__init__(dock)
        self._dock = dock
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 4, 0)
        row.setSpacing(2)
        label = QLabel(dock.windowTitle(), self)
        label.setProperty("role", "heading")
        row.addWidget(label, 1)
        name = dock.windowTitle().lower()
        for picture, words, slot in (
            ("enlarge", f"Float the panel {name}, or dock it", self._float),
            ("close", f"Close the panel {name}; View > Panels opens it again", dock.close),
        ):
            button = QToolButton(self)
            button.setAutoRaise(True)
            button.setFixedSize(_BUTTON + 4, _BUTTON + 4)
            button.setIcon(icon(picture))
            button.setToolTip(words)
            button.setAccessibleName(words)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(slot)
            row.addWidget(button)

    @Slot()
    def _float(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())


class DockTabs(QObject):
    """Looks after the tabs that the window makes for docks that share a place."""

    def __init__(self, window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.settle)
        for dock in docks.values():
            dock.topLevelChanged.connect(self._look_soon)
            dock.dockLocationChanged.connect(self._look_soon)
            dock.visibilityChanged.connect(self._look_soon)

    @Slot()
    def _look_soon(self) -> None:
        self._soon.start()

    @Slot()
    def settle(self) -> None:
        """Titles where there are no tabs; names and menus for the tabs."""
        for dock in self._docks.values():
            beside = [
                each
                for each in self._window.tabifiedDockWidgets(dock)
                if not each.isHidden() and not each.isFloating()
            ]
            dock.show_title(dock.isFloating() or not beside)
        for bar in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            if not bar.accessibleName():
                bar.setAccessibleName("Panels in one place")
                bar.setToolTip("Drag a tab to move its panel; right-click to float or close it")
                bar.setUsesScrollButtons(True)
                bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        """A right click on a tab opens its menu, a double click floats its panel."""
        if isinstance(watched, QTabBar):
            if isinstance(event, QContextMenuEvent):
                self._show_menu(watched, event.pos(), event.globalPos())
                return True
            if event.type() == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
                dock = self._dock_at(watched, event.position().toPoint())
                if dock is not None:
                    dock.setFloating(True)
                    return True
        return super().eventFilter(watched, event)

    def _dock_at(self, bar: QTabBar, place: QPoint) -> PanelDock | None:
        title = bar.tabText(bar.tabAt(place))
        return next((dock for dock in self._docks.values() if dock.windowTitle() == title), None)

    def _show_menu(self, bar: QTabBar, place: QPoint, on_screen: QPoint) -> None:
        dock = self._dock_at(bar, place)
        if dock is None:
            return
        menu = QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(f"&Float {dock.windowTitle()}").triggered.connect(self._floater(dock))
        menu.addAction(f"&Close {dock.windowTitle()}").triggered.connect(dock.close)
        menu.popup(on_screen)

    def _floater(self, dock: PanelDock) -> Callable[[], None]:
        def float_it() -> None:
            dock.setFloating(True)

        return float_it


def arrange_docks(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """Put all panels into one column at the right, in groups of tabs: the usual arrangement."""
    for dock in docks.values():
        dock.setFloating(False)
        window.removeDockWidget(dock)
    firsts = []
    for names, _ in _GROUPS:
        first = docks[names[0]]
        window.addDockWidget(_RIGHT, first)
        firsts.append(first)
        for name in names[1:]:
            window.tabifyDockWidget(first, docks[name])
    for name, dock in docks.items():
        dock.setVisible(name not in _CLOSED)
    for first in firsts:
        first.raise_()
    window.resizeDocks(firsts, [height for _, height in _GROUPS], Qt.Orientation.Vertical)
    window.resizeDocks(firsts, [_COLUMN_WIDTH] * len(firsts), Qt.Orientation.Horizontal)
