"""The images of the workspace: thumbnails to choose, add, drop, reorder and remove."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from pmlda_gui.gui.panels.lists import button_row, dropped_files, list_action, moved

__all__ = ["ImagesPanel"]

_THUMBNAIL = QSize(56, 42)
_ROW = QSize(0, 48)


class ImagesPanel(QWidget):
    """A list of images; the controller is told what is asked for and shows the outcome.

    `files_dropped` carries paths; `reordered` the old positions in their new order.
    """

    files_dropped = Signal(list)
    remove_requested = Signal(int)
    reordered = Signal(list)
    current_changed = Signal(int)
    add_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("images_panel")
        self.setAccessibleName("Images")
        self.list = _DropList(self)
        self.list.setObjectName("images")
        self.list.setAccessibleName("Images of the workspace")
        self.list.setIconSize(_THUMBNAIL)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.add = list_action("add_image", "Add images…", "add", self._ask_to_add, self)
        self.remove = list_action(
            "remove_image", "Remove the image", "remove", self._ask_to_remove, self, "Del"
        )
        self.up = list_action("image_up", "Move the image up", "up", self._move_up, self, "Ctrl+Up")
        self.down = list_action(
            "image_down", "Move the image down", "down", self._move_down, self, "Ctrl+Down"
        )
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.addActions([self.add, self.remove, self.up, self.down])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.list, 1)
        layout.addLayout(button_row(self, self.add, self.remove, None, self.up, self.down))
        self.list.currentRowChanged.connect(self._tell_current)
        self.list.files_dropped.connect(self.files_dropped)
        self.list.model().rowsMoved.connect(self._tell_order)
        self._enable_actions()

    def set_entries(self, entries: Sequence[tuple[str, QImage, str]]) -> None:
        """Show images by name, thumbnail and tooltip, without telling anyone."""
        row = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.clear()
            for number, (name, thumbnail, tooltip) in enumerate(entries):
                item = QListWidgetItem(_icon(thumbnail), name, self.list)
                item.setData(Qt.ItemDataRole.UserRole, number)
                item.setToolTip(tooltip)
                # No width of its own, so that a long name is shortened, not scrolled.
                item.setSizeHint(_ROW)
            self.list.setCurrentRow(min(row, len(entries) - 1))
        self._enable_actions()

    def set_current(self, number: int) -> None:
        """Mark the image that the views show, without telling anyone."""
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(number)
        self._enable_actions()

    def _enable_actions(self) -> None:
        row, count = self.list.currentRow(), self.list.count()
        self.remove.setEnabled(row >= 0)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < count - 1)

    @Slot()
    def _ask_to_add(self) -> None:
        self.add_requested.emit()

    @Slot()
    def _ask_to_remove(self) -> None:
        self.remove_requested.emit(self.list.currentRow())

    @Slot()
    def _move_up(self) -> None:
        row = self.list.currentRow()
        self.reordered.emit(moved(self.list.count(), row, row - 1))

    @Slot()
    def _move_down(self) -> None:
        row = self.list.currentRow()
        self.reordered.emit(moved(self.list.count(), row, row + 1))

    @Slot(int)
    def _tell_current(self, row: int) -> None:
        self._enable_actions()
        if row >= 0:
            self.current_changed.emit(row)

    @Slot()
    def _tell_order(self) -> None:
        order = [
            self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.list.count())
        ]
        self.reordered.emit(order)


class _DropList(QListWidget):
    """A list whose rows can be dragged to another place and that takes files."""

    files_dropped = Signal(list)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 (Qt's name)
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        else:
            super().dropEvent(event)


def _icon(thumbnail: QImage) -> QIcon:
    """The thumbnail as it is, also in a chosen row, which would otherwise be tinted."""
    pixmap = QPixmap.fromImage(thumbnail)
    shown = QIcon(pixmap)
    shown.addPixmap(pixmap, QIcon.Mode.Selected)
    return shown
