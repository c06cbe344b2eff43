"""The preferences: each takes effect at once and is saved."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from pmlda_gui.gui.dialogs.dialog_size import fit_height
from pmlda_gui.gui.panels.sections import note
from pmlda_gui.workspace.settings import settings

__all__ = ["PreferencesDialog"]

_THEMES = (("system", "System theme"), ("light", "Light"), ("dark", "Dark"))
_WIDTH = 460
_START = (
    "The chain starts when you open an image. Without this the chain waits "
    "for Run (F5). A saved workspace always waits."
)
_REST = (
    "The chain pauses when its light turns green, and continues at the next change of a setting. "
    "Run (F5) continues it at once."
)
_AUTOSAVE = "The most work that a crash can lose. Work that is saved is not autosaved."
_TOUR = "The six steps through the window; Help > Take the tour shows them now."


class PreferencesDialog(QDialog):
    """Shows the stored settings; `theme_chosen` carries the name of another theme."""

    theme_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferences_dialog")
        self.setWindowTitle("Preferences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.theme = QComboBox(self)
        self.theme.setObjectName("preference_theme")
        for name, text in _THEMES:
            self.theme.addItem(text, name)
        self.theme.setCurrentIndex(self.theme.findData(settings().get("window/theme")))
        self.theme.setToolTip("Light or dark; the colours of the maps do not change.")
        self.start = QCheckBox("&Run as soon as an image is opened", self)
        self.start.setObjectName("preference_start")
        self.start.setChecked(settings().get("chain/start") == "yes")
        self.start.setToolTip(_START)
        self.rest = QCheckBox("R&est when the maps are done", self)
        self.rest.setObjectName("preference_rest")
        self.rest.setChecked(settings().get("chain/rest") == "yes")
        self.rest.setToolTip(_REST)
        self.autosave = QDoubleSpinBox(self)
        self.autosave.setObjectName("preference_autosave")
        self.autosave.setAccessibleName("Minutes between autosaves")
        self.autosave.setRange(0.5, 60.0)
        self.autosave.setSingleStep(0.5)
        self.autosave.setDecimals(1)
        self.autosave.setSuffix(" min")
        self.autosave.setValue(settings().get("files/autosave_minutes"))
        self.autosave.setToolTip(_AUTOSAVE)
        self.tour = QCheckBox("Show the &tour at the next start", self)
        self.tour.setObjectName("preference_tour")
        self.tour.setChecked(settings().get("help/tour") == "due")
        self.tour.setToolTip(_TOUR)
        form = QFormLayout()
        form.setVerticalSpacing(4)
        for text, widget, words in (
            ("T&heme", self.theme, ""),
            ("", self.start, _START),
            ("", self.rest, _REST),
            ("&Autosave every", self.autosave, _AUTOSAVE),
            ("", self.tour, ""),
        ):
            label = QLabel(text, self)
            label.setBuddy(widget)
            form.addRow(label, widget)
            if words:
                form.addRow(QLabel(self), note(words, self))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.theme.activated.connect(self._take_theme)
        self.start.toggled.connect(self._take_start)
        self.rest.toggled.connect(self._take_rest)
        self.autosave.valueChanged.connect(self._take_autosave)
        self.tour.toggled.connect(self._take_tour)
        fit_height(self, _WIDTH)

    @Slot(int)
    def _take_theme(self, row: int) -> None:
        self.theme_chosen.emit(self.theme.itemData(row))

    @Slot(bool)
    def _take_start(self, wanted: bool) -> None:
        settings().set("chain/start", "yes" if wanted else "no")

    @Slot(bool)
    def _take_rest(self, wanted: bool) -> None:
        settings().set("chain/rest", "yes" if wanted else "no")

    @Slot(float)
    def _take_autosave(self, minutes: float) -> None:
        settings().set("files/autosave_minutes", minutes)

    @Slot(bool)
    def _take_tour(self, wanted: bool) -> None:
        settings().set("help/tour", "due" if wanted else "seen")
