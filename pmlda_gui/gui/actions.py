"""The table of all commands of the window: text, key, icon and menu.

Menus, the toolbar, the searchable list and the help page about keys are all made
from it, so that none can forget a command.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from pmlda_gui.gui.icons import icon

__all__ = ["COMMANDS", "ESTIMATE_COMMANDS", "TOOL_COMMANDS", "VIEW_COMMANDS", "Actions", "Command"]


@dataclass(frozen=True)
class Command:
    """One command; `group` makes checkable commands exclude each other.

    One without a menu stands in a submenu that somebody else fills.
    """

    name: str
    menu: str
    text: str
    keys: str = ""
    icon: str = ""
    checkable: bool = False
    group: str = ""
    separated: bool = False


COMMANDS = (
    Command("new", "&File", "&New workspace", "Ctrl+N"),
    Command("open", "&File", "&Open…", "Ctrl+O", "open"),
    Command("open_with_options", "&File", "Open &with options…", "Ctrl+Shift+O"),
    Command("reading_options", "&File", "Readin&g options…", "Ctrl+Alt+O"),
    Command("bottom_track", "&File", "&Bottom track…", "Ctrl+Alt+B"),
    Command("open_demo", "&File", "Open the &demo scene", "Ctrl+D"),
    Command("use_topics", "&File", "&Use topics from…", "Ctrl+T", "topics"),
    Command("watch_folder", "&File", "Watch a &folder", "", "folder"),
    Command("save", "&File", "&Save", "Ctrl+S", "save", separated=True),
    Command("save_as", "&File", "Save &as…", "Ctrl+Shift+S"),
    Command("export", "&File", "&Export results…", "Ctrl+E", "export"),
    Command("copy_picture", "&File", "&Copy picture", "Ctrl+Shift+C", "copy", separated=True),
    Command("save_picture", "&File", "Save &picture…", "Ctrl+Shift+P", "picture"),
    Command("close", "&File", "&Quit", "Ctrl+Q", "quit", separated=True),
    Command("undo", "&Edit", "&Undo", "Ctrl+Z", "undo"),
    Command("redo", "&Edit", "&Redo", "Ctrl+Shift+Z", "redo"),
    Command("palette", "&Edit", "&Find a command…", "Ctrl+K", "search", separated=True),
    Command("preferences", "&Edit", "&Preferences…", "Ctrl+,", "settings"),
    Command("tool_profile", "&Analysis", "&Profile across a transition", "P", "profile", True),
    Command("tool_rectangle", "&Analysis", "&Rectangular region", "R", "rectangle", True),
    Command("tool_polygon", "&Analysis", "Region from its &corners", "G", "polygon", True),
    Command("tool_lasso", "&Analysis", "&Lasso around a region", "L", "lasso", True),
    Command("tool_measure", "&Analysis", "&Measure a path", "M", "measure", True),
    Command("export_shapes", "&Analysis", "&Export all that is drawn…", "", "export",
            separated=True),
    Command("tool_brush", "&Teach", "Paint with a &brush", "B", "brush", True),
    Command("tool_paint_polygon", "&Teach", "Paint a &polygon", "Shift+G", "polygon", True),
    Command("tool_paint_document", "&Teach", "Paint a &document", "Shift+D", "outlines", True),
    Command("import_hints", "&Teach", "&Import hints…", "", "open", separated=True),
    Command("export_hints", "&Teach", "&Export hints…", "", "export"),
    Command("clear_hints", "&Teach", "&Clear all that is painted", "", "reset", separated=True),
    Command("run_chain", "&Chain", "&Run", "F5", "run"),
    Command("pause_chain", "&Chain", "&Pause", "F6", "pause"),
    Command("step_chain", "&Chain", "&Step", "F7", "step"),
    Command("restart_chain", "&Chain", "Res&tart", "F8", "restart"),
    Command("toggle_chain", "&Chain", "Run &or pause", "Ctrl+R"),
    Command(
        "estimate_mean", "&Chain", "Posterior &mean", "Ctrl+1",
        checkable=True, group="estimate", separated=True,
    ),
    Command("estimate_map", "&Chain", "M&AP", "Ctrl+2", checkable=True, group="estimate"),
    Command(
        "estimate_paper_map", "&Chain", "Pap&er's MAP", "Ctrl+3", checkable=True, group="estimate"
    ),
    Command("keep_bookmark", "&Chain", "&Bookmark result", "Ctrl+B", "bookmark", separated=True),
    Command("keep_topics", "&Chain", "&Keep these topics…", "", "save"),
    Command("learn_anew", "&Chain", "&Learn topics anew", "", "reset"),
    Command("count_topics", "&Chain", "&How many topics?…", "Ctrl+H", "topics"),
    Command("compare_methods", "&Chain", "&Compare methods…", "F9", "compare"),
    Command("show_source", "&View", "&Source image", "Alt+1", checkable=True),
    Command("show_memberships", "&View", "&Membership maps", "Alt+2", checkable=True),
    Command("show_composite", "&View", "&Composite", "Alt+3", checkable=True),
    Command("show_uncertainty", "&View", "&Uncertainty", "Alt+4", checkable=True),
    Command("show_labels", "&View", "Crisp &labels", "Alt+5", checkable=True),
    Command("show_unknown", "&View", "Un&known", "Alt+6", checkable=True),
    Command("outlines", "&View", "Document &outlines", "Ctrl+L", "outlines", True, separated=True),
    Command("fit", "&View", "Zoom to &fit", "Ctrl+0", "fit", separated=True),
    Command("zoom_in", "&View", "Zoom &in", "Ctrl++"),
    Command("zoom_out", "&View", "Zoom ou&t", "Ctrl+-"),
    Command("enlarge_next", "&View", "Enlarge ne&xt picture", "Ctrl+Tab", "enlarge"),
    Command("show_all", "&View", "Show &all pictures", "Esc", "grid"),
    Command("own_window", "&View", "Open picture in a &new window", "F3", "open_window"),
    Command("overlay", "&View", "O&verlay on the source image", "F4", "overlay", True),
    Command("swipe", "&View", "Swipe two pictu&res…", "Ctrl+Shift+W", "compare"),
    Command(
        "pictures_only", "&View", "&Hide everything but the pictures", "F11", "fit",
        checkable=True, separated=True,
    ),
    Command("layout_grid", "", "&Grid: all pictures the same size", "Ctrl+Alt+1",
            "grid", checkable=True, group="layout"),
    Command("layout_focus", "", "&Focus: one large picture", "Ctrl+Alt+2",
            "focus", checkable=True, group="layout"),
    Command("layout_keep", "", "&Keep this layout…"),
    Command("layout_reset", "", "Re&set the layout", "", "reset"),
    Command(
        "theme_system", "&View", "Syst&em theme",
        checkable=True, group="theme", separated=True,
    ),
    Command("theme_light", "&View", "Li&ght theme", checkable=True, group="theme"),
    Command("theme_dark", "&View", "&Dark theme", checkable=True, group="theme"),
    Command("help", "&Help", "&Help pages", "F1", "help"),
    Command("tour", "&Help", "Take the &tour"),
    Command("show_log", "&Help", "Show &log", "", "information"),
    Command("about", "&Help", "&About", "", "information"),
)  # fmt: skip

ESTIMATE_COMMANDS = {
    "mean": "estimate_mean",
    "map": "estimate_map",
    "paper-map": "estimate_paper_map",
}
VIEW_COMMANDS = {
    "source": "show_source",
    "memberships": "show_memberships",
    "composite": "show_composite",
    "uncertainty": "show_uncertainty",
    "labels": "show_labels",
    "unknown": "show_unknown",
}
TOOL_COMMANDS = {
    "profile": "tool_profile",
    "rectangle": "tool_rectangle",
    "polygon": "tool_polygon",
    "lasso": "tool_lasso",
    "measure": "tool_measure",
    "brush": "tool_brush",
    "paint_polygon": "tool_paint_polygon",
    "paint_document": "tool_paint_document",
}


class Actions(QObject):
    """The commands as QActions, by name."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}
        groups: dict[str, QActionGroup] = {}
        for command in COMMANDS:
            action = QAction(command.text, parent)
            action.setObjectName(f"{command.name}_action")
            if command.keys:
                action.setShortcut(QKeySequence(command.keys))
            if command.icon:
                action.setIcon(icon(command.icon))
            action.setCheckable(command.checkable)
            if command.group:
                if command.group not in groups:
                    groups[command.group] = QActionGroup(self)
                groups[command.group].addAction(action)
            parent.addAction(action)
            self._actions[command.name] = action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    @property
    def all(self) -> tuple[QAction, ...]:
        """Every command, in the order of the menus."""
        return tuple(self._actions.values())

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Put the commands into their menus; returns these by title."""
        menus: dict[str, QMenu] = {}
        for command in COMMANDS:
            if not command.menu:
                continue
            if command.menu not in menus:
                menus[command.menu] = bar.addMenu(command.menu)
            menu = menus[command.menu]
            if command.separated:
                menu.addSeparator()
            menu.addAction(self._actions[command.name])
        return menus

    def check(self, name: str, checked: bool) -> None:
        """Show a command as chosen or not without triggering it."""
        self._actions[name].setChecked(checked)
