"""The rarer options of reading: several bands or channels, layback, a saved gain table."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.bands import band_list
from pmlda_gui.imagery.readers.options import ReadOptions

__all__ = ["MoreOptions"]


class MoreOptions(QWidget):
    """Fields below the switches; `several` belongs beside the choice of one band."""

    def __init__(self, recording: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._recording = recording
        what = "channels, from left to right" if recording else "bands, in which features are taken"
        self.several = QLineEdit(parent)
        self.several.setObjectName("open_several")
        self.several.setAccessibleName("Several bands or channels")
        self.several.setPlaceholderText("such as 1, 2")
        self.several.setToolTip(f"Numbers of several {what}; empty for the choice above.")
        self._layback = QLineEdit(self)
        self._layback.setObjectName("open_layback")
        self._layback.setAccessibleName("Layback in metres")
        self._layback.setPlaceholderText("as recorded")
        self._layback.setToolTip("Metres from the recorded position back to the sonar.")
        self._gain_table = QLineEdit(self)
        self._gain_table.setObjectName("open_gain_table")
        self._gain_table.setAccessibleName("Saved gain table")
        self._gain_table.setPlaceholderText("measured in the open recordings")
        self._gain_table.setToolTip("A table that `pmlda-gui info --save-gain FILE` wrote.")
        browse = QPushButton("Choose…", self)
        browse.setObjectName("open_choose_gain_table")
        browse.setAutoDefault(False)
        browse.clicked.connect(self._choose_table)
        row = QHBoxLayout()
        row.addWidget(self._gain_table, 1)
        row.addWidget(browse)
        self._complaint = QLabel(self)
        self._complaint.setObjectName("open_complaint")
        self._complaint.setProperty("role", "error")
        self._complaint.setWordWrap(True)
        self._complaint.hide()
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow("Layback (m)", self._layback)
        form.addRow("Gain table", row)
        fields.setVisible(recording)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(fields)
        layout.addWidget(self._complaint)

    @property
    def bands(self) -> tuple[int | str, ...]:
        """Several bands by number, the first is 1, or name; none if one is chosen by itself."""
        text = self.several.text().strip()
        return band_list(text) if text and not self._recording else ()

    @property
    def channels(self) -> tuple[int, ...]:
        """The channels of a recording, of which the first has the number 0."""
        text = self.several.text().strip()
        given = band_list(text) if text and self._recording else ()
        numbers = [each for each in given if isinstance(each, int) and each > 0]
        if len(numbers) < len(given):
            raise PmldaError("Give channels as numbers from 1 on, such as 1, 2.")
        return tuple(number - 1 for number in numbers)

    @property
    def layback(self) -> float | None:
        """Metres, None for as recorded."""
        text = self._layback.text().strip()
        try:
            return float(text) if text else None
        except ValueError:
            raise PmldaError("Give the layback in metres, such as 12.5.") from None

    @property
    def gain_table(self) -> Path | None:
        """The saved table, None for one that is measured."""
        text = self._gain_table.text().strip()
        return Path(text) if text else None

    def show_options(self, options: ReadOptions) -> None:
        """Show how a file was read."""
        shown = [number + 1 for number in options.channels] or options.bands
        self.several.setText(", ".join(map(str, shown)))
        self._layback.setText("" if options.layback is None else f"{options.layback:g}")
        self._gain_table.setText("" if options.gain_table is None else str(options.gain_table))

    def complain(self, text: str) -> None:
        """Say what cannot be used."""
        self._complaint.setText(text)
        self._complaint.show()

    @Slot()
    def _choose_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Gain table", "", "Gain tables (*.json)")
        if name:
            self._gain_table.setText(name)
