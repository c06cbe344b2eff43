"""Makes words from features and documents, and maps from values of words.

The words of all images stand in one array, document after document, as the model
reads them; each remembers its pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.documents.documents import Documents

__all__ = ["Words", "build_words"]


@dataclass(frozen=True, eq=False)
class Words:
    """The words of one or several images.

    `words` (N, p) are float64; document d holds those from `offsets[d]` up to
    `offsets[d + 1]`.  `sources` (N,) is the pixel of each word: its flat index in
    its image plus the number of pixels of all images before, so that a pixel has
    the same source whatever the documents are.  `shapes` are the images' heights
    and widths.
    """

    words: NDArray[np.float64]
    offsets: NDArray[np.int64]
    sources: NDArray[np.int64]
    shapes: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        for array in (self.words, self.offsets, self.sources):
            array.setflags(write=False)

    def scatter(self, values: NDArray[np.generic]) -> list[NDArray[np.float64]]:
        """Put what is known of each word, (N, ...), back into maps (..., height, width).

        One map for each image.  Where documents overlap a pixel gets the mean of its
        words, where there are none NaN.
        """
        if values.shape[:1] != self.sources.shape:
            raise PmldaError(
                f"Values of shape {values.shape} cannot be put back into maps of "
                f"{self.sources.size} words; give one value, or row of values, for each word."
            )
        starts = self._image_starts()
        pixels = int(starts[-1])
        columns = values.reshape(values.shape[0], -1).T
        coverage = np.bincount(self.sources, minlength=pixels)
        flat = np.full((columns.shape[0], pixels), np.nan)
        covered = coverage > 0
        for target, column in zip(flat, columns, strict=True):
            sums = np.bincount(self.sources, weights=column, minlength=pixels)
            target[covered] = sums[covered] / coverage[covered]
        return [
            flat[:, start:stop].reshape(*values.shape[1:], *shape)
            for start, stop, shape in zip(starts[:-1], starts[1:], self.shapes, strict=True)
        ]

    def subset(self, stride: int) -> NDArray[np.int64]:
        """The words on every `stride`-th row and column of their image, ascending indices.

        A document without such a word keeps the one in its middle.
        """
        if stride < 1:
            raise PmldaError(f"The stride of a subset is {stride}, but it must be at least 1.")
        starts = self._image_starts()
        image = np.searchsorted(starts, self.sources, side="right") - 1
        widths = np.array([width for _, width in self.shapes], dtype=np.int64)
        row, column = np.divmod(self.sources - starts[image], widths[image])
        kept = (row % stride == 0) & (column % stride == 0)
        kept_in_document = np.add.reduceat(kept, self.offsets[:-1], dtype=np.int64)
        bare = kept_in_document == 0
        kept[(self.offsets[:-1][bare] + self.offsets[1:][bare]) // 2] = True
        return np.flatnonzero(kept)

    def _image_starts(self) -> NDArray[np.int64]:
        """The source of each image's first pixel, and the number of all pixels at the end."""
        return np.cumsum([0, *(height * width for height, width in self.shapes)], dtype=np.int64)


def build_words(
    images_features: Sequence[NDArray[np.floating]], documents: Sequence[Documents]
) -> Words:
    """The words of several images, whose features are (height, width, p) arrays.

    Features outside the documents are not looked at and may be NaN.
    """
    if not documents or len(images_features) != len(documents):
        raise PmldaError(
            f"There are features of {len(images_features)} images but documents of "
            f"{len(documents)}; give both for at least one image."
        )
    words, sources, sizes = [], [], []
    first_pixel = 0
    for number, (features, divided) in enumerate(zip(images_features, documents, strict=True), 1):
        _check(features, divided, number, images_features[0].shape[-1])
        chosen = features.reshape(-1, features.shape[2])[divided.pixels].astype(np.float64)
        unusable = int(np.count_nonzero(~np.isfinite(chosen).all(axis=1)))
        if unusable:
            raise PmldaError(
                f"The features of image {number} are not finite at {unusable} of the {len(chosen)} "
                "pixels in its documents; mask those pixels or choose other features."
            )
        words.append(chosen)
        sources.append(divided.pixels + first_pixel)
        sizes.append(divided.sizes)
        first_pixel += divided.shape[0] * divided.shape[1]
    return Words(
        words=np.concatenate(words),
        offsets=np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64),
        sources=np.concatenate(sources),
        shapes=tuple(divided.shape for divided in documents),
    )


def _check(
    features: NDArray[np.floating], documents: Documents, number: int, feature_count: int
) -> None:
    """Refuse features that do not fit their documents or the other images."""
    if features.ndim != 3 or features.shape[:2] != documents.shape:
        raise PmldaError(
            f"The features of image {number} have shape {features.shape}, but its documents "
            f"divide {documents.shape} pixels; compute both from the same image."
        )
    if features.shape[2] != feature_count:
        raise PmldaError(
            f"Image {number} has {features.shape[2]} features, but the first has "
            f"{feature_count}; use the same features for all images."
        )
