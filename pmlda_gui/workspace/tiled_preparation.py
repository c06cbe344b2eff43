"""Images too large to sample pixel by pixel: topics from one pixel in many.

Features are computed at full resolution, tile by tile, and kept for the pixel in
the middle of each cell of a coarse grid; documents are made on the image reduced to
that grid; and the chain runs on these words as on any others.  `fine_pass` then
gives the memberships of all pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents import make_documents
from pmlda_gui.imagery.features import (
    Features,
    Levels,
    compute_features,
    fit_words,
    measured_by_document,
)
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.lattice import lattice_corpus, lattice_stride
from pmlda_gui.workspace.given_topics import levels_for, require_same_features
from pmlda_gui.workspace.preparation import (
    DocumentChoice,
    FeatureChoice,
    Prepared,
    document_fields,
)
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = [
    "LARGEST_CORPUS",
    "Reduced",
    "Window",
    "prepare_reduced",
    "tile_features",
    "tile_windows",
    "too_large",
]

LARGEST_CORPUS = 12_000_000
"""Words of all chains together that are sampled one by one."""

WORDS_FOR_TOPICS = 1_500_000
"""About how many words the chain runs on when there are more than that."""

TILE_ROWS, TILE_COLUMNS = 1024, 2048
# The widest feature beside the windowed ones is a Gabor filter of 41 pixels' reach.
_REACH = 48


class Window(NamedTuple):
    """A rectangle of pixels, whose first is at (`row`, `column`)."""

    row: int
    column: int
    height: int
    width: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rectangle as indices of an image."""
        return (
            slice(self.row, self.row + self.height),
            slice(self.column, self.column + self.width),
        )

    def widened(self, margin: int, shape: tuple[int, int]) -> Window:
        """The rectangle with so many pixels more on each side, as far as the image goes."""
        top, left = max(self.row - margin, 0), max(self.column - margin, 0)
        bottom = min(self.row + self.height + margin, shape[0])
        right = min(self.column + self.width + margin, shape[1])
        return Window(top, left, bottom - top, right - left)

    def cells(self, factor: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and columns of the cells, `factor` pixels wide, that its pixels lie in."""
        rows, columns = np.ogrid[self.slices]
        return rows // factor, columns // factor


@dataclass(frozen=True, eq=False)
class Reduced:
    """Images in full, and prepared on a grid of cells `factor` pixels wide."""

    images: tuple[Image, ...]
    prepared: Prepared
    factor: int
    levels: Levels


def too_large(images: Sequence[Image], choice: DocumentChoice, chains: int = 1) -> bool:
    """Whether the chains would have more words than are sampled one by one."""
    words = sum(int(np.count_nonzero(image.valid)) for image in images)
    large = words * chains > LARGEST_CORPUS
    if large and choice.kind == "window":
        raise PmldaError(
            f"The images have {words:,} valid pixels, too many for sliding windows: choose "
            "superpixels or a grid, or give fewer images."
        )
    return large


def prepare_reduced(
    images: Sequence[Image],
    feature_choice: FeatureChoice,
    document_choice: DocumentChoice,
    label_maps: Sequence[NDArray[np.int32] | None],
    seed: int,
    progress: Progress,
    given: TopicSet | None = None,
) -> Reduced:
    """Documents and words on a grid coarse enough for the chain; see `prepare` for `given`."""
    if by_document := measured_by_document(feature_choice.names):
        raise PmldaError(
            f"The feature {by_document[0]} is measured in whole documents, which images of this "
            "size do not allow: choose other features, or give fewer or smaller images."
        )
    words = sum(int(np.count_nonzero(image.valid)) for image in images)
    factor = max(2, math.ceil(math.sqrt(words / WORDS_FOR_TOPICS)))
    cells = tuple(_reduced_image(image, factor) for image in images)
    progress.report(0.0, "documents")
    documents = tuple(
        make_documents(
            image,
            document_choice.kind,
            count=document_choice.count,
            labels=None if labels is None else labels[np.ix_(*_middles(labels.shape, factor))],
            seed=seed,
            progress=progress.unheard(),
        )
        for image, labels in zip(cells, label_maps, strict=True)
    )
    levels = levels_for([_middle_pixels(image, factor) for image in images], given)
    features = []
    measuring = progress.part(0.1, 1.0, "features").named(
        "Computing the features", "; nothing was written"
    )
    for image, reduced, part in zip(images, cells, measuring.parts(len(images)), strict=True):
        part.report(0.0)
        features.append(_middle_features(image, reduced, feature_choice, factor, levels, part))
    if given is None:
        standardisation = fit_words(
            [each.values for each in features],
            [image.valid for image in cells],
            factor,
            feature_choice.noise_window,
        )
    else:
        require_same_features(given, features[0].names)
        standardisation = given.standardisation
    stride = feature_choice.lattice or lattice_stride(feature_choice.scaled_window, words)
    stride = max(1, round(stride / factor))
    corpus = lattice_corpus(
        [each.values for each in features],
        standardisation,
        document_fields(documents),
        stride,
        feature_choice.scaled_window / factor,
    )
    prepared = Prepared(
        cells, feature_choice, document_choice, (None,) * len(cells), seed,
        tuple(features), standardisation, documents, corpus, stride, factor,
    )  # fmt: skip
    if given is not None:
        prepared = prepared.under(given)
    return Reduced(tuple(images), prepared, factor, levels)


def _middles(shape: tuple[int, ...], factor: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and columns in the middle of the cells."""
    rows, columns = (
        np.minimum(np.arange(0, side, factor) + factor // 2, side - 1) for side in shape[:2]
    )
    return rows, columns


def _full_scale(image: Image) -> float:
    """What colours are divided by, for all tiles alike; intensities keep their unit."""
    if not image.is_colour:
        return 1.0
    highest = float(image.pixels.max(initial=0.0))
    return 1.0 if highest <= 1 else 255.0 if highest <= 255 else 65535.0


def _reduced_image(image: Image, factor: int) -> Image:
    """The means of the cells; a cell counts as valid where the pixel in its middle is."""
    from skimage.transform import downscale_local_mean

    cell = (factor, factor, 1) if image.is_colour else (factor, factor)
    sums = downscale_local_mean(image.pixels, cell) / _full_scale(image)
    share = downscale_local_mean(image.valid, cell[:2])
    valid = image.valid[np.ix_(*_middles(image.shape, factor))]
    seen = np.where(valid, share, 1.0)
    means = sums / (seen[..., None] if image.is_colour else seen)
    known = valid[..., None] if image.is_colour else valid
    georeference = image.georeference
    if georeference is not None:
        a, b, c, d, e, f = georeference.transform
        georeference = Georeference(
            georeference.crs, (a * factor, b * factor, c, d * factor, e * factor, f)
        )
    return Image(
        pixels=np.where(known, means, 0.0).astype(np.float32),
        valid=valid,
        pixel_size=None if image.pixel_size is None else image.pixel_size * factor,
        georeference=georeference,
        band_names=image.band_names,
        source=image.source,
        notes=image.notes,
        further=tuple(
            _reduced_image(image.band(place), factor).pixels for place in range(1, image.band_count)
        ),
    )


def _middle_pixels(image: Image, factor: int) -> Image:
    """The pixels in the middle of the cells as they are: their range is that of all pixels."""
    middles = np.ix_(*_middles(image.shape, factor))
    return image.taken(middles, _full_scale(image))


def tile_windows(shape: tuple[int, int]) -> list[Window]:
    """The tiles of an image of that height and width, in reading order."""
    height, width = shape
    return [
        Window(row, column, min(TILE_ROWS, height - row), min(TILE_COLUMNS, width - column))
        for row in range(0, height, TILE_ROWS)
        for column in range(0, width, TILE_COLUMNS)
    ]


def tile_features(
    image: Image, tile: Window, choice: FeatureChoice, levels: Levels
) -> Features | None:
    """The features of a tile, computed with what lies around it; None where nothing is valid."""
    reach = choice.scaled_window + math.ceil(_REACH * max(choice.scale, 1.0))
    top, left = max(0, tile.row - reach), max(0, tile.column - reach)
    around = (
        slice(top, tile.row + tile.height + reach),
        slice(left, tile.column + tile.width + reach),
    )
    inside = (
        slice(tile.row - top, tile.row - top + tile.height),
        slice(tile.column - left, tile.column - left + tile.width),
    )
    valid = image.valid[around]
    if not valid[inside].any():
        return None
    piece = image.taken(around, _full_scale(image))
    found = compute_features(
        piece, choice.names, window=choice.window, levels=levels, scale=choice.scale
    )
    return Features(found.values[inside], found.names, found.units)


def _middle_features(
    image: Image,
    reduced: Image,
    choice: FeatureChoice,
    factor: int,
    levels: Levels,
    progress: Progress,
) -> Features:
    """The full-resolution features of the pixels in the middle of the cells."""
    rows, columns = _middles(image.shape, factor)
    values: NDArray[np.float32] | None = None
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    tiles = tile_windows(image.shape)
    for number, tile in enumerate(tiles):
        progress.check()
        found = tile_features(image, tile, choice, levels)
        progress.report((number + 1) / len(tiles))
        if found is None:
            continue
        if values is None:
            names, units = found.names, found.units
            values = np.full((*reduced.shape, len(names)), np.nan, dtype=np.float32)
        first_row, end_row = np.searchsorted(rows, (tile.row, tile.row + tile.height))
        first_column, end_column = np.searchsorted(columns, (tile.column, tile.column + tile.width))
        here = (rows[first_row:end_row] - tile.row, columns[first_column:end_column] - tile.column)
        values[first_row:end_row, first_column:end_column] = found.values[np.ix_(*here)]
    assert values is not None  # images without a valid pixel were refused with the documents
    return Features(values, names, units)
