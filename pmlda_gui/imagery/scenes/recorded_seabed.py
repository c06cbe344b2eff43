"""Synthetic recordings of a known seabed by sonars of different physics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.scenes.recordings import MadePing, MadeRecording

__all__ = ["OTHER_SONARS", "SONARS", "Sonar", "recorded_seabed", "two_seabeds"]

Array = NDArray[np.float64]
METRES_PER_DEGREE = 111_320.0


@dataclass(frozen=True)
class Sonar:
    """What a sonar does to amplitudes, and how high it is carried.

    `gain` of the slant range in metres and `beam` of the grazing angle in radians multiply
    the seabed's amplitude; `altitude` in metres is a function of metres along the track.
    `noise` is the amplitude of the water and of noise over the bottom.  `roll` in degrees is a
    function of metres along the track, positive where starboard beams turn up; beyond
    `largest` samples are cut off.
    """

    gain: Callable[[Array], Array]
    beam: Callable[[Array], Array]
    altitude: Callable[[Array], Array]
    range: float = 30.0
    samples: int = 400
    spacing: float = 0.15
    noise: float = 0.02
    roll: Callable[[Array], Array] = np.zeros_like
    largest: int = 65535


SONARS = {
    "lobes": Sonar(
        lambda r: 3.0 / np.sqrt(r + 1.0),
        lambda a: 0.35 + np.cos(3.0 * a) ** 2,
        lambda x: np.full_like(x, 5.0),
    ),
    "rising gain": Sonar(
        lambda r: 0.02 * r**1.5 + 0.1,
        lambda a: np.sin(a) + 0.1,
        lambda x: 5.0 + 2.0 * np.sin(x / 9.0),
    ),
    "steps": Sonar(
        lambda r: 1.0 + 0.8 * np.floor(r / 6.0),
        lambda a: np.exp(-(((a - 0.6) / 0.5) ** 2)) + 0.1,
        lambda x: 3.0 + x / 30.0,
        range=40.0,
        spacing=0.3,
    ),
    "even": Sonar(np.ones_like, np.ones_like, lambda x: np.full_like(x, 4.0)),
}

OTHER_SONARS = {
    "mirror at nadir, swaying": Sonar(
        lambda r: 2.0 / np.sqrt(r + 1.0),
        lambda a: 0.4 + 12.0 * np.exp(-(((np.pi / 2 - a) / 0.15) ** 2)),
        lambda x: 6.0 + 2.5 * np.sin(x / 7.0),
    ),
    "much noise": Sonar(
        lambda r: 1.0 + 0.1 * r,
        lambda a: np.sin(a) ** 0.5 + 0.1,
        lambda x: 5.0 + np.sin(x / 12.0),
        noise=0.3,
    ),
    "high over the bottom": Sonar(
        lambda r: 5.0 / (r + 1.0),
        lambda a: np.sin(a) + 0.2,
        lambda x: np.full_like(x, 12.0),
    ),
    "rolling": Sonar(
        lambda r: 3.0 / np.sqrt(r + 1.0),
        lambda a: 0.35 + np.cos(3.0 * a) ** 2,
        lambda x: 6.0 + 2.0 * np.sin(x / 20.0),
        roll=lambda x: 4.0 * np.sin(x / 6.0),
    ),
    "diving": Sonar(
        lambda r: 4.0 / (r + 1.0),
        lambda a: np.sin(a) + 0.15,
        lambda x: 12.0 - x / 9.0,
    ),
    "cut off": Sonar(
        lambda r: 9.0 / (r + 1.0),
        lambda a: np.sin(a) + 0.3,
        lambda x: np.full_like(x, 5.0),
        largest=1500,
    ),
}
"""More physics than tests need, for measuring."""


def two_seabeds(along: Array, across: Array) -> Array:
    """Amplitudes of smooth and of brighter, rippled seabed, in belts aslant to the track."""
    belt = np.sin(2 * np.pi * (along + 0.35 * across) / 45.0) > 0
    ripples = 1.0 + 0.5 * np.sin(2 * np.pi * (along + across) / 1.8)
    return np.where(belt, 2.2 * ripples, 1.0)


def recorded_seabed(
    sonar: Sonar,
    pings: int = 500,
    seabed: Callable[[Array, Array], Array] = two_seabeds,
    scale: float = 600.0,
    seed: int = 0,
    start: float = 0.0,
    names: tuple[str, str] = ("PORT", "STARBOARD"),
) -> MadeRecording:
    """A straight line to the north, recorded as 16 bit with speckle and faint water."""
    rng = np.random.default_rng(seed)
    along = np.arange(pings, dtype=np.float64) * sonar.spacing
    height = np.asarray(sonar.altitude(along), dtype=np.float64)
    rolls = np.asarray(sonar.roll(along), dtype=np.float64)
    slant = (np.arange(sonar.samples) + 0.5) * sonar.range / sonar.samples
    made = []
    for number in range(pings):
        sides = []
        for side in (-1.0, 1.0):
            seen = slant > height[number]
            ground = np.sqrt(np.maximum(slant**2 - height[number] ** 2, 0.0))
            angle = np.arcsin(np.minimum(height[number] / slant, 1.0))
            amplitude = seabed(np.full_like(ground, start + along[number]), side * ground)
            turned = np.clip(angle + side * np.radians(rolls[number]), 0.0, np.pi / 2)
            amplitude = amplitude * sonar.gain(slant) * sonar.beam(turned)
            speckle = rng.rayleigh(scale / 1.25, sonar.samples)
            noise = sonar.noise * sonar.gain(slant)
            level = np.where(seen, np.maximum(amplitude, noise), noise)
            sides.append(np.minimum(speckle * level + 1, sonar.largest).astype("<u2"))
        made.append(
            MadePing(
                sides[0],
                sides[1],
                slant_range=sonar.range,
                position=(48.0 + (start + along[number]) / METRES_PER_DEGREE, -68.0),
                second=number % 60,
                roll=float(rolls[number]),
            )
        )
    return MadeRecording(made, names=names)
