"""A part of a file's image, for images too large to read whole.

Rasters are read by rectangle, with the rules for missing data of a whole reading.  All
other formats, recordings above all, are small: they are read whole, and cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.imagery.readers.arrays import choose_band
from pmlda_gui.imagery.readers.bands import joined
from pmlda_gui.imagery.readers.formats import Family, family_of
from pmlda_gui.imagery.readers.opening import guarded, open_image, probe
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.imagery.readers.reader_process import is_read_apart

__all__ = ["ImageHeader", "open_window", "read_header", "without_colour"]

_FIRST_PIXEL = Window(0, 0, 1, 1)


@dataclass(frozen=True)
class ImageHeader:
    """What is known of an image without its pixels.

    `whole` tells that its format cannot be read in parts; `bytes_held` is then the memory
    that the image takes, and 0 otherwise.  Other names are those of `Image`.
    """

    path: Path
    height: int
    width: int
    is_colour: bool
    whole: bool
    bytes_held: int
    pixel_size: float | None
    georeference: Georeference | None
    band_names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.height, self.width


def read_header(path: Path, options: ReadOptions) -> ImageHeader:
    """What can be told of an image; a format that is not read in parts is read for it."""
    with guarded(path):
        # What may abort this process is read by another, whole.
        whole = family_of(path) is not Family.RASTER or options.reduce != 1 or is_read_apart(path)
    if whole:
        image = open_image(path, options)
        height, width = image.shape
        held = image.pixels.nbytes + image.valid.nbytes + sum(each.nbytes for each in image.further)
    else:
        known = probe(path)
        wanted = options.bands[0] if options.bands else options.band
        band = known.bands[choose_band(path.name, known.bands, wanted)]
        height, width, held = band.height, band.width, 0
        image = open_window(path, options, _FIRST_PIXEL)
    return ImageHeader(
        path, height, width, image.is_colour, whole, held, image.pixel_size,
        image.georeference, image.band_names, image.notes,
    )  # fmt: skip


def open_window(path: Path, options: ReadOptions, window: Window) -> Image:
    """The pixels of a rectangle of a raster, as a whole reading has them there.

    A colour picture stays coloured, even if it is grey throughout.
    """
    from pmlda_gui.imagery.readers.raster import open_raster

    with guarded(path):
        if options.reduce != 1:
            raise PmldaError(f"{path.name} cannot be read in parts and reduced at once.")
        if not options.bands:
            return open_raster(path, options, UNWATCHED, window)
        return joined(
            [
                open_raster(path, replace(options, band=band, bands=()), UNWATCHED, window)
                for band in options.bands
            ]
        )


def without_colour(image: Image) -> Image:
    """A colour picture whose bands are equal, as the single band that a whole reading gives."""
    grey = np.ascontiguousarray(image.pixels[:, :, 0])
    return replace(image, pixels=grey, band_names=("grey",))
