"""Runs on synthetic seabeds with straight edges of known width, for questions of the map."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from pmlda_gui.imagery.scenes import Bands, FlatSand, Scene, SeabedSpec, Transition, make_scene
from pmlda_gui.workspace.defaults import DEFAULT_PARAMETERS
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.run import Run

HEIGHT, WIDTH = 150, 260
_KINDS = (FlatSand("bright sand", level=0.60), FlatSand("dark sand", level=0.17, mottle=0.09))


@cache
def scene(width: float) -> Scene:
    """Bright sand at the left and dark sand at the right, `width` pixels from pure to pure."""
    spec = SeabedSpec(f"edge-{width:g}", "", _KINDS, Bands(0.0, 0.0), Transition(width))
    return make_scene(spec, (HEIGHT, WIDTH))


@cache
def edge_run(width: float) -> Run:
    """A run on that scene; topic 0 is the bright sand, or not: see `bright_topic`."""
    prepared = prepare(
        [scene(width).image], FeatureChoice(("mean", "std"), window=21), DocumentChoice("grid", 24)
    )
    run = Run(prepared, replace(DEFAULT_PARAMETERS, topics=2), seed=3, threads=1)
    run.sweep(120)
    return run


def bright_topic(run: Run) -> int:
    """The number of the topic at the left."""
    maps = run.maps(step=10)
    assert maps is not None
    return int(maps.memberships[:, :, :3].mean(axis=(1, 2)).argmax())
