"""The short questions before something is replaced."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtWidgets import QMessageBox, QWidget

__all__ = ["OVERWRITE", "SAVE_ELSEWHERE", "overwriting_question", "unsaved_question"]

_BUTTONS = QMessageBox.StandardButton
OVERWRITE, SAVE_ELSEWHERE = _BUTTONS.Yes, _BUTTONS.Save
"""Answers to the question about overwriting; anything else means neither."""


def unsaved_question(parent: QWidget) -> QMessageBox:
    """What to do with unsaved work that is about to be replaced."""
    question = _question("unsaved_dialog", parent)
    question.setText("Save this workspace before it is replaced?")
    question.setInformativeText("Unsaved changes will be lost.")
    question.setStandardButtons(_BUTTONS.Save | _BUTTONS.Discard | _BUTTONS.Cancel)
    return question


def overwriting_question(name: str, when: datetime | None, parent: QWidget) -> QMessageBox:
    """What to do with a file that somebody else has saved since it was opened here."""
    question = _question("overwriting_dialog", parent)
    question.setIcon(QMessageBox.Icon.Warning)
    at = "" if when is None else when.astimezone().strftime(" at %H:%M on %Y-%m-%d")
    question.setText(f"{name} was saved by another program{at}.")
    question.setInformativeText(
        "Saving here would replace what was saved there. To keep both, save this one as another "
        "file."
    )
    question.setStandardButtons(OVERWRITE | SAVE_ELSEWHERE | _BUTTONS.Cancel)
    question.button(OVERWRITE).setText("Replace it")
    question.button(SAVE_ELSEWHERE).setText("Save as…")
    question.setDefaultButton(SAVE_ELSEWHERE)
    return question


def _question(name: str, parent: QWidget) -> QMessageBox:
    question = QMessageBox(parent)
    question.setObjectName(name)
    question.setIcon(QMessageBox.Icon.Question)
    return question
