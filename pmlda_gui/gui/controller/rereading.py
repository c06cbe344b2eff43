"""Files that are open, read again with other options or another bottom track, undoably."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.gui.controller.background_tasks import Opened, load_entries
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.file_progress import FileProgress
from pmlda_gui.gui.dialogs.bottom_track import BottomTrackDialog, Points
from pmlda_gui.gui.dialogs.open_options import OpenOptionsDialog
from pmlda_gui.gui.jobs import Cancel, Progress
from pmlda_gui.imagery.display import Display, to_levels
from pmlda_gui.imagery.readers.options import Probe, ReadOptions
from pmlda_gui.workspace.session import ImageEntry

__all__ = ["Rereading", "Waterfall", "waterfall_of"]

_NO_FILE = "The image shown is no file, so there is nothing to read again."
_NO_RECORDING = "The image shown is no side-scan recording, so it has no bottom track."


@dataclass(frozen=True, eq=False)
class Waterfall:
    """A recording as recorded: levels, the column of the track, the track found, bad pings."""

    entry: ImageEntry
    levels: NDArray[np.uint8]
    port: int
    track: NDArray[np.float64] | None
    bad: NDArray[np.bool_]


class Rereading(QObject):
    """The commands that change how the image shown is read."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        actions = controller.window.actions_by_name
        actions["reading_options"].triggered.connect(self._ask_for_options)
        actions["bottom_track"].triggered.connect(self._ask_for_track)

    @Slot()
    def _ask_for_options(self) -> None:
        entry = self._shown(_NO_FILE)
        if entry is not None:
            self._controller.jobs.start(
                partial(_probed, entry), partial(self._choose_options, entry), name="probe"
            )

    def _choose_options(self, entry: ImageEntry, probe: Probe) -> None:
        dialog = OpenOptionsDialog(probe, self._controller.window, entry.options)
        dialog.accepted.connect(lambda: self.read_again(entry, dialog.options))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot()
    def _ask_for_track(self) -> None:
        image = self._controller.shown_image
        entry = self._shown(_NO_RECORDING)
        if entry is None:
            return
        if image is None or image.swath is None:
            self._controller.window.message_bar.show_note(_NO_RECORDING)
            return
        job = self._controller.jobs.start(
            partial(waterfall_of, entry), self._show_track, name="waterfall"
        )
        FileProgress(self._controller, job, "Opening")

    def _show_track(self, found: Waterfall) -> None:
        entry = found.entry
        dialog = BottomTrackDialog(
            entry.name,
            found.levels,
            found.port,
            found.track,
            found.bad,
            in_rows(entry.options.bottom_track, entry.options.reduce),
            self._controller.window,
        )
        dialog.accepted.connect(
            lambda: self.read_again(
                entry,
                replace(
                    entry.options, bottom_track=as_recorded(dialog.points, entry.options.reduce)
                ),
                f"Correct the bottom track of {entry.name}",
            )
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def read_again(self, entry: ImageEntry, options: ReadOptions, text: str = "") -> None:
        """Read an open file with other options; the session changes once that has succeeded."""
        if options == entry.options:
            return
        changed = replace(entry, options=options)
        job = self._controller.jobs.start(
            partial(load_entries, [changed], {}),
            partial(self._take, entry, changed, text or f"Read {entry.name} with other options"),
            name="open",
        )
        FileProgress(self._controller, job, "Opening")

    def _take(self, entry: ImageEntry, changed: ImageEntry, text: str, opened: Opened) -> None:
        controller = self._controller
        present = controller.session.images
        # It may have been removed meanwhile, or be open with these options already.
        if entry in present and changed not in present:
            controller.images.update(opened.images)
            images = tuple(changed if each == entry else each for each in present)
            controller.do(text, images=images)

    def _shown(self, complaint: str) -> ImageEntry | None:
        """The entry of the image shown, if it is a file; else that is said."""
        images, number = self._controller.session.images, self._controller.current_image
        if 0 <= number < len(images) and images[number].path is not None:
            return images[number]
        self._controller.window.message_bar.show_note(complaint)
        return None


def in_rows(points: Points, reduction: int) -> Points:
    """Points (ping, sample) as recorded, in rows and columns that were reduced."""
    return tuple((ping / reduction, sample / reduction) for ping, sample in points)


def as_recorded(points: Points, reduction: int) -> Points:
    """Points in reduced rows and columns, as recorded."""
    return tuple((ping * reduction, sample * reduction) for ping, sample in points)


def _probed(entry: ImageEntry, progress: Progress, cancel: Cancel) -> Probe:
    from pmlda_gui.imagery.readers import probe

    assert entry.path is not None
    return probe(entry.path, cancel)


def waterfall_of(entry: ImageEntry, progress: Progress, cancel: Cancel) -> Waterfall:
    """Read a recording without corrections, with the bottom track found in it."""
    from pmlda_gui.imagery.geometry import bad_pings
    from pmlda_gui.imagery.readers import open_image

    assert entry.path is not None
    options = replace(
        entry.options,
        mask_water_column=False,
        correct_slant_range=False,
        square_pixels=False,
        normalise_gain=True,
        gain_table=None,
        bottom_track=(),
    )
    image = open_image(
        entry.path, options, lambda share: progress(share, f"Opening {entry.name}"), cancel
    )
    swath = image.swath
    if swath is None:
        raise PmldaError(_NO_RECORDING)
    # With its gain evened out, water would be as bright as the bottom.
    shown = replace(image, pixels=swath.recorded)
    known = not np.isnan(swath.heights).all()
    bad = np.zeros(len(swath.heights), dtype=np.bool_)
    if swath.geometry is not None:
        bad = np.any(list(bad_pings(swath.geometry).values()), axis=0)
    return Waterfall(
        entry,
        to_levels(shown, Display()),
        swath.port,
        swath.heights / swath.cell if known else None,
        bad,
    )
