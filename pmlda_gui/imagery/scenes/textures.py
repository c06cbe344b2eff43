"""What the seabed is made of: each texture is a mean echo amplitude without speckle.

Every texture is scaled to its `level` on average, so that a pixel's membership
says what share of the mean backscatter comes from it.  The sonar looks from the
left, hence highlights lie left and shadows right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.noise import smooth_noise

__all__ = ["FlatSand", "Ripples", "Rock", "SeaGrass", "Texture"]


class Texture(Protocol):
    """A kind of seabed that can be drawn anywhere in a scene."""

    @property
    def name(self) -> str: ...

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Mean echo amplitude, float32 (height, width), positive, `level` on average."""
        ...


def _scaled(pattern: NDArray[np.float32], level: float) -> NDArray[np.float32]:
    return pattern * np.float32(level / pattern.mean())


@dataclass(frozen=True)
class FlatSand:
    """Featureless sand; `mottle` is the relative strength of its slow shading."""

    name: str = "flat sand"
    level: float = 0.4
    mottle: float = 0.06

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        shading = smooth_noise(shape, 0.9 / pixel_size, rng)
        return _scaled(np.exp(np.float32(self.mottle) * shading), self.level)


@dataclass(frozen=True)
class Ripples:
    """Sand ripples with wandering crests.

    `frequency` is in cycles per metre; `direction` is the angle in degrees from
    the columns' axis (across track) towards increasing rows of the line that
    crosses the crests.  `bend` is the wander of the crests in cycles, `contrast`
    the relative swing between crest and trough, and `fading` (0 to 1) how much of
    the swing is lost where the ripples are weakest.
    """

    name: str = "ripple"
    level: float = 0.38
    frequency: float = 2.2
    direction: float = 0.0
    bend: float = 0.35
    contrast: float = 0.75
    fading: float = 0.15

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        angle = math.radians(self.direction)
        rows, columns = np.indices(shape, dtype=np.float32, sparse=True)
        along = (columns * math.cos(angle) + rows * math.sin(angle)) * np.float32(pixel_size)
        wander_length = 2.5 / (self.frequency * pixel_size)
        cycles = (
            np.float32(self.frequency) * along
            + np.float32(self.bend) * smooth_noise(shape, wander_length, rng)
            + np.float32(rng.uniform())
        )
        phase = np.float32(2 * np.pi) * cycles
        # A sonar sees bright flanks and broad dark troughs: steepen the sine a
        # little and lean it over, keeping its period.
        profile = np.tanh(1.6 * np.sin(phase + 0.35 * np.sin(phase))) / math.tanh(1.6)
        strength = np.float32(self.contrast) * self._fade(shape, wander_length, rng)
        return _scaled(1 + strength * profile, self.level)

    def _fade(
        self, shape: tuple[int, int], wander_length: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        weakness = 0.5 + 0.5 * np.tanh(smooth_noise(shape, 2 * wander_length, rng))
        faded: NDArray[np.float32] = 1 - np.float32(self.fading) * weakness
        return faded


@dataclass(frozen=True)
class SeaGrass:
    """Tussocks of `patch` metres: bright towards the sonar, dark behind, gaps between."""

    name: str = "sea grass"
    level: float = 0.34
    patch: float = 0.3
    contrast: float = 0.7

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        length = self.patch / pixel_size
        lean = max(1, round(length / 2))
        canopy = smooth_noise((shape[0], shape[1] + lean), (0.8 * length, 0.6 * length), rng)
        facing = canopy[:, lean:] - canopy[:, :-lean]
        density = smooth_noise(shape, 3 * length, rng)
        relief = np.float32(self.contrast) * (0.75 * facing + 0.35 * density)
        return _scaled(np.exp(np.clip(relief, -2, 1.8)), self.level)


@dataclass(frozen=True)
class Rock:
    """Blocks of `block` metres that stand up: strong highlights and cast shadows.

    `height` is the relief's standard deviation in metres, `grazing` the angle in
    degrees between the sonar's rays and the seabed.
    """

    name: str = "rock"
    level: float = 0.45
    block: float = 0.8
    height: float = 0.2
    grazing: float = 16.0

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        length = self.block / pixel_size
        relief = smooth_noise(shape, length, rng) + 0.5 * smooth_noise(shape, length / 2.5, rng)
        # Terraces make the relief blocky: flat tops between steep faces.
        steps = 1.5 * relief
        terraces = np.floor(steps) + np.clip(4 * (steps - np.floor(steps)) - 3, 0, 1)
        surface = np.float32(self.height) * terraces / 1.5 + 0.006 * smooth_noise(shape, 3, rng)
        slope = np.gradient(surface, pixel_size, axis=1) if shape[1] > 1 else 0 * surface
        # A point is in shadow when an earlier one in its row stands above its ray.
        rays = surface + np.arange(shape[1], dtype=np.float32) * np.float32(
            pixel_size * math.tan(math.radians(self.grazing))
        )
        lit = rays >= np.maximum.accumulate(rays, axis=1) - 1e-4
        echo = np.where(lit, 0.5 + np.clip(slope, -0.3, 2.5), 0.12)
        return _scaled(echo.astype(np.float32), self.level)
