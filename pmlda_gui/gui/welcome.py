"""The welcome page, shown while nothing is open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.icons import IconLabel, icon
from pmlda_gui.gui.panels.lists import dropped_files
from pmlda_gui.gui.panels.sections import heading, note

__all__ = ["WelcomePage"]

_WIDTH = 560
_LARGE = 40
_SMALL = QSize(16, 16)
_ROW = QSize(0, 22)
_MOST_ROWS = 6
_INTRODUCTION = (
    "See which kinds of seabed an image shows, and how they pass into one another. "
    "Maps form while you watch, and every slider acts at once."
)
_FORMATS = "PNG, JPEG, TIFF, GeoTIFF, NITF, MAT, NPY, XTF, or a saved .pmlda workspace"


class WelcomePage(QWidget):
    """Offers to open or drop files, recent ones, and the demo scene."""

    open_requested = Signal()
    path_requested = Signal(str)
    demo_requested = Signal()
    files_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome_page")
        self.setAccessibleName("Welcome")
        self.setAcceptDrops(True)
        self.open_button = _large_button("welcome_open", "Open files…", "open", self)
        self.demo_button = _large_button("welcome_demo", "Try the demo scene", "seabed", self)
        self.open_button.setDefault(True)
        for button in (self.open_button, self.demo_button):
            # Enter starts what is offered, and not Space alone.
            button.setAutoDefault(True)
        self.recent = QListWidget(self)
        self.recent.setObjectName("welcome_recent")
        self.recent.setAccessibleName("Recent files")
        self.recent.setIconSize(_SMALL)
        self.recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._recent_heading = heading("Recent", self)
        self._drop = self._make_drop_area()
        column = QVBoxLayout()
        column.setSpacing(14)
        title = QLabel("Soft maps of the seabed", self)
        title.setProperty("role", "title")
        column.addStretch(2)
        column.addWidget(title)
        column.addWidget(note(_INTRODUCTION, self))
        column.addWidget(self._drop)
        column.addWidget(self._recent_heading)
        column.addWidget(self.recent)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.addStretch(1)
        holder = QWidget(self)
        holder.setLayout(column)
        holder.setMaximumWidth(_WIDTH)
        row.addWidget(holder, _WIDTH)
        row.addStretch(1)
        self.open_button.clicked.connect(self.open_requested)
        self.demo_button.clicked.connect(self.demo_requested)
        self.recent.itemClicked.connect(self._open_recent)
        # Not itemActivated, which on some systems comes with every click as well.
        enter = QAction("Open", self.recent)
        enter.setShortcuts([QKeySequence("Return"), QKeySequence("Enter")])
        enter.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        enter.triggered.connect(self._open_current)
        self.recent.addAction(enter)
        self.set_recent(())

    def set_recent(self, paths: Sequence[str | Path]) -> None:
        """Offer files that were open before, newest first."""
        self.recent.clear()
        for path in map(Path, paths):
            item = QListWidgetItem(icon("recent"), f"{path.name}   ·   {path.parent}", self.recent)
            item.setData(Qt.ItemDataRole.UserRole, str(path))
            item.setToolTip(str(path))
            # No width of its own, so that a long path is shortened, not scrolled.
            item.setSizeHint(_ROW)
        shown = bool(paths)
        self._recent_heading.setVisible(shown)
        self.recent.setVisible(shown)
        rows = min(_MOST_ROWS, len(paths))
        self.recent.setFixedHeight(rows * _ROW.height() + 2 * self.recent.frameWidth() + 2)

    def _make_drop_area(self) -> QFrame:
        area = QFrame(self)
        area.setProperty("role", "drop")
        picture = IconLabel("image", _LARGE, area)
        picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        call = QLabel("Drop images here", area)
        call.setProperty("role", "heading")
        call.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        formats = note(_FORMATS, area)
        formats.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.demo_button)
        buttons.addStretch(1)
        column = QVBoxLayout(area)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(10)
        for widget in (picture, call, formats):
            column.addWidget(widget)
        column.addLayout(buttons)
        return area

    @Slot()
    def _open_current(self) -> None:
        if self.recent.currentItem() is not None:
            self._open_recent(self.recent.currentItem())

    @Slot(QListWidgetItem)
    def _open_recent(self, item: QListWidgetItem) -> None:
        self.path_requested.emit(item.data(Qt.ItemDataRole.UserRole))

    def _set_hovered(self, hovered: bool) -> None:
        self._drop.setProperty("hovered", hovered)
        # A style sheet looks at properties only when a widget is polished.
        self._drop.style().unpolish(self._drop)
        self._drop.style().polish(self._drop)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 (Qt's name)
        """Welcome files."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
            self._set_hovered(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        """Go back to the quiet look."""
        self._set_hovered(False)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Tell which files were dropped."""
        self._set_hovered(False)
        event.acceptProposedAction()
        self.files_dropped.emit(dropped_files(event.mimeData()))


def _large_button(name: str, text: str, icon_name: str, parent: QWidget) -> QPushButton:
    button = QPushButton(icon(icon_name), text, parent)
    button.setObjectName(name)
    button.setMinimumHeight(32)
    return button
