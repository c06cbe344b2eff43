"""Small prepared images for the window's tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.preparation import DocumentChoice, Prepared, prepare
from pmlda_gui.workspace.run import Run

SHAPE = (60, 52)


@cache
def small_image() -> Image:
    """Sixty rows of the demo scene, with an invalid corner."""
    scene = make_scene("demo", SHAPE)
    valid = np.ones(SHAPE, np.bool_)
    valid[:5, :7] = False
    return Image(np.where(valid, scene.image.pixels, np.float32(0)), valid, pixel_size=0.025)


@cache
def small_prepared(kind: str = "slic") -> Prepared:
    """The small image divided into a dozen documents."""
    window = {"window": 20, "stride": 10} if kind == "window" else {}
    return prepare([small_image()], document_choice=DocumentChoice(kind, 12, **window))


def small_run(topics: int = 3, kind: str = "slic") -> Run:
    """A run on the small image that has not begun."""
    return Run(small_prepared(kind), Parameters(topics), threads=1)
