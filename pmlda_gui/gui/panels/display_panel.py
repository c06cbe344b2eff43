"""How the source image looks: contrast and colours, and the documents' outlines on it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QWidget

from pmlda_gui.gui.panels.colour_menu import ColourButton
from pmlda_gui.gui.panels.sections import control_grid, heading
from pmlda_gui.gui.panels.value_control import LinearScale, LogScale, NumberBox, ValueControl
from pmlda_gui.gui.widgets.clip_histogram import ClipHistogram
from pmlda_gui.imagery.display import COLOUR_MAPS, Display, colour_table
from pmlda_gui.imagery.histogram import SourceHistogram
from pmlda_gui.imagery.topic_palette import TOPIC_COLOURS
from pmlda_gui.workspace.session import Colour, OutlineLook

__all__ = ["DisplayPanel", "OutlinesPanel"]

_SCALES = (
    ("linear", "Linear", "Brightness follows the values as they are."),
    ("log", "Decibels", "Brightness follows 20 log10 of the values: weak echoes become visible."),
)
_LOW = "This percentage of all pixels, the darkest, is shown black."
_HIGH = "Pixels brighter than this percentage of all pixels are shown white."
_GAMMA = "Lightens (right) or darkens (left) the middle tones; the maps do not change."
_COLOURS = "The colours of the source image; the maps do not change."
_LEAST_CONTRAST = 0.1
_RAMP = QSize(48, 12)


class DisplayPanel(QWidget):
    """Controls of a Display; `display_changed` carries a new one."""

    display_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("display_panel")
        self.setAccessibleName("Display of the source image")
        self._display = Display()
        self.scale = _choice("display_scale", "Scale of brightness", self)
        for number, (name, text, tooltip) in enumerate(_SCALES):
            self.scale.addItem(text, name)
            self.scale.setItemData(number, tooltip, Qt.ItemDataRole.ToolTipRole)
        self.colours = _choice("display_colours", "Colours", self)
        self.colours.setToolTip(_COLOURS)
        self.colours.setIconSize(_RAMP)
        for name in COLOUR_MAPS:
            self.colours.addItem(_ramp(name), name.capitalize(), name)
        self.low = _percentile("display_low", "Darkest percentile", _LOW, self)
        self.high = _percentile("display_high", "Brightest percentile", _HIGH, self)
        self.gamma = ValueControl(
            "gamma", "Gamma", LogScale(0.2, 5.0, 50), 1.0, _GAMMA, self, most=20.0
        )
        self.histogram = ClipHistogram(self)
        self._histogram: SourceHistogram | None = None
        self.histogram.clip_changed.connect(self._take_clip)
        self._lay_out()
        self.scale.currentIndexChanged.connect(self._take_scale)
        self.colours.currentIndexChanged.connect(self._take_colours)
        self.low.valueChanged.connect(self._take_low)
        self.high.valueChanged.connect(self._take_high)
        self.gamma.value_changed.connect(self._take_gamma)
        self.set_display(Display())

    def set_display(self, display: Display) -> None:
        """Show display settings without telling anyone."""
        self._display = display
        for box, value in ((self.low, display.low), (self.high, display.high)):
            with QSignalBlocker(box):
                box.setValue(value)
        for choice, name in ((self.scale, display.scale), (self.colours, display.colours)):
            with QSignalBlocker(choice):
                choice.setCurrentIndex(choice.findData(name))
        self.scale.setToolTip(self.scale.currentData(Qt.ItemDataRole.ToolTipRole))
        self.gamma.set_value(display.gamma)

    def set_histogram(self, histogram: SourceHistogram) -> None:
        """Show how often values occur in the shown image."""
        self._histogram = histogram
        self.histogram.set_histogram(histogram)

    @Slot(float, float)
    def _take_clip(self, low: float, high: float) -> None:
        if self._histogram is not None:
            self._take(self._histogram.clipped(self._display, low, high))

    def _lay_out(self) -> None:
        grid = control_grid(self)
        grid.addWidget(heading("Display", self), 0, 0, 1, 4)
        clip = QWidget(self)
        clip.setToolTip("Percentiles of the pixels that are drawn black and white.")
        row = QHBoxLayout(clip)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.low, 1)
        row.addWidget(QLabel("to", clip))
        row.addWidget(self.high, 1)
        for text, widget in (("Scale", self.scale), ("Colours", self.colours), ("Clip", clip)):
            label = QLabel(text, self)
            label.setBuddy(self.low if widget is clip else widget)
            grid.addWidget(label, grid.rowCount(), 0)
            grid.addWidget(widget, grid.rowCount() - 1, 1, 1, 3)
        grid.addWidget(self.histogram, grid.rowCount(), 0, 1, 4)
        self.gamma.add_to(grid)

    @Slot(int)
    def _take_scale(self, row: int) -> None:
        self._take(replace(self._display, scale=self.scale.itemData(row)))

    @Slot(int)
    def _take_colours(self, row: int) -> None:
        self._take(replace(self._display, colours=self.colours.itemData(row)))

    @Slot(float)
    def _take_low(self, value: float) -> None:
        low = min(value, self._display.high - _LEAST_CONTRAST)
        self._take(replace(self._display, low=max(0.0, low)))

    @Slot(float)
    def _take_high(self, value: float) -> None:
        high = max(value, self._display.low + _LEAST_CONTRAST)
        self._take(replace(self._display, high=min(100.0, high)))

    @Slot(float)
    def _take_gamma(self, value: float) -> None:
        self._take(replace(self._display, gamma=value))

    def _take(self, display: Display) -> None:
        changed = display != self._display
        self.set_display(display)
        if changed:
            self.display_changed.emit(display)


class OutlinesPanel(QWidget):
    """Controls of the documents' outlines; `look_changed` carries an OutlineLook."""

    look_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("outlines_panel")
        self.setAccessibleName("Outlines of documents")
        self._look = OutlineLook()
        self.shown = QCheckBox("Show outlines of documents", self)
        self.shown.setObjectName("outlines_shown")
        self.shown.setToolTip("Draw the borders of the documents over the source image.")
        offered = (self._look.colour, (255, 255, 255), (0, 0, 0), *TOPIC_COLOURS)
        self.colour = ColourButton(offered, self)
        self.colour.setObjectName("outlines_colour")
        self.colour.setAccessibleName("Colour of the outlines")
        self.opacity = ValueControl(
            "outlines_opacity", "Opacity", LinearScale(0, 100, 5), 60,
            "Opacity of the outlines.", self, suffix=" %",
        )  # fmt: skip
        grid = control_grid(self)
        grid.addWidget(heading("Document outlines", self), 0, 0, 1, 4)
        grid.addWidget(self.shown, 1, 0, 1, 3)
        grid.addWidget(self.colour, 1, 3)
        self.opacity.add_to(grid)
        self.shown.toggled.connect(self._take_shown)
        self.colour.colour_changed.connect(self._take_colour)
        self.opacity.value_changed.connect(self._take_opacity)
        self.set_view(OutlineLook())

    def set_view(self, look: OutlineLook) -> None:
        """Show how outlines look without telling anyone."""
        self._look = look
        with QSignalBlocker(self.shown):
            self.shown.setChecked(look.shown)
        self.colour.set_colour(look.colour)
        self.opacity.set_value(round(100 * look.opacity))
        self.colour.setEnabled(look.shown)
        self.opacity.set_enabled(look.shown)

    @Slot(bool)
    def _take_shown(self, shown: bool) -> None:
        self._take(replace(self._look, shown=shown))

    @Slot(object)
    def _take_colour(self, colour: Colour) -> None:
        self._take(replace(self._look, colour=colour))

    @Slot(float)
    def _take_opacity(self, percent: float) -> None:
        self._take(replace(self._look, opacity=percent / 100))

    def _take(self, look: OutlineLook) -> None:
        if look != self._look:
            self.set_view(look)
            self.look_changed.emit(look)


def _choice(name: str, accessible: str, parent: QWidget) -> QComboBox:
    choice = QComboBox(parent)
    choice.setObjectName(name)
    choice.setAccessibleName(accessible)
    return choice


def _percentile(name: str, accessible: str, tooltip: str, parent: QWidget) -> NumberBox:
    box = NumberBox(parent)
    box.setObjectName(name)
    box.setAccessibleName(accessible)
    box.setToolTip(tooltip)
    box.setDecimals(2)
    box.setRange(0.0, 100.0)
    box.setSuffix(" %")
    box.setStepType(NumberBox.StepType.DefaultStepType)
    box.setSingleStep(0.5)
    return box


def _ramp(name: str) -> QIcon:
    """A strip of a colour map from dark to bright."""
    table = colour_table(name).tobytes()
    strip = QImage(table, 256, 1, 3 * 256, QImage.Format.Format_RGB888)
    return QIcon(QPixmap.fromImage(strip.scaled(_RAMP * 2)))
