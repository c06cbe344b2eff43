"""The controls for features: a preset, or features ticked one by one."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QWidget,
)

from pmlda_gui.gui.panels.sections import control_grid, heading
from pmlda_gui.gui.panels.value_control import LinearScale, ValueControl
from pmlda_gui.imagery.features.registry import FEATURES, PRESETS, resolve
from pmlda_gui.workspace.preparation import FeatureChoice

__all__ = ["FeaturesSection"]

DEFAULTS = FeatureChoice()
_OWN = ""
_PRESET_TEXTS = {
    "seabed": "Seabed",
    "seabed-fine": "Seabed, fine texture",
    "paper-sas": "Paper: sonar parts",
    "paper-sas-ripple": "Paper: sonar with ripple",
    "paper-sunset": "Paper: sunset (colour)",
}
_WINDOW = (
    "The side of the square measured around each pixel, in pixels.\n"
    "Left: fine detail, but noisy. Right: smooth maps whose borders are blurred;\n"
    "choose at least one ripple length."
)
_LIST_ROWS = 7
_USUAL = PRESETS[str(DEFAULTS.names)]


class FeaturesSection(QWidget):
    """Controls of the features; `features_changed` carries a FeatureChoice."""

    features_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = DEFAULTS
        self.preset = QComboBox(self)
        self.preset.setObjectName("feature_preset")
        self.preset.setAccessibleName("Features used together")
        for number, preset in enumerate(PRESETS.values()):
            self.preset.addItem(_PRESET_TEXTS.get(preset.name, preset.name), preset.name)
            self.preset.setItemData(number, preset.description, Qt.ItemDataRole.ToolTipRole)
        self.preset.addItem("Features of your choice", _OWN)
        self.window_size = ValueControl(
            "feature_window", "Window", LinearScale(3, 101, 2, origin=1), DEFAULTS.window,
            _WINDOW, self, hints=("detailed", "calm"), suffix=" px", heavy=True,
        )  # fmt: skip
        self.disclose = QToolButton(self)
        self.disclose.setObjectName("disclose_features")
        self.disclose.setText("Choose features")
        self.disclose.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.disclose.setArrowType(Qt.ArrowType.RightArrow)
        self.disclose.setCheckable(True)
        self.disclose.setAutoRaise(True)
        self.features = QListWidget(self)
        self.features.setObjectName("features")
        self.features.setAccessibleName("Features")
        for feature in FEATURES.values():
            item = QListWidgetItem(feature.name.replace("_", " "), self.features)
            item.setData(Qt.ItemDataRole.UserRole, feature.name)
            caution = "" if feature.mixes else "\nIt does not mix linearly; use it with care."
            item.setToolTip(f"{feature.description}\nUnit: {feature.unit}.{caution}")
        self.features.setFixedHeight(
            _LIST_ROWS * self.features.sizeHintForRow(0) + 2 * self.features.frameWidth()
        )
        self.features.hide()
        self._lay_out()
        self.preset.currentIndexChanged.connect(self._take_preset)
        self.window_size.value_changed.connect(self._take_window)
        self.disclose.toggled.connect(self._disclose)
        self.features.itemChanged.connect(self._take_features)
        self.set_choice(DEFAULTS)

    def set_choice(self, choice: FeatureChoice) -> None:
        """Show a choice without telling anyone."""
        self._choice = choice
        preset = choice.names if choice.names in PRESETS else _OWN
        ticked = {feature.name for feature in resolve(choice.names)}
        with QSignalBlocker(self.preset):
            self.preset.setCurrentIndex(self.preset.findData(preset))
        names = ", ".join(sorted(ticked))
        described = PRESETS[preset].description if preset else "Features of your choice."
        self.preset.setToolTip(f"{described}\n{names}")
        with QSignalBlocker(self.features):
            for item in self._items():
                chosen = item.data(Qt.ItemDataRole.UserRole) in ticked
                item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
        self.window_size.set_value(choice.window)

    def _lay_out(self) -> None:
        grid = control_grid(self)
        grid.addWidget(heading("Features", self), 0, 0, 1, 4)
        label = QLabel("Preset", self)
        label.setBuddy(self.preset)
        grid.addWidget(label, 1, 0)
        grid.addWidget(self.preset, 1, 1, 1, 3)
        self.window_size.add_to(grid)
        row = grid.rowCount()
        grid.addWidget(self.disclose, row, 0, 1, 4)
        grid.addWidget(self.features, row + 1, 0, 1, 4)

    def _items(self) -> list[QListWidgetItem]:
        return [self.features.item(row) for row in range(self.features.count())]

    @Slot(bool)
    def _disclose(self, shown: bool) -> None:
        self.disclose.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        self.features.setVisible(shown)

    @Slot(int)
    def _take_preset(self, row: int) -> None:
        preset = self.preset.itemData(row)
        if preset == _OWN:
            self.disclose.setChecked(True)
            names: str | tuple[str, ...] = tuple(
                feature.name for feature in resolve(self._choice.names)
            )
        else:
            names = preset
        self._take(replace(self._choice, names=names, window=self._window_for(preset)))

    def _window_for(self, preset: str) -> int:
        """The window of a new preset: its own, unless the operator had chosen another."""
        own, before = PRESETS.get(preset), PRESETS.get(str(self._choice.names), _USUAL)
        if own is None or self._choice.window != before.window:
            return self._choice.window
        return own.window

    @Slot(float)
    def _take_window(self, value: float) -> None:
        self._take(replace(self._choice, window=int(value)))

    @Slot(QListWidgetItem)
    def _take_features(self, changed: QListWidgetItem) -> None:
        names = tuple(
            item.data(Qt.ItemDataRole.UserRole)
            for item in self._items()
            if item.checkState() == Qt.CheckState.Checked
        )
        if names:
            self._take(replace(self._choice, names=names))
        else:
            # At least one is needed: the last tick stays.
            with QSignalBlocker(self.features):
                changed.setCheckState(Qt.CheckState.Checked)

    def _take(self, choice: FeatureChoice) -> None:
        changed = choice != self._choice
        self.set_choice(choice)
        if changed:
            self.features_changed.emit(choice)
