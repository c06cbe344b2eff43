"""A slider with a number box and a reset, on a linear or a logarithmic scale.

The slider covers the usual range in whole steps; the box takes exact values, and a
value from elsewhere that lies outside the range is shown and kept, never clipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QWidget,
)

from pmlda_gui.gui.icons import icon

__all__ = ["LinearScale", "LogScale", "NumberBox", "Scale", "ValueControl", "keep_wheel_out"]

_RESET_SIZE = 14


class Scale(Protocol):
    """How the whole steps of a slider become values, and back."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def decimals(self) -> int: ...

    def value(self, step: int) -> float:
        """The value at a step."""

    def step(self, value: float) -> int:
        """The step nearest to a value."""

    def snap(self, value: float) -> float:
        """The nearest value that may be typed."""


@dataclass(frozen=True)
class LinearScale:
    """Values from `low` to `high`, `increment` apart and counted from `origin`."""

    low: float
    high: float
    increment: float = 1.0
    origin: float = 0.0

    @property
    def decimals(self) -> int:
        """How many digits after the point tell the values apart."""
        return max(0, -math.floor(math.log10(self.increment)))

    def value(self, step: int) -> float:
        """The value at a step, free of binary dust."""
        return round(self.origin + step * self.increment, self.decimals + 2)

    def step(self, value: float) -> int:
        """The step nearest to a value; equal to it where values are whole numbers."""
        return round((value - self.origin) / self.increment)

    def snap(self, value: float) -> float:
        """The value of the nearest step, so that an odd window stays odd."""
        return self.value(self.step(value))


@dataclass(frozen=True)
class LogScale:
    """Values from `low` to `high`, with equal ratios between neighbouring steps."""

    low: float
    high: float
    steps_per_decade: int = 40

    @property
    def decimals(self) -> int:
        """How many digits after the point the box takes."""
        return 4

    def value(self, step: int) -> float:
        """The value at a step, to three significant digits."""
        # The ends need not lie on a step, but they must be within reach.
        if step <= self.step(self.low):
            return self.low
        if step >= self.step(self.high):
            return self.high
        return float(f"{10.0 ** (step / self.steps_per_decade):.3g}")

    def step(self, value: float) -> int:
        """The step nearest to a value."""
        return round(math.log10(value) * self.steps_per_decade)

    def snap(self, value: float) -> float:
        """Any value may be typed."""
        return value


