"""The toolbar of the comparison: run and cancel, choice of image and row, export."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from pmlda_gui.gui.icons import icon
from pmlda_gui.gui.panels.lists import action_button
from pmlda_gui.gui.view_request import ShownTopic

__all__ = ["CompareBar"]

_WIDEST = 220


class CompareBar(QWidget):
    """Buttons with their keys; `row_chosen` carries a row of the columns, None for all."""

    methods_toggled = Signal(bool)
    run_requested = Signal()
    cancel_requested = Signal()
    image_chosen = Signal(int)
    row_chosen = Signal(object)
    outlines_toggled = Signal()
    fit_requested = Signal()
    copy_requested = Signal()
    save_requested = Signal()
    export_requested = Signal()
    help_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = self._action("run", "Compare", "F5", "run", self.run_requested)
        self._cancel = self._action("cancel", "Cancel", "F6", "close", self.cancel_requested)
        self._outlines = self._action(
            "outlines", "Document outlines", "Ctrl+L", "outlines", self.outlines_toggled
        )
        self._outlines.setCheckable(True)
        self._outlines.setChecked(True)
        self.on_pictures = [
            self._action("fit", "Zoom to fit", "Ctrl+0", "fit", self.fit_requested),
            self._action("copy", "Copy picture", "Ctrl+Shift+C", "copy", self.copy_requested),
            self._action("save", "Save picture…", "Ctrl+Shift+P", "picture", self.save_requested),
        ]
        self._export = self._action(
            "export", "Export plates and table…", "Ctrl+E", "export", self.export_requested
        )
        self._help = self._action("help", "Help", "F1", "help", self.help_requested)
        self.run = self._button("compare_run", self._run)
        self.cancel = self._button("compare_cancel", self._cancel)
        self.images = self._choice("compare_image", "Image")
        self.rows = self._choice("compare_rows", "Rows shown")
        self.rows.setToolTip("Show one topic of all methods at full size")
        self._labels = [QLabel("&Image", self), QLabel("Sho&w", self)]
        self._lay_out()
        self.images.activated.connect(self.image_chosen)
        self.rows.activated.connect(self._choose_row)

    def _action(
        self, name: str, text: str, keys: str, icon_name: str, told: SignalInstance
    ) -> QAction:
        action = QAction(icon(icon_name), text, self)
        action.setObjectName(f"compare_{name}_action")
        action.setShortcut(QKeySequence(keys))
        action.setToolTip(f"{text.rstrip('…')} ({action.shortcut().toString()})")
        action.triggered.connect(told)
        self.addAction(action)
        return action

    def _button(self, name: str, action: QAction) -> QPushButton:
        button = QPushButton(action.icon(), action.text(), self)
        button.setObjectName(name)
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        return button

    def _choice(self, name: str, accessible: str) -> QComboBox:
        choice = QComboBox(self)
        choice.setObjectName(name)
        choice.setAccessibleName(accessible)
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        choice.setMaximumWidth(_WIDEST)
        return choice

    def _lay_out(self) -> None:
        methods = QToolButton(self)
        methods.setObjectName("compare_show_methods")
        methods.setText("Methods")
        methods.setIcon(icon("settings"))
        methods.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        methods.setToolTip("Show or hide the list of methods")
        methods.setCheckable(True)
        methods.setChecked(True)
        methods.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        methods.toggled.connect(self.methods_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (methods, self.run, self.cancel):
            row.addWidget(widget)
        row.addStretch(1)
        for label, choice in zip(self._labels, (self.images, self.rows), strict=True):
            label.setBuddy(choice)
            row.addWidget(label)
            row.addWidget(choice)
        row.addStretch(1)
        for action in (self._outlines, *self.on_pictures, self._export, self._help):
            row.addWidget(action_button(action, self))

    # -- state -------------------------------------------------------------------------------

    @property
    def outlines_shown(self) -> bool:
        """Whether the operator wants to see the outlines of documents."""
        return self._outlines.isChecked()

    def set_images(self, names: Sequence[str], current: int) -> None:
        """The images that can be looked at."""
        self.images.clear()
        self.images.addItems(list(names))
        self.images.setCurrentIndex(current)
        self.images.setEnabled(len(names) > 1)

    def set_topics(self, topics: Sequence[ShownTopic]) -> None:
        """What the rows are called."""
        current = self.rows.currentData()
        with QSignalBlocker(self.rows):
            self.rows.clear()
            self.rows.addItem("all topics, one by one", None)
            for number, topic in enumerate(topics):
                self.rows.addItem(topic.name, number)
            self.rows.addItem("all topics in one", len(topics))
        self.mark_row(current if current is not None and current <= len(topics) else None)

    @Slot(object)
    def mark_row(self, row: int | None) -> None:
        """Show which row has all the room without telling anyone."""
        with QSignalBlocker(self.rows):
            self.rows.setCurrentIndex(0 if row is None else row + 1)

    def enable(self, can_run: bool, busy: bool, filled: bool) -> None:
        """What can be done now; `filled` says that there are columns."""
        for action, button, enabled in (
            (self._run, self.run, can_run),
            (self._cancel, self.cancel, busy),
        ):
            action.setEnabled(enabled)
            button.setEnabled(enabled)
        self._export.setEnabled(filled and not busy)
        for action in (self._outlines, *self.on_pictures):
            action.setEnabled(filled)
        for widget in (*self._labels, self.images, self.rows):
            widget.setVisible(filled)

    @Slot(int)
    def _choose_row(self, number: int) -> None:
        self.row_chosen.emit(self.rows.itemData(number))
