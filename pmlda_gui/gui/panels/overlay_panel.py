"""The controls of the overlay on the source image: picture and opacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QWidget

from pmlda_gui.gui.panels.sections import control_grid, heading
from pmlda_gui.gui.panels.value_control import LinearScale, ValueControl

__all__ = ["Overlay", "OverlayPanel"]


@dataclass(frozen=True)
class Overlay:
    """Which picture lies over the source image, by the name of its view; opacity 0 to 1."""

    shown: bool = False
    picture: str = "composite_view"
    opacity: float = 0.5


class OverlayPanel(QWidget):
    """Controls of an Overlay; `overlay_changed` carries a new one."""

    overlay_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overlay_panel")
        self.setAccessibleName("Overlay on the source image")
        self._overlay = Overlay()
        self.shown = QCheckBox("Show over the source image", self)
        self.shown.setObjectName("overlay_shown")
        self.shown.setToolTip("Show a map over the source image; F4 switches it on and off.")
        self.picture = QComboBox(self)
        self.picture.setObjectName("overlay_picture")
        self.picture.setAccessibleName("Picture of the overlay")
        self.picture.setToolTip("The picture shown over the source image.")
        self.opacity = ValueControl(
            "overlay_opacity", "Opacity", LinearScale(0, 100, 5), 50,
            "Opacity of the overlay.", self, suffix=" %",
        )  # fmt: skip
        grid = control_grid(self)
        grid.addWidget(heading("Overlay", self), 0, 0, 1, 4)
        grid.addWidget(self.shown, 1, 0, 1, 4)
        label = QLabel("Picture", self)
        label.setBuddy(self.picture)
        grid.addWidget(label, 2, 0)
        grid.addWidget(self.picture, 2, 1, 1, 3)
        self.opacity.add_to(grid)
        self.shown.toggled.connect(self.set_shown)
        self.picture.currentIndexChanged.connect(self._take_picture)
        self.opacity.value_changed.connect(self._take_opacity)
        self.set_choices({"composite_view": "Composite"})

    @property
    def overlay(self) -> Overlay:
        """What is chosen."""
        return self._overlay

    def set_choices(self, names: Mapping[str, str]) -> None:
        """Offer pictures, what they are called by the name of their view."""
        box = self.picture
        offered = {box.itemData(row): box.itemText(row) for row in range(box.count())}
        if offered != dict(names):
            with QSignalBlocker(self.picture):
                self.picture.clear()
                for name, words in names.items():
                    self.picture.addItem(words, name)
            if self._overlay.picture not in names:
                self._take(replace(self._overlay, picture="composite_view"))
            self.set_overlay(self._overlay)

    def set_overlay(self, overlay: Overlay) -> None:
        """Show a choice without telling anyone."""
        self._overlay = overlay
        with QSignalBlocker(self.shown):
            self.shown.setChecked(overlay.shown)
        with QSignalBlocker(self.picture):
            self.picture.setCurrentIndex(self.picture.findData(overlay.picture))
        self.opacity.set_value(round(100 * overlay.opacity))

    @Slot(bool)
    def set_shown(self, shown: bool) -> None:
        """Show or hide the overlay."""
        self._take(replace(self._overlay, shown=shown))

    @Slot(int)
    def _take_picture(self, row: int) -> None:
        # Whoever chooses a picture wants to see it.
        self._take(replace(self._overlay, picture=self.picture.itemData(row), shown=True))

    @Slot(float)
    def _take_opacity(self, percent: float) -> None:
        self._take(replace(self._overlay, opacity=percent / 100))

    def _take(self, overlay: Overlay) -> None:
        if overlay != self._overlay:
            self.set_overlay(overlay)
            self.overlay_changed.emit(overlay)
