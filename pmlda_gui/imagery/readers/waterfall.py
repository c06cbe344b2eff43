"""The waterfall picture of a side-scan recording.

It shows port on the left and starboard on the right with the track in the middle,
one row a ping.  Ranges may change within a file, so every ping is laid on one grid
of slant range before the two sides are joined.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import choose_band
from pmlda_gui.imagery.readers.index import (
    ChannelDescription,
    RecordingIndex,
    channel_starts_far,
    drawn_to_the_left,
    read_samples,
)
from pmlda_gui.imagery.readers.navigation import Navigation, navigation_from_headers
from pmlda_gui.imagery.readers.options import (
    Band,
    Probe,
    ReadOptions,
    Task,
    require_within_limit,
)
from pmlda_gui.imagery.readers.ranges import RangeGrid, range_grid
from pmlda_gui.imagery.readers.recorders import index_recording
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.strips import PixelSource, read_pixels

if TYPE_CHECKING:
    from pmlda_gui.imagery.sidescan import Swath

__all__ = ["open_waterfall", "probe_waterfall"]

INDEX_SHARE = 0.2  # of the time a reading takes
CHANNELS_SHARE = 0.8
CHECK_EVERY_PINGS = 500
LARGEST_HEIGHT_DISAGREEMENT = 0.25


def probe_waterfall(path: Path, task: Task) -> Probe:
    """Describe a recording from its headers; no sample is read."""
    index = index_recording(path, task)
    channels, _ = _channels_shown(index, ReadOptions())
    grid = range_grid(index, channels)
    bands = tuple(
        Band(channel.name, channel.sample_type, len(index.pings), grid.samples)
        for channel in index.channels
    )
    return Probe(
        path=path,
        format=index.format,
        height=len(index.pings),
        width=grid.samples * len(channels),
        dtype=np.dtype(channels[0].sample_type).name,
        colours=1,
        bands=bands,
    )


def open_waterfall(path: Path, options: ReadOptions, task: Task) -> Image:
    """Read a recording as a waterfall, processed as the options' three switches say."""
    from pmlda_gui.imagery.sidescan import Swath

    index = index_recording(path, task.part(0.0, INDEX_SHARE))
    channels, channel_notes = _channels_shown(index, options)
    grid = range_grid(index, channels)
    require_within_limit(path.name, len(index.pings), grid.samples * len(channels), options)
    navigation, navigation_notes = navigation_from_headers(index.pings, index.navigation_units)
    notes = [*index.notes, *channel_notes, *grid.notes, *navigation_notes]

    swaths = []
    share = (CHANNELS_SHARE - INDEX_SHARE) / len(channels)
    for position, channel in enumerate(channels):
        start = INDEX_SHARE + position * share
        with open_regular(channel.file or path) as stream:
            rows = _ChannelRows(
                index, channel, grid, stream, channel_starts_far(channel, position), task
            )
            source = PixelSource(
                path.name, len(index.pings), grid.samples, 1, rows.read, fillers=False
            )
            pixels = read_pixels(source, options, task.part(start, start + share))
            swaths.append(Swath(pixels.values, pixels.valid))
            if rows.blank_pings:
                notes.append(f"{rows.blank_pings} pings of {channel.name} are blank and masked.")
    if options.reduce > 1:
        notes.append(f"Read reduced by {options.reduce} along and across the track.")
    spacing = None if grid.spacing is None else grid.spacing * options.reduce
    swaths = _processed(swaths, navigation, spacing, options, notes, task.part(CHANNELS_SHARE, 1.0))

    # What lies left of the track is drawn from far to near.
    if len(swaths) == 2 or drawn_to_the_left(channels[0]):
        swaths[0] = Swath(swaths[0].values[:, ::-1], swaths[0].valid[:, ::-1])
    _note_ping_spacing(navigation, spacing, options.reduce, notes)
    return Image(
        pixels=np.ascontiguousarray(np.hstack([swath.values for swath in swaths])),
        valid=np.ascontiguousarray(np.hstack([swath.valid for swath in swaths])),
        pixel_size=spacing,
        band_names=(" + ".join(channel.name for channel in channels),),
        source=path,
        notes=tuple(notes),
    )


def _channels_shown(
    index: RecordingIndex, options: ReadOptions
) -> tuple[tuple[ChannelDescription, ...], tuple[str, ...]]:
    """The channels asked for, or the first port and starboard, from left to right."""
    numbers = options.channels
    present = set(index.shares["channel"].tolist())
    if options.band is not None:
        bands = [Band(channel.name, channel.sample_type, 0, 0) for channel in index.channels]
        numbers = (choose_band(index.path.name, bands, options.band),)
    if numbers:
        for number in numbers:
            if number not in present:
                offered = ", ".join(
                    f"{channel.number} ({channel.name})"
                    for channel in index.channels
                    if channel.number in present
                )
                raise PmldaError(
                    f"{index.path.name} has no pings in channel {number}; choose from {offered}."
                )
        return tuple(index.channels[number] for number in numbers), ()
    available = [channel for channel in index.channels if channel.number in present]
    pair = [
        next((channel for channel in available if channel.side == side), None)
        for side in ("port", "starboard")
    ]
    marked = tuple(channel for channel in pair if channel is not None)
    if marked:
        return marked, ()
    return tuple(available[:2]), (
        "The file does not say which channel is port; the first is shown left.",
    )


