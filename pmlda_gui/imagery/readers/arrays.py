"""Chooses what to show from files that hold named arrays.

MAT, NPY and NPZ files name their arrays but not their purpose.  Here an array's
name and shape decide whether it is an image, several bands or nothing to look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.number_streams import RowReader
from pmlda_gui.imagery.readers.options import (
    Band,
    Probe,
    ReadOptions,
    Task,
)
from pmlda_gui.imagery.readers.pixel_reader import COMPLEX_NOTE, PixelSource, read_pixels

__all__ = [
    "StoredArray",
    "choose_band",
    "is_number",
    "open_stored_array",
    "probe_stored_arrays",
    "require_loadable",
    "rows_of",
]

IMAGE_NAMES = ("i", "im", "img", "image", "sas", "sonar", "data", "pixels", "intensity")
MOST_SLICES = 512


@dataclass(frozen=True)
class StoredArray:
    """An array of a file as its header describes it; nothing of it has been read."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class _View:
    """A band on offer: a whole array, or one slice of a stack (counted from 0)."""

    stored: StoredArray
    slice: int | None

    @property
    def band(self) -> Band:
        height, width = self.stored.shape[:2]
        whole_colour = len(self.stored.shape) == 3 and self.slice is None
        numbered = "" if self.slice is None else f" {self.slice + 1}"
        return Band(
            f"{self.stored.name}{numbered}",
            self.stored.dtype,
            height,
            width,
            3 if whole_colour else 1,
        )


def probe_stored_arrays(path: Path, format_name: str, arrays: Sequence[StoredArray]) -> Probe:
    """What a file of named arrays shows by itself, and everything else it offers."""
    views = _views(path, arrays)
    first = views[0].band
    return Probe(
        path=path,
        format=format_name,
        height=first.height,
        width=first.width,
        dtype=first.dtype,
        colours=first.colours,
        bands=tuple(view.band for view in views),
    )


def open_stored_array(
    path: Path,
    arrays: Sequence[StoredArray],
    load: Callable[[StoredArray], RowReader],
    options: ReadOptions,
    task: Task,
) -> Image:
    """Read the band asked for; `load` makes the rows of an array readable."""
    views = _views(path, arrays)
    chosen = views[choose_band(path.name, [view.band for view in views], options.band)]
    band = chosen.band
    rows = load(chosen.stored)
    source = PixelSource(
        name=path.name,
        height=band.height,
        width=band.width,
        colours=band.colours,
        read_rows=lambda start, stop: (rows(start, stop, chosen.slice), None),
    )
    pixels = read_pixels(source, options, task)
    notes = pixels.notes
    # What had to be held whole was held as magnitude.
    if chosen.stored.dtype.startswith("complex") and COMPLEX_NOTE not in notes:
        notes = (COMPLEX_NOTE, *notes)
    if options.band is None and len(views) > 1:
        others = ", ".join(view.band.description for view in views[1:6])
        notes = (f"Shown is '{band.description}'; the file also offers {others}.", *notes)
    return Image(
        pixels=pixels.values,
        valid=pixels.valid,
        band_names=(band.description,) if band.colours == 1 else ("red", "green", "blue"),
        source=path,
        notes=notes,
    )


def choose_band(name: str, bands: Sequence[Band], wanted: int | str | None) -> int:
    """Position of the band asked for by number (from 1) or description; None is the first."""
    if wanted is None:
        return 0
    descriptions = [band.description for band in bands]
    if isinstance(wanted, str):
        if wanted in descriptions:
            return descriptions.index(wanted)
    elif 1 <= wanted <= len(bands):
        return wanted - 1
    offered = ", ".join(
        f"{number} ({description})" if description else str(number)
        for number, description in enumerate(descriptions[:12], start=1)
    )
    raise PmldaError(f"{name} has no band {wanted!r}; choose one of {offered}.")


def require_loadable(path: Path, stored: StoredArray, options: ReadOptions) -> None:
    """Refuse an array that can only be read whole and is larger than the limit.

    A value is held in no more bytes than a pixel, see `held_type`, so values are counted.
    """
    values = math.prod(stored.shape)
    if values > options.limit_pixels:
        raise PmldaError(
            f"{path.name} holds '{stored.name}' with {values} values, which cannot be read in "
            f"parts, and the limit is {options.limit_pixels}; save it as NPY to read it reduced."
        )


def rows_of(path: Path, stored: StoredArray, array: NDArray[np.generic]) -> RowReader:
    """The rows of an array in memory, if it is what the header promised."""
    if array.shape != stored.shape or not is_number(array.dtype):
        raise PmldaError(
            f"{path.name} is damaged: '{stored.name}' is not the array its header "
            "promises; save the file again."
        )

    def rows(start: int, stop: int, index: int | None) -> NDArray[np.generic]:
        strip = array[start:stop] if index is None else array[start:stop, :, index]
        return np.asarray(strip)

    return rows


def is_number(dtype: np.dtype[np.generic]) -> bool:
    """Whether values of this type can become pixels."""
    return dtype.kind in "biufc"


def _views(path: Path, arrays: Sequence[StoredArray]) -> list[_View]:
    """Every band on offer, the likeliest image first."""

    def likelihood(stored: StoredArray) -> tuple[bool, int]:
        known = stored.name.lower() in IMAGE_NAMES
        return (not known, -stored.shape[0] * stored.shape[1])

    pictures = [stored for stored in arrays if _is_picture(stored.shape)]
    if not pictures:
        raise PmldaError(
            f"{path.name} holds no array of two dimensions; save the image as a matrix of numbers."
        )
    views: list[_View] = []
    for stored in sorted(pictures, key=likelihood):
        if len(stored.shape) == 2:
            views.append(_View(stored, None))
            continue
        depth = stored.shape[2]
        if depth == 3:
            views.append(_View(stored, None))
        views.extend(_View(stored, index) for index in range(min(depth, MOST_SLICES)))
    return views


def _is_picture(shape: tuple[int, ...]) -> bool:
    return len(shape) in (2, 3) and min(shape) >= 1 and shape[0] * shape[1] >= 2
