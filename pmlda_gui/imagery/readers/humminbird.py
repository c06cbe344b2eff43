"""Recordings of Humminbird echo sounders: a DAT file, and a SON file for each beam.

The beams lie in a folder named like the DAT file, or beside it.  A ping is a header of
tagged numbers in network order, whose tags differ between models, then bytes from near
to far.  The IDX files only repeat where pings begin and are not needed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.navigation import DEGREES, METRES_PER_SECOND_PER_KNOT
from pmlda_gui.imagery.readers.recording_index import (
    PING,
    SHARE,
    ChannelDescription,
    RecordingIndex,
    Side,
    require_pings,
    require_short,
)
from pmlda_gui.imagery.readers.records import Records
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["PING_SIGNATURE", "index_humminbird", "is_humminbird"]

PING_SIGNATURE = b"\xc0\xde\xab\x21"
DAT_FIRST_BYTES = (0xC1, 0xC3)
HEADER_END = 0x21
LONGEST_HEADER = 160
# Tags below 0x80 carry one byte, the others four; 0xA0, the last, counts the samples.
WIDE_TAG, COUNT_TAG = 0x80, 0xA0
TIME, X, Y, HEADING, SPEED, DEPTH = 0x81, 0x82, 0x83, 0x84, 0x85, 0x87
BEAM, FREQUENCY = 0x50, 0x92
FIELDS = (TIME, X, Y, HEADING, SPEED, DEPTH, BEAM, FREQUENCY)
BEAM_FILE = re.compile(r"b\d{3}\.son", re.IGNORECASE)
SIDES: dict[int, tuple[str, Side]] = {
    0: ("down low frequency", "other"),
    1: ("down high frequency", "other"),
    2: ("port", "port"),
    3: ("starboard", "starboard"),
    4: ("down imaging", "other"),
}
# Positions are metres of a Mercator projection of this sphere; latitudes are geocentric
# until multiplied so.
SPHERE = 6_378_388.0
GEODETIC = 1.0067642927
# No range is recorded.  The width of a sample follows from the frequency as if from the
# beam width of a transducer of this length in metres.
TRANSDUCER = 0.108
SOUND_SPEED = {0: 1475.0}  # by the kind of water: fresh, else salt
SALT_WATER = 1500.0
USUAL_FREQUENCY = 455_000.0


class _Beam(NamedTuple):
    """The pings of a SON file: FIELDS of each, sample counts and where samples start."""

    path: Path
    fields: NDArray[np.int64]
    samples: NDArray[np.int64]
    offsets: NDArray[np.int64]
    notes: tuple[str, ...]

    def field(self, tag: int) -> NDArray[np.int64]:
        return self.fields[:, FIELDS.index(tag)]


def is_humminbird(head: bytes, suffix: str) -> bool:
    """Whether a file is the DAT file of a recording or the SON file of a beam."""
    if head.startswith(PING_SIGNATURE):
        return True
    return suffix.lower() == ".dat" and head[:1] != b"" and head[0] in DAT_FIRST_BYTES


def index_humminbird(path: Path, progress: Progress) -> RecordingIndex:
    """Walk through the pings of all beams, and pair them by their times."""
    with open_regular(path) as stream:
        head = stream.read(64)
    alone = head.startswith(PING_SIGNATURE)
    files = [path] if alone else _beam_files(path)
    beams = []
    for place, file in enumerate(files):
        part = progress.part(place / len(files), (place + 1) / len(files))
        beam = _read_beam(file, part)
        if len(beam.samples):
            beams.append(beam)
    require_pings(path.name, len(beams))
    # The rows of the picture are the pings of a side, or else of the first beam.
    beams.sort(key=lambda beam: _side(beam)[1] == "other")
    leading = max(beams, key=lambda beam: (_side(beam)[1] != "other", len(beam.samples)))
    water = SALT_WATER if alone else SOUND_SPEED.get(head[1] if len(head) > 1 else 0, SALT_WATER)
    channels, shares, rows, offsets = [], [], [], []
    notes = [note for beam in beams for note in beam.notes]
    for number, beam in enumerate(beams):
        kept, row = _rows(beam.field(TIME), leading.field(TIME))
        frequency = float(np.median(beam.field(FREQUENCY)))
        frequency = frequency if 1e4 < frequency < 1e7 else USUAL_FREQUENCY
        width = 2 / np.pi * np.arcsin(min(1.0, water / (TRANSDUCER * frequency)))
        name, side = _side(beam)
        channels.append(
            ChannelDescription(
                number, name, side, "u1", frequency / 1000, 0, far_first=False, file=beam.path
            )
        )
        share = np.zeros(len(kept), dtype=SHARE)
        share["channel"], share["samples"] = number, beam.samples[kept]
        share["slant_range"] = beam.samples[kept] * width
        shares.append(share)
        rows.append(row)
        offsets.append(beam.offsets[kept])
        if number == 0:
            notes.append(f"No range is recorded; a sample was taken to be {width:.3g} m.")
    return RecordingIndex(
        path=path,
        format="Humminbird",
        navigation_units=DEGREES,
        channels=tuple(channels),
        pings=_pings(leading, 0.0 if alone else _start_seconds(head)),
        shares=np.concatenate(shares),
        share_ping=np.concatenate(rows),
        share_offset=np.concatenate(offsets),
        notes=tuple(notes),
    )


def _beam_files(path: Path) -> list[Path]:
    """The SON files that belong to a DAT file, in the order of their names."""
    for folder in (path.with_suffix(""), path.parent):
        if folder.is_dir():
            found = [each for each in folder.iterdir() if BEAM_FILE.fullmatch(each.name)]
            if found:
                return sorted(found, key=lambda each: each.name.lower())
    raise PmldaError(
        f"{path.name} is the first part of a Humminbird recording and its SON files are not "
        f"in the folder {path.stem} beside it; copy them there."
    )


def _read_beam(path: Path, progress: Progress) -> _Beam:
    """The headers of a SON file."""
    fields: list[tuple[int, ...]] = []
    samples: list[int] = []
    offsets: list[int] = []
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        records = Records(stream, 0, size, LONGEST_HEADER, _length, _next_in, progress)
        for position, length, head in records:
            values, header = _header(head) or ({}, 0)
            if length == header:
                continue
            records.held_samples()
            fields.append(tuple(values.get(tag, 0) for tag in FIELDS))
            samples.append(length - header)
            offsets.append(position + header)
            require_short(path.name, samples)
    return _Beam(
        path,
        np.array(fields, dtype=np.int64).reshape(-1, len(FIELDS)),
        np.array(samples, dtype=np.int64),
        np.array(offsets, dtype=np.int64),
        tuple(records.notes()),
    )


def _header(head: bytes) -> tuple[dict[int, int], int] | None:
    """The tagged numbers of a ping's header and its length; None if it makes no sense."""
    if not head.startswith(PING_SIGNATURE):
        return None
    values: dict[int, int] = {}
    place = len(PING_SIGNATURE)
    while place < len(head):
        tag = head[place]
        wide = 4 if tag >= WIDE_TAG else 1
        content = head[place + 1 : place + 1 + wide]
        if len(content) < wide:
            return None
        values[tag] = int.from_bytes(content, "big", signed=wide == 4 and tag != COUNT_TAG)
        place += 1 + wide
        if tag == COUNT_TAG:
            return (values, place + 1) if head[place : place + 1] == bytes([HEADER_END]) else None
    return None


