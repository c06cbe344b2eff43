"""The position and heading of each ping, and the positions of its pixels.

A picture of a recording has a row for each ping, or for each run of pings if it was
read reduced, and a column for each step of range, port left of the track.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.geometry.reference import from_degrees, to_degrees, true_north, utm_crs
from pmlda_gui.imagery.geometry.smoothing import smoothed_track
from pmlda_gui.imagery.readers.navigation import Navigation

__all__ = ["PingGeometry", "SwathLayout", "ping_geometry"]

Array = NDArray[np.float64]
HeadingSource = Literal["best", "recorded", "course"]

DEFAULT_SMOOTHING = 6.0  # metres of track
COURSE_METRES = 3.0
# A compass that is further off the course, or that strays more around its own offset
# (degrees, medians), lags or is disturbed, and the course made good is the better guide.
LARGEST_HEADING_OFFSET = 30.0
LARGEST_HEADING_WANDER = 5.0
LEAST_HEADINGS = 0.9
HEADING_SMOOTHING_PINGS = 5.0
# The height above the bottom changes within pings only where it was mistaken.
HEIGHT_MEDIAN_PINGS = 15


@dataclass(frozen=True)
class SwathLayout:
    """How a picture lies over the track.

    `port` and `starboard` are the columns of each side; a column is `pixel` metres.
    `ground` says whether columns are ground range, as after the slant range correction.
    `reduce` is how many pings were averaged into a row.
    """

    port: int
    starboard: int
    pixel: float
    ground: bool = True
    reduce: int = 1

    def across(self) -> Array:
        """Metres from the track to the centre of each column, negative to port."""
        columns = np.arange(self.port + self.starboard)
        return np.asarray((columns + 0.5 - self.port) * self.pixel)


@dataclass(frozen=True, eq=False)
class PingGeometry:
    """One entry a row of the picture.

    `easting`, `northing` and `along` (distance since the first row) are metres in
    `crs`, `heading` and `course` radians clockwise from grid north, `height` metres
    above the bottom (NaN where unknown), `speed` metres per second (NaN where time is
    unknown).  `followed` marks rows whose position was recorded and agreed with its
    neighbours.
    """

    crs: str
    layout: SwathLayout
    easting: Array
    northing: Array
    heading: Array
    course: Array
    along: Array
    speed: Array
    height: Array
    followed: NDArray[np.bool_]
    heading_recorded: bool

    def __len__(self) -> int:
        return len(self.easting)

    @property
    def row_spacing(self) -> float:
        """Typical metres between rows along the track."""
        return float(self.along[-1] / max(1, len(self) - 1))

    def ground(self) -> Array:
        """Metres over ground from the track to each pixel, (rows, columns), port negative.

        NaN for pixels of the water column.  Where the height is unknown, the slant range.
        """
        across = np.broadcast_to(self.layout.across(), (len(self), self.layout.across().size))
        if self.layout.ground:
            return across
        height = np.nan_to_num(self.height)[:, np.newaxis]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sign(across) * np.sqrt(across**2 - height**2))

    def place(self, row: Array, across: Array) -> tuple[Array, Array]:
        """Easting and northing of points `across` metres over ground from fractional rows."""
        rows = np.arange(len(self))
        heading = np.interp(row, rows, np.unwrap(self.heading))
        easting = np.interp(row, rows, self.easting) + across * np.cos(heading)
        northing = np.interp(row, rows, self.northing) - across * np.sin(heading)
        return easting, northing

    def latitude_longitude(self, row: Array, across: Array) -> tuple[Array, Array]:
        """Degrees on WGS 84 of points `across` metres over ground from fractional rows."""
        easting, northing = self.place(np.atleast_1d(row), np.atleast_1d(across))
        return to_degrees(easting, northing, self.crs)

    def edges(self) -> tuple[Array, Array]:
        """The far ends of both sides, (rows, 2) each: port, starboard."""
        rows = np.arange(len(self), dtype=np.float64)
        reach = (-self.layout.port * self.layout.pixel, self.layout.starboard * self.layout.pixel)
        port, starboard = (
            np.column_stack(self.place(rows, np.full(len(self), end))) for end in reach
        )
        return port, starboard


def ping_geometry(
    navigation: Navigation,
    layout: SwathLayout,
    *,
    crs: str | None = None,
    heading: HeadingSource = "best",
    heading_offset: float = 0.0,
    layback: float | None = None,
    forward: float = 0.0,
    starboard: float = 0.0,
    height: Array | None = None,
    smoothing: float = DEFAULT_SMOOTHING,
) -> PingGeometry:
    """The geometry of a picture of a recording with this navigation.

    `crs` (WKT or a code such as EPSG:32618) is the UTM zone of the line if None.
    `heading_offset` in degrees is added to recorded headings.  The sonar follows
    `layback` metres behind on the track of the positions (None: as recorded), and is
    mounted `forward` and `starboard` metres from there.  `height` (rows,) replaces the
    recorded altitude.
    """
    known = np.isfinite(navigation.positions).all(axis=1)
    if known.sum() < 2:
        raise PmldaError(
            "The recording has no positions, so its pixels have no place on a map; add "
            "navigation to the file or use the picture as it is."
        )
    if not navigation.geographic:
        raise PmldaError(
            "The recording's positions are metres in an unstated projection; write them as "
            "latitude and longitude to place it on a map."
        )
    middle = float(np.median(navigation.latitude)), float(np.median(navigation.longitude))
    crs = utm_crs(*middle) if crs is None else crs
    fixes = np.column_stack(from_degrees(navigation.latitude, navigation.longitude, crs))
    parameter = _parameter(navigation.time)
    track, followed = smoothed_track(parameter, fixes, ~navigation.interpolated, smoothing)
    behind = float(np.median(navigation.layback)) if layback is None else layback
    track = _behind(track, behind)
    course = _course(track)
    turned = np.radians(heading_offset) + true_north(*middle, crs)
    looking, recorded = _heading(np.radians(navigation.heading), turned, course, heading)
    sine, cosine = np.sin(looking), np.cos(looking)
    track = track + forward * np.column_stack([sine, cosine])
    track = track + starboard * np.column_stack([cosine, -sine])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(track, axis=0).T))])
    with np.errstate(all="ignore"):
        speed = np.gradient(along) / np.gradient(navigation.time)
    rows = _row_centres(len(along), layout.reduce)

    def by_row(values: Array) -> Array:
        return np.asarray(np.interp(rows, np.arange(len(along)), values))

    return PingGeometry(
        crs=crs,
        layout=layout,
        easting=by_row(track[:, 0]),
        northing=by_row(track[:, 1]),
        heading=by_row(np.unwrap(looking)),
        course=by_row(np.unwrap(course)),
        along=by_row(along) - by_row(along)[0],
        speed=by_row(np.where(np.isfinite(speed), speed, np.nan)),
        height=by_row(_recorded_height(navigation.altitude)) if height is None else height,
        followed=_near_used(followed, navigation.interpolated)[rows.astype(np.int64)],
        heading_recorded=recorded,
    )


def _parameter(time: Array) -> Array:
    """Time where it rises from ping to ping, else the number of the ping."""
    pings = np.arange(len(time), dtype=np.float64)
    # Clocks of full seconds stand still within them; so the trend is enough.
    if not np.isfinite(time).all() or (np.diff(time) <= 0).any():
        return pings
    return time - time[0]


def _row_centres(pings: int, reduce: int) -> Array:
    starts = np.arange(0, pings, reduce)
    return np.asarray((starts + np.minimum(starts + reduce, pings) - 1) / 2)


def _behind(track: Array, metres: float) -> Array:
    """The track of what follows `metres` behind on the same path."""
    if metres == 0:
        return track
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(track, axis=0).T))])
    distinct = np.concatenate([[True], np.diff(along) > 0])
    course = _course(track)
    at = along - metres
    followed = np.column_stack(
        [np.interp(at, along[distinct], track[distinct, axis]) for axis in range(2)]
    )
    # Before the start it came in a straight line.
    before = np.minimum(at, 0.0)[:, np.newaxis]
    return np.asarray(followed + before * [np.sin(course[0]), np.cos(course[0])])


def _course(track: Array) -> Array:
    """Radians clockwise from north of the way made good over some metres, (pings,)."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(track, axis=0).T))])
    if along[-1] <= 0:
        return np.zeros(len(track))
    distinct = np.concatenate([[True], np.diff(along) > 0])
    ahead, astern = (
        np.column_stack(
            [np.interp(along + metres, along[distinct], track[distinct, axis]) for axis in range(2)]
        )
        for metres in (COURSE_METRES / 2, -COURSE_METRES / 2)
    )
    east, north = (ahead - astern).T
    return np.asarray(np.unwrap(np.arctan2(east, north)))


