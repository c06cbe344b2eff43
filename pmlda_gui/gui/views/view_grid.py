"""The linked pictures: all pan, zoom and point together, side by side or one enlarged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QRectF, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from pmlda_gui.gui.views.picture_view import PictureView

__all__ = ["ViewGrid"]

_TITLE_HEIGHT = 24


class ViewGrid(QWidget):
    """Lays out pictures in as many columns as make them largest.

    Views are made once and reused: hiding one keeps it.  `cursor_moved` carries
    column and row, or None when the cursor has left.
    """

    cursor_moved = Signal(object)
    enlarged_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("view_grid")
        self._views: dict[str, PictureView] = {}
        self._shown: tuple[str, ...] = ()
        self._enlarged: str | None = None
        self._home: QRectF | None = None
        self._pixel_size: float | None = None
        self._cursor: tuple[float, float] | None = None
        self._placed: tuple[tuple[str, ...], int] | None = None
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)

    def view(self, name: str) -> PictureView:
        """The view of that object name, made when first asked for."""
        if name not in self._views:
            view = PictureView(name, name.replace("_", " "), self)
            view.hide()
            view.range_changed.connect(self._follow)
            view.hovered.connect(self._hovered)
            view.left.connect(self._left)
            view.nudged.connect(self._nudge)
            view.enlarge_requested.connect(self._toggle_sender)
            view.addActions(self.actions())
            view.set_pixel_size(self._pixel_size)
            if self._home is not None:
                view.set_home(self._home)
            self._views[name] = view
        return self._views[name]

    @property
    def views(self) -> tuple[PictureView, ...]:
        """All views made so far, shown or not."""
        return tuple(self._views.values())

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

    def set_context_actions(self, actions: Iterable[QAction]) -> None:
        """The menu of each picture."""
        for action in actions:
            self.addAction(action)
            for view in self._views.values():
                view.addAction(action)

    def set_shown(self, names: Sequence[str]) -> None:
        """Choose which views are shown, in this order."""
        self._shown = tuple(names)
        for name, view in self._views.items():
            if name not in self._shown:
                view.hide()
        self._place()

    def set_home(self, area: QRectF) -> None:
        """The rectangle of pixels worth seeing: what `fit` shows, and whose shape is laid out."""
        self._home = area
        for view in self._views.values():
            view.set_home(area)
        self._place()

    def set_pixel_size(self, metres: float | None) -> None:
        """The side of a pixel, None where unknown."""
        self._pixel_size = metres
        for view in self._views.values():
            view.set_pixel_size(metres)

    def enlarge(self, name: str | None) -> None:
        """Let one view fill the grid, or with None show all of them."""
        self._enlarged = name
        self._place()
        self.enlarged_changed.emit(self.enlarged or "")

    def fit(self) -> None:
        """Show the whole picture in every view."""
        for view in self._views.values():
            view.fit()

    def zoom(self, steps: int) -> None:
        """Zoom all views in, or out for negative steps."""
        if self.visible_views:
            self.visible_views[0].zoom(steps)

    def set_crosshair(self, position: tuple[float, float] | None) -> None:
        """Point at a column and row in every view."""
        for view in self.visible_views:
            view.set_crosshair(position)

    # -- layout ------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._place()

    def _columns(self, count: int) -> int:
        """The number of columns at which the pictures are largest."""
        aspect = 1.0 if self._home is None else self._home.width() / self._home.height()

        def scale(columns: int) -> float:
            rows = math.ceil(count / columns)
            width = self.width() / columns
            height = self.height() / rows - _TITLE_HEIGHT
            return min(width / aspect, height)

        return max(range(1, count + 1), key=scale)

    def _place(self) -> None:
        names = tuple(view.objectName() for view in self.visible_views)
        if not names:
            return
        arrangement = (names, self._columns(len(names)))
        if arrangement == self._placed:
            return
        self._placed = arrangement
        columns = arrangement[1]
        rows = math.ceil(len(names) / columns)
        while self._layout.count():
            self._layout.takeAt(0)
        for name in self._shown:
            self.view(name).setVisible(name in names)
        for number, name in enumerate(names):
            self._layout.addWidget(self.view(name), number // columns, number % columns)
        for row in range(max(rows, self._layout.rowCount())):
            self._layout.setRowStretch(row, 1 if row < rows else 0)
        for column in range(max(columns, self._layout.columnCount())):
            self._layout.setColumnStretch(column, 1 if column < columns else 0)

    # -- linking -----------------------------------------------------------------------------

    @Slot(QRectF)
    def _follow(self, area: QRectF) -> None:
        mover = self.sender()
        for view in self._views.values():
            if view is not mover:
                view.set_range(area)

    @Slot(int, int)
    def _nudge(self, across: int, down: int) -> None:
        """Move the cursor by the keyboard; it starts in the middle of what is visible."""
        view = self.sender()
        assert isinstance(view, PictureView)
        centre = view.visible_range.center()
        column, row = self._cursor or (centre.x(), centre.y())
        self._hovered(math.floor(column) + across + 0.5, math.floor(row) + down + 0.5)

    @Slot(float, float)
    def _hovered(self, column: float, row: float) -> None:
        self._cursor = (column, row)
        self.set_crosshair((column, row))
        self.cursor_moved.emit((column, row))

    @Slot()
    def _left(self) -> None:
        self._cursor = None
        self.set_crosshair(None)
        self.cursor_moved.emit(None)

    @Slot()
    def _toggle_sender(self) -> None:
        view = self.sender()
        assert isinstance(view, PictureView)
        self.enlarge(None if self.enlarged else view.objectName())
