"""Drawing on the pictures: lines, rectangles, polygons, lassos and paths, by mouse or keyboard.

A line or a rectangle is dragged, or given by two clicks; a lasso is dragged; a polygon or a
path is clicked point by point and ended by a double click or Enter.  From the keyboard, the
arrows move the crosshair, Space puts a point there, Backspace takes the last one back, Enter
ends, and Esc gives up.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from PySide6.QtCore import QObject, Signal

from pmlda_gui.workspace.shapes import Kind, Point

__all__ = ["TOOLS", "Drawing", "Tool"]

ToolName = Literal[
    "profile",
    "rectangle",
    "polygon",
    "lasso",
    "measure",
    "brush",
    "paint_polygon",
    "paint_document",
]
PaintKind = Literal["paint_brush", "paint_polygon", "paint_document"]
# Two points of a drag that are nearer than this, in points of the screen, are a click.
_CLICK = 5.0
# Points of a lasso are so far apart.
_LASSO_STEP = 2.0


class Tool(NamedTuple):
    """What a tool draws: the kind of shape, how many points end it, whether it is closed."""

    name: ToolName
    kind: Kind | PaintKind
    points: int | None
    closed: bool
    help: str


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("profile", "profile", 2, False, "Drag a line across a transition"),
        Tool("rectangle", "region", 2, True, "Drag a rectangle around a region"),
        Tool("polygon", "region", None, True, "Click the corners of a region; Enter ends"),
        Tool("lasso", "region", None, True, "Drag around a region"),
        Tool("measure", "measurement", None, False, "Click the points of a path; Enter ends"),
        Tool("brush", "paint_brush", None, False, "Paint where the chosen topic is"),
        Tool(
            "paint_polygon",
            "paint_polygon",
            None,
            True,
            "Click the corners of what to paint; Enter ends",
        ),
        Tool("paint_document", "paint_document", 1, False, "Click a document to paint all of it"),
    )
}


class Drawing(QObject):
    """What is being drawn.

    `finished` carries the kind of shape and its points, `changed` tells that there is something
    else to see, `tool_changed` carries the name of the tool taken up, "" for none,
    `number_pressed` the number of a key pressed meanwhile.
    """

    finished = Signal(str, object)
    changed = Signal()
    tool_changed = Signal(str)
    number_pressed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tool: Tool | None = None
        self._points: list[Point] = []
        self._cursor: Point | None = None
        self._pressed: Point | None = None
        self._drags = False

    @property
    def tool(self) -> Tool | None:
        """The tool in hand."""
        return self._tool

    @property
    def begun(self) -> bool:
        """Whether a shape is under way."""
        return bool(self._points)

    @property
    def outline(self) -> tuple[Point, ...]:
        """The shape under way as it would be with the cursor as its next point."""
        points = list(self._points)
        if points and self._cursor is not None and not self._is_freehand:
            points.append(self._cursor)
        if self._tool is not None and self._tool.name == "rectangle" and len(points) == 2:
            return _corners(*points)
        return tuple(points)

    @property
    def _is_freehand(self) -> bool:
        return self._tool is not None and self._tool.name in ("lasso", "brush")

    def take_up(self, name: str) -> None:
        """Take up a tool by its name, or with "" lay it down."""
        self._tool = TOOLS.get(name)
        self._forget()
        self.tool_changed.emit(self._tool.name if self._tool else "")

    def give_up(self) -> None:
        """Give up the shape under way, or if there is none the tool."""
        if self.begun:
            self._forget()
        elif self._tool is not None:
            self.take_up("")

    def _forget(self) -> None:
        self._points, self._pressed, self._drags = [], None, False
        self.changed.emit()

    # -- the mouse ---------------------------------------------------------------------------

    def press(self, point: Point) -> None:
        """The left button goes down at a point of the picture."""
        if self._tool is None:
            return
        self._pressed, self._drags, self._cursor = point, False, point
        if self._is_freehand:
            self._points = [point]
            self._drags = True
        elif self._tool.points == 2 and not self._points:
            self._points = [point]
        self.changed.emit()

    def move(self, point: Point, pixels_per_point: float) -> None:
        """The cursor is at a point; so many pixels share a point of the screen."""
        self._cursor = point
        if self._tool is None:
            return
        if self._pressed is not None:
            far = math.dist(point, self._pressed) > _CLICK * pixels_per_point
            self._drags = self._drags or far
            if self._is_freehand and math.dist(point, self._points[-1]) > (
                _LASSO_STEP * pixels_per_point
            ):
                self._points.append(point)
        if self._points:
            self.changed.emit()

    def release(self, point: Point) -> None:
        """The left button comes up."""
        if self._tool is None or self._pressed is None:
            return
        pressed, self._pressed = self._pressed, None
        if self._is_freehand:
            self.end()
        elif self._tool.points == 2:
            # A click puts the first point, and the next click or drag ends with the second.
            if self._drags or pressed != self._points[0]:
                self._add(point)
        else:
            self._add(point)

    # -- both --------------------------------------------------------------------------------

    def put(self, point: Point) -> None:
        """Add a point, as Space does."""
        if self._tool is not None:
            self._cursor = point
            self._add(point)

    def _add(self, point: Point) -> None:
        assert self._tool is not None
        if not self._points or point != self._points[-1]:
            self._points.append(point)
        if self._tool.points is not None and len(self._points) >= self._tool.points:
            self.end()
        else:
            self.changed.emit()

    def take_back(self) -> None:
        """Take back the last point."""
        if self._points:
            self._points.pop()
            self.changed.emit()

    def end(self) -> None:
        """End the shape; one with too few points is given up."""
        if self._tool is None or not self._points:
            return
        points, tool = tuple(self._points), self._tool
        if tool.name == "rectangle" and len(points) == 2:
            points = _corners(*points)
        self._forget()
        dabs = tool.kind in ("paint_brush", "paint_document")
        if len(set(points)) >= (3 if tool.closed else 1 if dabs else 2):
            self.finished.emit(tool.kind, points)


def _corners(first: Point, last: Point) -> tuple[Point, ...]:
    """The corners of a rectangle between two of them."""
    return (first, (last[0], first[1]), last, (first[0], last[1]))
