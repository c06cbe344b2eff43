"""The error dialog: one sentence, and a report that can be sent.

A report leaves the operator's computer, so folders and the user's name are taken
out before it is shown.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.icons import IconLabel, icon
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.gui.versions import versions
from pmlda_gui.workspace.logs import log_tail
from pmlda_gui.workspace.privacy import without_private_parts

__all__ = ["ErrorReport"]

_WIDTH = 540


class ErrorReport(QDialog):
    """Says what went wrong and offers the report; the open work goes on behind it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("error_report")
        self._title = QLabel(self)
        self._title.setProperty("role", "heading")
        self._sentence = QLabel(self)
        self._sentence.setObjectName("error_sentence")
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._report = QPlainTextEdit(self)
        self._report.setObjectName("error_details")
        self._report.setAccessibleName("Report")
        self._report.setReadOnly(True)
        self._report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._report.setMinimumHeight(220)
        self._private = note("Your name and the folders of your files are removed.", self)
        words = QVBoxLayout()
        words.addWidget(self._title)
        words.addWidget(self._sentence)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(IconLabel("warning", 36, self), 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self._details = buttons.addButton("Details", QDialogButtonBox.ButtonRole.ActionRole)
        self._details.setObjectName("error_show_details")
        self._details.setCheckable(True)
        copy = buttons.addButton("Copy report", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("copy_report")
        copy.setIcon(icon("copy"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self._report, 1)
        layout.addWidget(self._private)
        layout.addWidget(buttons)
        self._details.toggled.connect(self._disclose)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        for button in (self._details, copy):
            button.setAutoDefault(False)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()
        self._disclose(False)

    @property
    def report(self) -> str:
        """The text of the report, as it is copied."""
        return self._report.toPlainText()

    def show_error(self, title: str, sentence: str, details: str = "") -> None:
        """Show what went wrong; `details` and the log are for the maintainers."""
        self.setWindowTitle(title)
        self._title.setText(title)
        self._sentence.setText(sentence)
        listed = "\n".join(f"{name} {version}" for name, version in versions())
        tail = log_tail()
        logged = f"The last lines of the log:\n{tail}" if tail else ""
        parts = [f"{title}: {sentence}", listed, details, logged]
        self._report.setPlainText(
            without_private_parts("\n\n".join(part.strip() for part in parts if part.strip()))
        )
        self._details.setChecked(False)
        self._disclose(False)
        self.open()

    @Slot(bool)
    def _disclose(self, shown: bool) -> None:
        self._report.setVisible(shown)
        self._private.setVisible(shown)
        fit_height(self, _WIDTH)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
