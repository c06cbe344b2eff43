"""Fits the height of dialogs to their text."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget

__all__ = ["fit_height"]


def fit_height(dialog: QDialog, width: int) -> None:
    """Make a dialog `width` pixels wide and as high as its wrapped texts then are.

    Qt's own guess takes texts for narrower than they are and leaves gaps, or cuts them.
    """
    for child in dialog.findChildren(QWidget):
        # The style sheet's fonts count only after this.
        child.ensurePolished()
    layout = dialog.layout()
    assert layout is not None
    layout.invalidate()
    layout.activate()
    height = (
        layout.totalHeightForWidth(width)
        if layout.hasHeightForWidth()
        else layout.totalSizeHint().height()
    )
    dialog.setMinimumWidth(width)
    dialog.resize(width, height)
