"""Reads label maps: documents from a file.

A label map is a rectangle of whole numbers, one label a pixel.  Maps whose labels
are scattered (texton or class maps) are not offered as documents, because a
document is a region.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.opening import open_image, probe
from pmlda_gui.imagery.readers.options import ReadOptions

__all__ = ["OfferedDocuments", "offered_documents", "read_label_map"]

LARGEST_LABEL = 2**24  # whole numbers up to here are exact in float32
FEWEST_DOCUMENTS = 2
FEWEST_PIXELS_PER_DOCUMENT = 4
# Superpixels hang together but for a few stray pixels; classes lie scattered.
MOST_PIECES_PER_DOCUMENT = 3
MOST_CANDIDATES = 16


@dataclass(frozen=True, eq=False)
class OfferedDocuments:
    """A label map stored beside an image: `labels` is int32, (height, width)."""

    name: str
    labels: NDArray[np.int32]

    @property
    def count(self) -> int:
        """How many documents there are."""
        return len(np.unique(self.labels))


def read_label_map(
    path: str | Path,
    band: int | str | None = None,
    cancel: Callable[[], bool] | None = None,
) -> NDArray[np.int32]:
    """Read a PNG, TIFF, NPY, NPZ or MAT file of whole numbers, (height, width).

    Pixels that the file declares missing get the label 0.  A coloured map is refused:
    its colours are a picture of labels, not labels.
    """
    path = Path(path)
    image = open_image(path, ReadOptions(band=band), cancel=cancel)
    if image.is_colour:
        raise PmldaError(
            f"{path.name} is a colour picture; save the label map with one number a pixel."
        )
    labels = _whole_numbers(image.pixels)
    if labels is None:
        raise PmldaError(
            f"{path.name} is not a label map because its values are not whole numbers from 0 "
            f"to {LARGEST_LABEL}; choose a file with one label a pixel."
        )
    return labels


def offered_documents(
    path: str | Path, cancel: Callable[[], bool] | None = None
) -> tuple[OfferedDocuments, ...]:
    """The label maps that a file holds beside its image, of the image's own size."""
    description = probe(path, cancel)
    size = (description.height, description.width)
    offered = []
    for band in description.bands[1 : 1 + MOST_CANDIDATES]:
        if (band.height, band.width) != size or band.colours != 1:
            continue
        image = open_image(path, ReadOptions(band=band.description), cancel=cancel)
        labels = _whole_numbers(image.pixels)
        if labels is not None and _are_regions(labels):
            offered.append(OfferedDocuments(band.description, labels))
    return tuple(offered)


def _whole_numbers(pixels: NDArray[np.float32]) -> NDArray[np.int32] | None:
    if pixels.min() < 0 or pixels.max() > LARGEST_LABEL or (pixels != np.rint(pixels)).any():
        return None
    return pixels.astype(np.int32)


def _are_regions(labels: NDArray[np.int32]) -> bool:
    from skimage.measure import label

    count = len(np.unique(labels))
    if not FEWEST_DOCUMENTS <= count <= labels.size // FEWEST_PIXELS_PER_DOCUMENT:
        return False
    pieces = int(label(labels, background=-1, connectivity=1).max())
    return pieces <= MOST_PIECES_PER_DOCUMENT * count
