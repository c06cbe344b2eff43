"""The head of a dialog: an icon, a title in bold, and a sentence below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pmlda_gui.gui.icons import IconLabel
from pmlda_gui.gui.panels.sections import heading, note

__all__ = ["dialog_head"]


def dialog_head(icon: str, title: str, text: str, parent: QWidget) -> QHBoxLayout:
    """A layout to put at the top of a dialog."""
    words = QVBoxLayout()
    words.addWidget(heading(title, parent))
    words.addWidget(note(text, parent))
    head = QHBoxLayout()
    head.setSpacing(14)
    head.addWidget(IconLabel(icon, 36, parent), 0, Qt.AlignmentFlag.AlignTop)
    head.addLayout(words, 1)
    return head
