"""Lines over a seabed that is known in map coordinates, and the navigation of their sonar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.geometry import SwathLayout, to_degrees, utm_crs
from pmlda_gui.imagery.readers.navigation import Navigation

Array = NDArray[np.float64]

CRS = utm_crs(48.0, -68.0)
ORIGIN = (574_000.0, 5_316_000.0)
# Degrees clockwise from the grid's north: a degree of longitude east of the zone's middle,
# the meridian leans west by the sine of the latitude.
TRUE_NORTH = -0.743
LAYOUT = SwathLayout(port=100, starboard=100, pixel=0.25)


def seabed(easting: Array, northing: Array) -> Array:
    """Amplitudes between 0.2 and 1.8, with structure of 3 to 20 m in all directions."""
    x, y = easting - ORIGIN[0], northing - ORIGIN[1]
    waves = (
        np.sin(2 * np.pi * (x + 0.4 * y) / 7.0)
        + np.sin(2 * np.pi * (y - 0.7 * x) / 11.0)
        + np.sin(2 * np.pi * (0.9 * x + y) / 4.3)
        + np.sin(2 * np.pi * (x - 1.3 * y) / 19.0)
    )
    return 1.0 + 0.2 * waves


@dataclass(frozen=True, eq=False)
class Survey:
    """A line: where the sonar truly was and looked, and what was recorded of that."""

    easting: Array
    northing: Array
    heading: Array
    navigation: Navigation

    def places(self, across: Array) -> tuple[Array, Array]:
        """Where points `across` metres over ground truly lie, (pings, points)."""
        sine, cosine = (part(self.heading)[:, np.newaxis] for part in (np.sin, np.cos))
        return (
            self.easting[:, np.newaxis] + across * cosine,
            self.northing[:, np.newaxis] - across * sine,
        )

    def picture(self, layout: SwathLayout = LAYOUT, height: float = 0.0) -> NDArray[np.float32]:
        """What the sonar sees: of slant range if there is a height, 0 in the water."""
        across = layout.across()
        water = np.abs(across) <= height
        ground = np.sign(across) * np.sqrt(np.maximum(across**2 - height**2, 0.0))
        seen = seabed(*self.places(ground))
        return np.where(water, 0.0, seen).astype(np.float32)


def survey(
    curve: float = 0.0,
    crab: float = 0.0,
    layback: float = 0.0,
    course: float = 40.0,
    start: tuple[float, float] = (0.0, 0.0),
    pings: int = 400,
    spacing: float = 0.3,
    noise: float = 0.1,
    seed: int = 1,
) -> Survey:
    """A line of `pings` that turns `curve` degrees on its way, its sonar `crab` degrees askew.

    What is recorded is the ship's track with `noise` metres in each fix; the sonar follows
    `layback` metres behind on that track.
    """
    rng = np.random.default_rng(seed)
    behind = round(layback / spacing)
    along = np.arange(pings + behind) * spacing
    way = np.radians(course + curve * (along - along[behind]) / (pings * spacing))
    step = np.column_stack([np.sin(way), np.cos(way)]) * spacing
    track = np.cumsum(step, axis=0) - step[behind : behind + 1] + np.add(ORIGIN, start)
    ship, sonar = track[behind:], track[: len(track) - behind]
    heading = way[: len(track) - behind] + np.radians(crab)
    fixes = ship + rng.normal(0.0, noise, ship.shape)
    latitude, longitude = to_degrees(fixes[:, 0], fixes[:, 1], CRS)
    navigation = Navigation(
        positions=np.column_stack([latitude, longitude]),
        geographic=True,
        interpolated=np.zeros(pings, dtype=np.bool_),
        time=1.6e9 + 0.15 * np.arange(pings),
        heading=(np.degrees(heading) - TRUE_NORTH) % 360,
        altitude=np.full(pings, np.nan),
        speed=np.full(pings, np.nan),
        layback=np.full(pings, layback),
        roll=np.zeros(pings),
    )
    return Survey(sonar[:, 0], sonar[:, 1], heading, navigation)
