"""A synthetic scene: an image whose true memberships are known.

Mean amplitudes mix by membership before speckle multiplies them: either linearly,
which is the mixing that PM-LDA assumes, so that the truth is what a perfect sampler
would find, or as patches of pure kinds, which is what much of the seabed does.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes.layouts import Layout, Transition
from pmlda_gui.imagery.scenes.mixing import Blended, Mixing
from pmlda_gui.imagery.scenes.noise import smooth_noise, speckle
from pmlda_gui.imagery.scenes.textures import Texture

__all__ = ["PIXEL_SIZE", "Scene", "SeabedSpec", "check_shape", "scene_generator"]

PIXEL_SIZE = 0.025
"""Side of a pixel in metres, that of the paper's synthetic aperture sonar."""

_LARGEST_SCENE = 64_000_000
_BLENDED = Blended()


@dataclass(frozen=True, eq=False)
class Scene:
    """An image with its truth.

    `memberships` is float32 (topics, height, width); it sums to 1 on the image's
    valid pixels and is 0 elsewhere.
    """

    image: Image
    memberships: NDArray[np.float32]
    topics: tuple[str, ...]

    @property
    def pixel_size(self) -> float | None:
        """Side of a pixel in metres; None for a picture that is not of the seabed."""
        return self.image.pixel_size


def check_shape(shape: tuple[int, int]) -> None:
    """Refuse a scene that cannot be drawn, with a sentence that says why."""
    height, width = shape
    if height < 1 or width < 1:
        raise PmldaError(
            f"A scene of {height} x {width} pixels is empty: give a height and width of 1 or more."
        )
    if height * width > _LARGEST_SCENE:
        raise PmldaError(
            f"A scene of {height} x {width} pixels is too large to make in memory: "
            f"stay below {_LARGEST_SCENE // 1_000_000} million pixels."
        )


def scene_generator(name: str, seed: int) -> np.random.Generator:
    """Random numbers of their own for each scene, so that equal seeds do not look alike."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


@dataclass(frozen=True)
class SeabedSpec:
    """A seabed scene: what it is made of, where, how softly, and how it was seen.

    `looks` and `grain` (pixels) describe the speckle; `nodata` is the share of
    the width that the ragged empty borders take on either side.  `mixing` says how
    kinds share a pixel's neighbourhood.  `near_gain` is how many times stronger the
    amplitude is at the near side, the left, than at the far side.  `scale` is how many
    pixels take the place of one along each side, so that 2 is twice the resolution;
    `states_size` says whether the image knows the size of its pixels.
    """

    name: str
    description: str
    textures: tuple[Texture, ...]
    layout: Layout
    transition: Transition
    looks: int = 1
    grain: float = 0.55
    nodata: float = 0.0
    mixing: Mixing = _BLENDED
    near_gain: float = 1.0
    scale: float = 1.0
    states_size: bool = True

    @property
    def pixel_size(self) -> float:
        """Side of a pixel in metres."""
        return PIXEL_SIZE / self.scale

    def make(self, shape: tuple[int, int], seed: int) -> Scene:
        """Draw the scene with `shape` (height, width); equal seeds give equal scenes."""
        check_shape(shape)
        # More generators may be added at the end only: the first keep their numbers then.
        layout_rng, texture_rng, speckle_rng, border_rng, patch_rng, gain_rng = scene_generator(
            self.name, seed
        ).spawn(6)
        count = len(self.textures)
        labels = self.layout.labels(shape, count, layout_rng)
        memberships = self.transition.memberships(labels, count, self.pixel_size)
        weights = self.mixing.weights(memberships, self.scale, patch_rng)
        mean = np.zeros(shape, dtype=np.float32)
        for texture, weight in zip(self.textures, weights, strict=True):
            mean += weight * texture.backscatter(shape, self.pixel_size, texture_rng)
        if self.near_gain != 1.0:
            mean *= self._gain(shape, gain_rng)
        pixels = mean * speckle(shape, self.looks, self.grain, speckle_rng)
        valid = self._valid(shape, border_rng)
        image = Image(
            pixels=np.where(valid, pixels, np.float32(0)),
            valid=valid,
            pixel_size=self.pixel_size if self.states_size else None,
            band_names=("amplitude",),
        )
        return Scene(image, memberships * valid, tuple(texture.name for texture in self.textures))

    def _gain(self, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
        """What the amplitude is multiplied with, (1, width), of mean 1: it falls with range.

        Slow swings on top are what a sonar's own correction leaves.
        """
        width = shape[1]
        fall = 0.5 - (np.arange(width) + 0.5) / width
        swings = smooth_noise((1, width), (1, max(width / 3, 1)), rng)[0]
        gain = np.exp(math.log(self.near_gain) * (fall + 0.12 * swings))[None]
        return (gain / gain.mean()).astype(np.float32)

    def _valid(self, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
        """False on ragged borders, as where a survey line ends within a mosaic."""
        if self.nodata == 0:
            return np.ones(shape, dtype=np.bool_)
        share = (np.arange(shape[1]) + 0.5) / shape[1]
        along = (shape[0], 1)
        left, right = (
            self.nodata * np.clip(1 + 0.3 * smooth_noise(along, shape[0] / 6, rng), 0.2, 1.8)
            for _ in range(2)
        )
        valid: NDArray[np.bool_] = (share > left) & (share < 1 - right)
        return valid
