"""Synthetic scenes with known memberships, for the demo, the tests and the experiments.

`make_scene` draws a named or specified scene; `make_survey` draws a stretch of
seabed and cuts it into images, as a survey line does.
"""

from __future__ import annotations

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes.catalogue import REPORTING, SCENES, SEABEDS, TUNING
from pmlda_gui.imagery.scenes.dusk import DuskSpec
from pmlda_gui.imagery.scenes.layouts import Bands, Island, Patches, Transition
from pmlda_gui.imagery.scenes.mixing import Blended, Interleaved
from pmlda_gui.imagery.scenes.random_seabeds import random_name, random_number, random_seabed
from pmlda_gui.imagery.scenes.scene import PIXEL_SIZE, Scene, SeabedSpec
from pmlda_gui.imagery.scenes.textures import FlatSand, Ripples, Rock, SeaGrass
from pmlda_gui.imagery.scenes.uneven import Uneven

__all__ = [
    "PIXEL_SIZE",
    "REPORTING",
    "SCENES",
    "SEABEDS",
    "TUNING",
    "Bands",
    "Blended",
    "DuskSpec",
    "FlatSand",
    "Interleaved",
    "Island",
    "Patches",
    "Ripples",
    "Rock",
    "Scene",
    "SceneSpec",
    "SeaGrass",
    "SeabedSpec",
    "Transition",
    "Uneven",
    "make_scene",
    "make_survey",
    "random_name",
    "random_number",
    "random_seabed",
]

SceneSpec = SeabedSpec | DuskSpec
"""What a scene can be made from."""


def _find(name_or_spec: str | SceneSpec) -> SceneSpec:
    if not isinstance(name_or_spec, str):
        return name_or_spec
    number = random_number(name_or_spec)
    if number is not None:
        return random_seabed(number)
    if name_or_spec not in SCENES:
        raise PmldaError(
            f"There is no scene called {name_or_spec!r}: choose one of {', '.join(SCENES)}, or "
            "random-NUMBER."
        )
    return SCENES[name_or_spec]


def make_scene(
    name_or_spec: str | SceneSpec, shape: tuple[int, int] = (600, 544), seed: int = 0
) -> Scene:
    """Draw a scene of `shape` (height, width) pixels; equal seeds give equal scenes."""
    return _find(name_or_spec).make(shape, seed)


def make_survey(
    count: int,
    name_or_spec: str | SceneSpec = "demo",
    shape: tuple[int, int] = (600, 544),
    seed: int = 0,
) -> tuple[Scene, ...]:
    """Draw `count` images of `shape` that follow one another along one stretch of seabed."""
    if count < 1:
        raise PmldaError(f"A survey of {count} images is empty: ask for 1 or more.")
    height, width = shape
    whole = make_scene(name_or_spec, (count * height, width), seed)
    return tuple(
        _cut(whole, slice(start, start + height)) for start in range(0, count * height, height)
    )


def _cut(whole: Scene, rows: slice) -> Scene:
    image = Image(
        pixels=np.ascontiguousarray(whole.image.pixels[rows]),
        valid=np.ascontiguousarray(whole.image.valid[rows]),
        pixel_size=whole.image.pixel_size,
        band_names=whole.image.band_names,
    )
    return Scene(image, np.ascontiguousarray(whole.memberships[:, rows]), whole.topics)
