"""Gabor energies: how strongly the seabed waves at a given wavelength, in any direction.

Filters are Gaussians in the frequency plane, one an orientation and wavelength.
Each window's mean is taken away first and nodata then counts as that mean, so
that nodata adds no wave; amplitudes are divided by the share of the filter that saw data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.crew import available_threads
from pmlda_gui.imagery.features.source import FeatureSource
from pmlda_gui.imagery.features.windows import reflected

__all__ = [
    "FINE_WAVELENGTHS",
    "ORIENTATIONS",
    "WAVELENGTHS",
    "GaborResponses",
    "gabor_responses",
]

WAVELENGTHS = (3.0, 6.0, 12.0, 24.0)
"""Pixels."""

FINE_WAVELENGTHS = (2.5, 5.0, 10.0)
"""Pixels; for texture so fine that the longer filters only blur it."""

ORIENTATIONS = 6

# A bandwidth of one octave: the Gaussian's standard deviation in wavelengths.
_ENVELOPE = 0.56
_REACH = 3.0
_SMALLEST_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class GaborResponses:
    """Window means of the wave amplitudes.

    `energies` (wavelengths, height, width), each the mean over orientations, in
    the image's units; `anisotropy` (height, width) is 0 where waves run in all
    directions alike and 1 where they share one.
    """

    energies: NDArray[np.float64]
    anisotropy: NDArray[np.float64]


def gabor_responses(
    source: FeatureSource, wavelengths: Sequence[float] = WAVELENGTHS
) -> GaborResponses:
    """Filter the image with a whole bank of these wavelengths."""
    from scipy import fft

    threads = available_threads()
    height, width = source.image.shape
    margin = int(np.ceil(_REACH * _ENVELOPE * max(wavelengths)))
    waves = np.where(source.valid, source.grey - source.local_mean, 0.0)
    padded_shape = tuple(fft.next_fast_len(side + 2 * margin) for side in (height, width))
    inside = (slice(margin, margin + height), slice(margin, margin + width))

    def spectrum(values: NDArray[np.float64]) -> NDArray[np.complex64]:
        transformed: NDArray[np.complex64] = fft.fft2(
            reflected(values, margin).astype(np.float32), padded_shape
        )
        return transformed

    down = fft.fftfreq(padded_shape[0])[:, None].astype(np.float32)
    across = fft.fftfreq(padded_shape[1])[None, :].astype(np.float32)

    def gaussian(centre: tuple[float, float], deviation: float) -> NDArray[np.float32]:
        """Frequency response of a Gaussian of `deviation` pixels, moved to `centre`."""
        scale = np.float32(-2 * (np.pi * deviation) ** 2)
        # A Gaussian is the product of one along each axis: two rows of exponentials do.
        response: NDArray[np.float32] = np.exp(
            scale * (down - np.float32(centre[0])) ** 2
        ) * np.exp(scale * (across - np.float32(centre[1])) ** 2)
        return response

    def filtered(
        transformed: NDArray[np.complex64], response: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        result: NDArray[np.complex64] = fft.ifft2(
            transformed * response, overwrite_x=True, workers=threads
        )
        magnitude: NDArray[np.float32] = np.abs(result[inside])
        return magnitude

    wave_spectrum = spectrum(waves)
    valid_spectrum = None if source.valid.all() else spectrum(source.valid.astype(np.float64))
    angles = np.arange(ORIENTATIONS) * np.pi / ORIENTATIONS
    mean = source.neighbourhood.mean
    energies = []
    doubled_cosine = np.zeros((height, width), np.float32)
    doubled_sine = np.zeros((height, width), np.float32)
    for wavelength in wavelengths:
        deviation = _ENVELOPE * wavelength
        if valid_spectrum is None:
            share = np.ones((height, width), np.float32)
        else:
            seen = filtered(valid_spectrum, gaussian((0, 0), deviation))
            share = np.maximum(seen, _SMALLEST_SHARE)
        total = np.zeros((height, width), np.float32)
        for angle in angles:
            centre = (np.sin(angle) / wavelength, np.cos(angle) / wavelength)
            # Half of a wave's amplitude lies at the opposite frequency.
            amplitude = filtered(wave_spectrum, gaussian(centre, deviation))
            amplitude *= np.float32(2) / share
            total += amplitude
            doubled_cosine += np.float32(np.cos(2 * angle)) * amplitude
            doubled_sine += np.float32(np.sin(2 * angle)) * amplitude
        energies.append(mean(total.astype(np.float64) / ORIENTATIONS))
    everything = ORIENTATIONS * np.sum(energies, axis=0)
    anisotropy = np.zeros((height, width))
    np.divide(
        np.hypot(mean(doubled_cosine.astype(np.float64)), mean(doubled_sine.astype(np.float64))),
        everything,
        out=anisotropy,
        where=everything > 1e-6 * np.abs(source.levels).max(),
    )
    return GaborResponses(np.stack(energies), np.minimum(anisotropy, 1.0))
