"""The command list: finds every command, setting and help page by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.command_search import Finding
from pmlda_gui.gui.menu_text import plain_words
from pmlda_gui.gui.panels.sections import note

__all__ = ["CommandPalette", "matches"]

_NOTHING = "No command has this name. Try another word, or press F1 for the help pages."
_ICON = QSize(16, 16)
_ROW = QSize(0, 22)
_KEYS_FOR_THE_LIST = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
)


def matches(wanted: str, text: str) -> bool:
    """Whether each word that was typed begins somewhere in the text, in any order."""
    lowered = text.casefold()
    return all(word in lowered for word in wanted.casefold().split())


class CommandPalette(QDialog):
    """A searchable list; what is chosen is done after the list has gone."""

    def __init__(
        self,
        actions: Iterable[QAction],
        parent: QWidget | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        super().__init__(parent)
        self.setObjectName("command_palette")
        self.setWindowTitle("Commands")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(460, 380)
        self.search = QLineEdit(self)
        self.search.setObjectName("command_search")
        self.search.setPlaceholderText("Type what you want to do")
        self.search.setAccessibleName("Search commands")
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.list = QTreeWidget(self)
        self.list.setObjectName("command_list")
        self.list.setAccessibleName("Commands and their keys")
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setIconSize(_ICON)
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        # Commands without an icon begin where the others do.
        blank = QPixmap(_ICON)
        blank.fill(Qt.GlobalColor.transparent)
        self._blank = QIcon(blank)
        self._deeds: list[Callable[[], None]] = []
        self._words: list[str] = []
        self._items: list[QTreeWidgetItem] = []
        for action in actions:
            if not action.isSeparator() and plain_words(action.text()):
                self._add_action(action)
        for finding in findings:
            self._add(finding.text, finding.kind, finding.words, finding.go)
        self._nothing = note(_NOTHING, self)
        self._nothing.setObjectName("nothing_found")
        self._nothing.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.addWidget(self.search)
        layout.addWidget(self._nothing)
        layout.addWidget(self.list)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._run_current)
        self.list.itemActivated.connect(self._run_current)
        self.list.itemClicked.connect(self._run_current)
        self._filter("")
        self.search.setFocus()

    def _add_action(self, action: QAction) -> None:
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        item = self._add(plain_words(action.text()), keys, "", action.trigger)
        if not action.icon().isNull():
            item.setIcon(0, action.icon())
        item.setToolTip(0, action.statusTip())
        item.setDisabled(not action.isEnabled())

    def _add(self, text: str, aside: str, words: str, go: Callable[[], None]) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text, aside])
        item.setIcon(0, self._blank)
        item.setSizeHint(0, _ROW)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setData(0, Qt.ItemDataRole.UserRole, len(self._deeds))
        self._deeds.append(go)
        self._words.append(f"{text} {words}")
        self._items.append(item)
        self.list.addTopLevelItem(item)
        return item

    @Slot(str)
    def _filter(self, wanted: str) -> None:
        first = None
        found = False
        for item, words in zip(self._items, self._words, strict=True):
            shown = matches(wanted, words)
            item.setHidden(not shown)
            found |= shown
            # What is called so goes before what is only meant so.
            if shown and not item.isDisabled():
                better = matches(wanted, item.text(0))
                if first is None or (better and not matches(wanted, first.text(0))):
                    first = item
        self._nothing.setVisible(not found)
        self.list.setCurrentItem(first)  # type: ignore[arg-type]

    @Slot()
    def _run_current(self) -> None:
        item = self.list.currentItem()
        # Where one click activates, Qt tells of it twice; the first time has closed the list.
        if not self.isVisible() or item is None or item.isHidden():
            return
        go = self._deeds[item.data(0, Qt.ItemDataRole.UserRole)]
        self.accept()
        go()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Let the arrow keys walk through the list while the search has the focus."""
        if (
            watched is self.search
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _KEYS_FOR_THE_LIST
        ):
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)