class NumberBox(QDoubleSpinBox):
    """A number box without trailing zeros that speaks once typing has ended."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)

    def textFromValue(self, value: float) -> str:  # noqa: N802 (Qt's name)
        """The shortest text that says the value."""
        locale = self.locale()
        locale.setNumberOptions(locale.numberOptions() | locale.NumberOption.OmitGroupSeparator)
        text = locale.toString(float(value), "f", self.decimals())
        point = locale.decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


class ValueControl(QObject):
    """Label, slider, number box and reset for one value, laid into rows of a grid.

    `value_changed` tells a new value that the operator chose; `set_value` is silent.
    """

    value_changed = Signal(float)

    def __init__(
        self,
        name: str,
        label: str,
        scale: Scale,
        default: float,
        tooltip: str,
        parent: QWidget,
        *,
        hints: tuple[str, str] | None = None,
        suffix: str = "",
        heavy: bool = False,
        most: float | None = None,
    ) -> None:
        """Make the widgets; `hints` explain the slider's two ends.

        A `heavy` value is told when the slider is let go, not at each of its steps.
        `most` is the greatest value the box takes, if that is more than the slider.
        """
        super().__init__(parent)
        self._scale = scale
        self._default = default
        self._value = default
        self.slider = QSlider(Qt.Orientation.Horizontal, parent)
        self.slider.setObjectName(name)
        self.slider.setRange(scale.step(scale.low), scale.step(scale.high))
        self.slider.setPageStep(max(1, (self.slider.maximum() - self.slider.minimum()) // 10))
        self.slider.setTracking(not heavy)
        self.slider.setMinimumWidth(90)
        self.box = NumberBox(parent)
        self.box.setObjectName(f"{name}_box")
        self.box.setDecimals(scale.decimals)
        self.box.setRange(scale.low, scale.high if most is None else most)
        self.box.setSuffix(suffix)
        if isinstance(scale, LinearScale):
            self.box.setStepType(QAbstractSpinBox.StepType.DefaultStepType)
            self.box.setSingleStep(scale.increment)
        self.label = QLabel(label, parent)
        self.label.setBuddy(self.slider)
        self.reset = QToolButton(parent)
        self.reset.setObjectName(f"{name}_reset")
        self.reset.setIcon(icon("reset"))
        self.reset.setIconSize(QSize(_RESET_SIZE, _RESET_SIZE))
        self.reset.setAutoRaise(True)
        self._hints = _hint_row(hints, parent) if hints is not None else None
        self.slider.setAccessibleName(label)
        self.box.setAccessibleName(f"{label}, number")
        self.reset.setAccessibleName(f"Reset {label}")
        for widget in (self.label, self.slider, self.box):
            widget.setToolTip(tooltip)
        self.slider.valueChanged.connect(self._take_step)
        self.slider.sliderMoved.connect(self._preview_step)
        self.box.valueChanged.connect(self._take_number)
        self.reset.clicked.connect(self._take_default)
        self._show()

    @property
    def value(self) -> float:
        """The value, exactly as it was set or chosen."""
        return self._value

    def set_value(self, value: float) -> None:
        """Show a value without telling anyone."""
        self._value = value
        self._show()

    def set_default(self, value: float) -> None:
        """Change what the reset goes back to."""
        self._default = value
        self._show()

    def set_enabled(self, enabled: bool) -> None:
        """Grey everything out, or not."""
        for widget in (self.label, self.slider, self.box):
            widget.setEnabled(enabled)
        self.reset.setEnabled(enabled and self._value != self._default)
        if self._hints is not None:
            self._hints.setEnabled(enabled)

    def set_visible(self, visible: bool) -> None:
        """Show or hide everything."""
        for widget in (self.label, self.slider, self.box, self.reset, self._hints):
            if widget is not None:
                widget.setVisible(visible)

    def add_to(self, grid: QGridLayout, with_label: bool = True) -> None:
        """Fill the next rows of a grid of four columns."""
        row = grid.rowCount()
        if with_label:
            grid.addWidget(self.label, row, 0)
        else:
            self.label.hide()
        grid.addWidget(self.slider, row, 1)
        grid.addWidget(self.box, row, 2)
        grid.addWidget(self.reset, row, 3)
        if self._hints is not None:
            grid.addWidget(self._hints, row + 1, 1)

    @Slot(int)
    def _take_step(self, step: int) -> None:
        self._take(self._scale.value(step))

    @Slot(int)
    def _preview_step(self, step: int) -> None:
        with QSignalBlocker(self.box):
            self.box.setValue(self._scale.value(step))

    @Slot(float)
    def _take_number(self, number: float) -> None:
        self._take(self._scale.snap(number))

    @Slot()
    def _take_default(self) -> None:
        self._take(self._default)

    def _take(self, value: float) -> None:
        changed = value != self._value
        self._value = value
        self._show()
        if changed:
            self.value_changed.emit(value)

    def _show(self) -> None:
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            self.box.setRange(
                min(self.box.minimum(), self._value), max(self.box.maximum(), self._value)
            )
            self.box.setValue(self._value)
            # Under the operator's finger the handle is already where it belongs.
            if not self.slider.isSliderDown():
                self.slider.setValue(self._scale.step(self._value))
        self.slider.setAccessibleDescription(self.box.text())
        self.reset.setEnabled(self.slider.isEnabled() and self._value != self._default)
        self.reset.setToolTip(f"Back to {self.box.textFromValue(self._default)}")


def _hint_row(hints: tuple[str, str], parent: QWidget) -> QWidget:
    row = QWidget(parent)
    layout = QHBoxLayout(row)
    layout.setContentsMargins(2, 0, 2, 0)
    font = row.font()
    font.setPointSizeF(font.pointSizeF() * 0.85)
    for text, side in zip(
        hints, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True
    ):
        label = QLabel(text, row)
        label.setFont(font)
        label.setProperty("role", "note")
        layout.addWidget(label, 1, side)
    return row


class _WheelGuard(QObject):
    """Lets the wheel scroll the panel instead of turning what lies under the pointer."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if (
            isinstance(event, QWheelEvent)
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def keep_wheel_out(parent: QWidget, *kinds: type[QWidget]) -> None:
    """Make the wheel act on children of these kinds only while they have the focus."""
    guard = _WheelGuard(parent)
    for kind in kinds:
        for child in parent.findChildren(kind):
            child.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            child.installEventFilter(guard)
