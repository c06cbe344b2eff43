"""Kinds of seabed that vary in brightness, strength or wavelength from place to place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.noise import smooth_noise
from pmlda_gui.imagery.scenes.textures import Texture, scaled_to

__all__ = ["Uneven"]

# The mean slope of smooth noise of length 1 in one direction: sqrt(-r''(0)) of its correlation.
_SLOPE = 1.179
_DARKEST = 0.03


@dataclass(frozen=True)
class Uneven:
    """Any texture, varied slowly over `length` metres.

    `shading` is the relative swing (one standard deviation) of its level, `strength`
    that of its contrast, and `stretch` that of its wavelengths.
    """

    texture: Texture
    shading: float = 0.0
    strength: float = 0.0
    stretch: float = 0.0
    length: float = 2.5

    @property
    def name(self) -> str:
        return self.texture.name

    @property
    def level(self) -> float:
        return self.texture.level

    def backscatter(
        self, shape: tuple[int, int], pixel_size: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        length = self.length / pixel_size

        def swing(size: float) -> NDArray[np.float32]:
            return np.exp(np.float32(size) * smooth_noise(shape, length, rng))

        pattern = self._stretched(shape, pixel_size, length, rng)
        level = np.float32(self.level)
        varied = (level + (pattern - level) * swing(self.strength)) * swing(self.shading)
        return scaled_to(np.maximum(varied, _DARKEST * level), self.level)

    def _stretched(
        self, shape: tuple[int, int], pixel_size: float, length: float, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """The texture drawn on ground that is stretched here and squeezed there."""
        if self.stretch == 0.0:
            return self.texture.backscatter(shape, pixel_size, rng)
        from scipy.ndimage import map_coordinates

        reach = self.stretch * length / _SLOPE
        margin = int(np.ceil(3 * reach)) + 1
        larger = (shape[0] + 2 * margin, shape[1] + 2 * margin)
        pattern = self.texture.backscatter(larger, pixel_size, rng)
        rows, columns = np.indices(shape, dtype=np.float32)
        places = [
            place + margin + reach * np.clip(smooth_noise(shape, length, rng), -3, 3)
            for place in (rows, columns)
        ]
        stretched: NDArray[np.float32] = map_coordinates(pattern, places, order=1, mode="nearest")
        return stretched
