"""The bookmarks: add, restore, compare, export, rename and remove."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.lists import button_row, list_action, row_texts
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.workspace.session import Bookmark

__all__ = ["BookmarksPanel", "settings_in_words"]

_EMPTY = "Bookmark a result to return to it or to compare it with another."


def settings_in_words(parameters: Parameters) -> str:
    """The parameters of a bookmark in one line."""
    scaling = "s learned" if parameters.scaling is None else f"s = {parameters.scaling:g}"
    alpha = "α per topic" if isinstance(parameters.alpha, tuple) else f"α = {parameters.alpha:g}"
    shares = "π learned" if parameters.proportions is None else "π fixed"
    return (
        f"K = {parameters.topics}, λ = {parameters.rate:g}, {alpha}, {scaling}, "
        f"m = {parameters.fuzzifier:g}, {shares}"
    )


class BookmarksPanel(QWidget):
    """The list of bookmarks; signals tell the controller what to do.

    Numbers are positions in the list; `compare_requested` carries two of them,
    `compare_with_present_requested` the one to lay beside the present result.
    """

    keep_requested = Signal()
    restore_requested = Signal(int)
    compare_requested = Signal(int, int)
    compare_with_present_requested = Signal(int)
    export_requested = Signal(int)
    remove_requested = Signal(int)
    renamed = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bookmarks_panel")
        self.setAccessibleName("Bookmarks")
        self._bookmarks: tuple[Bookmark, ...] = ()
        self.list = QListWidget(self)
        self.list.setObjectName("bookmark_list")
        self.list.setAccessibleName("Bookmarks")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.keep = list_action("keep_result", "Bookmark result", "bookmark", self._keep, self)
        self.restore = list_action(
            "restore_result", "Go back to this bookmark", "restore", self._restore, self, "Return"
        )
        self.compare = list_action(
            "compare_results",
            "Compare the two chosen, or one with the present result",
            "compare",
            self._compare,
            self,
        )
        self.export = list_action(
            "export_result", "Export this result", "export", self._export, self
        )
        self.rename = list_action("rename_result", "Rename", "rename", self._rename, self, "F2")
        self.remove = list_action("remove_result", "Remove", "remove", self._remove, self, "Del")
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions([self.restore, self.compare, self.export, self.rename, self.remove])
        self._empty = note(_EMPTY, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._empty)
        layout.addWidget(self.list, 1)
        layout.addLayout(
            button_row(
                self,
                self.keep,
                self.restore,
                self.compare,
                self.export,
                None,
                self.rename,
                self.remove,
            )
        )
        self.list.itemSelectionChanged.connect(self._enable_actions)
        self.list.itemDoubleClicked.connect(self._restore)
        self.list.itemChanged.connect(self._take_name)
        self._enable_actions()

    def set_bookmarks(self, bookmarks: tuple[Bookmark, ...]) -> None:
        """Show bookmarks without emitting signals."""
        if bookmarks == self._bookmarks and row_texts(self.list) == [
            each.name for each in bookmarks
        ]:
            # Nothing new; a name that is just being typed stays open.
            return
        chosen = {self._bookmarks[row].key for row in self._rows()}
        self._bookmarks = bookmarks
        with QSignalBlocker(self.list):
            self.list.clear()
            for bookmark in bookmarks:
                item = QListWidgetItem(icon("bookmark"), bookmark.name, self.list)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(
                    f"After {bookmark.sweep} sweeps.\n"
                    + settings_in_words(bookmark.session.parameters)
                )
                item.setSelected(bookmark.key in chosen)
        self._empty.setVisible(not bookmarks)
        self._enable_actions()

    def _rows(self) -> list[int]:
        return sorted(index.row() for index in self.list.selectedIndexes())

    @Slot()
    def _enable_actions(self) -> None:
        count = len(self._rows())
        for action in (self.restore, self.export, self.rename, self.remove):
            action.setEnabled(count == 1)
        self.compare.setEnabled(count in (1, 2))

    @Slot()
    def _keep(self) -> None:
        self.keep_requested.emit()

    @Slot()
    def _restore(self) -> None:
        self.restore_requested.emit(self._rows()[0])

    @Slot()
    def _compare(self) -> None:
        rows = self._rows()
        if len(rows) == 1:
            self.compare_with_present_requested.emit(rows[0])
        else:
            self.compare_requested.emit(*rows)

    @Slot()
    def _export(self) -> None:
        self.export_requested.emit(self._rows()[0])

    @Slot()
    def _rename(self) -> None:
        self.list.editItem(self.list.item(self._rows()[0]))

    @Slot()
    def _remove(self) -> None:
        self.remove_requested.emit(self._rows()[0])

    @Slot(QListWidgetItem)
    def _take_name(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        name = item.text().strip()
        if name and name != self._bookmarks[row].name:
            self.renamed.emit(row, name)
        else:
            with QSignalBlocker(self.list):
                item.setText(self._bookmarks[row].name)
