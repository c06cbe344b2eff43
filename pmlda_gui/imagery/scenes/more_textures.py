"""Textures that no named scene has: they are for scenes on which nothing was chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.noise import smooth_noise
from pmlda_gui.imagery.scenes.textures import scaled_to

__all__ = ["DriftingRipples", "Gravel", "Mottled", "SandWaves"]


def _distance_along(
    shape: tuple[int, int], pixel_size: float, direction: float
) -> NDArray[np.float32]:
    """Metres along a line at `direction` degrees from the columns' axis towards later rows."""
    angle = math.radians(direction)
    rows, columns = np.indices(shape, dtype=np.float32, sparse=True)
    along = columns * math.cos(angle) + rows * math.sin(angle)
    metres: NDArray[np.float32] = (along * pixel_size).astype(np.float32)
    return metres


@dataclass(frozen=True)
class Gravel:
    """Single strong scatterers on even ground.

    `density` is their number per square metre, `strength` what they return on average beside
    the ground's 1 once spread over `size` metres.
    """

    name: str = "gravel"
    level: float = 0.35
    density: float = 20.0
    strength: float = 2.0
    size: float = 0.03

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        from scipy.ndimage import gaussian_filter

        counts = rng.poisson(self.density * pixel_size**2, shape)
        echoes = rng.gamma(np.maximum(counts, 1)) * (counts > 0)
        spread = max(self.size / pixel_size, 0.5)
        # A lone scatterer of strength 1 keeps a peak of 1 however far it is spread.
        peaks = gaussian_filter(echoes, spread, mode="nearest") * (2 * math.pi * spread**2)
        return scaled_to((1.0 + self.strength * peaks).astype(np.float32), self.level)


@dataclass(frozen=True)
class SandWaves:
    """Waves with a gentle and a steep side; `steep` is the share of the wavelength of the latter.

    `wavelength` is in metres and `direction` in degrees as that of ripples.
    """

    name: str = "sand waves"
    level: float = 0.4
    wavelength: float = 0.7
    direction: float = 0.0
    steep: float = 0.2
    contrast: float = 0.6
    bend: float = 0.3

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        wander = smooth_noise(shape, 3.0 * self.wavelength / pixel_size, rng)
        along = _distance_along(shape, pixel_size, self.direction)
        cycles = along / self.wavelength + self.bend * wander + rng.uniform()
        place = cycles - np.floor(cycles)
        height = np.where(
            place < 1.0 - self.steep, place / (1.0 - self.steep), (1.0 - place) / self.steep
        )
        return scaled_to(
            (1.0 + self.contrast * (2.0 * height - 1.0)).astype(np.float32), self.level
        )


@dataclass(frozen=True)
class Mottled:
    """Blotches about `patch` metres long, of two strengths with soft edges."""

    name: str = "mottled ground"
    level: float = 0.35
    patch: float = 0.4
    contrast: float = 0.5

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        blotches = np.tanh(2.0 * smooth_noise(shape, 0.5 * self.patch / pixel_size, rng))
        return scaled_to((1.0 + self.contrast * blotches).astype(np.float32), self.level)


@dataclass(frozen=True)
class DriftingRipples:
    """Ripples whose wavelength in metres changes steadily from side to side of a scene.

    `drift` is the ratio of the last wavelength to the first along their direction.
    """

    name: str = "drifting ripple"
    level: float = 0.38
    wavelength: float = 0.4
    direction: float = 0.0
    drift: float = 1.5
    contrast: float = 0.65
    bend: float = 0.3

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        along = _distance_along(shape, pixel_size, self.direction)
        first, extent = float(along.min()), max(float(np.ptp(along)), pixel_size)
        share = (along - first) / extent
        # Cycles are the integral of 1 / wavelength, which falls linearly along the way.
        start, stop = math.sqrt(self.drift), 1.0 / math.sqrt(self.drift)
        cycles = extent / self.wavelength * share * (start + 0.5 * (stop - start) * share)
        wander = smooth_noise(shape, 2.5 * self.wavelength / pixel_size, rng)
        phase = 2.0 * np.pi * (cycles + self.bend * wander + rng.uniform())
        profile = np.tanh(1.6 * np.sin(phase)) / math.tanh(1.6)
        return scaled_to((1.0 + self.contrast * profile).astype(np.float32), self.level)
