"""Where images show what no given topic explains, found in the background."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.progress import Progress
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.frame import UnknownPicture
from pmlda_gui.gui.jobs import Job
from pmlda_gui.gui.views.tables import FIRST_UNKNOWN
from pmlda_gui.imagery.segmentation import UNKNOWN_BELOW

if TYPE_CHECKING:
    from pmlda_gui.workspace.preparation import Prepared

__all__ = ["UnknownPictures", "unknown_picture"]


class _Place(NamedTuple):
    """What a map of the unknown depends on."""

    prepared: Prepared
    image: int
    smoothness: float


class UnknownPictures(QObject):
    """Has the map of the unknown made once for each image, and shown."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._job: Job[UnknownPicture] | None = None
        self._asked: _Place | None = None
        controller.presenter.pictures_changed.connect(self._look)

    @Slot()
    def _look(self) -> None:
        snapshot = self._controller.presenter.snapshot
        if snapshot is None or snapshot.prepared.given is None:
            return
        smoothness = self._controller.session.parameters.smoothness
        place = _Place(snapshot.prepared, snapshot.image, smoothness)
        if self._asked is not None and _same(place, self._asked):
            return
        self._asked = place
        self._job = self._controller.jobs.start(
            partial(unknown_picture, *place),
            self._controller.presenter.set_unknown,
            name="unknown",
            instead_of=self._job,
            quiet=True,
        )


def _same(first: _Place, second: _Place) -> bool:
    return first.prepared is second.prepared and first[1:] == second[1:]


def unknown_picture(
    prepared: Prepared, image: int, smoothness: float, progress: Progress
) -> UnknownPicture:
    """The job itself: levels from 1, the more the rarer; 0 outside the documents."""
    from pmlda_gui.workspace.unknown_words import unknown_of_image

    assert prepared.given is not None
    tail = unknown_of_image(prepared, image, prepared.given, smoothness)
    known = np.isfinite(tail)
    tail = np.where(known, tail, 1.0)
    usual = 1.0 + (FIRST_UNKNOWN - 2) * (1.0 - tail) / (1.0 - UNKNOWN_BELOW)
    rare = 255.0 - (255 - FIRST_UNKNOWN) * tail / UNKNOWN_BELOW
    levels = np.where(tail < UNKNOWN_BELOW, rare, usual).astype(np.uint8)
    levels[~known] = 0
    levels.setflags(write=False)
    fraction = np.count_nonzero(levels >= FIRST_UNKNOWN) / max(int(np.count_nonzero(known)), 1)
    return UnknownPicture(prepared, image, levels, float(fraction))
