"""A sentence above the pictures that stays until it is closed or replaced; it never blocks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pmlda_gui.gui.icons import icon

__all__ = ["MessageBar"]

_MOST_NOTES = 4


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
        row.addWidget(self._text, 1)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, empty when the bar is closed."""
        return "" if self.isHidden() else self._text.text()

    def show_warning(self, sentence: str) -> None:
        """Something could not be done."""
        self._show(sentence, "warning")

    def show_note(self, sentence: str) -> None:
        """Something is worth knowing."""
        self._show(sentence, "information")

    def show_notes(self, notes: Sequence[str]) -> None:
        """Several things are worth knowing: each once, and no more than leave room for pictures."""
        different = list(dict.fromkeys(notes))
        more = len(different) - _MOST_NOTES
        rest = [f"There are {more} more notes: see the tooltips of the images."] if more > 0 else []
        self.show_note(" ".join(different[:_MOST_NOTES] + rest))

    @Slot()
    def dismiss(self) -> None:
        self.hide()

    def _show(self, sentence: str, sign: str) -> None:
        self._sign.setPixmap(icon(sign).pixmap(18, 18))
        self._text.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()
