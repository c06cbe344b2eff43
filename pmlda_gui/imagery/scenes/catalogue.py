"""The named scenes: from crisp boundaries to transitions as wide as the scene.

They serve the demo, the tests, the benchmarks and the experiment that measures
how well memberships are recovered, so changing one changes published figures.
"""

from __future__ import annotations

from pmlda_gui.imagery.scenes.dusk import DuskSpec
from pmlda_gui.imagery.scenes.layouts import Bands, Island, Patches, Transition
from pmlda_gui.imagery.scenes.other_physics import OTHER_PHYSICS
from pmlda_gui.imagery.scenes.scene import SeabedSpec
from pmlda_gui.imagery.scenes.textures import FlatSand, Ripples, Rock, SeaGrass

__all__ = ["REPORTING", "SCENES", "SEABEDS", "TUNING"]

_BRIGHT = FlatSand("bright sand", level=0.60)
_DARK = FlatSand("dark sand", level=0.17, mottle=0.09)
_RIPPLE = Ripples()
_GRASS = SeaGrass()
_ROCK = Rock()

_FIRST: tuple[SeabedSpec, ...] = (
    SeabedSpec(
        "demo",
        "Bright sand, ripples and dark sand that pass into one another over three metres.",
        (_BRIGHT, Ripples(direction=12.0, bend=0.4), _DARK),
        Bands(direction=24.0, wander=0.07),
        Transition(3.0, "metres"),
    ),
    SeabedSpec(
        "crisp-bands",
        "The demo's three seabeds with boundaries as sharp as a pixel.",
        (_BRIGHT, _RIPPLE, _DARK),
        Bands(),
        Transition(0),
    ),
    SeabedSpec(
        "crisp-patches",
        "Bright sand, dark sand and sea grass in sharp-edged patches.",
        (_BRIGHT, _DARK, _GRASS),
        Patches(0.3),
        Transition(0),
    ),
    SeabedSpec(
        "narrow-patches",
        "Bright sand, ripples and dark sand in patches whose edges are 20 pixels wide.",
        (_BRIGHT, _RIPPLE, _DARK),
        Patches(0.4),
        Transition(20),
    ),
    SeabedSpec(
        "rock-outcrop",
        "Rock that stands out of bright and dark sand, with edges of half a metre.",
        (_BRIGHT, _DARK, _ROCK),
        Island(surroundings=Bands(90.0)),
        Transition(0.5, "metres"),
    ),
    SeabedSpec(
        "grass-and-sand",
        "Sea grass that thins out over dark sand within a metre and a half.",
        (_GRASS, _DARK),
        Patches(0.45),
        Transition(1.5, "metres"),
    ),
    SeabedSpec(
        "ripple-island",
        "An island of ripples that fade into bright and dark sand over two metres.",
        (_DARK, _BRIGHT, Ripples(frequency=2.8, direction=-20.0)),
        Island(radius=0.3, surroundings=Bands(70.0)),
        Transition(2.0, "metres"),
    ),
    SeabedSpec(
        "diagonal-ripple",
        "Diagonal ripples between bright and dark sand, transitions of 100 pixels.",
        (_BRIGHT, Ripples(direction=50.0, frequency=2.5), _DARK),
        Bands(90.0),
        Transition(100),
    ),
    SeabedSpec(
        "four-seabeds",
        "Bright sand, ripples, sea grass and dark sand in patches, edges of 60 pixels.",
        (_BRIGHT, _RIPPLE, _GRASS, _DARK),
        Patches(0.42),
        Transition(60),
    ),
    SeabedSpec(
        "two-ripples",
        "Long and short ripples in different directions with dark sand, edges of 80 pixels.",
        (
            Ripples("long ripple", frequency=1.5, direction=10.0, level=0.45),
            Ripples("short ripple", frequency=4.0, direction=-60.0, level=0.35, bend=0.2),
            _DARK,
        ),
        Bands(15.0, wander=0.1),
        Transition(80),
    ),
    SeabedSpec(
        "widening",
        "Boundaries that are sharp at the left and six metres wide at the right.",
        (_BRIGHT, _RIPPLE, _DARK),
        Bands(90.0, wander=0.05),
        Transition(0, "metres", far_width=6.0),
    ),
    SeabedSpec(
        "wide-bands",
        "Ripples that vanish slowly into bright and dark sand over six metres.",
        (_BRIGHT, _RIPPLE, _DARK),
        Bands(60.0),
        Transition(6.0, "metres"),
    ),
    SeabedSpec(
        "wide-grass",
        "Sea grass, bright sand and dark sand in patches with edges of 200 pixels.",
        (_GRASS, _BRIGHT, _DARK),
        Patches(0.6),
        Transition(200),
    ),
    SeabedSpec(
        "very-wide",
        "Hardly a pure pixel: bright sand, ripples and dark sand over ten metres.",
        (_BRIGHT, _RIPPLE, _DARK),
        Bands(35.0),
        Transition(10.0, "metres"),
    ),
    SeabedSpec(
        "mosaic-edge",
        "The demo's seabeds with ragged empty borders and two-look speckle.",
        (_BRIGHT, _RIPPLE, _DARK),
        Patches(0.5),
        Transition(2.0, "metres"),
        looks=2,
        nodata=0.08,
    ),
)
_DUSKS = (
    DuskSpec("dusk", "Sky, glow and its reflection, dark sea."),
    DuskSpec("dusk-low-sun", "The sun at the horizon, a narrow glow.", sun=0.58, glow=0.14),
    DuskSpec("dusk-haze", "A wide glow over a hazy horizon.", glow=0.34, haze=0.18),
)

_ALL: tuple[SeabedSpec | DuskSpec, ...] = (*_FIRST, *_DUSKS, *OTHER_PHYSICS)

SCENES: dict[str, SeabedSpec | DuskSpec] = {spec.name: spec for spec in _ALL}
"""Every named scene, in the order in which menus and help list them."""

SEABEDS = tuple(spec.name for spec in (*_FIRST, *OTHER_PHYSICS))
"""Those of the seabed."""

TUNING = tuple(spec.name for spec in (*_FIRST[::2], *OTHER_PHYSICS[::2]))
"""The half of the seabeds on which settings may be chosen."""

REPORTING = tuple(spec.name for spec in (*_FIRST[1::2], *OTHER_PHYSICS[1::2]))
"""The other half, on which nothing is chosen: what is reported is measured here."""
