"""Prepares images that are too large to keep the features of every pixel in memory.

Features are computed at full resolution, tile by tile, and kept for the pixel in
the middle of each cell of a coarse grid; documents are made on the image reduced to
that grid; and the chain runs on these words as on any others.  `tiled_memberships` then
gives the memberships of all pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents import Documents, make_documents
from pmlda_gui.imagery.features import (
    Features,
    Levels,
    compute_features,
    fit_words,
    measured_by_document,
    scaled_wavelengths,
    wavelengths_of,
)
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.lattice import lattice_corpus, lattice_stride
from pmlda_gui.imagery.pixel_window import Window
from pmlda_gui.workspace.given_topics import levels_for, require_same_features
from pmlda_gui.workspace.preparation import (
    DocumentChoice,
    FeatureChoice,
    Prepared,
    averaged_for,
    document_fields,
)
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = [
    "LARGEST_CORPUS",
    "Reduced",
    "Window",
    "cell_side",
    "colour_scale",
    "inner_features",
    "middle_pixels",
    "middles",
    "middles_in",
    "prepare_reduced",
    "prepared_cells",
    "reduced_image",
    "require_local_features",
    "surroundings",
    "tile_features",
    "tile_windows",
    "too_large",
]

LARGEST_CORPUS = 12_000_000
"""Words of all chains together that are sampled one by one."""

WORDS_FOR_TOPICS = 1_500_000
"""About how many words the chain runs on when there are more than that."""

TILE_ROWS, TILE_COLUMNS = 1024, 1024
# A filter for waves is a Gaussian of this standard deviation in wavelengths, and beyond so
# many deviations what it sees is less than the rounding of its result.
_ENVELOPE, _DEVIATIONS = 0.56, 5.0
# The widest box beside the window: of lacunarity.
_WIDEST_BOX = 13
# Long waves are measured on every 2nd, 4th or 8th pixel, counted from the image's first.
_COARSEST_STEP = 8


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
    require_local_features(feature_choice)
    words = sum(int(np.count_nonzero(image.valid)) for image in images)
    factor = cell_side(words)
    cells = tuple(reduced_image(image, factor, full_scale(image)) for image in images)
    progress.report(0.0, "documents")
    documents = tuple(
        make_documents(
            image,
            document_choice.kind,
            count=document_choice.count,
            labels=None if labels is None else labels[np.ix_(*middles(labels.shape, factor))],
            seed=seed,
            progress=progress.unheard(),
            compact=not feature_choice.every_pixel,
        )
        for image, labels in zip(cells, label_maps, strict=True)
    )
    levels = levels_for(
        [middle_pixels(image, factor, full_scale(image)) for image in images], given
    )
    features = []
    measuring = progress.part(0.1, 1.0, "features").named(
        "Computing the features", "; nothing was written"
    )
    for image, reduced, part in zip(images, cells, measuring.parts(len(images)), strict=True):
        part.report(0.0)
        features.append(_middle_features(image, reduced, feature_choice, factor, levels, part))
    prepared = prepared_cells(
        cells, documents, features, feature_choice, document_choice, factor, words, seed, given
    )
    return Reduced(tuple(images), prepared, factor, levels)


def require_local_features(choice: FeatureChoice) -> None:
    """Refuse features that cannot be measured tile by tile."""
    if by_document := measured_by_document(choice.names):
        raise PmldaError(
            f"The feature {by_document[0]} is measured in whole documents, which images of this "
            "size do not allow: choose other features, or give fewer or smaller images."
        )


def cell_side(words: int) -> int:
    """The side in pixels of the cells for images with so many valid pixels."""
    return max(2, math.ceil(math.sqrt(words / WORDS_FOR_TOPICS)))


def prepared_cells(
    cells: Sequence[Image],
    documents: Sequence[Documents],
    features: Sequence[Features],
    feature_choice: FeatureChoice,
    document_choice: DocumentChoice,
    factor: int,
    words: int,
    seed: int,
    given: TopicSet | None,
) -> Prepared:
    """What the chain runs on: the features of the pixels in the middle of the cells.

    The images have so many `words`, valid pixels, in all.
    """
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
    if stride == 1:
        standardisation = standardisation.as_measured
    stride = max(1, round(stride / factor))
    window = feature_choice.scaled_window / factor
    averaged = averaged_for(features, standardisation, cells, window)
    corpus = lattice_corpus(
        [each.values for each in averaged],
        standardisation,
        document_fields(documents),
        stride,
        window,
    )
    prepared = Prepared(
        tuple(cells), feature_choice, document_choice, (None,) * len(cells), seed,
        tuple(features), averaged, standardisation, tuple(documents), corpus, stride, factor,
    )  # fmt: skip
    return prepared if given is None else prepared.under(given)


def middles(shape: tuple[int, ...], factor: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and columns in the middle of the cells."""
    rows, columns = (
        np.minimum(np.arange(0, side, factor) + factor // 2, side - 1) for side in shape[:2]
    )
    return rows, columns


def full_scale(image: Image) -> float:
    """What colours are divided by, for all tiles alike; intensities keep their unit."""
    return colour_scale(float(image.pixels.max(initial=0.0))) if image.is_colour else 1.0


def colour_scale(highest: float) -> float:
    """The full scale of colours of which none is higher than this."""
    return 1.0 if highest <= 1 else 255.0 if highest <= 255 else 65535.0


def reduced_image(image: Image, factor: int, scale: float) -> Image:
    """The means of the cells, divided by `scale`.

    A cell counts as valid where the pixel in its middle is.
    """
    from skimage.transform import downscale_local_mean

    cell = (factor, factor, 1) if image.is_colour else (factor, factor)
    sums = downscale_local_mean(image.pixels, cell) / scale
    share = downscale_local_mean(image.valid, cell[:2])
    valid = image.valid[np.ix_(*middles(image.shape, factor))]
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
            reduced_image(image.band(place), factor, scale).pixels
            for place in range(1, image.band_count)
        ),
    )


