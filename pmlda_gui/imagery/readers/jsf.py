"""Recordings of EdgeTech sonars (JSF): messages of 16 bytes of header and a body.

Only the sonar data of side-scan subsystems (message 80) are read; they carry position,
altitude, heading and speed of their ping.  Both sides are stored from near to far.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.readers.navigation import DEGREES, METRES
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

__all__ = ["JSF_SIGNATURE", "index_jsf"]

JSF_SIGNATURE = b"\x01\x16"
SONAR_DATA = 80
# Low, high and very high frequency of a side-scan sonar.
SUBSYSTEMS = {20: "low", 21: "high", 22: "very high"}
SIDES: tuple[Side, Side] = ("port", "starboard")
ENVELOPE, ANALYTIC = 0, 1
# Protocol versions that carry further bits of the sample count and of the interval.
MORE_SAMPLES_SINCE, FINER_INTERVAL_SINCE = 10, 11
MINUTES_OF_ARC = 2
METRES_PER_UNIT = {1: 1e-3, 3: 1e-1, 4: 1e-2}
DEGREES_PER_UNIT = 1 / 10_000 / 60
POSITION, SPEED, HEADING, ALTITUDE, SOUND_SPEED = 0, 2, 3, 6, 14  # bits of `validity`
SOUND_SPEEDS = (1350.0, 1700.0)
DEFAULT_SOUND_SPEED = 1500.0

MESSAGE = layout(
    16,
    signature=(0, "S2"),
    version=(2, "u1"),
    kind=(4, "<u2"),
    subsystem=(7, "u1"),
    channel=(8, "u1"),
    length=(12, "<u4"),
)
# After the message's header: seconds since 1970, nanoseconds, decahertz, millimetres,
# m/s, hundredths of a degree, tenths of a knot, milliseconds since midnight.
SONAR = layout(
    240,
    time=(0, "<i4"),
    start=(4, "<u4"),
    ping=(8, "<u4"),
    more=(16, "<u2"),
    finer=(18, "<u2"),
    validity=(30, "<u2"),
    format=(34, "<i2"),
    x=(80, "<i4"),
    y=(84, "<i4"),
    units=(88, "<i2"),
    samples=(114, "<u2"),
    interval=(116, "<u4"),
    first_frequency=(126, "<u2"),
    last_frequency=(128, "<u2"),
    altitude=(144, "<i4"),
    sound_speed=(148, "<f4"),
    weight=(168, "<i2"),
    heading=(172, "<u2"),
    speed=(194, "<i2"),
    milliseconds=(200, "<u4"),
)


def index_jsf(path: Path, progress: Progress) -> RecordingIndex:
    """Walk through the messages of a file and note where every ping's samples lie."""
    building = _Building()
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        records = Records(
            stream, 0, size, MESSAGE.itemsize + SONAR.itemsize, _length, _next_in, progress
        )
        for position, length, head in records:
            message = np.frombuffer(head, MESSAGE, 1)[0]
            if not _is_side_scan(message) or length < MESSAGE.itemsize + SONAR.itemsize:
                continue
            sonar = np.frombuffer(head, SONAR, 1, MESSAGE.itemsize)[0]
            if building.add(message, sonar, position, length):
                records.held_samples()
                require_short(path.name, len(building.pings))
    require_pings(path.name, len(building.pings))
    return building.index(path, tuple(records.notes()))


