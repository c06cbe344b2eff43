"""Synthetic pictures of dusk over the sea, after the paper's sunset experiment.

Sky, glow and dark sea pass into one another; the glow surrounds the low sun and
its reflection.  Colours mix by membership, as amplitudes do in seabed scenes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes.noise import smooth_noise
from pmlda_gui.imagery.scenes.scene import Scene, check_shape, scene_generator

__all__ = ["DuskSpec"]

_SKY_TOP, _SKY_LOW = (0.30, 0.24, 0.42), (0.62, 0.36, 0.33)
_GLOW, _SEA = (1.0, 0.72, 0.30), (0.07, 0.07, 0.13)
_NOISE = 0.012


@dataclass(frozen=True)
class DuskSpec:
    """A picture of dusk.

    `horizon` and `sun` are the rows of the horizon and the sun as shares of the
    height, `sun_column` the sun's as a share of the width, `glow` the extent of
    the glow as a share of the height, `haze` the softness of the horizon likewise.
    """

    name: str
    description: str
    horizon: float = 0.6
    sun: float = 0.5
    sun_column: float = 0.55
    glow: float = 0.22
    haze: float = 0.04

    def make(self, shape: tuple[int, int], seed: int) -> Scene:
        """Draw the picture with `shape` (height, width); values lie in 0 to 1."""
        check_shape(shape)
        rng = scene_generator(self.name, seed)
        height, width = shape
        row = ((np.arange(height) + 0.5) / height)[:, None]
        column = ((np.arange(width) + 0.5) / width)[None, :]
        waves = smooth_noise(shape, (max(1, height / 90), max(1, width / 12)), rng)
        clouds = smooth_noise(shape, (max(1, height / 14), max(1, width / 4)), rng)

        below = 1 / (1 + np.exp(-(row - self.horizon) / (self.haze / 4)))
        aspect = width / height
        off_column = (column - self.sun_column) * aspect
        around_sun = np.exp(
            -0.5 * (((row - self.sun) / self.glow) ** 2 + (off_column / (1.5 * self.glow)) ** 2)
        )
        # The reflection is a column below the sun that widens towards the viewer
        # and breaks up on the waves.
        depth = np.clip(row - self.horizon, 0, None)
        reach = 0.25 * self.glow + 0.3 * depth
        reflection = np.exp(-0.5 * (off_column / reach) ** 2 - depth / (1.6 * self.glow))
        reflection = reflection * np.clip(0.8 + 0.3 * waves, 0, 1)
        streaked = around_sun * np.clip(1 - 0.12 * clouds, 0.6, 1)
        glow = np.clip((1 - below) * streaked + below * reflection, 0, 1)
        memberships = np.stack([(1 - glow) * (1 - below), glow, (1 - glow) * below])
        memberships = (memberships / memberships.sum(axis=0)).astype(np.float32)

        fade = np.clip(row / self.horizon, 0, 1)[..., None]
        sky = (1 - fade) * np.array(_SKY_TOP) + fade * np.array(_SKY_LOW)
        sky = sky * (1 + 0.05 * clouds[..., None])
        sea = np.array(_SEA) * (1 + 0.15 * waves[..., None])
        colours = (sky, np.broadcast_to(np.array(_GLOW), (*shape, 3)), sea)
        pixels = np.zeros((*shape, 3))
        for membership, colour in zip(memberships, colours, strict=True):
            pixels += membership[..., None] * colour
        pixels += _NOISE * rng.standard_normal(pixels.shape)
        image = Image(
            pixels=np.clip(pixels, 0, 1).astype(np.float32),
            valid=np.ones(shape, dtype=np.bool_),
            band_names=("red", "green", "blue"),
        )
        return Scene(image, memberships, ("sky", "glow", "sea"))
