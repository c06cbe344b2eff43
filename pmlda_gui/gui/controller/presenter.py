"""Puts frames and pictures into the views, in order and with their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, QRectF, Signal, Slot
from PySide6.QtGui import QPainterPath

from pmlda_gui.gui.controller.background_tasks import SourcePicture
from pmlda_gui.gui.controller.pixel_readout import read_pixel
from pmlda_gui.gui.frame import Snapshot, UnknownPicture
from pmlda_gui.gui.main_window import MainWindow
from pmlda_gui.gui.shown_pictures import ShownPicture, shown_picture
from pmlda_gui.gui.view_request import default_topic
from pmlda_gui.gui.views.tables import source_table
from pmlda_gui.imagery.image import Image
from pmlda_gui.workspace.session import OutlineLook

__all__ = ["PICTURES", "Presenter", "occupied"]

PICTURES = ("source", "memberships", "composite", "uncertainty", "labels", "unknown")


def occupied(image: Image) -> QRectF:
    """The rectangle of pixels around everything valid; the whole image if nothing is."""
    rows, columns = (np.flatnonzero(image.valid.any(axis=axis)) for axis in (1, 0))
    if rows.size == 0:
        return QRectF(0, 0, image.shape[1], image.shape[0])
    left, top = int(columns[0]), int(rows[0])
    return QRectF(left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)


class Presenter(QObject):
    """Shows one image and the newest snapshot of it.

    `pictures_changed` tells that there is something else to see.
    """

    pictures_changed = Signal()
    DEFAULT_PICTURES = ("source", "memberships", "composite", "uncertainty")

    def __init__(self, window: MainWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._grid = window.grid
        self._source: SourcePicture | None = None
        self.snapshot: Snapshot | None = None
        self._unknown: UnknownPicture | None = None
        self._topics = 0
        self._chosen: tuple[str, ...] = self.DEFAULT_PICTURES
        self._cursor: tuple[float, float] | None = None
        self._grid.view("source_view").set_title("Source image")
        self._grid.view("composite_view").set_title("Composite")
        self._grid.view("uncertainty_view").set_title("Uncertainty")
        self._grid.view("labels_view").set_title("Crisp labels")
        self._grid.view("unknown_view").set_title("Unknown")
        self._grid.cursor_moved.connect(self._point)
        self._grid.enlarged_changed.connect(self._place_scale_bars)
        self._arrange()

    # -- what to show ------------------------------------------------------------------------

    def choose(self, pictures: tuple[str, ...]) -> None:
        """Which kinds of pictures are shown."""
        if pictures != self._chosen:
            self._chosen = pictures
            self._arrange()
            self._fill()

    def set_topics_expected(self, topics: int) -> None:
        """Make room for the maps of so many topics before there are any."""
        if self.snapshot is None and topics != self._topics:
            self._topics = topics
            self._arrange()

    def set_source(self, source: SourcePicture) -> None:
        """Show an image; maps of another one are taken away."""
        image = source.image
        other = self._source is None or self._source.image is not image
        self._source = source
        self._window.display.set_histogram(source.histogram)
        view = self._grid.view("source_view")
        table = None if image.is_colour else source_table(source.display.colours)
        view.set_picture(source.picture, table)
        view.set_title(image.name if image.source is not None else "Source image")
        if other:
            self._grid.set_pixel_size(image.pixel_size, image.pixel_height)
            self._grid.set_home(occupied(image))
            shown = self.snapshot
            # Maps may be quicker than the image they belong to; only those of others go.
            if shown is not None and shown.prepared.images[shown.image] is not image:
                self.forget()
            self._grid.fit()
        self.pictures_changed.emit()

    @property
    def source(self) -> ShownPicture | None:
        """The source image as it is shown."""
        if self._source is None:
            return None
        image, display = self._source.image, self._source.display
        table = None if image.is_colour else source_table(display.colours)
        return ShownPicture(image.name or "Source image", self._source.picture, table)

    @property
    def image(self) -> Image | None:
        """The image that is shown."""
        return None if self._source is None else self._source.image

    def picture(self, name: str) -> ShownPicture | None:
        """What the view of that name shows; None while there is nothing."""
        if name == "source_view":
            return self.source
        return None if self.snapshot is None else shown_picture(self.snapshot, name)

    def set_outlines(self, path: QPainterPath | None, look: OutlineLook) -> None:
        """Draw the documents' outlines over the source image."""
        shown = path if path is not None and look.shown else QPainterPath()
        self._grid.view("source_view").set_outlines(shown, look.colour, look.opacity)

    def show(self, snapshot: Snapshot) -> None:
        """Show the maps of a snapshot."""
        before, self.snapshot = self.snapshot, self._with_unknown(snapshot)
        if len(snapshot.topics) != self._topics:
            self._topics = len(snapshot.topics)
            self._arrange()
        if before is None or _look_of(before) != _look_of(self.snapshot):
            self._fill()
        if self._cursor is not None:
            self._read()

    def set_unknown(self, unknown: UnknownPicture) -> None:
        """Show where an image has what none of the given topics explains."""
        self._unknown = unknown
        if self.snapshot is not None:
            self.show(self.snapshot)

    def _with_unknown(self, snapshot: Snapshot) -> Snapshot:
        found = self._unknown
        if found is None or found.prepared is not snapshot.prepared:
            return snapshot
        return replace(snapshot, unknown=found) if found.image == snapshot.image else snapshot

    def forget(self) -> None:
        """Take the maps away: they belong to something else."""
        self.snapshot = None
        for view in self._grid.views:
            if view.objectName() != "source_view":
                view.clear()
                view.set_key(None)
                view.set_caption("")
        self.pictures_changed.emit()

    def _arrange(self) -> None:
        names: Mapping[str, list[str]] = {
            "source": ["source_view"],
            "memberships": [f"membership_view_{number}" for number in range(self._topics)],
            "composite": ["composite_view"],
            "uncertainty": ["uncertainty_view"],
            "labels": ["labels_view"],
            "unknown": ["unknown_view"],
        }
        if self.snapshot is None:
            for number, name in enumerate(names["memberships"]):
                expected = default_topic(number)
                self._grid.view(name).set_title(expected.name, expected.colour)
        self._grid.set_shown([name for kind in self._chosen for name in names[kind]])
        self._place_scale_bars()

    @Slot()
    def _place_scale_bars(self) -> None:
        """One bar says it for all linked views of a window: in the first that can be seen."""
        first = self._grid.visible_views[:1]
        for view in self._grid.views:
            alone = view.objectName() in self._grid.away
            view.set_scale_bar_shown(view in first or alone)
        self._fill()

    def _fill(self) -> None:
        """Blit what can be seen."""
        snapshot = self.snapshot
        if snapshot is None:
            return
        for view in self._grid.visible_views:
            shown = shown_picture(snapshot, view.objectName())
            if shown is not None:
                view.set_title(shown.title, shown.colour)
                view.set_key(shown.key)
                view.set_caption(shown.caption)
                view.set_picture(shown.picture, shown.table)
        self.pictures_changed.emit()

    # -- the cursor --------------------------------------------------------------------------

    @Slot(object)
    def _point(self, position: tuple[float, float] | None) -> None:
        self._cursor = position
        self._read()

    def _read(self) -> None:
        reading = None
        if self._source is not None and self._cursor is not None:
            reading = read_pixel(self._source.image, self.snapshot, self._cursor)
        self._window.readout.set_reading(reading)
        self._window.explain.set_learned(None if reading is None else reading.scaling)


def _look_of(snapshot: Snapshot) -> tuple[object, ...]:
    """What the views show of a snapshot; frames that differ only in figures have the same."""
    unknown = None if snapshot.unknown is None else id(snapshot.unknown.levels)
    return id(snapshot.pictures), snapshot.topics, snapshot.deviation_known, unknown
