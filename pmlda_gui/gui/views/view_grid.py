"""The linked pictures: all pan, zoom and point together, side by side or one enlarged."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from pmlda_gui.gui.views.linked_views import LinkedViews, best_columns
from pmlda_gui.gui.views.picture_view import PictureView

__all__ = ["ViewGrid"]


class ViewGrid(LinkedViews):
    """Lays out pictures in as many columns as make them largest."""

    enlarged_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("view_grid")
        self._shown: tuple[str, ...] = ()
        self._enlarged: str | None = None
        self._placed: tuple[tuple[str, ...], int] | None = None
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the views chosen, in order."""
        return self._shown

    @property
    def enlarged(self) -> str | None:
        """The name of the view that fills the grid, if one does."""
        return self._enlarged if self._enlarged in self._shown else None

    @property
    def visible_views(self) -> tuple[PictureView, ...]:
        """The views the operator can see just now."""
        names = self._shown if self.enlarged is None else (self.enlarged,)
        return tuple(self.view(name) for name in names)

    def set_shown(self, names: Sequence[str]) -> None:
        """Choose which views are shown, in this order."""
        self._shown = tuple(names)
        for name, view in self._views.items():
            if name not in self._shown:
                view.hide()
        self._place()

    def enlarge(self, name: str | None) -> None:
        """Let one view fill the grid, or with None show all of them."""
        self._enlarged = name
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")

    def toggle_enlarged(self, name: str) -> None:
        """Let a view fill the grid; if one does, show all of them."""
        self.enlarge(None if self.enlarged else name)

    # -- layout ------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        names = tuple(view.objectName() for view in self.visible_views)
        if not names:
            return
        columns = best_columns(len(names), self._aspect, self.width(), self.height())
        arrangement = (names, columns)
        if arrangement == self._placed:
            return
        self._placed = arrangement
        rows = math.ceil(len(names) / columns)
        while self._layout.count():
            self._layout.takeAt(0)
        for name in self._shown:
            self.view(name).setVisible(name in names)
        for number, name in enumerate(names):
            self._layout.addWidget(self.view(name), number // columns, number % columns)
            if number:
                self.setTabOrder(self.view(names[number - 1]), self.view(name))
        for row in range(max(rows, self._layout.rowCount())):
            self._layout.setRowStretch(row, 1 if row < rows else 0)
        for column in range(max(columns, self._layout.columnCount())):
            self._layout.setColumnStretch(column, 1 if column < columns else 0)
