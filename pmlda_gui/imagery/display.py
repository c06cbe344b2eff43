"""Converts an image to bytes for a screen: contrast, colour, and missing pixels.

Pure functions: an `Image` and a frozen `Display` give the same uint8 picture each
time.  Invalid pixels never decide the contrast, and they are drawn in a neutral
colour that no colour map contains, or left transparent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image

__all__ = [
    "COLOUR_MAPS",
    "INVALID_COLOUR",
    "Display",
    "colour_table",
    "contrast",
    "decibels",
    "to_levels",
    "to_rgb",
    "to_rgba",
]

Scale = Literal["linear", "log"]
COLOUR_MAPS = ("grey", "copper", "cividis")
# A muted violet: neither a grey nor a copper, nor a colour of the third map.
INVALID_COLOUR = (84, 54, 92)
CONTRAST_SAMPLE = 1_000_000
DECIBELS_BELOW_MAXIMUM = 80.0

# Red, green and blue at even steps of cividis, the map of Nunez, Anderton and Renslow
# (2018) that looks nearly alike with and without colour-deficient vision.
CIVIDIS_CONTROLS = (
    (0, 34, 78),
    (18, 53, 112),
    (59, 73, 108),
    (87, 93, 109),
    (112, 113, 115),
    (138, 134, 120),
    (165, 156, 116),
    (195, 179, 105),
    (225, 204, 85),
    (254, 232, 56),
)


@dataclass(frozen=True)
class Display:
    """How values become brightness.

    Values between the percentiles `low` and `high` (0 to 100) of the valid pixels
    spread over the whole range; `log` does so in decibels, 20 log10 of amplitude;
    then brightness is raised to the power 1 / `gamma`, so more than 1 lightens.
    """

    scale: Scale = "linear"
    low: float = 1.0
    high: float = 99.0
    gamma: float = 1.0
    colours: str = "grey"

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log"):
            raise PmldaError(f"There is no scale {self.scale!r}; choose linear or log.")
        if not 0 <= self.low < self.high <= 100:
            raise PmldaError(
                f"The percentiles {self.low:g} and {self.high:g} leave no contrast; choose "
                "0 <= low < high <= 100."
            )
        if not 0.05 <= self.gamma <= 20:
            raise PmldaError(f"The gamma {self.gamma:g} is outside 0.05 to 20; choose one inside.")
        if self.colours not in COLOUR_MAPS:
            raise PmldaError(
                f"There is no colour map {self.colours!r}; choose {', '.join(COLOUR_MAPS)}."
            )


DEFAULT_DISPLAY = Display()


def to_levels(image: Image, display: Display = DEFAULT_DISPLAY) -> NDArray[np.uint8]:
    """Brightness 0 to 255 with the shape of the image's pixels; 0 where invalid."""
    values = decibels(image) if display.scale == "log" else image.pixels
    low, high = contrast(values, image.valid, display)
    brightness = np.clip((values - np.float32(low)) / np.float32(high - low), 0, 1)
    levels: NDArray[np.uint8] = np.rint(brightness ** (1 / display.gamma) * 255).astype(np.uint8)
    levels[~image.valid] = 0
    return levels


def to_rgb(image: Image, display: Display = DEFAULT_DISPLAY) -> NDArray[np.uint8]:
    """Colours, (height, width, 3); invalid pixels are drawn in INVALID_COLOUR."""
    levels = to_levels(image, display)
    # A colour image is its own colour map.
    picture = levels if image.is_colour else np.asarray(colour_table(display.colours)[levels])
    picture[~image.valid] = INVALID_COLOUR
    return picture


def to_rgba(image: Image, display: Display = DEFAULT_DISPLAY) -> NDArray[np.uint8]:
    """Colours with transparency, (height, width, 4); invalid pixels have alpha 0."""
    alpha = np.where(image.valid, np.uint8(255), np.uint8(0))
    return np.dstack([to_rgb(image, display), alpha])


@cache
def colour_table(name: str) -> NDArray[np.uint8]:
    """The 256 colours of a map, (256, 3) and read-only, darkest first."""
    level = np.linspace(0.0, 1.0, 256)
    if name == "grey":
        table = np.repeat(level[:, np.newaxis], 3, axis=1)
    elif name == "copper":
        table = np.clip(np.outer(level, (1.25, 0.7812, 0.4975)), 0, 1)
    elif name == "cividis":
        controls = np.array(CIVIDIS_CONTROLS) / 255
        places = np.linspace(0.0, 1.0, len(controls))
        table = np.column_stack(
            [np.interp(level, places, controls[:, channel]) for channel in range(3)]
        )
    else:
        raise PmldaError(f"There is no colour map {name!r}; choose {', '.join(COLOUR_MAPS)}.")
    colours = np.rint(table * 255).astype(np.uint8)
    colours.setflags(write=False)
    return colours


def decibels(image: Image) -> NDArray[np.float32]:
    """20 log10 of the magnitude, not more than a stated depth below the maximum."""
    magnitude = np.abs(image.pixels)
    greatest = float(magnitude[image.valid].max(initial=0.0))
    if greatest == 0.0:
        return np.zeros_like(image.pixels)
    floor = greatest * 10 ** (-DECIBELS_BELOW_MAXIMUM / 20)
    return np.float32(20.0) * np.log10(np.maximum(magnitude, np.float32(floor)))


def contrast(
    values: NDArray[np.float32], valid: NDArray[np.bool_], display: Display
) -> tuple[float, float]:
    """The values drawn darkest and brightest; apart even if all pixels are equal."""
    known = values[valid]
    known = known[:: max(1, len(known) // CONTRAST_SAMPLE)]
    if known.size == 0:
        return 0.0, 1.0
    low, high = (float(value) for value in np.percentile(known, [display.low, display.high]))
    if high <= low:
        low, high = float(known.min()), float(known.max())
    # A constant image is drawn half bright, so that it does not look like nodata.
    half = max(0.5, abs(low) / 2)
    return (low, high) if high > low else (low - half, low + half)
