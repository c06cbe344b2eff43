"""Pictures of one image that pan, zoom and point together, however they are laid out."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QRectF, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pmlda_gui.gui.views.drawing import Drawing
from pmlda_gui.gui.views.picture_view import PictureView
from pmlda_gui.gui.views.shape_layer import DrawnShape

__all__ = ["TITLE_HEIGHT", "LinkedViews", "best_columns"]

TITLE_HEIGHT = 22
"""What the title of a picture takes, in points."""


def best_columns(count: int, aspect: float, width: int, height: int) -> int:
    """The number of columns at which `count` pictures, `aspect` times as wide as high, are
    largest."""

    def scale(columns: int) -> float:
        rows = math.ceil(count / columns)
        return min(width / columns / aspect, height / rows - TITLE_HEIGHT)

    return max(range(1, count + 1), key=scale)


class LinkedViews(QWidget):
    """Makes views and keeps them together; where they stand is up to its heirs.

    Views are made once and reused: hiding one keeps it.  `cursor_moved` carries
    column and row, or None when the cursor has left; `seen_changed` tells that another
    part of the pictures, or at another size, is visible.
    """

    cursor_moved = Signal(object)
    seen_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._views: dict[str, PictureView] = {}
        self._home: QRectF | None = None
        self._pixel_size: float | None = None
        self._pixel_height: float | None = None
        self._cursor: tuple[float, float] | None = None
        self._current = ""
        self._shapes: tuple[DrawnShape, ...] = ()
        self.drawing = Drawing(self)
        self.drawing.changed.connect(self._show_shapes)
        self.drawing.tool_changed.connect(self._show_tool)

    def view(self, name: str) -> PictureView:
        """The view of that object name, made when first asked for."""
        if name not in self._views:
            view = PictureView(name, name.replace("_", " "), self)
            view.hide()
            view.range_changed.connect(self._follow)
            view.seen_changed.connect(self.seen_changed)
            view.hovered.connect(self._hovered)
            view.left.connect(self._left)
            view.nudged.connect(self._nudge)
            view.enlarge_requested.connect(self._enlarge_sender)
            view.clicked.connect(self._click_sender)
            view.pointed_at.connect(self._point_sender)
            view.draw_pressed.connect(self._draw_press)
            view.draw_released.connect(self._draw_release)
            view.draw_key.connect(self._draw_key)
            view.set_drawing(self.drawing.tool is not None)
            view.set_shapes(self._all_shapes)
            view.addActions(self.actions())
            view.set_pixel_size(self._pixel_size, self._pixel_height)
            if self._home is not None:
                view.set_home(self._home)
            self._views[name] = view
        return self._views[name]

    @property
    def current(self) -> PictureView | None:
        """The view that was clicked or had the focus last, else the first that can be seen."""
        visible = self.visible_views
        last = [view for view in visible if view.objectName() == self._current]
        return next(iter((*last, *visible)), None)

    @property
    def views(self) -> tuple[PictureView, ...]:
        """All views made so far, shown or not."""
        return tuple(self._views.values())

    def set_context_actions(self, actions: Iterable[QAction]) -> None:
        """The menu of each picture."""
        for action in actions:
            self.addAction(action)
            for view in self._views.values():
                view.addAction(action)

    @property
    @abstractmethod
    def visible_views(self) -> tuple[PictureView, ...]:
        """The views the operator can see just now."""

    @property
    def seen(self) -> tuple[QRectF, float] | None:
        """The rectangle of pixels that is visible, and how many share one of the screen;
        None while nothing is on the screen."""
        shown = [view for view in self.visible_views if view.isVisible()]
        if not shown:
            return None
        area = shown[0].visible_range
        for view in shown[1:]:
            area = area.united(view.visible_range)
        return area, min(view.pixels_per_screen_pixel for view in shown)

    @abstractmethod
    def toggle_enlarged(self, name: str) -> None:
        """Let the view of that name have more room, or give it back."""

    @abstractmethod
    def _place(self) -> None:
        """Lay out anew: the shape of the pictures has changed."""

    @property
    def _aspect(self) -> float:
        """How many times as wide as high what is worth seeing is."""
        if self._home is None:
            return 1.0
        stretch = (self._pixel_size or 1.0) / (self._pixel_height or self._pixel_size or 1.0)
        return stretch * self._home.width() / self._home.height()

    def set_home(self, area: QRectF) -> None:
        """The rectangle of pixels worth seeing: what `fit` shows, and whose shape is laid out."""
        self._home = area
        for view in self._views.values():
            view.set_home(area)
        self._place()

    def set_pixel_size(self, metres: float | None, height: float | None = None) -> None:
        """The width of a pixel, None where unknown, and its height where that is another."""
        self._pixel_size = metres
        self._pixel_height = height if metres else None
        for view in self._views.values():
            view.set_pixel_size(metres, self._pixel_height)

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
        if self.drawing.tool is not None and self.visible_views:
            view = self.visible_views[0]
            ratio = view.pixels_per_screen_pixel * view.devicePixelRatioF()
            self.drawing.move((column, row), ratio)

    @Slot()
    def _left(self) -> None:
        self._cursor = None
        self.set_crosshair(None)
        self.cursor_moved.emit(None)

    @Slot()
    def _enlarge_sender(self) -> None:
        view = self.sender()
        assert isinstance(view, PictureView)
        self.toggle_enlarged(view.objectName())

    @Slot()
    def _click_sender(self) -> None:
        view = self.sender()
        assert isinstance(view, PictureView)
        self._clicked(view.objectName())

    def _clicked(self, name: str) -> None:
        """A picture was clicked."""

    @Slot()
    def _point_sender(self) -> None:
        view = self.sender()
        assert isinstance(view, PictureView)
        self._current = view.objectName()

    # -- drawing -----------------------------------------------------------------------------

    def set_shapes(self, shapes: Sequence[DrawnShape]) -> None:
        """Show what has been drawn, in every view."""
        self._shapes = tuple(shapes)
        self._show_shapes()

    @property
    def _all_shapes(self) -> tuple[DrawnShape, ...]:
        """What has been drawn, and what is being drawn."""
        outline, tool = self.drawing.outline, self.drawing.tool
        if tool is None or len(outline) < 2:
            return self._shapes
        return (*self._shapes, DrawnShape(outline, tool.closed, chosen=True))

    @Slot()
    def _show_shapes(self) -> None:
        shapes = self._all_shapes
        for view in self._views.values():
            view.set_shapes(shapes)

    @Slot(str)
    def _show_tool(self, name: str) -> None:
        for view in self._views.values():
            view.set_drawing(bool(name))

    @Slot(float, float)
    def _draw_press(self, column: float, row: float) -> None:
        self.drawing.press((column, row))

    @Slot(float, float)
    def _draw_release(self, column: float, row: float) -> None:
        self.drawing.release((column, row))

    @Slot(str)
    def _draw_key(self, asked: str) -> None:
        if asked == "put":
            if self._cursor is None:
                self._nudge(0, 0)
            if self._cursor is not None:
                self.drawing.put(self._cursor)
        elif asked == "take_back":
            self.drawing.take_back()
        else:
            self.drawing.end()
