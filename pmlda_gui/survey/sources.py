"""The files of a survey as workers read them: by rectangle, or whole and then cut."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers import ReadOptions, open_image
from pmlda_gui.imagery.readers.windowed import (
    ImageHeader,
    open_window,
    read_header,
    without_colour,
)

__all__ = ["Source", "Stamp", "indexed", "stamp_of", "stand_in"]

Stamp = tuple[int, int]
"""Bytes of a file and when it was last changed, in nanoseconds."""


@dataclass(frozen=True)
class Source:
    """A file of the survey, which must not change while the survey runs.

    `grey` tells that it is a colour picture without colours, `scale` is what its colours
    are divided by.
    """

    header: ImageHeader
    options: ReadOptions
    stamp: Stamp
    grey: bool = False
    scale: float = 1.0

    @property
    def path(self) -> Path:
        return self.header.path

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.header.shape

    def read(self, window: Window) -> Image:
        """The pixels of a rectangle, as they are stored."""
        if stamp_of(self.path) != self.stamp:
            raise PmldaError(
                f"{self.path.name} has changed since the survey began: start it again, in another "
                "folder or in the same one."
            )
        if self.header.whole:
            return _WHOLE.part(self, window)
        part = open_window(self.path, self.options, window)
        return without_colour(part) if self.grey else part


def stamp_of(path: Path) -> Stamp:
    """What tells a file from the same one changed; a file that is gone has none."""
    try:
        about = path.stat()
    except OSError:
        return (-1, -1)
    return about.st_size, about.st_mtime_ns


def indexed(path: Path, options: ReadOptions) -> Source:
    """A file as its header tells it."""
    return Source(read_header(path, options), options, stamp_of(path))


def stand_in(source: Source) -> Image:
    """An image of a file's size and place without its pixels, which take no memory."""
    header = source.header
    colour = header.is_colour and not source.grey
    shape = (*source.shape, 3) if colour else source.shape
    return Image(
        np.broadcast_to(np.float32(0.0), shape),
        np.broadcast_to(np.True_, source.shape),
        header.pixel_size,
        header.georeference,
        ("grey",) if source.grey else header.band_names,
        header.path,
        header.notes,
    )


class _WholeImage:
    """The last image that was read whole: the next tile is mostly of the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[Path, ReadOptions, Stamp] | None = None
        self._image: Image | None = None

    def part(self, source: Source, window: Window) -> Image:
        wanted = (source.path, source.options, source.stamp)
        with self._lock:
            if self._of != wanted or self._image is None:
                self._of = self._image = None
                self._image = open_image(source.path, source.options)
                self._of = wanted
            return self._image.taken(window.slices)


_WHOLE = _WholeImage()
