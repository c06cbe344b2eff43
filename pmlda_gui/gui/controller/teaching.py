"""Joins painting on the pictures with the session's strokes, which the chain heeds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.views.stroke_layer import PaintedArea, path_of
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.shapes import Point
from pmlda_gui.workspace.strokes import Stroke, painted, spans_of

__all__ = ["Teaching"]

_TEXTS = {"is": "Paint {}", "not": "Paint not {}", "erase": "Erase hints"}


class Teaching(QObject):
    """Keeps strokes in the session, one step each, and shows them."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._shown: tuple[object, ...] = ()
        self._looks: tuple[TopicLook, ...] = ()
        drawing = window.grid.drawing
        drawing.finished.connect(self._add)
        drawing.number_pressed.connect(self._choose)
        drawing.tool_changed.connect(self._show_panel)
        window.actions_by_name["clear_hints"].triggered.connect(self._clear)
        controller.changed.connect(self._show)
        controller.ticked.connect(self._follow_topics)
        window.images.current_changed.connect(self._show_strokes)
        self._show_strokes()

    @Slot(int)
    def _choose(self, number: int) -> None:
        self._window.teach.choose(number - 1)

    @Slot(str)
    def _show_panel(self, tool: str) -> None:
        if tool == "brush" or tool.startswith("paint_"):
            self._window.docks["teach"].show()
            self._window.docks["teach"].raise_()

    @Slot(str, object)
    def _add(self, kind: str, points: tuple[Point, ...]) -> None:
        panel, session = self._window.teach, self._controller.session
        if not kind.startswith("paint_") or not session.images:
            return
        if panel.topic is None:
            self._controller.error_raised.emit(
                PmldaError("There are no topics yet: wait for the first map, or press Run.")
            )
            return
        if session.sampler != "fast":
            self._controller.error_raised.emit(
                PmldaError(f"The sampler {session.sampler!r} knows no hints: choose 'fast'.")
            )
            return
        try:
            stroke = self._stroke(kind, points)
            if stroke is not None:
                text = _TEXTS[panel.mark].format(panel.topics.currentText())
                self._controller.do(text, strokes=(*session.strokes, stroke))
        except PmldaError as error:
            self._controller.error_raised.emit(error)

    def _stroke(self, kind: str, points: tuple[Point, ...]) -> Stroke | None:
        """What was painted, as the panel says; None where there is nothing to paint."""
        panel = self._window.teach
        said = partial(
            Stroke, self._controller.current_image, mark=panel.mark, topic=panel.topic or 0,
            strength=panel.strength,
        )  # fmt: skip
        if kind == "paint_brush":
            return said(kind="brush", points=points, radius=panel.radius)
        if kind == "paint_polygon":
            return said(kind="polygon", points=points)
        spans = self._document_at(points[0])
        return said(kind="spans", spans=spans) if spans else None

    def _document_at(self, point: Point) -> tuple[tuple[int, int, int], ...]:
        """The rows of the document at a point; none where there is none."""
        prepared, image = self._controller.prepared, self._controller.current_image
        if prepared is None or image >= len(prepared.fields):
            return ()
        labels = prepared.fields[image].labels
        column, row = math.floor(point[0]), math.floor(point[1])
        if not (0 <= row < labels.shape[0] and 0 <= column < labels.shape[1]):
            return ()
        return () if labels[row, column] < 0 else spans_of(labels == labels[row, column])

    @Slot()
    def _clear(self) -> None:
        if self._controller.session.strokes:
            self._controller.do("Clear hints", strokes=())

    # -- what is shown -----------------------------------------------------------------------

    @Slot(object, object)
    def _show(self, old: Session, new: Session) -> None:
        self._show_strokes()

    @Slot()
    def _follow_topics(self) -> None:
        if self._controller.looks != self._looks:
            self._looks = self._controller.looks
            self._window.teach.set_topics(self._looks)
            self._show_strokes()

    @Slot()
    def _show_strokes(self, *_: object) -> None:
        session, image = self._controller.session, self._controller.current_image
        shown = self._controller.shown_image
        # The chosen image may be told here before it is told to the controller.
        wanted = (session.strokes, image, self._looks, None if shown is None else shown.shape)
        if wanted == self._shown:
            return
        self._shown = wanted
        self._window.teach.show_count(len(session.strokes))
        self._window.actions_by_name["clear_hints"].setEnabled(bool(session.strokes))
        areas: list[PaintedArea] = []
        if shown is not None and session.strokes:
            colours = {look.id: look.colour for look in self._looks}
            shapes = [(0, 0)] * image + [shown.shape]
            for hint in painted(session.strokes, shapes):
                mask = np.zeros(shown.shape, np.bool_)
                mask.flat[hint.pixels] = True
                colour = colours.get(hint.topic, (160, 160, 160))
                areas.append(PaintedArea(path_of(spans_of(mask)), colour, hint.against))
        self._window.grid.set_strokes(areas)
