"""The about dialog: the program, its licence and its versions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui import __version__
from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.icons import IconLabel, icon
from pmlda_gui.gui.panels.sections import note, rule
from pmlda_gui.gui.versions import versions

__all__ = ["AboutDialog"]

_WHAT = (
    "Soft segmentation of sonar imagery with Partial Membership Latent Dirichlet "
    "Allocation: every pixel may belong to several kinds of seabed at once."
)
_WIDTH = 440
_LICENCE = "MIT licence. Free to use, change and share, without warranty."


class AboutDialog(QDialog):
    """Name, licence and versions, with a button that copies the versions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about_dialog")
        self.setWindowTitle("About pmlda-gui")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(f"pmlda-gui {__version__}", self)
        title.setProperty("role", "title")
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(IconLabel("seabed", 44, self))
        head.addWidget(title, 1)
        table = QFormLayout()
        table.setHorizontalSpacing(24)
        table.setVerticalSpacing(3)
        for name, version in versions():
            value = QLabel(version, self)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label = QLabel(name, self)
            label.setProperty("role", "note")
            table.addRow(label, value)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton("Copy versions", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("copy_versions")
        copy.setIcon(icon("copy"))
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 14)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(note(_WHAT, self))
        layout.addWidget(note(_LICENCE, self))
        layout.addWidget(rule(self))
        layout.addLayout(table)
        layout.addWidget(buttons)
        copy.setAutoDefault(False)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()
        fit_height(self, _WIDTH)

    @Slot()
    def _copy(self) -> None:
        lines = [f"{name} {version}" for name, version in versions()]
        QGuiApplication.clipboard().setText("\n".join(lines))
