"""The comparison window: methods at the left, their maps in columns, progress below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.compare.bar import CompareBar
from pmlda_gui.gui.compare.chooser import MethodChooser
from pmlda_gui.gui.compare.columns import ComparisonColumns
from pmlda_gui.gui.compare.methods import Offer
from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.message_bar import MessageBar
from pmlda_gui.gui.panels.sections import heading, note
from pmlda_gui.gui.view_request import ShownTopic

__all__ = ["CompareWindow"]

_SIZE = QSize(1240, 760)
_CHOOSER_WIDTH = 262
_STEPS = 1000


class CompareWindow(QWidget):
    """Shows what it is given; its bar and its chooser tell what is asked for.

    `closed` tells that it was closed.
    """

    closed = Signal()

    def __init__(self, offers: Sequence[Offer], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("compare_window")
        self.setWindowTitle("Compare methods")
        self.setWindowIcon(icon("compare"))
        self.resize(_SIZE)
        self._ready = self._busy = False
        self.bar = CompareBar(self)
        self.chooser = MethodChooser(offers, self)
        self.chooser.setFixedWidth(_CHOOSER_WIDTH)
        self.columns = ComparisonColumns(self)
        self.columns.set_context_actions(self.bar.on_pictures)
        self.message_bar = MessageBar(self)
        self.message_bar.setObjectName("compare_message")
        middle = QHBoxLayout()
        middle.addWidget(self.chooser)
        middle.addWidget(self._centre(), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.bar)
        layout.addWidget(self.message_bar)
        layout.addLayout(middle, 1)
        layout.addLayout(self._bottom_row())
        self.bar.methods_toggled.connect(self.chooser.setVisible)
        self.bar.fit_requested.connect(self.columns.fit)
        self.bar.row_chosen.connect(self.columns.show_row)
        self.columns.row_changed.connect(self.bar.mark_row)
        self.chooser.changed.connect(self._enable)
        self._shortcut("Ctrl++", self._zoom_in)
        self._shortcut("Ctrl+-", self._zoom_out)
        self._shortcut("Esc", self._show_all_rows)
        self._shortcut("Ctrl+W", self.close)
        self._enable()

    def _shortcut(self, keys: str, slot: Callable[[], object]) -> None:
        QShortcut(QKeySequence(keys), self).activated.connect(slot)

    def _centre(self) -> QWidget:
        empty = QFrame(self)
        empty.setProperty("role", "drop")
        column = QVBoxLayout(empty)
        column.addStretch(1)
        title = heading("Several methods on the same features", empty)
        self._hint = note("", empty)
        for label in (title, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.columns)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(empty)
        self._pages.addWidget(scroll)
        return self._pages

    def _bottom_row(self) -> QHBoxLayout:
        self.status = note("", self)
        self.status.setObjectName("compare_status")
        self.progress = QProgressBar(self)
        self.progress.setObjectName("compare_progress")
        self.progress.setAccessibleName("Progress of the comparison")
        self.progress.setRange(0, _STEPS)
        self.progress.setMaximumWidth(200)
        self.progress.setTextVisible(False)
        self.progress.hide()
        row = QHBoxLayout()
        row.addWidget(self.status, 1)
        row.addWidget(self.progress)
        return row

    # -- state -------------------------------------------------------------------------------

    def set_ready(self, ready: bool, hint: str) -> None:
        """Whether there is something to compare on, and what to do or expect."""
        if (ready, hint) != (self._ready, self._hint.text()):
            self._ready = ready
            self._hint.setText(hint)
            self._enable()

    def set_busy(self) -> None:
        """A comparison has begun; `finish` ends it."""
        self._busy = True
        self._enable()

    def begin(self, images: Sequence[str], current: int) -> None:
        """Show columns in place of the hint; `images` are those that can be looked at."""
        self.bar.set_images(images, current)
        self.message_bar.dismiss()
        self._pages.setCurrentIndex(1)
        self._enable()

    def set_topics(self, topics: Sequence[ShownTopic]) -> None:
        """Name the rows."""
        self.bar.set_topics(topics)
        self.columns.set_topics(topics)

    def set_progress(self, text: str, fraction: float) -> None:
        """Say below what is being done."""
        self.status.setText(text)
        self.progress.show()
        self.progress.setValue(round(_STEPS * fraction))

    def finish(self, text: str) -> None:
        """Say below how it ended; another comparison can begin."""
        self._busy = False
        self.status.setText(text)
        self.progress.hide()
        self._enable()

    def clear(self) -> None:
        """Show the hint in place of columns that no longer belong to anything."""
        self._pages.setCurrentIndex(0)
        self.status.setText("")
        self.message_bar.dismiss()
        self._enable()

    @Slot()
    def _enable(self) -> None:
        can_run = self._ready and not self._busy and bool(self.chooser.chosen)
        self.bar.enable(can_run, self._busy, filled=self._pages.currentIndex() == 1)

    # -- what is asked for -------------------------------------------------------------------

    @Slot()
    def _show_all_rows(self) -> None:
        self.columns.show_row(None)

    @Slot()
    def _zoom_in(self) -> None:
        self.columns.zoom(1)

    @Slot()
    def _zoom_out(self) -> None:
        self.columns.zoom(-1)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        super().closeEvent(event)
        self.closed.emit()
