"""Asks where images are that a workspace did not find."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.dialogs.head import dialog_head
from pmlda_gui.workspace.session import ImageEntry

__all__ = ["MissingImagesDialog"]

_WIDTH = 600
_ROW = QSize(0, 22)
_HELP = (
    "Choose one and say where it is. Others with the same names in that folder are "
    "found along with it."
)


class MissingImagesDialog(QDialog):
    """Asks for the new place of each image; `found` maps positions to paths.

    Accepting with some still missing opens the rest of the workspace without them.
    """

    def __init__(self, missing: tuple[ImageEntry, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("missing_dialog")
        self.setWindowTitle("Images not found")
        self._missing = missing
        self.found: dict[int, Path] = {}
        self.list = QTreeWidget(self)
        self.list.setObjectName("missing_list")
        self.list.setAccessibleName("Images that were not found")
        self.list.setHeaderLabels(["Image", "State", "Place"])
        self.list.setRootIsDecorated(False)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for column in (0, 1):
            self.list.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setMinimumHeight(140)
        self.list.setUniformRowHeights(True)
        self._items = [
            QTreeWidgetItem([entry.name, "missing", str(entry.path)]) for entry in missing
        ]
        for item in self._items:
            item.setSizeHint(2, _ROW)
        self.list.addTopLevelItems(self._items)
        head = dialog_head("image", "Some images were not found.", _HELP, self)
        roles = QDialogButtonBox.ButtonRole
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.locate = buttons.addButton("Find…", roles.ActionRole)
        self.locate.setObjectName("missing_locate")
        self.go_on = buttons.addButton("Open without them", roles.AcceptRole)
        self.go_on.setObjectName("missing_accept")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self.list)
        layout.addWidget(buttons)
        self.locate.clicked.connect(self._ask)
        self.list.itemActivated.connect(self._ask)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.list.setCurrentItem(self._items[0])
        self.locate.setDefault(True)
        fit_height(self, _WIDTH)

    def place(self, number: int, path: Path) -> None:
        """Say where one image is now; its neighbours by name are found with it."""
        self.found[number] = path
        for other, entry in enumerate(self._missing):
            beside = path.parent / entry.name
            if other not in self.found and beside.is_file():
                self.found[other] = beside
        for each, where in self.found.items():
            item = self._items[each]
            item.setText(1, "found")
            item.setText(2, str(where))
            item.setToolTip(2, str(where))
        all_found = len(self.found) == len(self._missing)
        self.go_on.setText("Open" if all_found else "Open without the others")
        (self.go_on if all_found else self.locate).setDefault(True)

    @Slot()
    def _ask(self) -> None:
        number = self.list.indexOfTopLevelItem(self.list.currentItem())
        if number < 0:
            return
        entry = self._missing[number]
        chosen, _ = QFileDialog.getOpenFileName(
            self, f"Where is {entry.name}?", str(entry.path), f"{entry.name};;All files (*)"
        )
        if chosen:
            self.place(number, Path(chosen))
