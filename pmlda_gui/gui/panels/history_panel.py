"""The changes so far, oldest first; a click goes back to any of them, or forward again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

__all__ = ["HistoryPanel"]


class HistoryPanel(QWidget):
    """A list of changes; `chosen` carries how many of them are to be in effect."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history_panel")
        self.setAccessibleName("History of changes")
        self.list = QListWidget(self)
        self.list.setObjectName("history_list")
        self.list.setAccessibleName("Changes; choose one to go back to it")
        self.list.setToolTip("Click a change to go back to where it was the last one.")
        self._texts: tuple[str, ...] = ()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)

    def set_steps(self, texts: Sequence[str], done: int) -> None:
        """Show these changes, the first `done` of them in effect."""
        rows = ("As it was opened", *texts)
        with QSignalBlocker(self.list):
            if rows != self._texts:
                self._texts = rows
                self.list.clear()
                for text in rows:
                    QListWidgetItem(text, self.list)
            faint = self.palette().placeholderText()
            usual = self.palette().text()
            for row in range(self.list.count()):
                item = self.list.item(row)
                item.setForeground(usual if row <= done else faint)
                font = item.font()
                font.setItalic(row > done)
                item.setFont(font)
            self.list.setCurrentRow(done)
        self.list.scrollToItem(self.list.item(done), QListWidget.ScrollHint.EnsureVisible)

    @Slot(QListWidgetItem)
    def _take(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.list.row(item))
