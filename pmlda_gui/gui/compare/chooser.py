"""The list of methods to compare, with a box to tick for each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from pmlda_gui.gui.compare.methods import Offer
from pmlda_gui.gui.panels.sections import heading, note, scrolling_column

__all__ = ["MethodChooser"]

_INDENT = 20


class MethodChooser(QWidget):
    """A column of boxes; `changed` tells that another choice was made."""

    changed = Signal()

    def __init__(self, offers: Sequence[Offer], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_methods")
        self.setAccessibleName("Methods to compare")
        self.boxes: dict[str, QCheckBox] = {}
        sections = QWidget(self)
        column = QVBoxLayout(sections)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(heading("Methods", sections))
        for offer in offers:
            column.addSpacing(6)
            box = QCheckBox(offer.title, sections)
            box.setObjectName(f"compare_method_{offer.name}")
            box.setAccessibleDescription(offer.sentence)
            box.toggled.connect(self.changed)
            words = note(offer.sentence, sections)
            words.setContentsMargins(_INDENT, 0, 0, 0)
            column.addWidget(box)
            column.addWidget(words)
            self.boxes[offer.name] = box
        scrolling_column(self, sections)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods ticked, in order."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def choose(self, names: Sequence[str]) -> None:
        """Tick these methods and no others."""
        for name, box in self.boxes.items():
            box.setChecked(name in names)
