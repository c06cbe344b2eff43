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

from pmlda_gui.imagery.features.feature_input import FeatureSource
from pmlda_gui.imagery.features.frequency import FrequencyPlane

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
# The least amplitude that counts, as a share of the brightness.
_FAINTEST = 3e-5
# The amplitude of waves changes within about half their length.
_STEPS_PER_WAVE = 6.0


@dataclass(frozen=True, eq=False)
class GaborResponses:
    """Window means of the wave amplitudes.

    `energies` (wavelengths, height, width), each the mean over orientations, in
    the image's units; `anisotropy` (height, width) is 0 where waves run in all
    directions alike and 1 where they share one.  Typical ones are geometric means, and
    in their anisotropy every pixel weighs alike.
    """

    energies: NDArray[np.float64]
    anisotropy: NDArray[np.float64]


def gabor_responses(
    source: FeatureSource, wavelengths: Sequence[float] = WAVELENGTHS, typical: bool = False
) -> GaborResponses:
    """Filter the image with a whole bank of these wavelengths.

    Edges between patches of two seabeds are waves that neither has.  They are strong but
    few, so `typical` amplitudes, which a few strong ones hardly raise, change more evenly
    from one seabed to the other.
    """
    sums = _Sums(source, typical, len(wavelengths))
    margin = int(np.ceil(_REACH * _ENVELOPE * max(wavelengths)))
    coarsest = max(map(_reduction, wavelengths))
    waves = np.where(source.valid, source.grey - source.local_mean, 0.0)
    wave_plane = FrequencyPlane(waves, margin, coarsest)
    seen_plane = (
        None
        if source.valid.all()
        else FrequencyPlane(source.valid.astype(np.float64), margin, coarsest)
    )
    for wavelength in wavelengths:
        deviation, step = _ENVELOPE * wavelength, _reduction(wavelength)
        share = np.ones((1, 1), np.float32)
        if seen_plane is not None:
            share = np.maximum(seen_plane.magnitude((0, 0), deviation, step), _SMALLEST_SHARE)
        # Long waves change slowly: every few pixels tell, and less is added up.
        total = np.zeros(wave_plane.result_shape(step), np.float32)
        cosine, sine = (
            (sums.cosine, sums.sine) if step == 1 else (np.zeros_like(total), np.zeros_like(total))
        )
        for angle in np.arange(ORIENTATIONS) * np.pi / ORIENTATIONS:
            centre = (np.sin(angle) / wavelength, np.cos(angle) / wavelength)
            amplitude = wave_plane.magnitude(centre, deviation, step)
            # Half of a wave's amplitude lies at the opposite frequency.
            amplitude *= np.float32(2) / share
            total += amplitude
            cosine += np.float32(np.cos(2 * angle)) * amplitude
            sine += np.float32(np.sin(2 * angle)) * amplitude
        if step > 1:
            total = wave_plane.enlarged(total, step)
            sums.cosine += wave_plane.enlarged(cosine, step)
            sums.sine += wave_plane.enlarged(sine, step)
        sums.add(total)
    return GaborResponses(sums.energies, np.minimum(sums.anisotropy(), 1.0))


class _Sums:
    """What the filters' amplitudes add up to: `cosine` and `sine` of twice their directions."""

    def __init__(self, source: FeatureSource, typical: bool, wavelengths: int) -> None:
        shape = source.image.shape
        self.energies = np.empty((wavelengths, *shape))
        self._added = 0
        self.cosine, self.sine, self._all = (np.zeros(shape, np.float32) for _ in range(3))
        self._mean = source.neighbourhood.mean
        self._typical = typical
        self._loudest = float(np.abs(source.levels).max())
        # Logarithms need a least amplitude, of images without any brightness too.
        self._faintest = _FAINTEST * self._loudest or 1.0

    def add(self, total: NDArray[np.float32]) -> None:
        """Take a wavelength's amplitudes, the sum over the orientations."""
        energy = self.energies[self._added]
        self._added += 1
        if not self._typical:
            energy[:] = self._mean(total.astype(np.float64) / ORIENTATIONS)
            return
        self._all += total
        logarithms = np.log(total / np.float32(ORIENTATIONS) + np.float32(self._faintest))
        np.exp(self._mean(logarithms), out=energy)
        energy -= self._faintest

    def anisotropy(self) -> NDArray[np.float64]:
        """How long the mean of the waves' directions is, 0 where there are no waves."""
        if self._typical:
            weight = 1 / (self._all + np.float32(self._faintest))
            return np.hypot(self._mean(self.cosine * weight), self._mean(self.sine * weight))
        everything = ORIENTATIONS * np.sum(self.energies, axis=0)
        length = np.hypot(
            self._mean(self.cosine.astype(np.float64)), self._mean(self.sine.astype(np.float64))
        )
        # Waves fainter than this are rounding.
        waves = everything > 1e-6 * self._loudest
        return np.divide(length, everything, out=np.zeros_like(length), where=waves)


def _reduction(wavelength: float) -> int:
    """How many pixels apart the amplitude of these waves is computed: 1, 2, 4 or 8."""
    return next(step for step in (8, 4, 2, 1) if step == 1 or wavelength >= _STEPS_PER_WAVE * step)
