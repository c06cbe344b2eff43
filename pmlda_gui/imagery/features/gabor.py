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

from pmlda_gui.imagery.features.frequency import FrequencyPlane
from pmlda_gui.imagery.features.source import FeatureSource

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
# The amplitude of waves changes within about half their length.
_STEPS_PER_WAVE = 6.0


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
    shape = source.image.shape
    margin = int(np.ceil(_REACH * _ENVELOPE * max(wavelengths)))
    coarsest = max(map(_reduction, wavelengths))
    waves = np.where(source.valid, source.grey - source.local_mean, 0.0)
    seen = None if source.valid.all() else source.valid.astype(np.float64)
    wave_plane = FrequencyPlane(waves, margin, coarsest)
    seen_plane = None if seen is None else FrequencyPlane(seen, margin, coarsest)
    angles = np.arange(ORIENTATIONS) * np.pi / ORIENTATIONS
    mean = source.neighbourhood.mean
    energies = []
    doubled_cosine = np.zeros(shape, np.float32)
    doubled_sine = np.zeros(shape, np.float32)
    for wavelength in wavelengths:
        deviation, step = _ENVELOPE * wavelength, _reduction(wavelength)
        share = np.ones((1, 1), np.float32)
        if seen_plane is not None:
            share = np.maximum(seen_plane.magnitude((0, 0), deviation, step), _SMALLEST_SHARE)
        # Long waves change slowly: every few pixels tell, and less is added up.
        fine = step == 1
        total = np.zeros(wave_plane.result_shape(step), np.float32)
        cosine, sine = (
            (doubled_cosine, doubled_sine) if fine else (np.zeros_like(total), np.zeros_like(total))
        )
        for angle in angles:
            centre = (np.sin(angle) / wavelength, np.cos(angle) / wavelength)
            amplitude = wave_plane.magnitude(centre, deviation, step)
            # Half of a wave's amplitude lies at the opposite frequency.
            amplitude *= np.float32(2) / share
            total += amplitude
            cosine += np.float32(np.cos(2 * angle)) * amplitude
            sine += np.float32(np.sin(2 * angle)) * amplitude
        if not fine:
            total = wave_plane.enlarged(total, step)
            doubled_cosine += wave_plane.enlarged(cosine, step)
            doubled_sine += wave_plane.enlarged(sine, step)
        energies.append(mean(total.astype(np.float64) / ORIENTATIONS))
    everything = ORIENTATIONS * np.sum(energies, axis=0)
    anisotropy = np.zeros(shape)
    np.divide(
        np.hypot(mean(doubled_cosine.astype(np.float64)), mean(doubled_sine.astype(np.float64))),
        everything,
        out=anisotropy,
        where=everything > 1e-6 * np.abs(source.levels).max(),
    )
    return GaborResponses(np.stack(energies), np.minimum(anisotropy, 1.0))


def _reduction(wavelength: float) -> int:
    """How many pixels apart the amplitude of these waves is computed: 1, 2, 4 or 8."""
    return next(step for step in (8, 4, 2, 1) if step == 1 or wavelength >= _STEPS_PER_WAVE * step)
