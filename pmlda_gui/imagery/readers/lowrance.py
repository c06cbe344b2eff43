"""Recordings of Lowrance and Simrad echo sounders (SL2, SL3): frames after 8 bytes.

A frame begins with its own position in the file, which is how the next one is found
after damage.  Side-scan comes as two channels, or as one "composite" channel whose
left half is port from far to near.  Ranges and depths are in feet, directions in
radians, positions in metres of a Mercator projection of a sphere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.navigation import DEGREES
from pmlda_gui.imagery.readers.recording_index import (
    PING,
    SHARE,
    ChannelDescription,
    RecordingIndex,
    Side,
    layout,
    require_pings,
    require_short,
)
from pmlda_gui.imagery.readers.records import Records
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["index_lowrance", "is_lowrance"]

FILE_HEADER_BYTES = 8
BLOCK_SIZES = (1970, 3200)
METRES_PER_FOOT = 0.3048
SPHERE = 6_356_752.3142
LEFT, RIGHT, COMPOSITE = 3, 4, 5
KILOHERTZ = {0: 200.0, 1: 50.0, 2: 83.0, 3: 455.0, 4: 800.0, 5: 38.0, 6: 28.0}
HAS_POSITION, HAS_HEADING, HAS_SPEED = 0x0010, 0x0100, 0x0002
LARGEST_TURN = 2 * np.pi


class _Format(NamedTuple):
    """Where an SL2 or SL3 frame keeps its fields, and how long its header is."""

    name: str
    frame: np.dtype[Any]
    header_bytes: dict[int, int]
    usual_header: int


def _frame(size: int, **fields: tuple[int, str]) -> np.dtype[Any]:
    return layout(size, offset=(0, "<u4"), version=(4, "<u4"), **fields)


FORMATS = {
    2: _Format(
        "SL2",
        _frame(
            144,
            length=(28, "<u2"),
            channel=(32, "<u2"),
            samples=(34, "<u2"),
            upper=(40, "<f4"),
            lower=(44, "<f4"),
            frequency=(50, "u1"),
            depth=(64, "<f4"),
            speed=(100, "<f4"),
            x=(108, "<i4"),
            y=(112, "<i4"),
            course=(120, "<f4"),
            heading=(128, "<f4"),
            flags=(132, "<u2"),
            milliseconds=(140, "<u4"),
        ),
        {},
        144,
    ),
    3: _Format(
        "SL3",
        _frame(
            128,
            length=(8, "<u2"),
            channel=(12, "<u2"),
            upper=(20, "<f4"),
            lower=(24, "<f4"),
            seconds=(40, "<u4"),
            samples=(44, "<u4"),
            depth=(48, "<f4"),
            frequency=(52, "<u2"),
            speed=(84, "<f4"),
            x=(92, "<i4"),
            y=(96, "<i4"),
            course=(104, "<f4"),
            heading=(112, "<f4"),
            flags=(116, "<u2"),
            milliseconds=(124, "<u4"),
        ),
        {10: 168, 13: 180},
        168,
    ),
}


def is_lowrance(head: bytes, suffix: str) -> bool:
    """Whether a file begins as an SL2 or SL3 recording does."""
    if len(head) < FILE_HEADER_BYTES:
        return False
    kind, version, block, zero = np.frombuffer(head, "<u2", 4).tolist()
    named = suffix.lower() in (".sl2", ".sl3")
    begins = int.from_bytes(head[8:12], "little") == FILE_HEADER_BYTES
    return kind in FORMATS and (
        (block in BLOCK_SIZES and zero == 0 and version < 8 and begins) or named
    )


def index_lowrance(path: Path, progress: Progress) -> RecordingIndex:
    """Walk through the frames of a file and note where every ping's samples lie."""
    frames = bytearray()
    places: list[int] = []
    other = 0
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        kind = FORMATS.get(int.from_bytes(stream.read(2), "little"), FORMATS[2])

        def length_of(head: bytes, position: int) -> int | None:
            if len(head) < kind.frame.itemsize:
                return None
            frame = np.frombuffer(head, kind.frame, 1)[0]
            sound = frame["offset"] == position & 0xFFFFFFFF
            sound = sound and frame["length"] >= kind.frame.itemsize
            return int(frame["length"]) if sound else None

        records = Records(
            stream, FILE_HEADER_BYTES, size, kind.frame.itemsize, length_of, _next_in, progress
        )
        for position, length, head in records:
            frame = np.frombuffer(head, kind.frame, 1)[0]
            header = kind.header_bytes.get(int(frame["version"]), kind.usual_header)
            samples = int(frame["samples"])
            if int(frame["channel"]) not in (LEFT, RIGHT, COMPOSITE):
                other += 1
                continue
            # Frames of unknown versions: what is left before the samples is the header.
            header = header if header + samples <= length else length - samples
            if samples < 2 or header < kind.frame.itemsize:
                continue
            records.held_samples()
            frames += head
            places.append(position + header)
            require_short(path.name, places)
    if not places and other:
        require_pings(f"{path.name} was recorded without side-scan and", 0)
    require_pings(path.name, len(places))
    found = np.frombuffer(bytes(frames), kind.frame)
    return _index(path, kind, found, np.array(places, dtype=np.int64), tuple(records.notes()))


