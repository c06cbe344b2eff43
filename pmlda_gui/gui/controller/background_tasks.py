"""The background job that turns the images of a session into prepared images.

Pure functions on values: they run on a job's thread and know no widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage, QPainterPath

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.display import Display, to_levels, to_rgb
from pmlda_gui.imagery.histogram import SourceHistogram, source_histogram
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import ReadOptions, open_image, require_opened
from pmlda_gui.imagery.readers.options import require_together
from pmlda_gui.imagery.survey_gain import with_gain_of_survey
from pmlda_gui.workspace.label_maps import label_maps_for
from pmlda_gui.workspace.preparation import (
    DocumentChoice,
    FeatureChoice,
    Prepared,
    prepare,
    suggest_choices,
)
from pmlda_gui.workspace.replay import open_entries
from pmlda_gui.workspace.session import ImageEntry, Session

__all__ = [
    "Opened",
    "SourcePicture",
    "load_entries",
    "open_paths",
    "outline_path",
    "prepare_session",
    "source_picture",
    "thumbnail",
]

THUMBNAIL = 96
# How many times as long as broad a thumbnail may be.
_LONGEST_THUMBNAIL = 3
# Of the work of opening and preparing, the share that goes to reading files.
_READING_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Opened:
    """Entries in order, with their images.

    `choices` are what fits the images of files just read; `refused` are sentences about
    those that could not be.
    """

    entries: tuple[ImageEntry, ...]
    images: Mapping[ImageEntry, Image]
    choices: tuple[FeatureChoice, DocumentChoice] | None = None
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SourcePicture:
    """The levels of an image, (height, width) with 0 for no data, or its colours
    (height, width, 4), and the histogram of its values."""

    image: Image
    display: Display
    picture: NDArray[np.uint8]
    histogram: SourceHistogram


def open_paths(paths: Sequence[Path], options: ReadOptions, progress: Progress) -> Opened:
    """Read files, and the imagery in folders, and take their digests.

    Files that cannot be read are left out, unless none can.
    """
    from pmlda_gui.imagery.readers.folders import imagery_files

    refused: list[PmldaError] = []
    files = imagery_files(paths, refused)
    entries: list[ImageEntry] = []
    images: dict[ImageEntry, Image] = {}
    pixels = 0
    for number, path in enumerate(files):
        part = progress.part(number / len(files), (number + 1) / len(files), f"Opening {path.name}")
        try:
            image = open_image(path, options, part)
            pixels += image.valid.size
            require_together(path.name, pixels, options)
            entry = ImageEntry.of_file(path.resolve(), options, part)
        except Cancelled:
            raise
        except PmldaError as error:
            refused.append(error)
            continue
        entries.append(entry)
        images[entry] = image
    require_opened(entries, refused)
    images = _with_even_gain(images)
    choices = suggest_choices(list(images.values()), progress.unheard())
    return Opened(tuple(entries), images, choices, tuple(map(str, refused)))


def load_entries(
    entries: Sequence[ImageEntry],
    known: Mapping[ImageEntry, Image],
    progress: Progress,
) -> Opened:
    """The images of some entries; those already known are not read again."""
    images: dict[ImageEntry, Image] = {}
    for number, entry in enumerate(entries):
        if entry in known:
            images[entry] = known[entry]
        else:
            progress.report(number / len(entries), f"Opening {entry.name}")
            (images[entry],) = open_entries([entry], progress)
    return Opened(tuple(entries), _with_even_gain(images))


def _with_even_gain(images: Mapping[ImageEntry, Image]) -> dict[ImageEntry, Image]:
    """The images, with the gain of recordings measured in all of them."""
    return dict(zip(images, with_gain_of_survey(list(images.values())), strict=True))


def prepare_session(
    session: Session,
    known: Mapping[ImageEntry, Image],
    previous: Prepared | None,
    progress: Progress,
) -> tuple[Opened, Prepared]:
    """Everything a chain on this session needs; what has not changed is taken over."""
    making = progress.part(_READING_SHARE, 1.0)
    opened = load_entries(session.images, known, progress.part(0.0, _READING_SHARE))
    images = [opened.images[entry] for entry in session.images]
    maps = label_maps_for(session, images, making)
    prepared = prepare(
        images,
        session.features,
        session.documents,
        maps,
        session.seed,
        previous,
        Progress(
            lambda fraction, text: making.tell(fraction, f"Making {text}"), making.is_cancelled
        ),
        session.given,
    )
    return opened, prepared


def source_picture(image: Image, display: Display, progress: Progress) -> SourcePicture:
    """An image as it is shown, without its outlines."""
    levels = to_levels(image, display)
    if image.is_colour:
        alpha = np.where(image.valid, np.uint8(255), np.uint8(0))
        levels = np.dstack([levels, alpha])
    else:
        # As in the maps, level 0 is left to the pixels without data.
        levels = np.where(image.valid, np.maximum(levels, np.uint8(1)), np.uint8(0))
    levels.setflags(write=False)
    return SourcePicture(image, display, levels, source_histogram(image, display))


def outline_path(
    prepared: Prepared, number: int, progress: Progress
) -> tuple[Prepared, int, QPainterPath]:
    """The outlines of one image's documents, with what they belong to."""
    import pyqtgraph as pg

    ends = prepared.documents[number].outline_segments().reshape(-1, 2).astype(np.float64)
    return prepared, number, pg.arrayToQPath(ends[:, 0], ends[:, 1], connect="pairs")


def thumbnail(image: Image, display: Display) -> QImage:
    """A small picture for lists; of a long strip only the middle, or it would be a thread."""
    longest = _LONGEST_THUMBNAIL * min(image.shape)
    stride = max(1, min(max(image.shape), longest) // (2 * THUMBNAIL))
    rows, columns = (
        slice((side - min(side, longest)) // 2, (side + min(side, longest)) // 2, stride)
        for side in image.shape
    )
    small = Image(
        np.ascontiguousarray(image.pixels[rows, columns]),
        np.ascontiguousarray(image.valid[rows, columns]),
    )
    colours = np.ascontiguousarray(to_rgb(small, display))
    height, width = small.shape
    picture = QImage(colours.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return picture.copy()
