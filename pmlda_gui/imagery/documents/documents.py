"""Documents: which pixels of an image belong together.

A document is a list of pixels, so that sliding windows, which overlap, and
partitions, where every pixel has one document, are the same thing to the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["Documents", "documents_from_labels"]


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of one image.

    Document d holds the pixels `pixels[offsets[d]:offsets[d + 1]]`: flat row-major
    indices into `shape`, ascending.  `offsets` (D + 1) and `pixels` are int64.
    Each document is connected through pixel sides and has at least `minimum_size`
    pixels.  `left_out` counts the valid pixels in no document: those of patches
    smaller than the minimum, and those an imported map leaves unlabelled.
    """

    kind: str
    shape: tuple[int, int]
    offsets: NDArray[np.int64]
    pixels: NDArray[np.int64]
    minimum_size: int
    left_out: int

    def __post_init__(self) -> None:
        self.offsets.setflags(write=False)
        self.pixels.setflags(write=False)

    @property
    def count(self) -> int:
        """The number of documents, D."""
        return self.offsets.size - 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of pixels of each document, (D,)."""
        return np.diff(self.offsets)

    @cached_property
    def is_partition(self) -> bool:
        """Whether no pixel belongs to two documents."""
        coverage = np.bincount(self.pixels, minlength=1)
        return bool(coverage.max() <= 1)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The document of each pixel, (height, width), -1 where there is none; partitions only."""
        if not self.is_partition:
            raise PmldaError(
                "Sliding windows overlap, so a pixel has no single document; "
                "choose superpixels, a grid or a label map for this."
            )
        labels = np.full(self.shape, -1, dtype=np.int32)
        labels.flat[self.pixels] = np.repeat(np.arange(self.count, dtype=np.int32), self.sizes)
        labels.setflags(write=False)
        return labels

    def outlines(self) -> NDArray[np.bool_]:
        """The pixels that a one pixel wide overlay of the outlines paints, (height, width)."""
        from pmlda_gui.imagery.documents.outlines import outline_map

        return outline_map(self.shape, self.offsets, self.pixels)

    def outline_segments(self) -> NDArray[np.float32]:
        """The outlines as straight lines along pixel sides, (S, 2, 2).

        Each line is its two ends as (column, row) of pixel corners: (0, 0) is the
        upper left corner of the upper left pixel.
        """
        from pmlda_gui.imagery.documents.outlines import outline_segments

        return outline_segments(self.shape, self.offsets, self.pixels)


def documents_from_labels(
    kind: str, labels: NDArray[np.int32], minimum_size: int, left_out: int
) -> Documents:
    """The documents of a label map (height, width) with labels 0..D-1 and -1 for none."""
    height, width = labels.shape
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    outside = int(np.count_nonzero(flat < 0))
    sizes = np.bincount(flat[order[outside:]])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Documents(
        kind=kind,
        shape=(height, width),
        offsets=offsets,
        pixels=order[outside:].astype(np.int64),
        minimum_size=minimum_size,
        left_out=left_out,
    )
