"""The packets of an XTF file (eXtended Triton Format), read by our own small parser.

An XTF file is a header of 1024 bytes or a multiple of it, then packets that each
start with 0xFACE and their length.  Side-scan pings are packets of type 0: a ping
header of 256 bytes, then for each channel a header of 64 bytes and its samples.
Nothing beside the file is looked at, and nothing is ever unpickled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.recording_index import (
    ChannelDescription,
    RecordingIndex,
    Side,
    layout,
    require_pings,
    require_short,
    samples_of_share,
)
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.xtf_packets import PACKET_HEADER_BYTES, PacketHeader, SonarPackets

__all__ = ["index_xtf"]

FILE_HEADER_BYTES = 1024
CHANNELS_IN_FIRST_BLOCK = 6
MOST_CHANNELS = 64

SIDES: dict[int, Side] = {1: "port", 2: "starboard"}
# The header's newer sample format; 0 in older files, which leaves only the width.
SAMPLE_FORMATS = {2: "<i4", 3: "<i2", 5: "<f4", 8: "u1"}
UNSIGNED_BY_WIDTH = {1: "u1", 2: "<u2", 4: "<u4"}


FILE_HEADER = layout(
    256,
    navigation_units=(164, "<u2"),
    sonar_channels=(166, "<u2"),
    bathymetry_channels=(168, "<u2"),
)
CHANNEL_INFORMATION = layout(
    128,
    kind=(0, "u1"),
    bytes_per_sample=(6, "<u2"),
    samples=(8, "<u4"),
    name=(12, "S16"),
    frequency=(32, "<f4"),
    sample_format=(74, "u1"),
)
# Sound velocity in m/s (often halved, for the way there and back), speed in knots,
# positions in the file's navigation units, layback and altitude in
# metres, roll and heading in degrees.
PING_HEADER = layout(
    256,
    channels=(4, "<u2"),
    year=(14, "<u2"),
    month=(16, "u1"),
    day=(17, "u1"),
    hour=(18, "u1"),
    minute=(19, "u1"),
    second=(20, "u1"),
    hundredths=(21, "u1"),
    sound_velocity=(32, "<f4"),
    ship_y=(128, "<f8"),
    ship_x=(136, "<f8"),
    speed=(152, "<f4"),
    sensor_y=(160, "<f8"),
    sensor_x=(168, "<f8"),
    layback=(184, "<f4"),
    altitude=(196, "<f4"),
    roll=(208, "<f4"),
    heading=(212, "<f4"),
)
# Slant range in metres, duration in seconds; samples are to be scaled by 2^-weight.
CHANNEL_HEADER = layout(
    64,
    channel=(0, "<u2"),
    slant_range=(4, "<f4"),
    duration=(16, "<f4"),
    samples=(42, "<u4"),
    weight=(58, "<i2"),
)


def index_xtf(path: Path, progress: Progress) -> RecordingIndex:
    """Walk through the packets of a file and note where every ping's samples lie."""
    ping_headers, share_headers = bytearray(), bytearray()
    share_ping: list[int] = []
    share_offset: list[int] = []
    count = without_samples = 0
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        navigation_units, channels, start = _read_file_header(path, stream)
        packets = SonarPackets(stream, start, size, progress)
        for position, length in packets:
            shares = list(_shares(stream, position, length, channels))
            if not shares:
                without_samples += 1
                continue
            packets.held_samples()
            stream.seek(position)
            ping_headers += stream.read(PING_HEADER.itemsize)
            for head, offset in shares:
                share_headers += head
                share_ping.append(count)
                share_offset.append(offset)
            count += 1
            require_short(path.name, count)
    require_pings(path.name, count)
    notes = list(packets.notes())
    if without_samples:
        notes.append(f"{without_samples} pings hold no usable samples and were left out.")
    return RecordingIndex(
        path=path,
        format="XTF",
        navigation_units=navigation_units,
        channels=channels,
        pings=np.frombuffer(bytes(ping_headers), PING_HEADER),
        shares=np.frombuffer(bytes(share_headers), CHANNEL_HEADER),
        share_ping=np.array(share_ping, dtype=np.int64),
        share_offset=np.array(share_offset, dtype=np.int64),
        notes=tuple(notes),
    )


def _read_file_header(
    path: Path, stream: BinaryIO
) -> tuple[int, tuple[ChannelDescription, ...], int]:
    """Navigation units, channels, and where the packets start."""
    head = stream.read(FILE_HEADER_BYTES)
    if len(head) < FILE_HEADER_BYTES:
        raise PmldaError(
            f"{path.name} is cut short: its header needs {FILE_HEADER_BYTES} bytes and "
            f"{len(head)} are there; copy the file again."
        )
    header = np.frombuffer(head, FILE_HEADER, count=1)[0]
    declared = int(header["sonar_channels"]) + int(header["bathymetry_channels"])
    if not 1 <= declared <= MOST_CHANNELS:
        raise PmldaError(
            f"{path.name} is damaged: its header claims {declared} channels; copy the file again."
        )
    # Channels beyond the sixth are described after the first 1024 bytes.
    further = max(0, declared - CHANNELS_IN_FIRST_BLOCK) * CHANNEL_INFORMATION.itemsize
    start = FILE_HEADER_BYTES + -(-further // FILE_HEADER_BYTES) * FILE_HEADER_BYTES
    head += stream.read(start - FILE_HEADER_BYTES)
    if len(head) < start:
        raise PmldaError(f"{path.name} is cut short inside its header; copy the file again.")
    described = np.frombuffer(head, CHANNEL_INFORMATION, declared, FILE_HEADER.itemsize)
    channels = tuple(_describe(number, described[number]) for number in range(declared))
    return int(header["navigation_units"]), channels, start


def _describe(number: int, information: np.void) -> ChannelDescription:
    name = information["name"].split(b"\0")[0].decode("latin-1").strip()
    frequency = float(information["frequency"])
    width = int(information["bytes_per_sample"])
    by_width = UNSIGNED_BY_WIDTH.get(width, "")
    stated = SAMPLE_FORMATS.get(int(information["sample_format"]), by_width)
    return ChannelDescription(
        number=number,
        name=name if name and name.isprintable() else f"channel {number}",
        side=SIDES.get(int(information["kind"]), "other"),
        sample_type=stated if by_width and np.dtype(stated).itemsize == width else by_width,
        frequency=frequency if 0 < frequency < 10_000 else 0.0,
        usual_samples=int(information["samples"]),
    )


def _shares(
    stream: BinaryIO, position: int, length: int, channels: tuple[ChannelDescription, ...]
) -> Iterator[tuple[bytes, int]]:
    """Header and position of the samples of each channel that lies within its ping."""
    stream.seek(position)
    claimed = PacketHeader.of(stream.read(PACKET_HEADER_BYTES)).channels
    offset, end = position + PING_HEADER.itemsize, position + length
    for _ in range(min(claimed, MOST_CHANNELS)):
        start = offset + CHANNEL_HEADER.itemsize
        if start > end:
            return
        stream.seek(offset)
        head = stream.read(CHANNEL_HEADER.itemsize)
        share = np.frombuffer(head, CHANNEL_HEADER)[0]
        number = int(share["channel"])
        if number >= len(channels) or not channels[number].sample_type:
            return
        offset = (
            start + samples_of_share(channels[number], share) * channels[number].bytes_per_sample
        )
        if offset > end:
            return
        yield head, start
