"""The lattice: the pixels that are learned from, half a window apart.

Features are measured over overlapping windows, so neighbouring words say the same again:
counted each by itself they make documents far too certain.  Words half a window apart are
nearly independent, and a few thousand of them tell all there is to learn, however large
the image.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.corpus import Corpus
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.document_field import DocumentField, LatticeLayout
from pmlda_gui.imagery.features import Standardisation

__all__ = ["lattice_corpus", "lattice_stride"]

# As many words are enough, and so many are needed before they are taken half a window apart.
MOST_WORDS, LEAST_WORDS = 6000, 600


def lattice_stride(window: int, pixels: int, most: int | None = MOST_WORDS) -> int:
    """Every how many rows and columns are learned from, of images with so many valid pixels.

    At most so many words are learned from, None for all that are half a window apart.
    """
    usual = max(1, round(window / 2))
    widest = max(1, math.isqrt(pixels // LEAST_WORDS))
    narrowest = 1 if most is None else math.ceil(math.sqrt(pixels / most))
    return max(min(usual, widest), narrowest)


def _chosen(field: DocumentField, stride: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Flat pixels of one image on the lattice, document after document, and how many each has.

    A document without any keeps the pixel in its middle.
    """
    documents = field.documents
    if stride == 1:
        return documents.pixels, documents.sizes
    labels = field.labels
    height, width = labels.shape
    first_row, first_column = min(stride // 2, height - 1), min(stride // 2, width - 1)
    rows, columns = np.ogrid[first_row:height:stride, first_column:width:stride]
    pixels = (rows * width + columns).ravel()
    owners = labels.ravel()[pixels]
    pixels, owners = pixels[owners >= 0], owners[owners >= 0]
    bare = np.setdiff1d(np.arange(documents.count), owners)
    middles = documents.pixels[(documents.offsets[bare] + documents.offsets[bare + 1]) // 2]
    pixels, owners = np.concatenate([pixels, middles]), np.concatenate([owners, bare])
    order = np.lexsort((pixels, owners))
    return pixels[order], np.bincount(owners, minlength=documents.count)


def lattice_corpus(
    values: Sequence[NDArray[np.floating]],
    standardisation: Standardisation,
    fields: Sequence[DocumentField],
    stride: int,
    window: float,
) -> Corpus:
    """The words to learn from: of features (height, width, p) on every `stride`-th row and column.

    `window` is the side of the features' window in pixels, the unit of smoothness.  A word's
    source is its flat pixel, counted on from image to image.
    """
    words, sources, sizes, images, rows, columns = [], [], [], [], [], []
    before = 0
    for number, (found, field) in enumerate(zip(values, fields, strict=True)):
        pixels, counts = _chosen(field, stride)
        chosen = standardisation.apply(found.reshape(-1, found.shape[2])[pixels])
        unusable = int(np.count_nonzero(~np.isfinite(chosen).all(axis=1)))
        if unusable:
            raise PmldaError(
                f"The features of image {number + 1} are not finite at {unusable} of the "
                f"{len(chosen)} pixels learned from; mask those pixels or choose other features."
            )
        row, column = np.divmod(pixels, found.shape[1])
        words.append(chosen)
        sources.append(pixels + before)
        sizes.append(counts)
        images.append(np.full(len(pixels), number))
        rows.append(row)
        columns.append(column)
        before += found.shape[0] * found.shape[1]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    layout = LatticeLayout(
        tuple(fields), window, np.concatenate(images), np.concatenate(rows),
        np.concatenate(columns), offsets,
    )  # fmt: skip
    return Corpus(np.concatenate(words), offsets, np.concatenate(sources), layout)