class _Building:
    """The pings found so far; the sides and frequencies of a ping have one number."""

    def __init__(self) -> None:
        self.pings: list[Any] = []
        self._units: list[int] = []
        self._shares: list[tuple[int, float, float, int, int]] = []
        self._share_ping: list[int] = []
        self._share_offset: list[int] = []
        self._channels: dict[tuple[int, int, int], ChannelDescription] = {}
        self._rows: dict[int, int] = {}
        self._filled: set[tuple[int, int]] = set()
        self._unusable = 0
        self._late = 0

    def add(self, message: Any, sonar: Any, position: int, length: int) -> bool:
        """Take the samples of a message; False if it has none of use."""
        samples, interval = _samples(message, sonar), _interval(message, sonar)
        kind = int(sonar["format"])
        start = position + MESSAGE.itemsize + SONAR.itemsize
        wide = 4 if kind == ANALYTIC else 2
        if (
            kind not in (ENVELOPE, ANALYTIC)
            or not samples
            or start + samples * wide > (position + length)
        ):
            self._unusable += 1
            return False
        channel = self._channel(message, sonar, kind)
        row = self._rows.get(int(sonar["ping"]))
        if row is None or (row, channel.number) in self._filled:
            row = len(self.pings)
            self._rows[int(sonar["ping"])] = row
            self.pings.append(_ping(sonar))
            self._units.append(int(sonar["units"]))
        self._filled.add((row, channel.number))
        self._late += int(sonar["start"]) > 0
        speed = float(sonar["sound_speed"])
        if not SOUND_SPEEDS[0] <= speed <= SOUND_SPEEDS[1]:
            speed = DEFAULT_SOUND_SPEED
        seconds = samples * interval
        self._shares.append(
            (channel.number, seconds * speed / 2, seconds, samples, int(sonar["weight"]))
        )
        self._share_ping.append(row)
        self._share_offset.append(start)
        return True

    def index(self, path: Path, notes: tuple[str, ...]) -> RecordingIndex:
        units = np.array(self._units)
        geographic = bool((units == MINUTES_OF_ARC).sum() * 2 >= len(units))
        pings = np.array(self.pings, dtype=PING)
        stated = units == MINUTES_OF_ARC if geographic else np.isin(units, list(METRES_PER_UNIT))
        for field in ("sensor_y", "sensor_x"):
            pings[field][~stated] = 0.0
        said = list(notes)
        if self._unusable:
            said.append(
                f"{self._unusable} sonar messages hold no usable samples and were left out."
            )
        if self._late:
            said.append(
                f"{self._late} pings were recorded from some range on; they are shown as if "
                "from the sonar on."
            )
        return RecordingIndex(
            path=path,
            format="JSF",
            navigation_units=DEGREES if geographic else METRES,
            channels=tuple(self._channels.values()),
            pings=pings,
            shares=np.array(self._shares, dtype=SHARE),
            share_ping=np.array(self._share_ping, dtype=np.int64),
            share_offset=np.array(self._share_offset, dtype=np.int64),
            notes=tuple(said),
        )

    def _channel(self, message: Any, sonar: Any, kind: int) -> ChannelDescription:
        subsystem, number = int(message["subsystem"]), int(message["channel"])
        key = (subsystem, number, kind)
        if key not in self._channels:
            more = int(sonar["more"]) if message["version"] >= MORE_SAMPLES_SINCE else 0
            first = int(sonar["first_frequency"]) + ((more & 0xF) << 16)
            last = int(sonar["last_frequency"]) + ((more >> 4 & 0xF) << 16)
            self._channels[key] = ChannelDescription(
                number=len(self._channels),
                name=f"{SIDES[number]} {SUBSYSTEMS[subsystem]} frequency",
                side=SIDES[number],
                # An envelope is never negative, and some recorders use all 16 bits.
                sample_type="<i2" if kind == ANALYTIC else "<u2",
                frequency=(first + last) / 2 / 100,
                usual_samples=0,
                far_first=False,
                pairs=kind == ANALYTIC,
            )
        return self._channels[key]


def _ping(sonar: Any) -> tuple[float, ...]:
    """The fields of a PING."""
    stated = int(sonar["validity"])

    def known(bit: int) -> bool:
        # Old recorders leave all the flags at 0.
        return stated == 0 or bool(stated >> bit & 1)

    units = int(sonar["units"])
    scale = DEGREES_PER_UNIT if units == MINUTES_OF_ARC else METRES_PER_UNIT.get(units, 0.0)
    here = scale if known(POSITION) else 0.0
    seconds = float(sonar["time"]) + int(sonar["milliseconds"]) % 1000 / 1000
    return (
        seconds if sonar["time"] > 0 else float("nan"),
        float(sonar["sound_speed"]) if known(SOUND_SPEED) else 0.0,
        0.0,
        0.0,
        float(sonar["y"]) * here,
        float(sonar["x"]) * here,
        float(sonar["speed"]) / 10 if known(SPEED) else 0.0,
        float(sonar["altitude"]) / 1000 if known(ALTITUDE) else 0.0,
        float(sonar["heading"]) / 100 if known(HEADING) else float("nan"),
        0.0,
    )


def _samples(message: Any, sonar: Any) -> int:
    more = int(sonar["more"]) >> 8 & 0xF if message["version"] >= MORE_SAMPLES_SINCE else 0
    return int(sonar["samples"]) + (more << 16)


def _interval(message: Any, sonar: Any) -> float:
    """Seconds between samples."""
    finer = (int(sonar["finer"]) & 0xFF) / 256 if message["version"] >= FINER_INTERVAL_SINCE else 0
    return (int(sonar["interval"]) + finer) * 1e-9


def _is_side_scan(message: Any) -> bool:
    return bool(
        message["kind"] == SONAR_DATA
        and int(message["subsystem"]) in SUBSYSTEMS
        and message["channel"] < len(SIDES)
    )


def _length(head: bytes, position: int) -> int | None:
    if len(head) < MESSAGE.itemsize or not head.startswith(JSF_SIGNATURE):
        return None
    return MESSAGE.itemsize + int(np.frombuffer(head, MESSAGE, 1)[0]["length"])


def _next_in(piece: bytes, position: int) -> int:
    return piece.find(JSF_SIGNATURE)
