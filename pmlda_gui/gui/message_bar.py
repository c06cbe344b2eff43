"""The message bar above the pictures: a sentence that never blocks the window."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pmlda_gui.gui.icons import icon

__all__ = ["MessageBar"]

_MOST_NOTES = 4
_MOST_REFUSED = 4


class MessageBar(QFrame):
    """Shows what went wrong or what was assumed, in one sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message_bar")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._sign = QLabel(self)
        self._text = QLabel(self)
        self._text.setObjectName("message_text")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._refused = ""
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        close = QToolButton(self)
        close.setIcon(icon("close"))
        close.setAutoRaise(True)
        close.setToolTip("Close this message")
        close.setAccessibleName("Close this message")
        close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 4, 4)
        row.addWidget(self._sign)
        self.folder = QToolButton(self)
        self.folder.setObjectName("message_open_folder")
        self.folder.setText("Open folder")
        self.folder.setIcon(icon("folder"))
        self.folder.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.folder.clicked.connect(self._open_folder)
        self.folder.hide()
        self._path: Path | None = None
        row.addWidget(self._text, 1)
        row.addWidget(self.folder)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, empty when the bar is closed."""
        return "" if self.isHidden() else self._text.text()

    def show_warning(self, sentence: str) -> None:
        """Something could not be done."""
        self._show(sentence, "warning")

    def show_note(self, sentence: str, folder: Path | None = None) -> None:
        """Something is worth knowing; a `folder` can be opened from there."""
        self._show(sentence, "information")
        self._path = folder
        self.folder.setVisible(folder is not None)
        self.folder.setToolTip("" if folder is None else f"Open {folder}")

    @Slot()
    def _open_folder(self) -> None:
        if self._path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.absolute())))

    def show_notes(self, notes: Sequence[str]) -> None:
        """Several things are worth knowing: each once, and no more than leave room for pictures."""
        different = list(dict.fromkeys(notes))
        more = len(different) - _MOST_NOTES
        rest = [f"There are {more} more notes: see the tooltips of the images."] if more > 0 else []
        sentence = " ".join(different[:_MOST_NOTES] + rest)
        # Notes about the images that were opened come after the list of those that were not.
        if self._refused and self.text:
            self._show(f"{self._refused} {sentence}", "warning", self._refused)
        else:
            self.show_note(sentence)

    def show_refused(self, reasons: Sequence[str]) -> None:
        """Some files could not be opened while others could: the reason of each."""
        more = len(reasons) - _MOST_REFUSED
        rest = [f"There are {more} more: see the tooltip."] if more > 0 else []
        left_out = "1 file was" if len(reasons) == 1 else f"{len(reasons)} files were"
        sentence = " ".join([f"{left_out} left out.", *reasons[:_MOST_REFUSED], *rest])
        self._show(sentence, "warning", sentence)
        self._text.setToolTip(f"<qt>{'<br>'.join(map(escape, reasons))}</qt>")

    @Slot()
    def dismiss(self) -> None:
        self.hide()

    def _show(self, sentence: str, sign: str, refused: str = "") -> None:
        self.folder.hide()
        if not refused:
            self._text.setToolTip("")
        self._refused = refused
        self._sign.setPixmap(icon(sign).pixmap(18, 18))
        self._text.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()
