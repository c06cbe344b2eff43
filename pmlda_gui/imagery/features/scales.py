"""The lengths that features measure: in pixels at another scale, and in metres.

The features' names state lengths in pixels.  At scale 2 windows are twice as wide and
waves twice as long, so that a seabed seen with pixels half as large is measured alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmlda_gui.core.errors import PmldaError

__all__ = [
    "LARGEST_SCALE",
    "SMALLEST_SCALE",
    "check_scale",
    "in_metres",
    "lengths_in_words",
    "scaled_wavelengths",
    "scaled_window",
]

SMALLEST_SCALE, LARGEST_SCALE = 0.25, 8.0
# Nearer to two pixels there is nothing but the grid.
_SHORTEST_WAVE = 2.5
_SMALLEST_WINDOW = 3


def check_scale(scale: float) -> None:
    """Refuse a scale at which nothing sensible can be measured."""
    if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        raise PmldaError(
            f"Features cannot be measured at scale {scale:g}: "
            f"give a number from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}."
        )


def scaled_window(window: int, scale: float) -> int:
    """The side in pixels, odd, of a window at this scale."""
    if scale == 1.0:
        return window
    return max(_SMALLEST_WINDOW, 2 * round((window * scale - 1.0) / 2.0) + 1)


def scaled_wavelengths(wavelengths: Sequence[float], scale: float) -> tuple[float, ...]:
    """Wavelengths in pixels at this scale; none is shorter than pixels can show."""
    if scale == 1.0:
        return tuple(wavelengths)
    return tuple(max(_SHORTEST_WAVE, wavelength * scale) for wavelength in wavelengths)


def in_metres(pixels: float, pixel_size: float) -> str:
    """A length as an operator reads it: 0.78 m, 12 m."""
    return f"{_rounded(pixels * pixel_size)} m"


def lengths_in_words(
    window: int, wavelengths: Sequence[float], scale: float, pixel_size: float | None
) -> str:
    """What is measured at this scale, in pixels, and in metres where their size is known."""
    said = [_length("windows", [scaled_window(window, scale)], pixel_size)]
    if wavelengths:
        said.append(_length("waves", scaled_wavelengths(wavelengths, scale), pixel_size))
    return " and ".join(said)


def _length(what: str, pixels: Sequence[float], pixel_size: float | None) -> str:
    metres = "" if pixel_size is None else f" ({_listed([each * pixel_size for each in pixels])} m)"
    return f"{what} of {_listed(pixels)} pixels{metres}"


def _listed(lengths: Sequence[float]) -> str:
    *before, last = map(_rounded, lengths)
    return f"{', '.join(before)} and {last}" if before else last


def _rounded(length: float) -> str:
    return f"{float(f'{length:.2g}'):g}"
