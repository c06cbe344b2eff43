"""Joins drawing on the pictures, the session's shapes, and what the map says about them."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QRectF, Slot

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.gui.actions import TOOL_COMMANDS
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.view_request import ShownTopic, arrange
from pmlda_gui.gui.views.drawing import TOOLS
from pmlda_gui.gui.views.shape_layer import DrawnShape
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.shapes import Kind, Point, Shape, next_id, next_name

if TYPE_CHECKING:
    from pmlda_gui.workspace.analysis.answers import Answer
    from pmlda_gui.workspace.run import Run

__all__ = ["Analysing", "Answered"]

# While the chain runs, the chosen shape is looked at again no sooner than this, and never for
# more than this share of the time.
_AGAIN_SECONDS, _SHARE = 1.0, 0.1
_MARGIN = 0.15


class Answered(NamedTuple):
    """What was found about a shape, or a sentence; the topics as shown, and the seconds taken."""

    number: int
    answer: Answer | str
    topics: tuple[ShownTopic, ...]
    seconds: float


class Analysing(QObject):
    """Keeps what is drawn in the session, and shows what the map says about the chosen shape."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        self._drawing = window.grid.drawing
        self._feature: str | None = None
        self._waiting = False
        self._due = 0.0
        self._asked: tuple[object, ...] = ()
        self._known: tuple[Shape, ...] | None = None
        self.answered: Answered | None = None
        for tool, name in TOOL_COMMANDS.items():
            action = window.actions_by_name[name]
            action.setToolTip(f"{TOOLS[tool].help} ({action.shortcut().toString()})")
            action.triggered.connect(partial(self._take_up, tool))
        self._drawing.tool_changed.connect(self._show_tool)
        self._drawing.finished.connect(self._add)
        panel = window.analysis
        panel.chosen_changed.connect(self._choose)
        panel.show_requested.connect(self._zoom_to)
        panel.remove_requested.connect(self._remove)
        panel.renamed.connect(self._rename)
        panel.feature_chosen.connect(self._choose_feature)
        controller.changed.connect(self._show)
        controller.ticked.connect(self._look)
        window.images.current_changed.connect(self._show_shapes)

    # -- tools -------------------------------------------------------------------------------

    def _take_up(self, tool: str) -> None:
        wanted = self._window.actions_by_name[TOOL_COMMANDS[tool]].isChecked()
        self._drawing.take_up(tool if wanted else "")
        view = self._window.grid.current
        if wanted and view is not None:
            view.setFocus()

    @Slot(str)
    def _show_tool(self, tool: str) -> None:
        for name, command in TOOL_COMMANDS.items():
            self._window.actions_by_name.check(command, name == tool)
        bar = self._window.statusBar()
        if tool:
            bar.showMessage(f"{TOOLS[tool].help}. Esc lays the tool down.")
        else:
            bar.clearMessage()

    # -- shapes ------------------------------------------------------------------------------

    @property
    def _shapes(self) -> tuple[Shape, ...]:
        return self._controller.session.shapes

    def _shape(self, number: int) -> Shape | None:
        return next((shape for shape in self._shapes if shape.id == number), None)

    @Slot(str, object)
    def _add(self, kind: Kind, points: tuple[Point, ...]) -> None:
        if not self._controller.session.images:
            return
        shapes = self._shapes
        name = next_name(shapes, kind)
        try:
            shape = Shape(next_id(shapes), kind, name, self._controller.current_image, points)
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            return
        self._controller.do(f"Draw {name}", shapes=(*shapes, shape))
        self._window.analysis.choose(shape.id)
        self._window.docks["analysis"].show()
        self._window.docks["analysis"].raise_()

    @Slot(int)
    def _remove(self, number: int) -> None:
        shape = self._shape(number)
        if shape is not None:
            left = tuple(each for each in self._shapes if each.id != number)
            self._controller.do(f"Delete {shape.name}", shapes=left)

    @Slot(int, str)
    def _rename(self, number: int, name: str) -> None:
        try:
            renamed = tuple(
                replace(each, name=name) if each.id == number else each for each in self._shapes
            )
        except PmldaError as error:
            self._controller.error_raised.emit(error)
            self._known = None
            self._show(self._controller.session, self._controller.session)
            return
        self._controller.do(f"Rename to {name}", shapes=renamed)

    @Slot(int)
    def _zoom_to(self, number: int) -> None:
        shape = self._shape(number)
        if shape is None:
            return
        self._controller.show_image(shape.image)
        x, y = zip(*shape.points, strict=True)
        area = QRectF(min(x), min(y), max(x) - min(x), max(y) - min(y))
        wider = max(_MARGIN * max(area.width(), area.height()), 10.0)
        area.adjust(-wider, -wider, wider, wider)
        for view in self._window.grid.views:
            view.set_range(area)

    @Slot(object, object)
    def _show(self, _old: Session, new: Session) -> None:
        if new.shapes != self._known:
            self._known = new.shapes
            self._window.analysis.set_shapes(new.shapes)
        self._window.actions_by_name["export_shapes"].setEnabled(
            bool(new.shapes) and self._controller.chain.exists
        )
        self._show_shapes()
        self._look_now()

    @Slot()
    def _show_shapes(self) -> None:
        chosen = self._window.analysis.chosen
        here = [each for each in self._shapes if each.image == self._controller.current_image]
        self._window.grid.set_shapes(
            [
                DrawnShape(each.points, each.kind == "region", each.name, each.id == chosen)
                for each in here
            ]
        )

    @Slot(int)
    def _choose(self, number: int) -> None:
        shape = self._shape(number)
        if shape is not None:
            self._controller.show_image(shape.image)
        self._show_shapes()
        self._look_now()

    @Slot(str)
    def _choose_feature(self, name: str) -> None:
        self._feature = name
        self._look_now()

    # -- answers -----------------------------------------------------------------------------

    def _look_now(self) -> None:
        self._due, self._asked = 0.0, ()
        self._look()

    @Slot()
    def _look(self) -> None:
        """Ask about the chosen shape, if its answer may be another by now."""
        panel, controller = self._window.analysis, self._controller
        shape, snapshot = self._shape(panel.chosen), controller.presenter.snapshot
        ready = controller.chain.exists and snapshot is not None and panel.isVisible()
        if shape is None or not ready or self._waiting or time.monotonic() < self._due:
            return
        assert snapshot is not None
        names = snapshot.prepared.feature_names
        panel.set_features(names)
        feature = self._feature if self._feature in names else None
        asked = (shape, feature, snapshot.topics, snapshot.figures.sweep, id(snapshot.prepared))
        if asked == self._asked:
            return
        self._asked, self._waiting = asked, True
        question = partial(_answered, shape, controller.session.topics, feature)
        controller.chain.ask(question, self._take_answer, self._take_failure)

    def _take_failure(self, error: Exception) -> None:
        self._waiting = False
        # A run that was closed has no answer, and nobody misses it.
        if not isinstance(error, Cancelled):
            self._controller.error_raised.emit(error)

    def _take_answer(self, found: Answered) -> None:
        self._waiting = False
        self._due = time.monotonic() + max(_AGAIN_SECONDS, found.seconds / _SHARE)
        self.answered = found
        self._window.analysis.set_answer(found.number, found.answer, found.topics)
        if found.number != self._window.analysis.chosen:
            self._look_now()


def _answered(
    shape: Shape, looks: tuple[TopicLook, ...], feature: str | None, run: Run
) -> Answered:
    """Ask a run about a shape, on the run's thread."""
    from pmlda_gui.workspace.analysis.answers import answer_of

    began = time.perf_counter()
    topics = arrange(run.topic_ids, looks)
    answer: Answer | str
    try:
        answer = answer_of(run, shape, [topic.members for topic in topics], feature)
    except PmldaError as error:
        answer = str(error)
    return Answered(shape.id, answer, topics, time.perf_counter() - began)
