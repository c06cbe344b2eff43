"""What the next stroke says: which topic, how surely, and how wide the brush is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from pmlda_gui.gui.icons import colour_icon
from pmlda_gui.gui.panels.sections import control_grid
from pmlda_gui.gui.panels.value_control import LinearScale, ValueControl
from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.strokes import DEFAULT_STRENGTH, Mark

__all__ = ["TeachPanel"]

_MARKS: tuple[tuple[str, Mark], ...] = (
    ("This is", "is"), ("This is not", "not"), ("Erase", "erase"),
)  # fmt: skip
_STRENGTHS = (("Perhaps", 3.0), ("Surely", DEFAULT_STRENGTH), ("Certainly", 100.0))


class TeachPanel(QWidget):
    """Choices for painting hints; whoever paints reads them when a stroke ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("teach_panel")
        self.setAccessibleName("Teaching by painting")
        self.marks = self._box("hint_mark", "What a stroke says", "Paint what is there, or is not.")
        for text, mark in _MARKS:
            self.marks.addItem(text, mark)
        self.topics = self._box(
            "hint_topic", "Topic", "The topic that is painted; keys 1 to 9 choose it too."
        )
        self.strengths = self._box(
            "hint_strength", "Strength", "How much a stroke counts against what the image says."
        )
        for text, strength in _STRENGTHS:
            self.strengths.addItem(f"{text} ({strength:g})", strength)
        self.strengths.setCurrentIndex(1)
        self.brush = ValueControl(
            "hint_size", "Brush", LinearScale(1, 200, 1), 15,
            "The width of the brush in pixels of the image.", self, suffix=" px",
        )  # fmt: skip
        self.count = QLabel(self)
        self.count.setObjectName("hint_count")
        self.count.setWordWrap(True)
        grid = control_grid(self)
        for row, (text, box) in enumerate(
            (("Says", self.marks), ("Topic", self.topics), ("Strength", self.strengths))
        ):
            label = QLabel(text, self)
            label.setBuddy(box)
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1, 1, 3)
        self.brush.add_to(grid)
        grid.addWidget(self.count, grid.rowCount(), 0, 1, 4)
        self.show_count(0)

    def _box(self, name: str, title: str, tip: str) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName(name)
        box.setAccessibleName(title)
        box.setToolTip(tip)
        return box

    @property
    def mark(self) -> Mark:
        """What a stroke says of its topic."""
        return _MARKS[self.marks.currentIndex()][1]

    @property
    def topic(self) -> int | None:
        """The number of the chosen topic, None while there are none."""
        chosen = self.topics.currentData()
        return None if chosen is None else int(chosen)

    @property
    def strength(self) -> float:
        """How many observed draws a stroke counts like."""
        return _STRENGTHS[self.strengths.currentIndex()][1]

    @property
    def radius(self) -> float:
        """Half the width of the brush, pixels."""
        return 0.5 * self.brush.value

    def set_topics(self, looks: Sequence[TopicLook]) -> None:
        """Offer these topics; the chosen one stays chosen."""
        chosen = self.topic
        with QSignalBlocker(self.topics):
            self.topics.clear()
            for look in looks:
                self.topics.addItem(colour_icon(look.colour), look.name, look.id)
            self.topics.setCurrentIndex(max(self.topics.findData(chosen), 0))

    def choose(self, place: int) -> None:
        """Choose a topic by its place in the list, from 0 on."""
        if place < self.topics.count():
            self.topics.setCurrentIndex(place)

    def show_count(self, strokes: int) -> None:
        """How many strokes there are."""
        self.count.setText(
            f"{strokes} strokes are heeded by the chain."
            if strokes
            else "Take a brush (B) and paint on any picture; the chain heeds it at once."
        )