def _heading(
    recorded: Array, turned: float, course: Array, source: HeadingSource
) -> tuple[Array, bool]:
    """Where the sonar looks ahead on the grid, and whether that was recorded.

    `turned` leads from recorded headings to those on the grid; all are radians.
    """
    from scipy.ndimage import gaussian_filter1d

    known = np.isfinite(recorded)
    # Recorders without a compass write 0.
    if source != "course" and known.mean() >= LEAST_HEADINGS and recorded[known].any():
        pings = np.arange(len(recorded))
        unwrapped = np.unwrap(recorded[known]) + turned
        steady = gaussian_filter1d(
            np.interp(pings, pings[known], unwrapped), HEADING_SMOOTHING_PINGS, mode="nearest"
        )
        difference = np.degrees(np.angle(np.exp(1j * (steady - course))))
        offset = float(np.median(difference))
        wander = float(np.median(np.abs(difference - offset)))
        trusted = abs(offset) <= LARGEST_HEADING_OFFSET and wander <= LARGEST_HEADING_WANDER
        if source == "recorded" or trusted:
            return np.asarray(steady), True
    if source == "recorded":
        raise PmldaError("The recording has no headings; place it by the course made good instead.")
    return course, False


def _recorded_height(altitude: Array) -> Array:
    from scipy.ndimage import median_filter

    known = np.isfinite(altitude)
    if not known.any():
        return altitude
    pings = np.arange(len(altitude))
    closed = np.interp(pings, pings[known], altitude[known])
    return np.asarray(median_filter(closed, HEIGHT_MEDIAN_PINGS, mode="nearest"))


def _near_used(used: NDArray[np.bool_], missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pings whose latest new fix was followed."""
    latest = np.maximum.accumulate(np.where(used, np.arange(len(used)), -1))
    return (latest >= 0) & ~missing
