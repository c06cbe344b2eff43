"""How a rippled seafloor looks to a sonar: the forward model of Chen, Zare and Cobb (2015).

Modelled are a sinusoidal relief, the grazing angle that falls with range, a
backscatter that falls like a Gaussian with the angle away from normal incidence,
an echo that swings between its values on the steepest slopes towards and away from
the sonar, and the shadow behind each crest.  Speckle, refraction, beam pattern and
spreading loss are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["RippledSeafloor"]

_NORMAL_INCIDENCE = 90.0
_ANGULAR_SPREAD = 50.0
# The authors' highest echo, 6.1e-3, as a share of their Gaussian's peak.
_CEILING = 6.1e-3 * _ANGULAR_SPREAD * math.sqrt(2 * math.pi)


def _backscatter(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Echo at a local grazing angle in degrees, 1 at normal incidence."""
    echo: NDArray[np.float64] = np.exp(-0.5 * ((angle - _NORMAL_INCIDENCE) / _ANGULAR_SPREAD) ** 2)
    return echo


@dataclass(frozen=True)
class RippledSeafloor:
    """Ripples of `frequency` cycles per metre and `height` metres from mean to crest.

    `phase` is in radians at range 0; `direction` is the angle in degrees between
    the sonar's line of sight and the line that crosses the crests, 0 in the
    authors' model; `altitude` is the sonar's above the seafloor in metres.
    """

    frequency: float
    height: float
    phase: float = 0.0
    direction: float = 0.0
    altitude: float = 2.0

    def __post_init__(self) -> None:
        if self.frequency <= 0 or self.height < 0 or self.altitude <= self.height:
            raise PmldaError(
                f"Ripples of {self.frequency:g} cycles per metre and {self.height:g} m seen from "
                f"{self.altitude:g} m cannot be modelled: the frequency must be positive, "
                "the height not negative, and the sonar above the crests."
            )

    def relief(
        self, ground_range: NDArray[np.float64], along_track: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Height of the seafloor in metres at positions in metres."""
        return self.height * np.sin(self._angle(ground_range, along_track))

    def intensity(
        self, ground_range: NDArray[np.float64], along_track: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Mean echo at positions in metres (`ground_range` positive), 1 at normal incidence."""
        grazing = np.degrees(np.arctan2(self.altitude, ground_range))
        slant = math.cos(math.radians(self.direction))
        steepest = math.degrees(math.atan(2 * math.pi * self.frequency * self.height * abs(slant)))
        swing = _backscatter(grazing + steepest) - _backscatter(grazing - steepest)
        angle = self._angle(ground_range, along_track)
        # The slope, and with it the echo, is a quarter of a cycle ahead of the relief.
        facing = math.copysign(1.0, slant) * np.cos(angle)
        echo = _CEILING - swing / 2 * (1 - facing)
        lit: NDArray[np.float64] = np.where(self._in_shadow(ground_range, along_track), 0.0, echo)
        return lit

    def _angle(
        self, ground_range: NDArray[np.float64], along_track: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        turn = math.radians(self.direction)
        crossing = ground_range * math.cos(turn) + along_track * math.sin(turn)
        return 2 * np.pi * self.frequency * crossing + self.phase

    def _in_shadow(
        self, ground_range: NDArray[np.float64], along_track: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether the last crest before a point stands above the ray to it."""
        slant = math.cos(math.radians(self.direction))
        if abs(slant) < 1e-9:
            return np.zeros(np.broadcast_shapes(ground_range.shape, along_track.shape), np.bool_)
        spacing = 1 / (self.frequency * abs(slant))
        cycles = (
            math.copysign(1.0, slant)
            * (self._angle(ground_range, along_track) - np.pi / 2)
            / (2 * np.pi)
        )
        behind = spacing * np.mod(cycles, 1.0)
        crest = ground_range - behind
        ray = self.height - behind * (self.altitude - self.height) / np.where(crest > 0, crest, 1)
        hidden: NDArray[np.bool_] = (crest > 0) & (
            self.relief(ground_range, along_track) < ray - 1e-9
        )
        return hidden
