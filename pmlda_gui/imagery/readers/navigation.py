"""The navigation of a recording: positions without gaps, time, heading and height.

Navigation in real recordings has holes: a first ping at (0, 0), altitudes of 0, an
unstated projection.  What is missing is interpolated or NaN, and always said.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["Navigation", "navigation_from_headers"]

DEGREES = 3
METRES = 0
METRES_PER_DEGREE = 111_320.0
METRES_PER_SECOND_PER_KNOT = 0.514444
LARGEST_ALTITUDE = 12_000.0
LARGEST_SPEED = 50.0
LARGEST_ROLL = 30.0
LARGEST_LAYBACK = 20_000.0
# Positions repeat between fixes and jitter within them: distance is measured
# between pings this far apart.
PINGS_BETWEEN_FIXES = 20


@dataclass(frozen=True, eq=False)
class Navigation:
    """One value a ping; NaN where the recording does not know and nothing can be inferred.

    `positions` is (pings, 2): latitude and longitude in degrees if `geographic`,
    otherwise northing and easting in metres of an unstated projection.
    `interpolated` marks the pings whose position was missing.  `time` is in seconds
    since 1970 (UTC), `heading` in degrees, `altitude` above the bottom in metres,
    `speed` in metres per second.  `layback` is how many metres the sonar is behind the
    position: 0 where the position is the sonar's own.  `roll` in degrees is as recorded, to
    whichever side that is; 0 where unknown.
    """

    positions: NDArray[np.float64]
    geographic: bool
    interpolated: NDArray[np.bool_]
    time: NDArray[np.float64]
    heading: NDArray[np.float64]
    altitude: NDArray[np.float64]
    speed: NDArray[np.float64]
    layback: NDArray[np.float64]
    roll: NDArray[np.float64]

    @property
    def latitude(self) -> NDArray[np.float64]:
        """Degrees north, (pings,)."""
        return self._degrees()[:, 0]

    @property
    def longitude(self) -> NDArray[np.float64]:
        """Degrees east, (pings,)."""
        return self._degrees()[:, 1]

    def ping_spacing(self) -> float | None:
        """Mean distance between pings in metres along the track, None if unknown."""
        if len(self.positions) < 2 or np.isnan(self.positions).any():
            return None
        fixes = np.append(
            np.arange(0, len(self.positions) - 1, PINGS_BETWEEN_FIXES), len(self.positions) - 1
        )
        steps = np.diff(self.positions[fixes], axis=0)
        if self.geographic:
            steps *= METRES_PER_DEGREE
            steps[:, 1] *= np.cos(np.radians(self.positions[:, 0].mean()))
        spacing = float(np.hypot(steps[:, 0], steps[:, 1]).sum()) / (len(self.positions) - 1)
        return spacing if spacing > 0 else None

    def _degrees(self) -> NDArray[np.float64]:
        if not self.geographic:
            raise PmldaError(
                "The recording's positions are metres in an unstated projection, "
                "so latitude and longitude are unknown."
            )
        return self.positions


def navigation_from_headers(
    pings: NDArray[np.void], navigation_units: int
) -> tuple[Navigation, tuple[str, ...]]:
    """The navigation in the ping headers of a recording, and notes on what was amended."""
    notes: list[str] = []
    positions, of_sensor = _stated_positions(pings)
    geographic = _is_geographic(positions, navigation_units, notes)
    positions, interpolated = _without_gaps(positions, geographic, notes)
    altitude = pings["altitude"].astype(np.float64)
    absurd = ~((altitude > 0) & (altitude < LARGEST_ALTITUDE))
    altitude[absurd] = np.nan
    if absurd.all():
        notes.append("No altitude is recorded.")
    elif absurd.any():
        notes.append(f"The altitude of {absurd.sum()} of {len(pings)} pings is zero or absurd.")
    speed = pings["speed"].astype(np.float64) * METRES_PER_SECOND_PER_KNOT
    speed[~((speed > 0) & (speed < LARGEST_SPEED))] = np.nan
    layback = pings["layback"].astype(np.float64)
    plausible = (layback > 0) & (layback < LARGEST_LAYBACK)
    heading = pings["heading"].astype(np.float64)
    heading[~((heading >= -360) & (heading <= 360))] = np.nan
    navigation = Navigation(
        positions=positions,
        geographic=geographic,
        interpolated=interpolated,
        time=_seconds(pings),
        heading=heading % 360,
        altitude=altitude,
        speed=speed,
        layback=np.where(of_sensor | ~plausible, 0.0, layback),
        roll=_rolls(pings),
    )
    return navigation, tuple(notes)


def _rolls(pings: NDArray[np.void]) -> NDArray[np.float64]:
    """The roll of each ping in degrees, 0 where none that could be is recorded."""
    if "roll" not in (pings.dtype.names or ()):
        return np.zeros(len(pings))
    roll = pings["roll"].astype(np.float64)
    return np.where(np.abs(roll) <= LARGEST_ROLL, roll, 0.0)


def _stated_positions(
    pings: NDArray[np.void],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(y, x) of the sensor, or of the ship where the sensor has none; NaN for neither.

    And of which pings it is the sensor's.
    """
    known = np.zeros(len(pings), dtype=np.bool_)
    positions = np.full((len(pings), 2), np.nan)
    for y, x in (("ship_y", "ship_x"), ("sensor_y", "sensor_x")):
        stated = np.column_stack([pings[y], pings[x]])
        # Denormal numbers are what stray bits make of zero.
        known = np.isfinite(stated).all(axis=1) & (np.abs(stated) > 1e-12).any(axis=1)
        positions[known] = stated[known]
    return positions, known


