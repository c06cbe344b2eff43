"""The header of a column: name of the method, progress, and time taken."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

__all__ = ["ColumnHeader"]

_STEPS = 1000
_BAR_HEIGHT = 3


class ColumnHeader(QWidget):
    """One line of words above a thin bar that is there while the method runs."""

    def __init__(self, name: str, title: str, tooltip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"compare_header_{name}")
        self.setAccessibleName(title)
        self.setToolTip(tooltip)
        self._title = _ElidedHeading(title, self)
        self.status = QLabel(self)
        self.status.setObjectName(f"compare_status_{name}")
        self.status.setProperty("role", "note")
        self.bar = QProgressBar(self)
        self.bar.setObjectName(f"compare_progress_{name}")
        self.bar.setAccessibleName(f"Progress of {title}")
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(_BAR_HEIGHT)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        self.bar.hide()
        line = QHBoxLayout()
        line.addWidget(self._title, 1)
        line.addWidget(self.status)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addWidget(self.bar)

    def set_status(self, text: str) -> None:
        """A word or two at the right; the method is not running."""
        self.bar.hide()
        self._describe(text)

    def set_progress(self, fraction: float) -> None:
        """The method is running, and this fraction of it is done."""
        self.bar.show()
        self.bar.setValue(round(_STEPS * min(max(fraction, 0.0), 1.0)))
        self._describe(f"{100 * fraction:.0f} %")

    def _describe(self, text: str) -> None:
        if text != self.status.text():
            self.status.setText(text)
            self.setAccessibleDescription(text)


class _ElidedHeading(QLabel):
    """A heading that ends in dots where the column is narrow."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._whole = text
        self.setProperty("role", "heading")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(10, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        room = self.contentsRect().width()
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room))
