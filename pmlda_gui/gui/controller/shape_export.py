"""Writes what was drawn, and what the map says about it, as CSV, picture or GeoPackage."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.analysing import Analysing, Answered
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.shapes import Shape
from pmlda_gui.workspace.shown_topics import arrange

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["ShapeExport"]

_MESSAGE_MILLISECONDS = 5000
_CSV, _PICTURE = "CSV (*.csv)", "Picture (*.png)"
_PACKAGE = "GeoPackage of all that is drawn on this image (*.gpkg)"
_PICTURE_SCALE = 3.0


class ShapeExport(QObject):
    """Joins the commands that export shapes with what they do."""

    def __init__(self, controller: Controller, analysing: Analysing) -> None:
        super().__init__(controller)
        self._controller = controller
        self._analysing = analysing
        self._window = window = controller.window
        window.analysis.export_requested.connect(self._export_one)
        window.actions_by_name["export_shapes"].triggered.connect(self._export_all)

    @Slot(int)
    def _export_one(self, number: int) -> None:
        """Ask where to, and write the chosen shape; the ending says as what."""
        found = self._analysing.answered
        shapes = self._controller.session.shapes
        shape = next((each for each in shapes if each.id == number), None)
        if shape is None or found is None or found.number != number:
            return
        kinds = [_CSV, _PACKAGE] if shape.kind == "measurement" else [_CSV, _PICTURE, _PACKAGE]
        path = self._asked(f"Export {shape.name}", shape.name, kinds)
        if path is None:
            return
        if path.suffix == ".gpkg":
            self._write_package(path)
        elif path.suffix == ".png":
            self._write_picture(path)
        else:
            self._write(path, partial(_table, shape, found))

    @Slot()
    def _export_all(self) -> None:
        """Ask where to, and write all that is drawn on the shown image."""
        path = self._asked("Export all that is drawn", "drawn", [_PACKAGE])
        if path is not None:
            self._write_package(path)

    def _asked(self, title: str, name: str, kinds: list[str]) -> Path | None:
        safe = re.sub(r"[^\w. -]", "_", name)
        ending = _ending(kinds[0])
        chosen, kind = QFileDialog.getSaveFileName(
            self._window, title, f"{safe}{ending}", ";;".join(kinds)
        )
        if not chosen:
            return None
        path = Path(chosen)
        known = {_ending(each) for each in kinds}
        return (
            path if path.suffix in known else path.with_name(path.name + _ending(kind or kinds[0]))
        )

    def _write_package(self, path: Path) -> None:
        session, image = self._controller.session, self._controller.current_image
        shapes = tuple(shape for shape in session.shapes if shape.image == image)
        question = partial(_package, path, shapes, session.topics, image)
        self._controller.chain.ask(question, self._tell_written, self._tell_failed)

    def _write_picture(self, path: Path) -> None:
        page = self._window.analysis.pages.currentWidget()
        picture = page.grab()
        larger = picture.toImage().scaledToWidth(round(_PICTURE_SCALE * picture.width()))
        if larger.save(str(path)):
            self._tell_written(path)
        else:
            self._tell_failed(
                PmldaError(f"The picture could not be written to {path}: choose another folder.")
            )

    def _write(self, path: Path, content: partial[bytes]) -> None:
        from pmlda_gui.workspace.export.atomic import write_whole

        try:
            self._tell_written(write_whole(path, content()))
        except PmldaError as error:
            self._tell_failed(error)

    def _tell_written(self, path: Path) -> None:
        self._window.statusBar().showMessage(f"Wrote {path.name}.", _MESSAGE_MILLISECONDS)

    def _tell_failed(self, error: Exception) -> None:
        self._controller.error_raised.emit(error)


def _ending(kind: str) -> str:
    """The ending that a kind of file in a file dialog has."""
    return kind[kind.index("*") + 1 : kind.index(")")]


def _table(shape: Shape, found: Answered) -> bytes:
    """The CSV of one answer."""
    from pmlda_gui.workspace.analysis.ground import Measured
    from pmlda_gui.workspace.analysis.profile import Profile
    from pmlda_gui.workspace.analysis.region import RegionReport
    from pmlda_gui.workspace.analysis.tables import (
        measurement_table,
        profile_table,
        region_table,
        transition_table,
    )

    names, answer = [topic.name for topic in found.topics], found.answer
    if isinstance(answer, Profile):
        return profile_table(answer, names) + b"\n" + transition_table([answer], names)
    if isinstance(answer, RegionReport):
        return region_table([answer], names)
    if isinstance(answer, Measured):
        return measurement_table([(shape, answer)])
    raise PmldaError(str(answer))


def _package(
    path: Path, shapes: tuple[Shape, ...], looks: tuple[TopicLook, ...], image: int, run: Run
) -> Path:
    """Write the GeoPackage of the shapes on one image, on the run's thread."""
    from pmlda_gui.workspace.analysis.answers import answers_of
    from pmlda_gui.workspace.export.atomic import write_whole
    from pmlda_gui.workspace.export.shape_layers import shapes_package

    topics = arrange(run.topic_ids, looks)
    answers = answers_of(run, shapes, [topic.members for topic in topics])
    if not answers.any:
        raise PmldaError("Nothing that the map can answer is drawn on this image: draw a profile.")
    names = [topic.name for topic in topics]
    return write_whole(path, shapes_package(run.prepared.images[image], answers, names))
