"""A line with a path and a button that lets the operator choose it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from pmlda_gui.gui.icons import icon

__all__ = ["FolderField"]


class FolderField(QWidget):
    """A folder, typed or chosen; `folder_changed` tells that it is another one."""

    folder_changed = Signal()

    def __init__(self, name: str, title: str, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.line = QLineEdit(str(folder.absolute()), self)
        self.line.setObjectName(name)
        self.line.setAccessibleName(title)
        self.line.setMinimumWidth(300)
        self.browse = QPushButton(icon("folder"), "Choose…", self)
        self.browse.setObjectName(f"{name}_browse")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line, 1)
        layout.addWidget(self.browse)
        self.setFocusProxy(self.line)
        self.line.textChanged.connect(self.folder_changed)
        self.browse.clicked.connect(self._browse)

    @property
    def folder(self) -> Path | None:
        """The folder, None while the line is empty."""
        text = self.line.text().strip()
        return Path(text).expanduser() if text else None

    @Slot()
    def _browse(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self._title, self.line.text())
        if chosen:
            self.line.setText(chosen)
