"""What features are computed from: an image, its window and what several features share.

Intermediate results that more than one feature needs are made once, on first use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features.scales import scaled_wavelengths
from pmlda_gui.imagery.features.windows import Neighbourhood
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.pixel_window import Window

if TYPE_CHECKING:
    from pmlda_gui.imagery.features.gabor import GaborResponses

__all__ = [
    "FeatureSource",
    "Levels",
    "PixelGroups",
    "grey_values",
    "intensity_ranges",
    "middle_part",
    "middle_part_window",
]

Levels = tuple[tuple[float, float], ...]
"""The range of intensities of each band."""

_TAIL = 0.1
_LEAST_SIDE = 128
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


class PixelGroups(Protocol):
    """Documents as features see them: pixels of group d are pixels[offsets[d]:offsets[d + 1]].

    `pixels` are flat row-major indices into an image of `shape`.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def pixels(self) -> NDArray[np.int64]: ...


def grey_values(image: Image) -> NDArray[np.float64]:
    """One value per pixel, (height, width): the band itself, or the luminance of colours.

    Pixels that are not valid are 0, whatever they hold.
    """
    grey = image.pixels @ _LUMINANCE if image.is_colour else image.pixels.astype(np.float64)
    return np.where(image.valid, grey, 0.0)


def intensity_ranges(images: Sequence[Image]) -> Levels:
    """Lowest and highest intensity of the valid pixels but for 0.1 % at either end, by band.

    Give all images of a survey, so that equal seabeds have equal entropy in each.
    """
    counts = {image.band_count for image in images}
    if len(counts) > 1:
        raise PmldaError(
            f"Some images have {min(counts)} bands and others {max(counts)}: open all with the "
            "same bands."
        )
    return tuple(_intensity_range(images, place) for place in range(max(counts, default=1)))


def _intensity_range(images: Sequence[Image], place: int) -> tuple[float, float]:
    values = [grey_values(image.band(place))[image.valid] for image in images]
    together = np.concatenate(values) if values else np.empty(0)
    if together.size == 0:
        raise PmldaError("No image has a valid pixel, so there is nothing to compute features of.")
    low, high = np.percentile(together, [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def middle_part(image: Image, most_pixels: int) -> Image:
    """The middle of an image, of about its shape, for looking at so many pixels at most.

    Where that would leave fewer than 128 rows or columns it keeps those.
    """
    return image.taken(middle_part_window(image.shape, most_pixels).slices)


def middle_part_window(shape: tuple[int, int], most_pixels: int) -> Window:
    """Where the middle part of an image of that height and width lies."""
    height, width = shape
    share = math.sqrt(min(1.0, most_pixels / (height * width)))
    rows = min(height, max(round(height * share), _LEAST_SIDE))
    columns = min(width, max(most_pixels // rows, _LEAST_SIDE))
    top, left = (height - rows) // 2, (width - columns) // 2
    return Window(top, left, rows, columns)


@dataclass(frozen=True, eq=False)
class FeatureSource:
    """An image and the settings its features are computed with.

    `window` is the side of the averaging window in pixels, `levels` the range of
    intensities that entropy divides into its levels.  Waves are `scale` times as long
    as their features' names say.
    """

    image: Image
    window: int
    levels: tuple[float, float]
    documents: PixelGroups | None = None
    scale: float = 1.0

    @cached_property
    def grey(self) -> NDArray[np.float64]:
        """Intensity or luminance of each pixel, 0 where it is not valid."""
        return grey_values(self.image)

    @property
    def valid(self) -> NDArray[np.bool_]:
        return self.image.valid

    @cached_property
    def neighbourhood(self) -> Neighbourhood:
        return Neighbourhood(self.valid, self.window)

    @cached_property
    def local_mean(self) -> NDArray[np.float64]:
        return self.neighbourhood.mean(self.grey)

    @cached_property
    def gabor(self) -> GaborResponses:
        from pmlda_gui.imagery.features.gabor import WAVELENGTHS, gabor_responses

        lengths = scaled_wavelengths(WAVELENGTHS, self.scale)
        return gabor_responses(self, lengths, typical=True)

    @cached_property
    def fine_gabor(self) -> GaborResponses:
        from pmlda_gui.imagery.features.gabor import FINE_WAVELENGTHS, gabor_responses

        return gabor_responses(self, scaled_wavelengths(FINE_WAVELENGTHS, self.scale))

    @cached_property
    def lab(self) -> NDArray[np.float64]:
        from pmlda_gui.imagery.features.colour import lab_values

        return lab_values(self.image)
