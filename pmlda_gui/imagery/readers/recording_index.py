"""The index of a recording: where the samples of each ping are in the file.

Each format has a module that walks through a file once and fills a `RecordingIndex`;
ranges, navigation and the waterfall are made from that and know no format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = [
    "MOST_PINGS",
    "PING",
    "SHARE",
    "ChannelDescription",
    "RecordingIndex",
    "Side",
    "channel_starts_far",
    "drawn_to_the_left",
    "layout",
    "read_samples",
    "require_pings",
    "require_short",
    "sample_counts",
    "samples_of_share",
]

# A day and a night at ten pings a second.
MOST_PINGS = 1_000_000
LARGEST_WEIGHT = 31

Side = Literal["port", "starboard", "other"]


def layout(size: int, **fields: tuple[int, str]) -> np.dtype[Any]:
    """A structure of `size` bytes from each field's offset and type."""
    return np.dtype(
        {
            "names": list(fields),
            "offsets": [offset for offset, _ in fields.values()],
            "formats": [kind for _, kind in fields.values()],
            "itemsize": size,
        }
    )


# What the readers of formats other than XTF fill for each ping: seconds since 1970,
# m/s, positions in the index's navigation units, knots, metres, degrees.
PING = np.dtype(
    [
        ("time", "<f8"),
        ("sound_velocity", "<f4"),
        ("ship_y", "<f8"),
        ("ship_x", "<f8"),
        ("sensor_y", "<f8"),
        ("sensor_x", "<f8"),
        ("speed", "<f4"),
        ("altitude", "<f4"),
        ("heading", "<f4"),
        ("layback", "<f4"),
    ]
)
# And for each channel of each ping: metres, seconds; samples are scaled by 2^-weight.
SHARE = np.dtype(
    [
        ("channel", "<u2"),
        ("slant_range", "<f4"),
        ("duration", "<f4"),
        ("samples", "<u4"),
        ("weight", "<i2"),
    ]
)


@dataclass(frozen=True)
class ChannelDescription:
    """A channel as the file describes it; `frequency` in kHz, 0 if unstated.

    `sample_type` is the numpy type of its samples, empty if the header makes no sense.
    `usual_samples` is how many a ping has in old files that do not say it ping by ping.
    `far_first` says whether samples are stored from far to near, None where that is as
    in XTF.  `pairs` marks samples that are two numbers, of which the magnitude is
    shown.  `file` is where the samples are, None for the recording's own file.
    """

    number: int
    name: str
    side: Side
    sample_type: str
    frequency: float
    usual_samples: int
    far_first: bool | None = None
    pairs: bool = False
    file: Path | None = None

    @property
    def bytes_per_sample(self) -> int:
        if not self.sample_type:
            return 0
        return np.dtype(self.sample_type).itemsize * (2 if self.pairs else 1)


@dataclass(frozen=True, eq=False)
class RecordingIndex:
    """Every ping of a recording without its samples.

    `pings` holds a PING each, or a ping header with the same fields.  `shares` holds a
    SHARE, or a channel header with the same fields, for each channel of each ping, in
    file order; `share_ping` is the ping it belongs to and `share_offset` where in the
    file its samples start.
    """

    path: Path
    format: str
    navigation_units: int
    channels: tuple[ChannelDescription, ...]
    pings: NDArray[np.void]
    shares: NDArray[np.void]
    share_ping: NDArray[np.int64]
    share_offset: NDArray[np.int64]
    notes: tuple[str, ...]


def channel_starts_far(channel: ChannelDescription, position: int) -> bool:
    """Whether the samples are stored from far to near; in XTF on port, or where it is expected."""
    if channel.far_first is not None:
        return channel.far_first
    return channel.side == "port" or (channel.side == "other" and position == 0)


def drawn_to_the_left(channel: ChannelDescription) -> bool:
    """Whether a channel shown alone has its track at the right edge."""
    return channel.side == "port" or (channel.side == "other" and channel.far_first is None)


def read_samples(
    stream: BinaryIO, channel: ChannelDescription, share: Any, offset: int
) -> NDArray[np.float64]:
    """The samples of one channel of one ping in stored order, weighted as the header asks."""
    stream.seek(offset)
    samples = np.frombuffer(
        stream.read(samples_of_share(channel, share) * channel.bytes_per_sample),
        channel.sample_type,
    ).astype(np.float64)
    if channel.pairs:
        samples = np.hypot(samples[::2], samples[1::2])
    weight = int(share["weight"])
    if 0 < abs(weight) <= LARGEST_WEIGHT:
        samples *= 2.0**-weight
    return samples


def sample_counts(index: RecordingIndex) -> NDArray[np.int64]:
    """How many samples each share of the index has."""
    usual = np.array([channel.usual_samples for channel in index.channels], dtype=np.int64)
    stated = index.shares["samples"].astype(np.int64)
    return np.where(stated > 0, stated, usual[index.shares["channel"]])


def samples_of_share(channel: ChannelDescription, share: Any) -> int:
    """How many samples one share has."""
    return int(share["samples"]) or channel.usual_samples


def require_pings(name: str, count: int) -> None:
    """Refuse a file in which no ping was found."""
    if count == 0:
        raise PmldaError(
            f"{name} holds no complete side-scan ping; choose a recording of a "
            "side-scan sonar or copy the file again."
        )


def require_short(name: str, records: Sequence[object] | int) -> None:
    """Refuse a file with more pings than anybody records in one."""
    if (records if isinstance(records, int) else len(records)) > MOST_PINGS:
        raise PmldaError(
            f"{name} holds more than {MOST_PINGS} pings; cut it into shorter recordings."
        )
