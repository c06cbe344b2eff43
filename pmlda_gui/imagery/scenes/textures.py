"""Textures of the seabed: each is a mean echo amplitude without speckle.

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

__all__ = ["FlatSand", "Ripples", "Rock", "SeaGrass", "Texture", "scaled_to"]


class Texture(Protocol):
    """A kind of seabed that can be drawn anywhere in a scene."""

    @property
    def name(self) -> str: ...

    @property
    def level(self) -> float: ...

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Mean echo amplitude, float32 (height, width), positive, `level` on average."""
        ...


def scaled_to(pattern: NDArray[np.float32], level: float) -> NDArray[np.float32]:
    """The pattern with this mean."""
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
        return scaled_to(np.exp(np.float32(self.mottle) * shading), self.level)


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
        return scaled_to(1 + strength * profile, self.level)

    def _fade(
        self, shape: tuple[int, int], wander_length: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        weakness = 0.5 + 0.5 * np.tanh(smooth_noise(shape, 2 * wander_length, rng))
        return (1 - self.fading * weakness).astype(np.float32)


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
        return scaled_to(np.exp(np.clip(relief, -2, 1.8)), self.level)


@dataclass(frozen=True)
class Rock:
    """Blocks of `block` metres that stand up: strong highlights and cast shadows.

    `height` is the blocks' mean height in metres, `grazing` the angle in degrees
    between the sonar's rays and the seabed.
    """

    name: str = "rock"
    level: float = 0.45
    block: float = 0.6
    height: float = 0.15
    grazing: float = 20.0

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        from scipy.ndimage import gaussian_filter

        heights = np.float32(self.height) * _block_heights(shape, self.block / pixel_size, rng)
        rough = 0.15 * self.height * smooth_noise(shape, 0.1 / pixel_size, rng)
        surface = gaussian_filter(heights, 1.5) + rough
        slope = np.gradient(surface, pixel_size, axis=1) if shape[1] > 1 else 0 * surface
        # A point is in shadow when an earlier one in its row stands above its ray.
        rays = surface + np.arange(shape[1], dtype=np.float32) * np.float32(
            pixel_size * math.tan(math.radians(self.grazing))
        )
        lit = rays >= np.maximum.accumulate(rays, axis=1) - 1e-4
        echo = np.where(lit, 0.5 + np.clip(slope, -0.3, 3.0), 0.12)
        return scaled_to(echo.astype(np.float32), self.level)


def _block_heights(
    shape: tuple[int, int], spacing: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """A random height of mean 1 for each polygonal block, about `spacing` pixels apart."""
    rows, columns = np.indices(shape, dtype=np.float32, sparse=True)
    cell_rows = np.floor(rows / spacing).astype(np.int64) + 1
    cell_columns = np.floor(columns / spacing).astype(np.int64) + 1
    cells = (int(cell_rows.max()) + 2, int(cell_columns.max()) + 2)
    jitter = rng.uniform(0, 1, (2, *cells)).astype(np.float32)
    heights = rng.exponential(1.0, cells).astype(np.float32)
    nearest = np.full(shape, np.inf, dtype=np.float32)
    result = np.zeros(shape, dtype=np.float32)
    # Each cell of a square grid holds one block's centre, so the nearest centre
    # lies in the pixel's own cell or beside it.
    for step_row in (-1, 0, 1):
        for step_column in (-1, 0, 1):
            cell = (cell_rows + step_row, cell_columns + step_column)
            down = (cell[0] - 1 + jitter[0][cell]) * spacing - rows
            across = (cell[1] - 1 + jitter[1][cell]) * spacing - columns
            distance = down**2 + across**2
            closer = distance < nearest
            nearest = np.where(closer, distance, nearest)
            result = np.where(closer, heights[cell], result)
    return result
