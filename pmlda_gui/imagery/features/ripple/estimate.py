"""The frequency and direction of the ripples in a document, from its spectrum.

The document is tapered towards its own outline, so that its shape does not pass
for a ripple, and the spectral peak is placed between bins by a parabola.  Speckle
is broadband: it lowers the strength of the peak but does not move it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features.feature_input import PixelGroups, grey_values
from pmlda_gui.imagery.features.ripple.regions import Region, regions_of
from pmlda_gui.imagery.image import Image

__all__ = ["LONGEST", "SHORTEST", "Ripple", "estimate_ripples", "measure_ripple"]

SHORTEST = 4.0
"""Pixels from crest to crest; what is shorter cannot be told from speckle."""

LONGEST = 80.0
"""Pixels from crest to crest; what is longer is relief rather than ripple."""

# A peak needs this many cycles within the document to be called a frequency.
_FEWEST_CYCLES = 1.5
_TAILS = (1.0, 99.0)
_PADDING = 2


@dataclass(frozen=True)
class Ripple:
    """What a document's spectrum says about ripples.

    `length` is the distance from crest to crest in pixels and `frequency` its
    inverse in cycles per metre, None where the pixel size is unknown; `direction`
    is the angle in degrees, in [-90, 90), from the columns' axis towards increasing
    rows of the line that crosses the crests; `strength` (0 to 1) is the share of the
    variation that the spectral peak holds.
    """

    length: float
    frequency: float | None
    direction: float
    strength: float


def estimate_ripples(image: Image, documents: PixelGroups | None = None) -> tuple[Ripple, ...]:
    """The ripples of each document, or of overlapping square tiles without documents."""
    if not image.valid.any():
        raise PmldaError(f"{image.name} has no valid pixel, so it has no ripples to measure.")
    grey = grey_values(image)
    return tuple(
        measure_ripple(grey, region, image.pixel_size)
        for region in regions_of(image.valid, documents)
    )


def measure_ripple(
    grey: NDArray[np.float64], region: Region, pixel_size: float | None = None
) -> Ripple:
    """The strongest wave within a region of an image; `pixel_size` is in metres."""
    from scipy import fft

    waves = _tapered(grey[region.box], region.mask)
    shape = tuple(fft.next_fast_len(max(_PADDING * side, 16), real=True) for side in waves.shape)
    power = np.abs(fft.rfft2(waves, shape)) ** 2
    down = fft.fftfreq(shape[0])[:, None]
    across = fft.rfftfreq(shape[1])[None, :]
    distance = np.hypot(down, across)
    lowest = max(1 / LONGEST, min(_FEWEST_CYCLES / max(region.mask.shape), 0.5 / SHORTEST))
    within = (distance >= lowest) & (distance <= 1 / SHORTEST)
    peak = np.unravel_index(np.argmax(np.where(within, power, -1.0)), power.shape)
    if power[peak] <= 0:
        return Ripple(LONGEST, _per_metre(LONGEST, pixel_size), 0.0, 0.0)
    row, column = int(peak[0]), int(peak[1])
    row_frequency = down[row, 0] + _shift(power[:, column], row) / shape[0]
    # Columns end at frequency 0, beyond which the spectrum is mirrored in rows.
    beside = np.concatenate([power[-row, 1:2], power[row]])
    column_frequency = across[0, column] + _shift(beside, column + 1) / shape[1]
    frequency = math.hypot(row_frequency, column_frequency)
    length = min(max(1 / frequency, SHORTEST), LONGEST)
    direction = math.degrees(math.atan2(row_frequency, column_frequency))
    # The main lobe of the taper spans two bins of the unpadded document on each side;
    # next to frequency 0 a part of it lies around the mirrored peak.
    lobe = np.minimum(
        *(
            np.hypot(
                (down - side * row_frequency) * waves.shape[0],
                (across - side * column_frequency) * waves.shape[1],
            )
            for side in (1, -1)
        )
    )
    both_sides = np.where((across > 0) & (across < 0.5), 2.0, 1.0) * power
    held = float(both_sides[lobe <= 2].sum() / both_sides.sum())
    return Ripple(
        length, _per_metre(length, pixel_size), (direction + 90) % 180 - 90, min(held, 1.0)
    )


def _per_metre(length: float, pixel_size: float | None) -> float | None:
    return None if pixel_size is None else 1 / (length * pixel_size)


def _tapered(values: NDArray[np.float64], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The region's values without their slow change, fading to 0 at the region's outline."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    taper = np.sin(0.5 * np.pi * np.minimum(2 * depth / depth.max(), 1.0)) ** 2
    # Single bright echoes would spread over the whole spectrum.
    inside = np.clip(values, *np.percentile(values[mask], _TAILS))
    # Passing from one seabed to another is no ripple: take a quadratic surface away.
    rows, columns = (np.linspace(-1, 1, side) for side in mask.shape)
    surface = np.polynomial.polynomial.polyvander2d(
        *np.meshgrid(rows, columns, indexing="ij"), [2, 2]
    )[..., [0, 1, 2, 3, 4, 6]]
    terms, weights = surface[mask], taper[mask][:, None]
    # Normal equations are quick, and safe with terms of size 1; a region of few
    # pixels makes them singular, hence least squares.
    coefficients, *_ = np.linalg.lstsq(
        terms.T @ (weights * terms), terms.T @ (weights[:, 0] * inside[mask]), rcond=None
    )
    tapered: NDArray[np.float64] = np.where(mask, taper * (inside - surface @ coefficients), 0.0)
    return tapered


def _shift(power: NDArray[np.float64], index: int) -> float:
    """Where between its neighbours the peak lies, in bins, by a parabola through logarithms."""
    around = power[np.arange(index - 1, index + 2) % power.size]
    if around.min() <= 0:
        return 0.0
    before, at, after = np.log(around)
    curvature = before - 2 * at + after
    return float(np.clip(0.5 * (before - after) / curvature, -1, 1)) if curvature < 0 else 0.0
