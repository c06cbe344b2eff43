"""Named scenes that differ from the first ones in how the seabed mixes and how it is seen.

Transitions by patches as well as by blending, ripples of 6 to 40 pixels in any
direction, kinds that vary within themselves, gain that falls with range, one to four
looks, and the same seabed at half and double resolution.  Scenes stand in pairs of
like physics: settings may be chosen on the first of each pair, the second is for
reporting what came of it, so a new scene needs a partner.
"""

from __future__ import annotations

from pmlda_gui.imagery.scenes.layouts import Bands, Island, Patches, Transition
from pmlda_gui.imagery.scenes.mixing import Interleaved
from pmlda_gui.imagery.scenes.scene import PIXEL_SIZE, SeabedSpec
from pmlda_gui.imagery.scenes.textures import FlatSand, Ripples, Rock, SeaGrass
from pmlda_gui.imagery.scenes.uneven import Uneven

__all__ = ["OTHER_PHYSICS"]

_BRIGHT = FlatSand("bright sand", level=0.56)
_MIDDLE = FlatSand("sand", level=0.36)
_DARK = FlatSand("dark sand", level=0.18, mottle=0.08)
_GRASS = SeaGrass()
_ROCK = Rock()


def _ripples(
    wavelength: float,
    direction: float,
    level: float = 0.38,
    name: str = "ripple",
    contrast: float = 0.7,
) -> Ripples:
    """Ripples with a wavelength in pixels of PIXEL_SIZE."""
    frequency = 1.0 / (wavelength * PIXEL_SIZE)
    return Ripples(name, level, frequency, direction, bend=0.3, contrast=contrast)