def middle_pixels(image: Image, factor: int, scale: float) -> Image:
    """The pixels in the middle of the cells as they are: their range is that of all pixels."""
    return image.taken(np.ix_(*middles(image.shape, factor)), scale)


def tile_windows(shape: tuple[int, int], side: int | None = None) -> list[Window]:
    """The tiles, of that side in pixels or the usual ones, of an image, in reading order."""
    height, width = shape
    rows, columns = side or TILE_ROWS, side or TILE_COLUMNS
    return [
        Window(row, column, min(rows, height - row), min(columns, width - column))
        for row in range(0, height, rows)
        for column in range(0, width, columns)
    ]


def tile_features(
    image: Image, tile: Window, choice: FeatureChoice, levels: Levels
) -> Features | None:
    """The features of a tile, computed with what lies around it; None where nothing is valid."""
    around = surroundings(tile, choice, image.shape)
    if not image.valid[tile.slices].any():
        return None
    piece = image.taken(around.slices, full_scale(image))
    return inner_features(piece, around, tile, choice, levels)


def surroundings(tile: Window, choice: FeatureChoice, shape: tuple[int, int]) -> Window:
    """What must be known around a tile for its features to be those of the whole image.

    Waves are measured against the mean of a window and averaged over another.
    """
    waves = scaled_wavelengths(wavelengths_of(choice.names), choice.scale)
    filters = math.ceil(_DEVIATIONS * _ENVELOPE * max(waves, default=0.0))
    reach = 2 * (choice.scaled_window // 2) + max(filters, _WIDEST_BOX)
    around = tile.widened(reach, shape)
    top = around.row - around.row % _COARSEST_STEP
    left = around.column - around.column % _COARSEST_STEP
    return Window(top, left, around.row + around.height - top, around.column + around.width - left)


def inner_features(
    piece: Image, around: Window, tile: Window, choice: FeatureChoice, levels: Levels
) -> Features:
    """The features of a tile in a `piece` that holds the pixels `around` it."""
    found = compute_features(
        piece, choice.names, window=choice.window, levels=levels, scale=choice.scale
    )
    inside = tile.within(around)
    return Features(found.values[inside], found.names, found.units)


def middles_in(
    tile: Window, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[slice, slice]:
    """Which of the cells, by the `rows` and `columns` of their middles, have these in a tile."""
    first_row, end_row = np.searchsorted(rows, (tile.row, tile.row + tile.height))
    first_column, end_column = np.searchsorted(columns, (tile.column, tile.column + tile.width))
    return slice(int(first_row), int(end_row)), slice(int(first_column), int(end_column))


def _middle_features(
    image: Image,
    reduced: Image,
    choice: FeatureChoice,
    factor: int,
    levels: Levels,
    progress: Progress,
) -> Features:
    """The full-resolution features of the pixels in the middle of the cells."""
    rows, columns = middles(image.shape, factor)
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
        down, across = middles_in(tile, rows, columns)
        here = np.ix_(rows[down] - tile.row, columns[across] - tile.column)
        values[down, across] = found.values[here]
    assert values is not None  # images without a valid pixel were refused with the documents
    return Features(values, names, units)
