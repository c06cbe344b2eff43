"""Layouts of the window: two built in, those the operator saves by name, and a reset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMainWindow, QMenu, QToolBar

from pmlda_gui.gui.actions import Actions
from pmlda_gui.gui.docks import PanelDock, arrange_docks
from pmlda_gui.gui.views.view_grid import ARRANGEMENTS, Arrangement, ViewGrid
from pmlda_gui.workspace.settings import settings
from pmlda_gui.workspace.settings.schema import StoredLayout

__all__ = ["Layouts"]

# Raised when the docks change, so that an old arrangement is not forced upon new ones.
VERSION = 6
_NAMES = "window/layouts"
_FULL = "The layout could not be kept: there are twelve already; remove one first."
_MESSAGE_MILLISECONDS = 6000


class Layouts(QObject):
    """Keeps, restores and offers the arrangements of one window."""

    def __init__(
        self,
        window: QMainWindow,
        docks: Mapping[str, PanelDock],
        grid: ViewGrid,
        actions: Actions,
    ) -> None:
        super().__init__(window)
        self._window, self._docks, self._grid, self._actions = window, docks, grid, actions
        self._before_alone: bytes | None = None
        self.menu = QMenu("La&yout", window)
        self._kept_menu = QMenu("&Remove a layout", self.menu)
        self._offered: list[QAction] = []
        for name in ARRANGEMENTS:
            actions[f"layout_{name}"].triggered.connect(partial(self.show_pictures, name))
        actions["layout_keep"].triggered.connect(self._ask_name)
        actions["layout_reset"].triggered.connect(self.reset)
        actions["pictures_only"].triggered.connect(self.set_pictures_only)
        self._fill_menu()

    # -- the two of ours ---------------------------------------------------------------------

    def show_pictures(self, arrangement: Arrangement, _checked: bool = True) -> None:
        """All pictures alike, or one large; panels stay where they are."""
        self._grid.arrange(arrangement)
        self._actions.check(f"layout_{arrangement}", True)

    @Slot()
    def reset(self) -> None:
        """Panels and pictures as at the first start."""
        self.set_pictures_only(False)
        arrange_docks(self._window, self._docks)
        self.show_pictures("grid")

    # -- pictures only -----------------------------------------------------------------------

    @property
    def pictures_only(self) -> bool:
        """Whether everything but the pictures is hidden."""
        return self._before_alone is not None

    @Slot(bool)
    def set_pictures_only(self, alone: bool) -> None:
        """Hide everything but the pictures, or bring it back as it was."""
        self._actions.check("pictures_only", alone)
        if alone == self.pictures_only:
            return
        bars = (self._window.menuBar(), self._window.statusBar())
        if alone:
            self._before_alone = bytes(self._window.saveState(VERSION).data())
            for dock in self._docks.values():
                dock.hide()
            for tools in self._window.findChildren(QToolBar):
                tools.hide()
        else:
            assert self._before_alone is not None
            self._window.restoreState(self._before_alone, VERSION)
            self._before_alone = None
        for bar in bars:
            bar.setVisible(not alone)

    # -- kept by name ------------------------------------------------------------------------

    @property
    def kept(self) -> tuple[StoredLayout, ...]:
        """The layouts an operator has kept."""
        layouts: tuple[StoredLayout, ...] = settings().get(_NAMES)
        return layouts

    @property
    def _state(self) -> bytes:
        return self._before_alone or bytes(self._window.saveState(VERSION).data())

    def keep(self, name: str) -> None:
        """Keep the present arrangement under a name, in place of one of the same."""
        others = tuple(layout for layout in self.kept if layout.name != name)
        layout = StoredLayout(name, self._state, self._grid.arrangement)
        settings().set(_NAMES, (*others, layout))
        if layout not in self.kept:
            self._window.statusBar().showMessage(_FULL, _MESSAGE_MILLISECONDS)
        self._fill_menu()

    def show_kept(self, name: str, _checked: bool = True) -> None:
        """Arrange the window as it was kept under that name."""
        for layout in self.kept:
            if layout.name == name:
                self.set_pictures_only(False)
                self._window.restoreState(layout.docks, VERSION)
                self.show_pictures("focus" if layout.pictures == "focus" else "grid")

    def remove(self, name: str, _checked: bool = True) -> None:
        """Forget a layout."""
        settings().set(_NAMES, tuple(each for each in self.kept if each.name != name))
        self._fill_menu()

    @Slot()
    def _ask_name(self) -> None:
        dialog = QInputDialog(self._window)
        dialog.setObjectName("layout_name")
        dialog.setWindowTitle("Keep this layout")
        dialog.setLabelText("Name of the layout:")
        dialog.setTextValue(self._free_name())
        box = dialog.findChild(QLineEdit)
        if box is not None:
            box.setMaxLength(40)
            box.setAccessibleName("Name of the layout")
        dialog.textValueSelected.connect(self._keep_named)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _free_name(self) -> str:
        taken = {layout.name for layout in self.kept}
        return next(f"Layout {n}" for n in range(1, len(taken) + 2) if f"Layout {n}" not in taken)

    @Slot(str)
    def _keep_named(self, name: str) -> None:
        if name.strip():
            self.keep(name.strip())

    # -- the menu ----------------------------------------------------------------------------

    def _fill_menu(self) -> None:
        self.menu.clear()
        self._kept_menu.clear()
        actions = self._actions
        self.menu.addActions([actions[f"layout_{name}"] for name in ARRANGEMENTS])
        self.menu.addSeparator()
        for layout in self.kept:
            words = layout.name.replace("&", "&&")
            shown = self.menu.addAction(words)
            shown.triggered.connect(partial(self.show_kept, layout.name))
            gone = self._kept_menu.addAction(words)
            gone.triggered.connect(partial(self.remove, layout.name))
        if self.kept:
            self.menu.addSeparator()
        self.menu.addAction(actions["layout_keep"])
        self.menu.addMenu(self._kept_menu)
        self._kept_menu.setEnabled(bool(self.kept))
        self.menu.addAction(actions["layout_reset"])

    # -- between sessions --------------------------------------------------------------------

    def store(self) -> None:
        """Remember the arrangement for the next start."""
        settings().set("window/state", self._state)
        settings().set("window/pictures", self._grid.arrangement)

    def restore(self) -> None:
        """Arrange the window as it was left, else as usual."""
        arrange_docks(self._window, self._docks)
        state = settings().get("window/state")
        if state:
            self._window.restoreState(state, VERSION)
        self.show_pictures("focus" if settings().get("window/pictures") == "focus" else "grid")
