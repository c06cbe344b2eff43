"""Side-scan recordings before correction: the raw channels and the navigation.

The picture an operator looks at is made in `waterfall`; this is for those who need
the samples themselves or the track.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.navigation import Navigation, navigation_from_headers
from pmlda_gui.imagery.readers.options import ReadOptions, Task, require_within_limit
from pmlda_gui.imagery.readers.recorders import index_recording
from pmlda_gui.imagery.readers.recording_index import (
    ChannelDescription,
    read_samples,
    sample_counts,
)
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.slant_range import range_grid

__all__ = ["RecordedChannel", "Recording", "read_recording"]

INDEX_SHARE = 0.2  # of the time a reading takes


@dataclass(frozen=True, eq=False)
class RecordedChannel:
    """A channel as recorded: `samples` (pings, most samples) in stored order, zeros after.

    `sample_counts` and `slant_ranges` (metres, NaN where absurd) are (pings,).
    """

    description: ChannelDescription
    samples: NDArray[np.float32]
    sample_counts: NDArray[np.int64]
    slant_ranges: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recording:
    """Everything a side-scan recording holds, ping by ping."""

    path: Path
    channels: tuple[RecordedChannel, ...]
    navigation: Navigation
    notes: tuple[str, ...]


def read_recording(path: Path, options: ReadOptions, task: Task) -> Recording:
    """Read the raw samples of every channel, and the navigation."""
    index = index_recording(path, task.part(0.0, INDEX_SHARE))
    navigation, notes = navigation_from_headers(index.pings, index.navigation_units)
    channels = [channel for channel in index.channels if channel.sample_type]
    grid = range_grid(index, channels)
    most = max(int(sample_counts(index).max()), 1)
    require_within_limit(path.name, len(index.pings), most * len(channels), options)
    raw = [
        RecordedChannel(
            channel,
            np.zeros((len(index.pings), most), dtype=np.float32),
            np.zeros(len(index.pings), dtype=np.int64),
            np.full(len(index.pings), np.nan),
        )
        for channel in channels
    ]
    by_number = {channel.description.number: channel for channel in raw}
    reading = task.part(INDEX_SHARE, 1.0)
    with ExitStack() as stack:
        streams = {
            channel.number: stack.enter_context(open_regular(channel.file or path))
            for channel in channels
        }
        for place, share in enumerate(index.shares):
            reading.reached(place / len(index.shares))
            channel, ping = by_number[int(share["channel"])], index.share_ping[place]
            samples = read_samples(
                streams[int(share["channel"])],
                channel.description,
                share,
                index.share_offset[place],
            )
            channel.samples[ping, : len(samples)] = samples[:most]
            channel.sample_counts[ping] = len(samples)
            channel.slant_ranges[ping] = grid.ranges[place]
    reading.reached(1.0)
    return Recording(path, tuple(raw), navigation, (*index.notes, *grid.notes, *notes))
