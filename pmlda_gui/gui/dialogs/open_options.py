"""The dialog for opening with options: band, reduction, and corrections of a recording."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.dialogs.more_options import MoreOptions
from pmlda_gui.gui.panels.sections import heading, note
from pmlda_gui.imagery.readers.options import LARGEST_REDUCTION, Band, Probe, ReadOptions
from pmlda_gui.imagery.readers.recorders import FORMATS

__all__ = ["COMFORTABLE_PIXELS", "OpenOptionsDialog"]

COMFORTABLE_PIXELS = 12_000_000
"""More pixels than this take minutes to prepare and gigabytes to hold."""
_WIDTH = 420
_SLANT = {
    Qt.CheckState.Checked: True,
    Qt.CheckState.PartiallyChecked: None,
    Qt.CheckState.Unchecked: False,
}
_LARGE = (
    "This image is large: reduced, it opens sooner and takes less memory. The command "
    "`pmlda-gui segment` makes maps of all its pixels."
)


class OpenOptionsDialog(QDialog):
    """Asks how to read what `probe` describes; `options` is the answer."""

    def __init__(
        self, probe: Probe, parent: QWidget | None = None, present: ReadOptions | None = None
    ) -> None:
        """With `present`, the file is open and was read so."""
        super().__init__(parent)
        self.setObjectName("open_options_dialog")
        self.setWindowTitle(f"{'Open' if present is None else 'Read'} {probe.path.name}")
        self._probe = probe
        self._present = present or ReadOptions()
        recording = probe.format in FORMATS
        self.band = QComboBox(self)
        self.band.setObjectName("open_band")
        self.band.setAccessibleName("What to show")
        self.band.addItem("Port and starboard" if recording else "Default for the file", None)
        for number, band in enumerate(probe.bands, 1):
            self.band.addItem(_band_text(number, band), number)
        proposed = probe.reduction_to_fit(COMFORTABLE_PIXELS)
        self.reduce = QSpinBox(self)
        self.reduce.setObjectName("open_reduce")
        self.reduce.setAccessibleName("Reduction")
        self.reduce.setRange(1, LARGEST_REDUCTION)
        self.reduce.setPrefix("1 : ")
        self.reduce.setToolTip("Average blocks of this many pixels a side into one.")
        self.reduce.setValue(proposed)
        self._size = QLabel(self)
        self._size.setObjectName("open_size")
        self.mask_water_column = QCheckBox("Leave out the water column", self)
        self.mask_water_column.setChecked(ReadOptions().mask_water_column)
        self.correct_slant_range = QCheckBox("Correct the slant range", self)
        self.correct_slant_range.setTristate(True)
        self.correct_slant_range.setCheckState(Qt.CheckState.PartiallyChecked)
        self.correct_slant_range.setToolTip(
            "Place pixels where they are on a flat seabed. Half checked: where the bottom was "
            "tracked with confidence."
        )
        self.normalise_gain = QCheckBox("Even out the gain over range and angle", self)
        self.normalise_gain.setChecked(ReadOptions().normalise_gain)
        self.normalise_gain.setToolTip("By a table measured in all recordings that are open.")
        self.square_pixels = QCheckBox("Make pixels square", self)
        self.square_pixels.setChecked(ReadOptions().square_pixels)
        self.square_pixels.setToolTip("Average samples or pings, so that shapes are true.")
        self.more = MoreOptions(recording, self)
        buttons = QDialogButtonBox(
            (
                QDialogButtonBox.StandardButton.Open
                if present is None
                else QDialogButtonBox.StandardButton.Ok
            )
            | QDialogButtonBox.StandardButton.Cancel,
            self,
        )
        form = QFormLayout()
        form.addRow("File", QLabel(f"{probe.path.name} ({probe.format})", self))
        form.addRow("Show", self.band)
        form.addRow("Several", self.more.several)
        form.addRow("Reduce", self.reduce)
        form.addRow("Result", self._size)
        if proposed > 1:
            form.addRow("", note(_LARGE, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 12)
        layout.setSpacing(10)
        layout.addLayout(form)
        switches = (
            self.mask_water_column,
            self.correct_slant_range,
            self.normalise_gain,
            self.square_pixels,
        )
        if recording:
            layout.addWidget(heading("Side-scan recording", self))
        for switch in switches:
            switch.setVisible(recording)
            layout.addWidget(switch)
        layout.addWidget(self.more)
        layout.addWidget(buttons)
        if present is not None:
            self._show(present)
        self.band.currentIndexChanged.connect(self._tell_size)
        self.reduce.valueChanged.connect(self._tell_size)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._tell_size()
        fit_height(self, _WIDTH)

    @property
    def options(self) -> ReadOptions:
        """How to read the file, as chosen."""
        bands, channels = self.more.bands, self.more.channels
        return replace(
            self._present,
            band=None if bands or channels else self.band.currentData(),
            bands=bands,
            channels=channels,
            layback=self.more.layback,
            gain_table=self.more.gain_table if self.normalise_gain.isChecked() else None,
            reduce=self.reduce.value(),
            mask_water_column=self.mask_water_column.isChecked(),
            correct_slant_range=_SLANT[self.correct_slant_range.checkState()],
            normalise_gain=self.normalise_gain.isChecked(),
            square_pixels=self.square_pixels.isChecked(),
        )

    def accept(self) -> None:
        """Close, unless what was chosen cannot be; then say why."""
        try:
            _ = self.options
        except PmldaError as error:
            self.more.complain(str(error))
            return
        super().accept()

    def _show(self, present: ReadOptions) -> None:
        """Set every control to how the file was read."""
        if isinstance(present.band, str):
            names = [band.description for band in self._probe.bands]
            place = names.index(present.band) + 1 if present.band in names else 0
            self.band.setCurrentIndex(place)
        else:
            self.band.setCurrentIndex(present.band or 0)
        self.reduce.setValue(present.reduce)
        self.mask_water_column.setChecked(present.mask_water_column)
        states = {value: state for state, value in _SLANT.items()}
        self.correct_slant_range.setCheckState(states[present.correct_slant_range])
        self.normalise_gain.setChecked(present.normalise_gain)
        self.square_pixels.setChecked(present.square_pixels)
        self.more.show_options(present)

    @Slot()
    def _tell_size(self) -> None:
        number = self.band.currentData()
        shown = self._probe if number is None else self._probe.bands[number - 1]
        factor = self.reduce.value()
        height, width = math.ceil(shown.height / factor), math.ceil(shown.width / factor)
        self._size.setText(f"{width} × {height} pixels, {_millions(height * width)}")


def _band_text(number: int, band: Band) -> str:
    description = band.description or "band"
    return f"{number}: {description} ({band.width} × {band.height}, {band.dtype})"


def _millions(pixels: int) -> str:
    return f"{pixels / 1e6:.1f} million" if pixels >= 100_000 else f"{pixels} in all"
