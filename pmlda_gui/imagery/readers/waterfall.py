"""The waterfall picture of a side-scan recording.

It shows port on the left and starboard on the right with the track in the middle,
one row a ping.  Ranges may change within a file, so every ping is laid on one grid
of slant range before the two sides are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import choose_band
from pmlda_gui.imagery.readers.navigation import navigation_from_headers
from pmlda_gui.imagery.readers.options import (
    Band,
    Probe,
    ReadOptions,
    require_within_limit,
)
from pmlda_gui.imagery.readers.pixel_reader import PixelSource, read_pixels
from pmlda_gui.imagery.readers.recorders import index_recording
from pmlda_gui.imagery.readers.recording_index import (
    ChannelDescription,
    RecordingIndex,
    channel_starts_far,
    drawn_to_the_left,
    read_samples,
)
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.slant_range import RangeGrid, range_grid
from pmlda_gui.imagery.readers.swath_image import Channels, waterfall_image

__all__ = ["open_waterfall", "probe_waterfall"]

INDEX_SHARE = 0.2  # of the time a reading takes
CHANNELS_SHARE = 0.8
CHECK_EVERY_PINGS = 500


def probe_waterfall(path: Path, progress: Progress) -> Probe:
    """Describe a recording from its headers; no sample is read."""
    index = index_recording(path, progress)
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


def open_waterfall(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """Read a recording as a waterfall, corrected as the options say but for its gain."""
    from pmlda_gui.imagery.sidescan import Swath

    index = index_recording(path, progress.part(0.0, INDEX_SHARE))
    channels, channel_notes = _channels_shown(index, options)
    grid = range_grid(index, channels)
    require_within_limit(path.name, len(index.pings), grid.samples * len(channels), options)
    navigation, navigation_notes = navigation_from_headers(index.pings, index.navigation_units)
    notes = [*index.notes, *channel_notes, *grid.notes, *navigation_notes]

    swaths: list[Swath] = []
    share = (CHANNELS_SHARE - INDEX_SHARE) / len(channels)
    for position, channel in enumerate(channels):
        start = INDEX_SHARE + position * share
        with open_regular(channel.file or path) as stream:
            rows = _ChannelRows(
                index, channel, grid, stream, channel_starts_far(channel, position), progress
            )
            source = PixelSource(
                path.name, len(index.pings), grid.samples, 1, rows.read, fillers=False
            )
            pixels = read_pixels(source, options, progress.part(start, start + share))
            swaths.append(Swath(pixels.values, pixels.valid))
            if rows.blank_pings:
                notes.append(f"{rows.blank_pings} pings of {channel.name} are blank and masked.")
    if options.reduce > 1:
        notes.append(f"Read reduced by {options.reduce} along and across the track.")
    keys = tuple(_gain_key(index.format, channel) for channel in channels)
    left = len(swaths) == 2 or drawn_to_the_left(channels[0])
    return waterfall_image(
        Channels(path, tuple(swaths), left, keys, _shown_names(channels)),
        navigation,
        grid.spacing,
        options,
        notes,
        progress.part(CHANNELS_SHARE, 1.0),
    )


def _shown_names(channels: Sequence[ChannelDescription]) -> str:
    return " + ".join(channel.name for channel in channels)


def _gain_key(file_format: str, channel: ChannelDescription) -> str:
    """What has one gain: a sonar's channel at one frequency."""
    side = channel.side if channel.side != "other" else f"channel {channel.number}"
    return f"{file_format} {channel.name.strip()} {side} {channel.frequency:g} kHz"


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
        progress: Progress,
    ) -> None:
        self._progress = progress
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
                self._progress.check()
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