def _length(head: bytes, position: int) -> int | None:
    found = _header(head)
    return None if found is None else found[1] + found[0][COUNT_TAG]


def _next_in(piece: bytes, position: int) -> int:
    return piece.find(PING_SIGNATURE)


def _side(beam: _Beam) -> tuple[str, Side]:
    """Name and side of a beam by the number in most of its pings."""
    number = int(np.median(beam.field(BEAM)))
    return SIDES.get(number, (f"beam {number}", "other"))


def _rows(
    times: NDArray[np.int64], leading: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which pings of a beam have a row, the nearest in time to one of the leading beam."""
    if np.array_equal(times, leading):
        return np.arange(len(times)), np.arange(len(times))
    order = np.argsort(leading, kind="stable")
    ordered = leading[order]
    after = np.clip(np.searchsorted(ordered, times), 0, len(ordered) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(times - ordered[before]) < np.abs(times - ordered[after])
    row = order[np.where(nearer, before, after)]
    rows, kept = np.unique(row, return_index=True)
    return kept, rows


def _pings(beam: _Beam, start: float) -> NDArray[np.void]:
    pings = np.zeros(len(beam.samples), dtype=PING)
    pings["time"] = start + beam.field(TIME) / 1000 if start > 0 else np.nan
    x, y = beam.field(X) / SPHERE, beam.field(Y) / SPHERE
    geocentric = 2 * np.arctan(np.exp(np.clip(y, -50, 50))) - np.pi / 2
    known = (beam.field(X) != 0) | (beam.field(Y) != 0)
    pings["sensor_x"] = np.where(known, np.degrees(x), 0.0)
    pings["sensor_y"] = np.where(known, np.degrees(np.arctan(np.tan(geocentric) * GEODETIC)), 0.0)
    # The upper half of either number says whether it is known; tenths of a degree and
    # of a metre per second.
    heading, speed = beam.field(HEADING), beam.field(SPEED)
    pings["heading"] = np.where(heading >> 16 != 0, (heading & 0xFFFF) / 10, np.nan)
    knots = (speed & 0xFFFF) / 10 / METRES_PER_SECOND_PER_KNOT
    pings["speed"] = np.where(speed >> 16 != 0, knots, 0.0)
    pings["altitude"] = beam.field(DEPTH) / 10
    return pings


def _start_seconds(head: bytes) -> float:
    """Seconds since 1970 at the start, 0 if the DAT file does not say."""
    return float(int.from_bytes(head[20:24], "big")) if len(head) >= 64 else 0.0
