"""One number box for each topic, for values that may differ between topics."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from pmlda_gui.gui.panels.value_control import NumberBox

__all__ = ["TopicValues", "share_out"]

_COLUMNS = 4
_WIDTH = 54


def share_out(shares: Sequence[float], number: int, value: float) -> tuple[float, ...]:
    """Proportions in which the one at `number` is `value`; the others keep their ratios.

    Both the given and the returned shares lie in 0 to 1 and sum to 1.
    """
    value = min(1.0, max(0.0, value))
    others = sum(share for place, share in enumerate(shares) if place != number)
    rest = 1.0 - value
    return tuple(
        value
        if place == number
        else share * rest / others
        if others > 0.0
        else rest / (len(shares) - 1)
        for place, share in enumerate(shares)
    )


class TopicValues(QWidget):
    """Number boxes in rows of four, numbered from 1 like the topics."""

    value_changed = Signal(int, float)

    def __init__(
        self,
        name: str,
        label: str,
        limits: tuple[float, float],
        tooltip: str,
        after: QWidget,
        parent: QWidget,
    ) -> None:
        """`label` names the value for screen readers; `limits` are those of each box.

        The Tab key comes to the first box from the control `after`.
        """
        super().__init__(parent)
        self._after = after
        self.setObjectName(name)
        self._label = label
        self._limits = limits
        self.setToolTip(tooltip)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 4)
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(2 * _COLUMNS, 1)
        self._numbers: list[QLabel] = []
        self._boxes: list[NumberBox] = []

    @property
    def boxes(self) -> tuple[NumberBox, ...]:
        """The boxes in use, in the order of the topics."""
        return tuple(self._boxes)

    def set_values(self, values: Sequence[float]) -> None:
        """Show one value a topic without telling anyone."""
        while len(self._boxes) > len(values):
            for widget in (self._boxes.pop(), self._numbers.pop()):
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        while len(self._boxes) < len(values):
            self._add_box()
        for box, value in zip(self._boxes, values, strict=True):
            with QSignalBlocker(box):
                box.setValue(value)

    def _add_box(self) -> None:
        place = len(self._boxes)
        row, column = divmod(place, _COLUMNS)
        number = QLabel(str(place + 1), self)
        number.setProperty("role", "note")
        box = NumberBox(self)
        box.setObjectName(f"{self.objectName()}_{place}")
        box.setAccessibleName(f"{self._label} of topic {place + 1}")
        box.setToolTip(self.toolTip())
        box.setDecimals(3)
        box.setRange(*self._limits)
        box.setFixedWidth(_WIDTH)
        number.setBuddy(box)
        # A box that comes later would otherwise be the last of the whole window.
        self.setTabOrder(self._boxes[-1] if self._boxes else self._after, box)
        box.valueChanged.connect(self._tell)
        self._grid.addWidget(number, row, 2 * column)
        self._grid.addWidget(box, row, 2 * column + 1)
        self._numbers.append(number)
        self._boxes.append(box)

    @Slot(float)
    def _tell(self, value: float) -> None:
        box = self.sender()
        self.value_changed.emit(self._boxes.index(box), value)  # type: ignore[arg-type]
