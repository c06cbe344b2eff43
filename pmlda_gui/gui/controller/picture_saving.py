"""Saves or copies the picture that was clicked last, with its legend and coordinates."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.picture_file import ask_to_save_picture
from pmlda_gui.gui.saved_picture import PictureNotes, draw_picture
from pmlda_gui.gui.shown_pictures import ShownPicture
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.place_text import place_in_words

__all__ = ["PictureSaving"]

_MESSAGE_MILLISECONDS = 4000


class PictureSaving(QObject):
    """Joins the commands that copy and save a picture with what they do."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._window = window = controller.window
        actions = window.actions_by_name
        actions["copy_picture"].triggered.connect(self.copy)
        actions["save_picture"].triggered.connect(self.save)

    def drawn(self) -> tuple[str, QImage]:
        """What the picture is called, and all of it; a comparison is taken as it is seen."""
        window, presenter = self._window, self._controller.presenter
        page = window.pages.currentWidget()
        view, image = window.grid.current, presenter.image
        shown = None if view is None else presenter.picture(view.objectName())
        if page is not window.grid or view is None or shown is None or image is None:
            return "pictures", page.grab().toImage()
        overlay = window.overlay.overlay
        over: ShownPicture | None = None
        if view.objectName() == "source_view" and overlay.shown:
            over = presenter.picture(overlay.picture)
        notes = PictureNotes(_lines(image), image.pixel_size, over, overlay.opacity, image.aspect)
        return f"{Path(image.name).stem} {shown.title}", draw_picture(shown, notes)

    @Slot()
    def copy(self) -> None:
        """Put the picture on the clipboard."""
        name, picture = self.drawn()
        QApplication.clipboard().setImage(picture)
        self._window.statusBar().showMessage(
            f"The picture {name!r} is on the clipboard.", _MESSAGE_MILLISECONDS
        )

    @Slot()
    def save(self) -> None:
        """Ask where to, and write the picture there."""
        name, picture = self.drawn()
        safe = re.sub(r"[^\w. -]", "_", name)
        warn = self._window.message_bar.show_warning
        ask_to_save_picture(picture, self._window, f"{safe}.png", warn)


def _lines(image: Image) -> tuple[str, ...]:
    """The image's name and size, and where its corners lie."""
    height, width = image.shape
    lines = [f"{image.name}, {width} x {height} pixels"]
    corners = (("upper left", (0.0, 0.0)), ("lower right", (float(width), float(height))))
    if image.georeference is not None:
        lines += [
            f"{name}: {place}" for name, at in corners for place in place_in_words(image, *at)
        ]
    return tuple(lines)
