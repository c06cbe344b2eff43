"""From an image to its features: the one function the rest of the program calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.features.registry import PRESETS, USUAL_PRESET, resolve
from pmlda_gui.imagery.features.scales import check_scale, scaled_window
from pmlda_gui.imagery.features.source import FeatureSource, PixelGroups, intensity_range
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
    progress: Callable[[float], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    levels: tuple[float, float] | None = None,
    scale: float = 1.0,
) -> Features:
    """Compute the named features, or a preset's, at every valid pixel.

    `window` is the side of the averaging window in pixels, odd; without one it is the
    preset's.  `documents` are
    used by the ripple feature only; without them it looks at overlapping tiles.
    `progress` receives the finished share from 0 to 1; `cancel` is asked between
    features whether to stop.  `levels` is the intensity range over which entropy
    counts; give `intensity_range` of all images when several belong together.
    `scale` multiplies the window and the lengths of waves.
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
    if not np.isfinite(image.pixels[image.valid]).all():
        raise PmldaError(
            f"{image.name} has valid pixels that are not numbers, which would spoil their "
            "neighbours: mark them as nodata."
        )
    own_levels = intensity_range([image])
    source = FeatureSource(
        image, window, own_levels if levels is None else levels, documents, scale
    )
    values = np.full((*image.shape, len(features)), np.nan, dtype=np.float32)
    for index, feature in enumerate(features):
        if cancel is not None and cancel():
            raise Cancelled("Computing the features was stopped; the old ones are still in use.")
        values[image.valid, index] = feature.compute(source)[image.valid]
        if progress is not None:
            progress((index + 1) / len(features))
    return Features(
        values,
        tuple(feature.name for feature in features),
        tuple(feature.unit for feature in features),
    )
