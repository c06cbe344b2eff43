"""The export dialog: the folder, and which estimate is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.actions import COMMANDS, ESTIMATE_COMMANDS
from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.dialogs.folders import FolderField
from pmlda_gui.gui.menu_text import plain_words
from pmlda_gui.gui.panels.sections import heading, note, rule
from pmlda_gui.gui.widgets.light_label import LightLabel

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.light import Light

__all__ = ["EVERYTHING", "ExportChoice", "ExportDialog"]

_WIDTH = 560
_CONTENTS = (
    ("&Maps", "maps",
     "Memberships, uncertainty and labels as GeoTIFF, with the source's georeference"),
    ("&Polygons", "polygons", "Topics, transitions and documents as GeoPackage"),
    ("P&ictures", "pictures", "One plate for each source image as PNG"),
    ("&Tables", "tables", "Topics, report and journal; a style for QGIS"),
)  # fmt: skip
EVERYTHING = frozenset(part for _, part, _ in _CONTENTS)


@dataclass(frozen=True)
class ExportChoice:
    """Where to write, which estimate, and which parts of it."""

    folder: Path
    estimate: str
    parts: frozenset[str] = EVERYTHING


class ExportDialog(QDialog):
    """Asks for a folder; `choice` is what was chosen once the dialog was accepted."""

    def __init__(
        self,
        images: Sequence[str],
        folder: Path,
        estimate: str = "mean",
        parent: QWidget | None = None,
        light: Light | None = None,
        parts: frozenset[str] = EVERYTHING,
    ) -> None:
        """`images` are the names of what is exported, `folder` and `parts` are offered first.

        `light` says where the maps stand, None if it is not known.
        """
        super().__init__(parent)
        self.setObjectName("export_dialog")
        self.setWindowTitle("Export results")
        self.folder = FolderField("export_folder", "Folder for the results", folder, self)
        self.estimate = QComboBox(self)
        self.estimate.setObjectName("export_estimate")
        self.estimate.setAccessibleName("Estimate")
        texts = {command.name: plain_words(command.text) for command in COMMANDS}
        for name, command in ESTIMATE_COMMANDS.items():
            self.estimate.addItem(texts[command], name)
        self.estimate.setCurrentIndex(self.estimate.findData(estimate))
        self._remark = note("", self)
        self._remark.setObjectName("export_remark")
        form = QFormLayout()
        form.addRow("Images", QLabel(_listed(images), self))
        form.addRow("Folder", self.folder)
        form.addRow("", self._remark)
        form.addRow("Estimate", self.estimate)
        contents = QFormLayout()
        contents.setVerticalSpacing(3)
        self.parts: dict[str, QCheckBox] = {}
        for name, part, text in _CONTENTS:
            self.parts[part] = box = QCheckBox(name, self)
            box.setObjectName(f"export_{part}")
            box.setToolTip(text)
            box.setChecked(part in parts)
            box.toggled.connect(self._look_at_folder)
            contents.addRow(box, note(text, self))
        # Made last: Tab walks in the order in which controls are made.
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel, self
        )
        self._save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        self._save.setText("Export")
        self._save.setObjectName("export_accept")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(10)
        if light is not None:
            shown = LightLabel(self)
            shown.set_light(light)
            shown.details.hide()
            form.addRow("Maps", shown)
        layout.addLayout(form)
        layout.addWidget(rule(self))
        layout.addWidget(heading("What is written", self))
        layout.addLayout(contents)
        layout.addWidget(self.buttons)
        self.folder.folder_changed.connect(self._look_at_folder)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._look_at_folder()
        fit_height(self, _WIDTH)

    @property
    def choice(self) -> ExportChoice | None:
        """What was chosen, None without a folder."""
        folder = self.folder.folder
        if folder is None or not self._parts:
            return None
        return ExportChoice(folder, self.estimate.currentData(), self._parts)

    @property
    def _parts(self) -> frozenset[str]:
        return frozenset(part for part, box in self.parts.items() if box.isChecked())

    @Slot()
    def _look_at_folder(self) -> None:
        folder = self.folder.folder
        usable = folder is not None and not folder.is_file() and bool(self._parts)
        self._save.setEnabled(usable)
        if folder is None:
            remark = "Choose a folder."
        elif folder.is_file():
            remark = "This is a file; choose a folder."
        elif not self._parts:
            remark = "Choose what is to be written."
        elif folder.is_dir():
            remark = "Files of an earlier export in this folder are replaced."
        else:
            remark = "This folder will be created."
        self._remark.setText(remark)


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:2])
    return shown if len(names) <= 2 else f"{shown} and {len(names) - 2} more"
