"""Seabeds drawn at random from all kinds and physics, for judging what was chosen elsewhere.

A number gives always the same seabed.  Settings may be chosen on even numbers only; odd
ones are for reporting.  Changing anything here changes published figures.
"""

from __future__ import annotations

import math
import re

import numpy as np

from pmlda_gui.imagery.scenes.layouts import Bands, Island, Layout, Patches, Transition
from pmlda_gui.imagery.scenes.mixing import Blended, Interleaved, Mixing
from pmlda_gui.imagery.scenes.more_textures import DriftingRipples, Gravel, Mottled, SandWaves
from pmlda_gui.imagery.scenes.scene import PIXEL_SIZE, SeabedSpec, scene_generator
from pmlda_gui.imagery.scenes.textures import FlatSand, Ripples, Rock, SeaGrass, Texture
from pmlda_gui.imagery.scenes.uneven import Uneven

__all__ = ["random_name", "random_number", "random_seabed"]

_FAMILIES = (
    "sand", "dark sand", "ripple", "short ripple", "drifting ripple", "sand waves", "sea grass",
    "rock", "gravel", "mottled ground",
)  # fmt: skip
_TOPICS, _TOPIC_ODDS = (2, 3, 4, 5), (0.25, 0.4, 0.2, 0.15)
_NAME = re.compile(r"random-(\d{1,6})")


def random_name(number: int) -> str:
    """What the scene of that number is called."""
    return f"random-{number}"


def random_number(name: str) -> int | None:
    """The number of a random seabed's name, None for any other name."""
    found = _NAME.fullmatch(name)
    return None if found is None else int(found[1])


def random_seabed(number: int) -> SeabedSpec:
    """The seabed of that number, 2 to 5 kinds of it."""
    name = random_name(number)
    rng = scene_generator("random seabed", number)
    topics = int(rng.choice(_TOPICS, p=_TOPIC_ODDS))
    families = rng.permutation(_FAMILIES)[:topics]
    textures = tuple(_texture(str(family), rng) for family in families)
    width = 0.0 if rng.random() < 0.15 else float(np.exp(rng.uniform(math.log(10), math.log(150))))
    mixing: Mixing = Blended()
    how = "blended"
    if rng.random() < 0.45:
        patch = round(float(np.exp(rng.uniform(math.log(6), math.log(30)))), 1)
        mixing, how = Interleaved(patch), f"in patches of {patch:g} pixels"
    layout = _layout(topics, rng)
    scale = float(rng.choice((0.5, 1.0, 2.0), p=(0.15, 0.7, 0.15)))
    near_gain = float(rng.uniform(1.1, 1.6)) if rng.random() < 0.35 else 1.0
    return SeabedSpec(
        name,
        f"{', '.join(texture.name for texture in textures)}, {how}, edges of {width:.0f} pixels.",
        textures,
        layout,
        Transition(width),
        looks=int(rng.integers(1, 5)),
        grain=float(rng.uniform(0.4, 0.9)),
        nodata=0.06 if rng.random() < 0.15 else 0.0,
        mixing=mixing,
        near_gain=near_gain,
        scale=scale,
        states_size=bool(rng.random() < 0.5),
    )


def _layout(topics: int, rng: np.random.Generator) -> Layout:
    kind = rng.random()
    bands = Bands(float(rng.uniform(0, 180)), float(rng.uniform(0.03, 0.12)))
    if kind < 0.4:
        return bands
    if kind < 0.85 or topics == 2:
        return Patches(float(rng.uniform(0.35, 0.6)))
    return Island(float(rng.uniform(0.22, 0.33)), (0.5, 0.5), bands)


def _texture(family: str, rng: np.random.Generator) -> Texture:
    """One kind of the family, uneven in one case of four."""
    made = _even_texture(family, rng)
    if rng.random() < 0.25 and family != "drifting ripple":
        return Uneven(made, shading=0.1, strength=0.2, length=float(rng.uniform(1.5, 4.0)))
    return made


def _even_texture(family: str, rng: np.random.Generator) -> Texture:
    direction = float(rng.uniform(-90, 90))
    level = float(rng.uniform(0.3, 0.5))

    def metres(low: float, high: float) -> float:
        """A length between these, in pixels of the usual size, as metres."""
        return float(np.exp(rng.uniform(math.log(low), math.log(high)))) * PIXEL_SIZE

    if family == "sand":
        return FlatSand("sand", float(rng.uniform(0.4, 0.65)), float(rng.uniform(0.03, 0.1)))
    if family == "dark sand":
        return FlatSand(family, float(rng.uniform(0.12, 0.25)), float(rng.uniform(0.03, 0.1)))
    if family == "ripple":
        contrast = float(rng.uniform(0.5, 0.85))
        return Ripples(family, level, 1.0 / metres(14, 40), direction, contrast=contrast)
    if family == "short ripple":
        contrast = float(rng.uniform(0.5, 0.85))
        return Ripples(family, level, 1.0 / metres(5, 9), direction, contrast=contrast)
    if family == "drifting ripple":
        drift = float(rng.choice((0.6, 1.7)))
        return DriftingRipples(family, level, metres(10, 20), direction, drift)
    if family == "sand waves":
        steep = float(rng.uniform(0.1, 0.4))
        return SandWaves(family, level, metres(20, 50), direction, steep)
    if family == "sea grass":
        return SeaGrass(family, level, metres(8, 18), float(rng.uniform(0.5, 0.8)))
    if family == "rock":
        return Rock(family, level, metres(16, 36), grazing=float(rng.uniform(12, 30)))
    if family == "gravel":
        density = float(np.exp(rng.uniform(math.log(4), math.log(80))))
        return Gravel(family, level, density, float(rng.uniform(1.5, 4.0)))
    return Mottled("mottled ground", level, metres(8, 30), float(rng.uniform(0.35, 0.7)))
