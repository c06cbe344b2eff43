"""The log window: shows the log, to read it out or to send it."""

from __future__ import annotations

from PySide6.QtCore import QSize, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.workspace.logs import log_tail, present_log

__all__ = ["LogDialog"]

_SIZE = QSize(760, 480)
_LINES = 2000
_NONE = "There is no log: its folder could not be created."


class LogDialog(QDialog):
    """The last lines of the log, with buttons that copy them and open their folder."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("log_dialog")
        self.setWindowTitle("Log")
        self.resize(_SIZE)
        self._path = present_log()
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("log_text")
        self.text.setAccessibleName("Log")
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setPlainText(_NONE if self._path is None else log_tail(_LINES))
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        roles = QDialogButtonBox.ButtonRole
        copy = buttons.addButton("Copy", roles.ActionRole)
        copy.setObjectName("copy_log")
        copy.setIcon(icon("copy"))
        folder = buttons.addButton("Open its folder", roles.ActionRole)
        folder.setObjectName("open_log_folder")
        folder.setIcon(icon("folder"))
        folder.setEnabled(self._path is not None)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text, 1)
        layout.addWidget(note("Your name and the folders of your files are removed.", self))
        layout.addWidget(buttons)
        copy.clicked.connect(self._copy)
        folder.clicked.connect(self._open_folder)
        buttons.rejected.connect(self.reject)
        for button in (copy, folder):
            button.setAutoDefault(False)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())

    @Slot()
    def _open_folder(self) -> None:
        assert self._path is not None
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))
