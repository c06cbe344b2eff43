"""Computes the features of an image: the function that the rest of the program calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.features.feature_input import (
    FeatureSource,
    Levels,
    PixelGroups,
    intensity_ranges,
)
from pmlda_gui.imagery.features.registry import PRESETS, USUAL_PRESET, Feature, in_band, resolve
from pmlda_gui.imagery.features.scales import check_scale, scaled_window
from pmlda_gui.imagery.features.windows import check_window
from pmlda_gui.imagery.image import Image

__all__ = ["Features", "compute_features"]


@dataclass(frozen=True, eq=False)
class Features:
    """The features of an image.

    `values` is float32 (height, width, p), NaN outside the valid pixels; `names`
    and `units` say what each of the p features is.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]
    units: tuple[str, ...]


def compute_features(
    image: Image,
    names_or_preset: str | Sequence[str],
    documents: PixelGroups | None = None,
    window: int | None = None,
    progress: Progress | None = None,
    levels: Levels | None = None,
    scale: float = 1.0,
) -> Features:
    """Compute the named features, or a preset's, at every valid pixel.

    `window` is the side of the averaging window in pixels, odd; without one it is the
    preset's.  `documents` are
    used by the ripple feature only; without them it looks at overlapping tiles.
    `levels` are the intensity ranges over which entropy
    counts; give `intensity_ranges` of all images when several belong together.
    `scale` multiplies the window and the lengths of waves.

    Of an image with several bands a feature is measured in each, and the name says in
    which: `mean[2]`.  Such a name may also be asked for.
    """
    features = resolve(names_or_preset)
    if window is None:
        window = PRESETS.get(str(names_or_preset), USUAL_PRESET).window
    check_scale(scale)
    window = scaled_window(window, scale)
    check_window(window)
    if documents is not None and documents.shape != image.shape:
        raise PmldaError(
            f"The documents cover {documents.shape} pixels, but {image.name} has {image.shape}: "
            "make the documents from this image."
        )
    if not all(np.isfinite(band[image.valid]).all() for band in (image.pixels, *image.further)):
        raise PmldaError(
            f"{image.name} has valid pixels that are not numbers, which would spoil their "
            "neighbours: mark them as nodata."
        )
    # An image without a valid pixel is refused there.
    ranges = intensity_ranges([image]) if levels is None or not image.valid.any() else levels
    sources = [
        FeatureSource(image.band(place), window, ranges[place], documents, scale)
        for place in range(image.band_count)
    ]
    measured = _by_band(image, features)
    progress = (progress or Progress()).named("Measuring the features")
    values = np.full((*image.shape, len(measured)), np.nan, dtype=np.float32)
    for index, (feature, place) in enumerate(measured):
        progress.report(index / len(measured))
        values[image.valid, index] = feature.compute(sources[place])[image.valid]
    progress.report(1.0)
    several = image.band_count > 1
    return Features(
        values,
        tuple(in_band(each.name, place + 1) if several else each.name for each, place in measured),
        tuple(each.unit for each, _ in measured),
    )


def _by_band(image: Image, features: Sequence[Feature]) -> list[tuple[Feature, int]]:
    """Each feature with the place of the band it is measured in, band after band."""
    found = []
    for place in range(image.band_count):
        found += [(each, place) for each in features if each.band in (None, place + 1)]
    if missing := [each for each in features if (each.band or 1) > image.band_count]:
        raise PmldaError(
            f"{image.name} is open with {image.band_count} bands, so there is no "
            f"{in_band(missing[0].name, missing[0].band or 1)}: open more bands or choose other "
            "features."
        )
    if len({(each.name, place) for each, place in found}) < len(found):
        raise PmldaError("A feature was chosen twice in one band: choose each once.")
    return found