OTHER_PHYSICS: tuple[SeabedSpec, ...] = (
    SeabedSpec(
        "flecked-sand",
        "Flecks of bright sand, 6 pixels long, that give way to dark sand over 120 pixels.",
        (_BRIGHT, _DARK),
        Bands(20.0, wander=0.1),
        Transition(120),
        mixing=Interleaved(6),
    ),
    SeabedSpec(
        "flecked-ripples",
        "Ripples of 14 pixels, bright and dark sand, in flecks of 8 pixels over 100 pixels.",
        (_BRIGHT, _ripples(14, 65), _DARK),
        Bands(75.0, wander=0.08),
        Transition(100),
        mixing=Interleaved(8),
    ),
    SeabedSpec(
        "patchy-grass",
        "Sea grass, bright and dark sand that break up into patches of 16 pixels.",
        (_GRASS, _BRIGHT, _DARK),
        Patches(0.5),
        Transition(120),
        mixing=Interleaved(16),
    ),
    SeabedSpec(
        "patchy-ripples",
        "Diagonal ripples of 20 pixels, sand and dark sand in patches of 14 pixels.",
        (_ripples(20, 40, level=0.45), _MIDDLE, _DARK),
        Patches(0.55),
        Transition(150),
        mixing=Interleaved(14),
    ),
    SeabedSpec(
        "broken-rock",
        "Rock and bright sand that share the ground in blocks of 36 pixels.",
        (_ROCK, _BRIGHT),
        Bands(50.0, wander=0.12),
        Transition(200),
        mixing=Interleaved(36),
    ),
    SeabedSpec(
        "broken-beds",
        "Bright sand, ripples of 10 pixels and dark sand in beds of 30 pixels, hardly a pure one.",
        (_BRIGHT, _ripples(10, -30), _DARK),
        Bands(30.0),
        Transition(300),
        mixing=Interleaved(30),
    ),
    SeabedSpec(
        "four-interleaved",
        "Bright sand, ripples, sea grass and dark sand, patches of 12 pixels over 60 pixels.",
        (_BRIGHT, _ripples(12, 10), _GRASS, _DARK),
        Patches(0.5),
        Transition(60),
        mixing=Interleaved(12),
    ),
    SeabedSpec(
        "five-interleaved",
        "Two sands, two ripples and rock, patches of 10 pixels over 50 pixels.",
        (
            _BRIGHT,
            _ripples(9, 80, 0.45, "short ripple"),
            _DARK,
            _ripples(28, -20, 0.3, "long ripple"),
            _ROCK,
        ),
        Patches(0.55),
        Transition(50),
        mixing=Interleaved(10),
    ),
    SeabedSpec(
        "short-ripples",
        "Ripples of 6 and 13 pixels in different directions beside dark sand.",
        (_ripples(6, 70, 0.42, "short ripple"), _ripples(13, -35, 0.42, "ripple"), _DARK),
        Bands(10.0, wander=0.1),
        Transition(50),
    ),
    SeabedSpec(
        "ripple-and-sand",
        "Ripples of 7 pixels that fade over 180 pixels into sand of the same brightness.",
        (_ripples(7, -55, 0.36), _MIDDLE),
        Patches(0.6),
        Transition(180),
    ),
    SeabedSpec(
        "long-ripples",
        "Ripples of 40 and 15 pixels beside bright sand, transitions of 80 pixels.",
        (_ripples(40, 30, 0.4, "long ripple"), _ripples(15, 100, 0.4, "ripple"), _BRIGHT),
        Bands(60.0, wander=0.08),
        Transition(80),
    ),
    SeabedSpec(
        "ripple-ladder",
        "Ripples of 6, 14 and 36 pixels and dark sand, with edges of 30 pixels.",
        (
            _ripples(6, 15, 0.45, "short ripple"),
            _ripples(14, 85, 0.4, "ripple"),
            _ripples(36, -45, 0.35, "long ripple"),
            _DARK,
        ),
        Patches(0.5),
        Transition(30),
    ),
    SeabedSpec(
        "uneven-sand",
        "Bright and dark sand with slow shading of their own, and ripples that change in length.",
        (
            Uneven(_BRIGHT, shading=0.12),
            Uneven(_ripples(18, 25), shading=0.08, strength=0.3, stretch=0.25),
            Uneven(_DARK, shading=0.15),
        ),
        Bands(80.0, wander=0.08),
        Transition(100),
    ),
    SeabedSpec(
        "uneven-ripples",
        "Ripples around 11 pixels, uneven in length and strength, sea grass and bright sand.",
        (
            Uneven(_ripples(11, -15, 0.36), shading=0.1, strength=0.3, stretch=0.3),
            Uneven(_GRASS, shading=0.1, strength=0.25),
            Uneven(_BRIGHT, shading=0.1),
        ),
        Patches(0.5),
        Transition(70),
    ),
    SeabedSpec(
        "falling-gain",
        "Bright sand, ripples and dark sand, half as strong again at the near side.",
        (_BRIGHT, _ripples(16, 45), _DARK),
        Bands(70.0, wander=0.05),
        Transition(90),
        near_gain=1.5,
    ),
    SeabedSpec(
        "falling-gain-patches",
        "Ripples of 24 pixels, sand and sea grass in patches; the near side is 1.8 times stronger.",
        (_ripples(24, -70, 0.5), FlatSand("dark sand", level=0.22), _GRASS),
        Patches(0.45),
        Transition(40),
        near_gain=1.8,
    ),
    SeabedSpec(
        "four-looks",
        "An island of rock in ripples and dark sand with crisp edges, four looks.",
        (_DARK, _ripples(12, 5), _ROCK),
        Island(radius=0.3, surroundings=Bands(80.0)),
        Transition(0),
        looks=4,
    ),
    SeabedSpec(
        "three-looks",
        "Bright sand, ripples of 22 pixels and dark sand over 350 pixels, three looks.",
        (_BRIGHT, _ripples(22, 55), _DARK),
        Bands(110.0),
        Transition(350),
        looks=3,
    ),
    SeabedSpec(
        "half-resolution",
        "The demo's kinds of seabed seen with pixels of twice the size.",
        (_BRIGHT, _ripples(18, 12), _DARK),
        Bands(24.0, wander=0.07),
        Transition(3.0, "metres"),
        scale=0.5,
    ),
    SeabedSpec(
        "half-resolution-unstated",
        "Ripples, sea grass and bright sand with pixels of twice the size, which nobody states.",
        (_ripples(20, -40), SeaGrass(patch=0.45), _BRIGHT),
        Patches(0.45),
        Transition(2.0, "metres"),
        scale=0.5,
        states_size=False,
    ),
    SeabedSpec(
        "double-resolution",
        "Ripples, sea grass and bright sand seen with pixels of half the size.",
        (_ripples(20, -40), SeaGrass(patch=0.45), _BRIGHT),
        Patches(0.5),
        Transition(2.0, "metres"),
        scale=2.0,
        states_size=False,
    ),
    SeabedSpec(
        "double-resolution-stated",
        "The demo's kinds of seabed with pixels of half the size, which the image states.",
        (_BRIGHT, _ripples(18, 12), _DARK),
        Bands(24.0, wander=0.07),
        Transition(3.0, "metres"),
        scale=2.0,
    ),
    SeabedSpec(
        "rough-survey",
        "Four uneven kinds in patches of 10 pixels, falling gain, two looks, empty borders.",
        (
            Uneven(_BRIGHT, shading=0.08),
            Uneven(_ripples(10, 60), shading=0.06, strength=0.2, stretch=0.15),
            Uneven(_ripples(30, 0, 0.33, "long ripple"), shading=0.06, stretch=0.15),
            Uneven(_DARK, shading=0.1),
        ),
        Patches(0.5),
        Transition(80),
        looks=2,
        nodata=0.05,
        mixing=Interleaved(10),
        near_gain=1.3,
    ),
    SeabedSpec(
        "rough-survey-five",
        "Five kinds, some uneven, with falling gain and two looks, edges of 50 pixels.",
        (
            Uneven(_BRIGHT, shading=0.08),
            _ripples(8, -25, 0.42, "short ripple"),
            Uneven(_ripples(26, 75, 0.36, "long ripple"), strength=0.2, stretch=0.2),
            _GRASS,
            Uneven(_DARK, shading=0.1),
        ),
        Patches(0.55),
        Transition(50),
        looks=2,
        near_gain=1.3,
    ),
)
