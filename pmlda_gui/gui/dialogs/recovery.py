"""The dialog that offers at the start to recover unsaved work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QDateTime, QLocale, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.dialogs.head import dialog_head
from pmlda_gui.gui.icons import icon
from pmlda_gui.workspace.recovery import Recoverable

__all__ = ["Answer", "RecoveryDialog"]

_WIDTH = 480
_MOST_NAMES = 3
_KEPT = "The program saved it in the background."
Answer = Literal["recover", "discard", "later"]


class RecoveryDialog(QDialog):
    """Lists autosaved workspaces; `answer` and `chosen` tell what is to be done with one.

    "later" keeps all of them for the next start; it is also what closing means.
    """

    def __init__(self, found: Sequence[Recoverable], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recovery_dialog")
        self.setWindowTitle("Recover unsaved work?")
        self._found = tuple(found)
        self.answer: Answer = "later"
        self.list = QListWidget(self)
        self.list.setObjectName("recovery_list")
        self.list.setAccessibleName("Workspaces that were saved in the background")
        for each in self._found:
            item = QListWidgetItem(icon("restore"), _described(each), self.list)
            item.setToolTip(str(each.origin) if each.origin is not None else "Never saved.")
        self.list.setCurrentRow(0)
        self.list.setMaximumHeight(150)
        head = dialog_head("restore", "Some work was not saved.", _KEPT, self)
        roles = QDialogButtonBox.ButtonRole
        buttons = QDialogButtonBox(self)
        self.recover = buttons.addButton("Recover", roles.AcceptRole)
        self.discard = buttons.addButton("Discard", roles.DestructiveRole)
        self.later = buttons.addButton("Ask again later", roles.RejectRole)
        for button, name in (
            (self.recover, "recovery_recover"),
            (self.discard, "recovery_discard"),
            (self.later, "recovery_later"),
        ):
            button.setObjectName(name)
        self.recover.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self.list)
        layout.addWidget(buttons)
        buttons.accepted.connect(self._recover)
        buttons.rejected.connect(self.reject)
        self.discard.clicked.connect(self._discard)
        self.list.itemActivated.connect(self._recover)
        fit_height(self, _WIDTH)

    @property
    def chosen(self) -> Recoverable:
        """The workspace the answer is about."""
        return self._found[max(0, self.list.currentRow())]

    @Slot()
    def _recover(self) -> None:
        self.answer = "recover"
        self.accept()

    @Slot()
    def _discard(self) -> None:
        self.answer = "discard"
        self.accept()


def _described(recoverable: Recoverable) -> str:
    moment = QDateTime.fromSecsSinceEpoch(int(recoverable.saved.timestamp()))
    when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
    # A file keeps its name as it is; anything else begins a line.
    named = recoverable.origin is not None
    lines = [f"{recoverable.name if named else recoverable.name.capitalize()}, kept {when}"]
    names = recoverable.images
    if names:
        more = len(names) - _MOST_NAMES
        lines.append(", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else ""))
    if recoverable.sweeps is not None:
        count = QLocale().toString(recoverable.sweeps)
        lines[-1] += f", {count} {'sweep' if recoverable.sweeps == 1 else 'sweeps'}"
    return "\n".join(lines)
