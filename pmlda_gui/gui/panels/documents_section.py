"""The controls for documents: their kind, number, windows and stride."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSpinBox, QWidget

from pmlda_gui.gui.panels.sections import control_grid, heading
from pmlda_gui.gui.panels.value_control import LinearScale, ValueControl
from pmlda_gui.workspace.preparation import DocumentChoice

__all__ = ["DocumentsSection"]

DEFAULTS = DocumentChoice()
MOST_DOCUMENTS = 20_000
_LARGEST_WINDOW = 5000

_KINDS = (
    ("slic", "Superpixels", "Compact regions of similar pixels. Fast, and suits most images."),
    ("ncut", "Normalised cuts", "Regions cut where their neighbours differ most. Slow above 500."),
    ("texture", "Texture boundaries", "Regions that end where the texture changes."),
    ("grid", "Squares", "Equal squares, whatever the image shows."),
    ("window", "Sliding windows", "Overlapping windows, averaged where they overlap."),
    ("labels", "From a label map", "Regions from a file with one whole number for each pixel."),
)
_COUNT = (
    "Into how many documents each image is divided.\n"
    "It matters little: documents act beyond their borders, and every pixel has its own\n"
    "mixture. Left: maps are a little softer. Right: more detailed. It matters more\n"
    "where smoothness is 0, as in the paper."
)
_WINDOW = "The side of a sliding window in pixels; automatic follows from the number."
_STRIDE = "How far one window lies from the next, in pixels; automatic is half a window."


class DocumentsSection(QWidget):
    """Controls of the documents; `documents_changed` carries a DocumentChoice.

    `label_map_requested` asks for a file when the operator wants documents from one.
    """

    documents_changed = Signal(object)
    label_map_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = DEFAULTS
        self._has_label_map = False
        self.kind = QComboBox(self)
        self.kind.setObjectName("document_kind")
        self.kind.setAccessibleName("Kind of documents")
        for number, (kind, text, tooltip) in enumerate(_KINDS):
            self.kind.addItem(text, kind)
            self.kind.setItemData(number, tooltip, Qt.ItemDataRole.ToolTipRole)
        self.count = ValueControl(
            "document_count", "Number", LinearScale(10, 1000), DEFAULTS.count, _COUNT, self,
            hints=("large", "small"), heavy=True, most=MOST_DOCUMENTS,
        )  # fmt: skip
        self.window_size = _pixels("document_window", "Side of a window", _WINDOW, self)
        self.stride = _pixels("document_stride", "Stride of windows", _STRIDE, self)
        self.label_map = QPushButton("Choose a label map…", self)
        self.label_map.setObjectName("choose_label_map")
        self._window_label = QLabel("Window", self)
        self._window_label.setBuddy(self.window_size)
        self._stride_label = QLabel("Stride", self)
        self._stride_label.setBuddy(self.stride)
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._take_kind)
        self.count.value_changed.connect(self._take_count)
        self.window_size.valueChanged.connect(self._take_window)
        self.stride.valueChanged.connect(self._take_stride)
        self.label_map.clicked.connect(self.label_map_requested)
        self.set_choice(DEFAULTS, has_label_map=False)

    def set_choice(self, choice: DocumentChoice, has_label_map: bool) -> None:
        """Show a choice, and whether a label map is at hand, without telling anyone."""
        self._choice = choice
        self._has_label_map = has_label_map
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(self.kind.findData(choice.kind))
        self.kind.setToolTip(self.kind.currentData(Qt.ItemDataRole.ToolTipRole))
        self.count.set_value(choice.count)
        for box, value in ((self.window_size, choice.window), (self.stride, choice.stride)):
            with QSignalBlocker(box):
                box.setValue(0 if value is None else value)
        windows = choice.kind == "window"
        for widget in (self._window_label, self.window_size, self._stride_label, self.stride):
            widget.setVisible(windows)
        self.label_map.setVisible(choice.kind == "labels")
        self.count.set_visible(choice.kind != "labels")
        self.count.set_enabled(not windows or choice.window is None or choice.stride is None)

    def _lay_out(self) -> None:
        grid = control_grid(self)
        grid.addWidget(heading("Documents", self), 0, 0, 1, 4)
        label = QLabel("Kind", self)
        label.setBuddy(self.kind)
        grid.addWidget(label, 1, 0)
        grid.addWidget(self.kind, 1, 1, 1, 3)
        self.count.add_to(grid)
        row = grid.rowCount()
        grid.addWidget(self._window_label, row, 0)
        grid.addWidget(self.window_size, row, 1, 1, 3)
        grid.addWidget(self._stride_label, row + 1, 0)
        grid.addWidget(self.stride, row + 1, 1, 1, 3)
        grid.addWidget(self.label_map, row + 2, 1, 1, 3)

    @Slot(int)
    def _take_kind(self, row: int) -> None:
        kind = self.kind.itemData(row)
        if kind == "labels" and not self._has_label_map:
            # Nothing can be divided before there is a map: show the present kind again.
            self.set_choice(self._choice, has_label_map=False)
            self.label_map_requested.emit()
            return
        self._take(replace(self._choice, kind=kind))

    @Slot(float)
    def _take_count(self, value: float) -> None:
        self._take(replace(self._choice, count=int(value)))

    @Slot(int)
    def _take_window(self, value: int) -> None:
        window = value or None
        stride = self._choice.stride
        if window is not None and stride is not None:
            stride = min(stride, window)
        self._take(replace(self._choice, window=window, stride=stride))

    @Slot(int)
    def _take_stride(self, value: int) -> None:
        stride = value or None
        if stride is not None and self._choice.window is not None:
            # A longer stride would leave gaps between the windows.
            stride = min(stride, self._choice.window)
        self._take(replace(self._choice, stride=stride))

    def _take(self, choice: DocumentChoice) -> None:
        changed = choice != self._choice
        self.set_choice(choice, self._has_label_map)
        if changed:
            self.documents_changed.emit(choice)


def _pixels(name: str, accessible: str, tooltip: str, parent: QWidget) -> QSpinBox:
    box = QSpinBox(parent)
    box.setObjectName(name)
    box.setAccessibleName(accessible)
    box.setToolTip(tooltip)
    box.setRange(0, _LARGEST_WINDOW)
    box.setSpecialValueText("automatic")
    box.setSuffix(" px")
    box.setKeyboardTracking(False)
    return box