def _is_geographic(positions: NDArray[np.float64], navigation_units: int, notes: list[str]) -> bool:
    if navigation_units == METRES:
        notes.append("Positions are metres in an unstated projection.")
        return False
    if navigation_units == DEGREES:
        return True
    known = positions[~np.isnan(positions[:, 0])]
    geographic = bool(len(known) and (np.abs(known) <= (90.0, 180.0)).all())
    notes.append(
        f"The navigation unit {navigation_units} is unknown; positions were taken as "
        f"{'degrees' if geographic else 'metres'} by their size."
    )
    return geographic


def _without_gaps(
    positions: NDArray[np.float64], geographic: bool, notes: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Positions interpolated, and at the ends repeated, over pings that have none."""
    largest = (90.0, 180.0) if geographic else (1e8, 1e8)
    with np.errstate(invalid="ignore"):
        missing = np.logical_not((np.abs(positions) <= largest).all(axis=1))
    if missing.all():
        notes.append("No usable positions are recorded.")
        return np.full_like(positions, np.nan), missing
    if missing.any():
        pings = np.arange(len(positions))
        positions = positions.copy()
        for column in range(2):
            known = positions[~missing, column]
            positions[missing, column] = np.interp(pings[missing], pings[~missing], known)
        notes.append(
            f"The positions of {missing.sum()} of {len(positions)} pings were missing "
            "and interpolated."
        )
    return positions, missing


def _seconds(pings: NDArray[np.void]) -> NDArray[np.float64]:
    """Times in seconds since 1970, NaN where the header is no date."""
    if "time" in (pings.dtype.names or ()):
        return np.asarray(pings["time"], dtype=np.float64)
    seconds = np.full(len(pings), np.nan)
    fields = ["year", "month", "day", "hour", "minute", "second"]
    for index, stated in enumerate(pings[fields].tolist()):
        try:
            year, month, day, hour, minute, second = stated
            seconds[index] = datetime(
                year, month, day, hour, minute, second, tzinfo=UTC
            ).timestamp()
        except (ValueError, OverflowError):
            continue
    return np.asarray(seconds + np.minimum(pings["hundredths"], 99) / 100)