def _index(
    path: Path,
    kind: _Format,
    frames: NDArray[np.void],
    places: NDArray[np.int64],
    notes: tuple[str, ...],
) -> RecordingIndex:
    if (frames["channel"] == COMPOSITE).any():
        chosen = frames["channel"] == COMPOSITE
        frames, places = frames[chosen], places[chosen]
        rows, first = np.arange(len(frames)), np.arange(len(frames))
        half = frames["samples"].astype(np.int64) // 2
        shares = np.zeros(2 * len(frames), dtype=SHARE)
        shares["channel"] = np.tile([0, 1], len(frames))
        shares["samples"] = np.repeat(half, 2)
        # From the port edge, a negative range, to the starboard edge.
        reach = (frames["lower"].astype(np.float64) - frames["upper"]) / 2
        shares["slant_range"] = np.repeat(reach * METRES_PER_FOOT, 2)
        offsets = np.column_stack([places, places + half]).ravel()
        share_ping = np.repeat(rows, 2)
        far_first = True
    else:
        shares = np.zeros(len(frames), dtype=SHARE)
        shares["channel"] = frames["channel"] == RIGHT
        shares["samples"] = frames["samples"]
        reach = frames["lower"].astype(np.float64) - frames["upper"]
        shares["slant_range"] = reach * METRES_PER_FOOT
        share_ping, first = _paired(shares["channel"].astype(np.int64))
        offsets = places
        far_first = False
    frequency = KILOHERTZ.get(int(frames["frequency"][0]), 0.0)
    sides: tuple[Side, Side] = ("port", "starboard")
    channels = tuple(
        ChannelDescription(
            number, side, side, "u1", frequency, 0, far_first=far_first and side == "port"
        )
        for number, side in enumerate(sides)
    )
    return RecordingIndex(
        path=path,
        format=kind.name,
        navigation_units=DEGREES,
        channels=channels,
        pings=_pings(frames[first], kind),
        shares=shares,
        share_ping=share_ping,
        share_offset=offsets,
        notes=notes,
    )


def _paired(channel: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ping of each frame, and the first frame of each ping.

    A new ping begins with each frame whose side the ping before already has.
    """
    rows = np.empty(len(channel), dtype=np.int64)
    first: list[int] = []
    seen: set[int] = set()
    for place, side in enumerate(channel.tolist()):
        if side in seen or not first:
            first.append(place)
            seen = set()
        seen.add(side)
        rows[place] = len(first) - 1
    return rows, np.array(first, dtype=np.int64)


def _pings(frames: NDArray[np.void], kind: _Format) -> NDArray[np.void]:
    pings = np.zeros(len(frames), dtype=PING)
    start = float(frames["seconds"][0]) if kind.name == "SL3" else 0.0
    pings["time"] = start + frames["milliseconds"] / 1000.0 if start > 0 else np.nan
    x, y = (frames[field].astype(np.float64) / SPHERE for field in ("x", "y"))
    here = (frames["flags"] & HAS_POSITION > 0) | (frames["flags"] == 0)
    pings["sensor_x"] = np.where(here, np.degrees(x), 0.0)
    pings["sensor_y"] = np.where(here, np.degrees(np.arctan(np.sinh(y))), 0.0)
    pings["speed"] = frames["speed"]
    pings["altitude"] = frames["depth"] * METRES_PER_FOOT
    heading = frames["heading"].astype(np.float64)
    heading = np.where(frames["flags"] & HAS_HEADING > 0, heading, frames["course"])
    heading[~(np.abs(heading) <= LARGEST_TURN)] = np.nan
    pings["heading"] = np.degrees(heading)
    return pings


def _next_in(piece: bytes, position: int) -> int:
    """Where four bytes of the piece are their own position in the file."""
    nearest = -1
    for shift in range(4):
        words = np.frombuffer(piece, "<u4", max(0, len(piece) - shift) // 4, shift)
        own = (position + shift + 4 * np.arange(len(words))) & 0xFFFFFFFF
        places = np.flatnonzero(words == own)
        if len(places):
            found = shift + 4 * int(places[0])
            nearest = found if nearest < 0 else min(nearest, found)
    return nearest