class _ChannelRows:
    """The pings of one channel as rows on the grid of slant range, nearest sample first."""

    def __init__(
        self,
        index: RecordingIndex,
        channel: ChannelDescription,
        grid: RangeGrid,
        stream: BinaryIO,
        far_first: bool,
        task: Task,
    ) -> None:
        self._task = task
        self._index = index
        self._channel = channel
        self._grid = grid
        self._stream = stream
        self._far_first = far_first
        self.blank_pings = 0
        places = np.flatnonzero(index.shares["channel"] == channel.number)
        self._places = dict(zip(index.share_ping[places].tolist(), places.tolist(), strict=True))

    def read(self, start: int, stop: int) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """Values and mask of the pings from `start` to `stop`."""
        values = np.zeros((stop - start, self._grid.samples), dtype=np.float32)
        valid = np.zeros(values.shape, dtype=np.bool_)
        for row, ping in enumerate(range(start, stop)):
            place = self._places.get(ping)
            if place is None:
                continue
            if row % CHECK_EVERY_PINGS == 0:
                self._task.check()
            samples = read_samples(
                self._stream,
                self._channel,
                self._index.shares[place],
                int(self._index.share_offset[place]),
            )
            if len(samples) == 0 or samples.min() == samples.max():
                self.blank_pings += 1
                continue
            near_first = samples[::-1] if self._far_first else samples
            on_grid = self._grid.resampled(near_first, place)
            values[row, : len(on_grid)] = on_grid
            valid[row, : len(on_grid)] = True
        return values, valid


def _processed(
    swaths: list[Swath],
    navigation: Navigation,
    spacing: float | None,
    options: ReadOptions,
    notes: list[str],
    task: Task,
) -> list[Swath]:
    """The swaths with water column masked, range corrected and gain normalised as asked."""
    from pmlda_gui.imagery import sidescan

    if options.mask_water_column or options.correct_slant_range:
        heights = _heights(swaths, navigation, spacing, options.reduce, notes)
        if heights is not None and options.correct_slant_range:
            # The nearest ground pixel lies at the first return: no water is left to mask.
            swaths = [sidescan.to_ground_range(swath, heights) for swath in swaths]
        elif heights is not None:
            swaths = [sidescan.without_water_column(swath, heights) for swath in swaths]
    task.reached(0.5)
    if options.normalise_gain:
        swaths = list(sidescan.normalise_gain(swaths))
    task.reached(1.0)
    return swaths


def _heights(
    swaths: list[Swath],
    navigation: Navigation,
    spacing: float | None,
    reduce: int,
    notes: list[str],
) -> NDArray[np.float64] | None:
    """Height above the bottom in pixels, (rows,): tracked, or else as recorded."""
    from pmlda_gui.imagery.sidescan import first_return

    recorded = _recorded_heights(navigation, spacing, reduce)
    tracked = first_return(swaths)
    if tracked is None and recorded is None:
        notes.append("Neither a first return nor an altitude was found; no water is masked.")
        return None
    # A track that never moves while the altitude does follows the pulse, not the bottom.
    stuck = tracked is not None and recorded is not None and np.ptp(tracked) < 1 < np.ptp(recorded)
    if tracked is None or stuck:
        notes.append("No first return was found; the recorded altitude was taken.")
        return recorded
    if recorded is not None and np.median(np.abs(tracked - recorded)) > (
        LARGEST_HEIGHT_DISAGREEMENT * np.median(recorded)
    ):
        notes.append(
            f"The first return lies at {np.median(tracked) * (spacing or 1.0):.3g} m, the recorded "
            f"altitude is {np.median(recorded) * (spacing or 1.0):.3g} m; the first return is used."
        )
    if spacing is not None:
        nearest, farthest = tracked.min() * spacing, tracked.max() * spacing
        notes.append(f"The first return was tracked at {nearest:.3g} to {farthest:.3g} m.")
    return tracked


def _recorded_heights(
    navigation: Navigation, spacing: float | None, reduce: int
) -> NDArray[np.float64] | None:
    """The altitudes of the headers in pixels, gaps closed; None if they are unknown."""
    known = ~np.isnan(navigation.altitude)
    if spacing is None or not known.any():
        return None
    pings = np.arange(len(known))
    altitude = np.interp(pings, pings[known], navigation.altitude[known])
    return np.asarray(altitude[::reduce] / spacing)


def _note_ping_spacing(
    navigation: Navigation, spacing: float | None, reduce: int, notes: list[str]
) -> None:
    """Say so where pixels are not square, which the pixel size alone would hide."""
    between_pings = navigation.ping_spacing()
    if between_pings is None or spacing is None:
        return
    along = between_pings * reduce
    if max(along, spacing) > 1.1 * min(along, spacing):
        notes.append(f"Pixels are {spacing:.3g} m across and about {along:.3g} m along the track.")
