"""The progress dialog: what is being done, how far it is, and a way to cancel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

__all__ = ["ProgressDialog"]

_STEPS = 1000


class ProgressDialog(QDialog):
    """Shows progress; `cancelled` is told once, and the dialog waits until `finish`.

    Whoever does the work decides when it has ended: the dialog does not vanish
    while something is still being written.  It blocks nothing, so that the program
    can be closed at any moment.
    """

    cancelled = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("progress_dialog")
        self.setWindowTitle(title)
        self.setFixedWidth(420)
        self._stopping = False
        self._finished = False
        heading = QLabel(title, self)
        heading.setProperty("role", "heading")
        self.text = QLabel(" ", self)
        self.text.setObjectName("progress_text")
        self.text.setProperty("role", "note")
        self.bar = QProgressBar(self)
        self.bar.setObjectName("progress_bar")
        self.bar.setAccessibleName(title)
        self.bar.setRange(0, 0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.cancel.setObjectName("progress_cancel")
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(8)
        for widget in (heading, self.bar, self.text, buttons):
            layout.addWidget(widget)

    def set_progress(self, fraction: float, text: str = "") -> None:
        """Show the fraction done, 0 to 1, and what is being done."""
        self.bar.setRange(0, _STEPS)
        self.bar.setValue(round(_STEPS * min(1.0, max(0.0, fraction))))
        if text and not self._stopping:
            width = self.width() - 36
            elide = Qt.TextElideMode.ElideMiddle
            self.text.setText(self.text.fontMetrics().elidedText(text, elide, width))
            self.text.setToolTip(text)

    def finish(self) -> None:
        """Close the dialog: the work has ended, one way or the other."""
        self._finished = True
        self.accept()

    @Slot()
    def reject(self) -> None:
        """Ask the work to stop, once."""
        if not self._stopping and not self._finished:
            self._stopping = True
            self.cancel.setEnabled(False)
            self.text.setText("Stopping…")
            self.cancelled.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        """Closing the dialog is asking to stop."""
        if self._finished:
            event.accept()
        else:
            event.ignore()
            self.reject()
