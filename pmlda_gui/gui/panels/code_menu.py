"""The menu in which a topic gets its codes: CMECS substrates and S-57 natures of surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from pmlda_gui.workspace.vocabulary import CMECS, NATSUR, NO_CODES, TopicCodes

__all__ = ["CodeMenu", "codes_in_words"]


class CodeMenu(QMenu):
    """Two lists to choose from; `chosen` carries the codes a topic has then."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Seabed codes", parent)
        self.setObjectName("code_menu")
        self._codes = NO_CODES
        self._menus: list[QMenu] = []
        self.lists = {
            "cmecs": self._add_list("CMECS substrate", "cmecs", CMECS),
            "natsur": self._add_list("Nature of surface (S-57)", "natsur", NATSUR),
        }

    def _add_list(self, title: str, which: str, names: Mapping[str, str]) -> dict[str, QAction]:
        menu = self.addMenu(title)
        # PySide lets go of menus that only Qt knows of.
        self._menus.append(menu)
        group = QActionGroup(menu)
        entries = {"": "None"} | {code: f"{code}  {name}" for code, name in names.items()}
        actions = {}
        for code, text in entries.items():
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData((which, code))
            group.addAction(action)
            actions[code] = action
        group.triggered.connect(self._take)
        return actions

    def set_codes(self, codes: TopicCodes) -> None:
        """Check the entries of these codes without telling anyone."""
        self._codes = codes
        self.lists["cmecs"][codes.cmecs].setChecked(True)
        self.lists["natsur"][codes.natsur].setChecked(True)

    @Slot(QAction)
    def _take(self, action: QAction) -> None:
        which, code = action.data()
        self._codes = replace(self._codes, **{which: code})
        self.chosen.emit(self._codes)


def codes_in_words(codes: TopicCodes) -> str:
    """The codes of a topic for its tooltip, "" if it has none."""
    said = []
    if codes.cmecs:
        said.append(f"CMECS {codes.cmecs} {codes.cmecs_name}")
    if codes.natsur:
        said.append(f"S-57 {codes.natsur} {codes.natsur_name}")
    return ", ".join(said)
