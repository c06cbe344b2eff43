"""Imports hints from files and exports them: GeoPackages and label rasters."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.strokes import Stroke

if TYPE_CHECKING:
    from pmlda_gui.workspace.run import Run

__all__ = ["HintExchange"]

_MESSAGE_MILLISECONDS = 5000
_PACKAGE, _RASTER = "GeoPackage (*.gpkg)", "Label raster (*.png)"
_READABLE = "Hints (*.gpkg *.png *.tif *.tiff *.npy *.mat);;All files (*)"


class HintExchange(QObject):
    """Joins the commands for files of hints with what they do."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        window.actions_by_name["import_hints"].triggered.connect(self._import)
        window.actions_by_name["export_hints"].triggered.connect(self._export)
        controller.changed.connect(self._show)
        self._show(controller.session, controller.session)

    @Slot(object, object)
    def _show(self, old: Session, new: Session) -> None:
        actions = self._window.actions_by_name
        actions["import_hints"].setEnabled(bool(new.images))
        actions["export_hints"].setEnabled(bool(new.strokes))

    @Slot()
    def _import(self) -> None:
        """Ask for a file, and add what it says to what is painted."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Import hints", "", _READABLE)
        if not name:
            return
        looks = self._controller.looks
        if not looks:
            self._fail(PmldaError("There are no topics yet: wait for the first map, or press Run."))
            return
        question = partial(_read, Path(name), looks)
        self._controller.chain.ask(question, self._take, self._fail)

    def _take(self, found: tuple[tuple[Stroke, ...], tuple[TopicLook, ...]]) -> None:
        """Add the strokes that were read, and the names of topics that had none."""
        strokes, looks = found
        session = self._controller.session
        try:
            known = {look.id for look in looks}
            others = tuple(look for look in session.topics if look.id not in known)
            self._controller.do(
                "Import hints", strokes=(*session.strokes, *strokes), topics=(*looks, *others)
            )
        except PmldaError as error:
            self._fail(error)
            return
        many = "1 hint" if len(strokes) == 1 else f"{len(strokes)} hints"
        self._tell(f"Imported {many}.")

    @Slot()
    def _export(self) -> None:
        """Ask where to, and write what is painted on the shown image."""
        chosen, kind = QFileDialog.getSaveFileName(
            self._window, "Export hints", "hints.gpkg", f"{_PACKAGE};;{_RASTER}"
        )
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix not in (".gpkg", ".png"):
            path = path.with_name(path.name + (".png" if kind == _RASTER else ".gpkg"))
        controller = self._controller
        question = partial(
            _write, path, controller.session.strokes, controller.looks, controller.current_image
        )
        controller.chain.ask(question, self._tell_written, self._fail)

    def _tell_written(self, path: Path) -> None:
        self._tell(f"Wrote {path.name}.")

    def _tell(self, text: str) -> None:
        self._window.statusBar().showMessage(text, _MESSAGE_MILLISECONDS)

    def _fail(self, error: Exception) -> None:
        self._controller.error_raised.emit(error)


def _read(
    path: Path, looks: tuple[TopicLook, ...], run: Run
) -> tuple[tuple[Stroke, ...], tuple[TopicLook, ...]]:
    """The strokes in a file, on the run's thread, and the looks of the topics they are for.

    Names that no topic has are given to topics that have none of their own, where they lie.
    """
    from pmlda_gui.workspace.hint_files import read_hints
    from pmlda_gui.workspace.strokes import painted
    from pmlda_gui.workspace.topic_naming import topics_for_names

    images = run.prepared.images
    read = read_hints(path, images, [look.name for look in looks])
    hints = painted(read.strokes, [image.shape for image in images])
    named = topics_for_names(read.names, looks, hints, run)
    return read.numbered([look.id for look in named]), tuple(
        next((new for new in named if new.id == look.id), look) for look in looks
    )


def _write(
    path: Path,
    strokes: tuple[Stroke, ...],
    looks: tuple[TopicLook, ...],
    number: int,
    run: Run,
) -> Path:
    """Write the hints on one image; the ending says as what."""
    from pmlda_gui.workspace.export.atomic import write_whole
    from pmlda_gui.workspace.hint_files import hints_package, raster_bytes
    from pmlda_gui.workspace.strokes import painted

    images = run.prepared.images
    hints = [
        each for each in painted(strokes, [image.shape for image in images]) if each.image == number
    ]
    if not hints:
        raise PmldaError("Nothing is painted on this image: paint on it, or choose another.")
    if path.suffix == ".png":
        places = {look.id: place for place, look in enumerate(looks)}
        return write_whole(path, raster_bytes(images[number], hints, places))
    names = {look.id: look.name for look in looks}
    return write_whole(path, hints_package(images[number], hints, names))
