"""The choice of sampler: ours, or one of the paper's."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from pmlda_gui.gui.panels.sections import control_grid, heading, note

__all__ = ["SamplerSection"]

_SAMPLERS = (
    ("fast", "Fast", "Draws every block of variables exactly. Use it unless you repeat the paper."),
    ("paper", "The paper's", "The paper's Algorithm 1. It needs many more sweeps."),
    (
        "least-squares",
        "Least squares",
        "The variant in the authors' code, which fits the topic means by regression.",
    ),
)
_HARD = (
    "Documents end at their borders: smoothness and coupling are 0, and the program learns "
    "from every pixel, so sweeps take longer. Fast brings your values back."
)


class SamplerSection(QWidget):
    """The choice of a sampler; `sampler_changed` carries its name."""

    sampler_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sampler = QComboBox(self)
        self.sampler.setObjectName("sampler")
        self.sampler.setAccessibleName("Sampler")
        for number, (name, text, tooltip) in enumerate(_SAMPLERS):
            self.sampler.addItem(text, name)
            self.sampler.setItemData(number, tooltip, Qt.ItemDataRole.ToolTipRole)
        self.hard = note(_HARD, self)
        self.hard.setObjectName("sampler_note")
        grid = control_grid(self)
        grid.addWidget(heading("Sampler", self), 0, 0, 1, 4)
        label = QLabel("Method", self)
        label.setBuddy(self.sampler)
        grid.addWidget(label, 1, 0)
        grid.addWidget(self.sampler, 1, 1, 1, 3)
        grid.addWidget(self.hard, 2, 0, 1, 4)
        self.sampler.currentIndexChanged.connect(self._take)
        self.set_sampler("fast")

    def set_sampler(self, name: str) -> None:
        """Show a sampler without telling anyone."""
        with QSignalBlocker(self.sampler):
            self.sampler.setCurrentIndex(self.sampler.findData(name))
        self.sampler.setToolTip(self.sampler.currentData(Qt.ItemDataRole.ToolTipRole))
        self.hard.setVisible(name != "fast")

    @Slot(int)
    def _take(self, row: int) -> None:
        name = self.sampler.itemData(row)
        self.set_sampler(name)
        self.sampler_changed.emit(name)
