"""Commands that change nothing of the session: zoom, themes, help, the command list."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.picture_windows import PictureWindow
from pmlda_gui.gui.theme import ThemeName, apply_theme
from pmlda_gui.workspace.settings import settings

__all__ = ["Extras", "stored_theme"]


def stored_theme() -> ThemeName:
    """The theme chosen last; that of the system if none was."""
    stored = settings().get("window/theme")
    return next((name for name in get_args(ThemeName) if name == stored), "system")


class Extras(QObject):
    """Joins the remaining commands with what they do."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._window = window = controller.window
        actions = window.actions_by_name
        actions["fit"].triggered.connect(window.grid.fit)
        actions["zoom_in"].triggered.connect(self._zoom_in)
        actions["zoom_out"].triggered.connect(self._zoom_out)
        actions["enlarge_next"].triggered.connect(self._enlarge_next)
        actions["show_all"].triggered.connect(self._show_all)
        actions["palette"].triggered.connect(self._show_palette)
        actions["help"].triggered.connect(self._show_help)
        actions["preferences"].triggered.connect(self._show_preferences)
        actions["tour"].triggered.connect(self.show_tour)
        actions["show_log"].triggered.connect(self._show_log)
        actions["about"].triggered.connect(self._show_about)
        actions["close"].triggered.connect(window.close)
        for name in get_args(ThemeName):
            action = actions[f"theme_{name}"]
            action.setData(name)
            action.triggered.connect(self._choose_theme)
        actions.check(f"theme_{stored_theme()}", True)

    @Slot()
    def _choose_theme(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._take_theme(action.data())

    @Slot(str)
    def _take_theme(self, name: str) -> None:
        settings().set("window/theme", name)
        self._window.actions_by_name.check(f"theme_{stored_theme()}", True)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_theme(application, stored_theme())

    @Slot()
    def _zoom_in(self) -> None:
        self._window.grid.zoom(1)

    @Slot()
    def _zoom_out(self) -> None:
        self._window.grid.zoom(-1)

    @Slot()
    def _enlarge_next(self) -> None:
        grid = self._window.grid
        if grid.shown:
            current = grid.enlarged
            number = grid.shown.index(current) + 1 if current in grid.shown else 0
            grid.enlarge(grid.shown[number % len(grid.shown)])

    @Slot()
    def _show_all(self) -> None:
        window, active = self._window, QApplication.activeWindow()
        if isinstance(active, PictureWindow):
            active.close()
        elif window.tour.isVisible():
            window.tour.end()
        elif window.grid.drawing.tool is not None:
            window.grid.drawing.give_up()
        elif window.pages.currentWidget() is window.swipe:
            window.swipe.closed.emit()
        elif window.grid.enlarged is not None:
            window.grid.enlarge(None)
        else:
            window.layouts.set_pictures_only(False)

    # -- dialogs -----------------------------------------------------------------------------

    @Slot()
    def _show_palette(self) -> None:
        from pmlda_gui.gui.command_search import findings
        from pmlda_gui.gui.dialogs.palette import CommandPalette

        docks = (self._window.docks[name] for name in ("parameters", "display"))
        found = findings(docks, self._show_help_page)
        palette = CommandPalette(self._window.actions_by_name.all, self._window, found)
        palette.finished.connect(palette.deleteLater)
        palette.open()

    @Slot()
    def _show_help(self) -> None:
        self._show_help_page("getting-started")

    def _show_help_page(self, name: str) -> None:
        from pmlda_gui.gui.dialogs.help import help_window

        help_window(self._window).show_page(name)

    @Slot()
    def _show_preferences(self) -> None:
        from pmlda_gui.gui.dialogs.preferences import PreferencesDialog

        dialog = PreferencesDialog(self._window)
        dialog.theme_chosen.connect(self._take_theme)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def show_tour(self) -> None:
        """Begin the tour of the window."""
        self._window.tour.begin()

    def offer_tour(self) -> None:
        """Begin the tour at a first start, where nothing is open that it would hide."""
        if settings().get("help/tour") == "due":
            self.show_tour()

    @Slot()
    def _show_log(self) -> None:
        from pmlda_gui.gui.dialogs.log import LogDialog

        dialog = LogDialog(self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def _show_about(self) -> None:
        from pmlda_gui.gui.dialogs.about import AboutDialog

        about = AboutDialog(self._window)
        about.finished.connect(about.deleteLater)
        about.open()
