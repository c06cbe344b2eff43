"""The image itself and the outlines of its documents, painted in the background."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QPainterPath

from pmlda_gui.gui.controller import background_tasks
from pmlda_gui.gui.jobs import Job

if TYPE_CHECKING:
    from pmlda_gui.gui.controller.controller import Controller
    from pmlda_gui.workspace.preparation import Prepared

__all__ = ["SourcePictures"]

Outlines = tuple["Prepared", int, QPainterPath]


class SourcePictures(QObject):
    """Shows what does not depend on the chain; of several paintings the newest counts."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._source_job: Job[background_tasks.SourcePicture] | None = None
        self._outlines_job: Job[Outlines] | None = None
        self._outlines: Outlines | None = None

    def show_source(self) -> None:
        """Show the image that is looked at, or the welcome page if there is none."""
        controller = self._controller
        window, image = controller.window, controller.shown_image
        window.show_page(window.grid if controller.session.images else window.welcome)
        controller.presenter.set_topics_expected(controller.session.parameters.topics)
        if image is not None:
            self._source_job = controller.jobs.start(
                partial(background_tasks.source_picture, image, controller.session.display),
                controller.presenter.set_source,
                name="source",
                instead_of=self._source_job,
                quiet=True,
            )

    def show_outlines(self) -> None:
        """Draw the outlines of the documents over it, if they are wanted."""
        controller = self._controller
        look, prepared = controller.session.outlines, controller.prepared
        if prepared is None or not look.shown:
            controller.presenter.set_outlines(None, look)
        elif self._outlines is not None and self._outlines[:2] == (
            prepared,
            controller.current_image,
        ):
            controller.presenter.set_outlines(self._outlines[2], look)
        else:
            self._outlines_job = controller.jobs.start(
                partial(background_tasks.outline_path, prepared, controller.current_image),
                self._take_outlines,
                name="outlines",
                instead_of=self._outlines_job,
                quiet=True,
            )

    def _take_outlines(self, outlines: Outlines) -> None:
        # Others may be wanted meanwhile, which `show_outlines` then has drawn.
        self._outlines = outlines
        self.show_outlines()
