"""Recordings of other makers than XTF, written to the formats' descriptions."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HUMMINBIRD_SPHERE = 6_378_388.0
LOWRANCE_SPHERE = 6_356_752.3142
FEET = 1 / 0.3048


@dataclass(frozen=True)
class Ping:
    """A ping as a test wants it; samples are given nearest first on both sides."""

    port: NDArray[np.generic]
    starboard: NDArray[np.generic]
    position: tuple[float, float] = (48.0, -68.0)
    heading: float = 90.0
    speed: float = 2.0
    altitude: float = 5.0
    milliseconds: int = 0


def counting_pings(count: int = 5, samples: int = 6) -> list[Ping]:
    """Port 1, 2, ... and starboard 101, 102, ... from near to far, on a track to the north."""
    port = np.arange(1, samples + 1).astype(np.uint8)
    return [
        Ping(port, port + 100, (48.0 + 1e-5 * number, -68.0), milliseconds=100 * number)
        for number in range(count)
    ]


def jsf_bytes(
    pings: Sequence[Ping],
    subsystems: Sequence[int] = (20,),
    analytic: bool = False,
    weight: int = 0,
    interval: int = 1_000_000,
    version: int = 8,
    units: int = 2,
    validity: int = 0x404D,
) -> bytes:
    """Messages 80 of each side and subsystem, and one of another kind before each ping."""
    out = b""
    for number, ping in enumerate(pings, start=7):
        out += jsf_message(2020, 101, 0, bytes(44), version)
        for subsystem in subsystems:
            for side, samples in enumerate((ping.port, ping.starboard)):
                body = bytearray(240)
                struct.pack_into("<iII", body, 0, 1_600_000_000, 0, number)
                struct.pack_into("<HxxhH", body, 30, validity, int(analytic), 0)
                latitude, longitude = ping.position
                scale = 600_000 if units == 2 else 1000
                x, y = round(longitude * scale), round(latitude * scale)
                struct.pack_into("<iih", body, 80, x, y, units)
                struct.pack_into("<HI", body, 114, len(samples), interval)
                struct.pack_into("<HH", body, 126, 11_000, 13_000)
                struct.pack_into("<if", body, 144, round(ping.altitude * 1000), 1500.0)
                struct.pack_into("<hhH", body, 168, weight, 1, round(ping.heading * 100))
                struct.pack_into("<h", body, 194, round(ping.speed / 0.514444 * 10))
                struct.pack_into("<I", body, 200, ping.milliseconds)
                if analytic:
                    # All of it imaginary and negative: only a magnitude shows the samples.
                    pairs = np.outer(samples.astype(np.int64), [0, -1])
                    data = pairs.astype("<i2").tobytes()
                else:
                    data = samples.astype("<u2").tobytes()
                out += jsf_message(80, subsystem, side, bytes(body) + data, version)
    return out


def jsf_message(kind: int, subsystem: int, channel: int, body: bytes, version: int = 8) -> bytes:
    head = struct.pack(
        "<2sBBHBBBBHI", b"\x01\x16", version, 0, kind, 0, subsystem, channel, 0, 0, len(body)
    )
    return head + body


def lowrance_bytes(
    pings: Sequence[Ping], kind: int = 2, composite: bool = False, metres: float = 30.0
) -> bytes:
    """An SL2 (kind 2) or SL3 (kind 3) file with side-scan and primary frames."""
    out = bytearray(struct.pack("<4H", kind, 0, 3200, 0))
    for ping in pings:
        frames = [(0, ping.port, 0.0)]
        if composite:
            frames.append((5, np.concatenate([ping.port[::-1], ping.starboard]), -metres))
        else:
            frames += [(3, ping.port, 0.0), (4, ping.starboard, 0.0)]
        for channel, samples, upper in frames:
            out += _lowrance_frame(len(out), ping, kind, channel, samples, upper, metres)
    return bytes(out)


def _lowrance_frame(
    offset: int,
    ping: Ping,
    kind: int,
    channel: int,
    samples: NDArray[np.generic],
    upper: float,
    metres: float,
) -> bytes:
    latitude, longitude = np.radians(ping.position)
    x = round(longitude * LOWRANCE_SPHERE)
    y = round(np.arcsinh(np.tan(latitude)) * LOWRANCE_SPHERE)
    limits = (upper * FEET, metres * FEET)
    depth, heading = ping.altitude * FEET, np.radians(ping.heading)
    speed = ping.speed / 0.514444
    head = bytearray(144 if kind == 2 else 168)
    length = len(head) + len(samples)
    struct.pack_into("<I", head, 0, offset)
    if kind == 2:
        struct.pack_into("<HHHHI2f", head, 28, length, 0, channel, len(samples), 0, *limits)
        head[50] = 4
        struct.pack_into("<f", head, 64, depth)
        struct.pack_into("<ffii", head, 100, speed, 10.0, x, y)
        struct.pack_into("<ffffH", head, 116, speed, heading, 0.0, heading, 0x0112)
        struct.pack_into("<I", head, 140, ping.milliseconds)
    else:
        struct.pack_into("<IHHHH", head, 4, 10, length, 0, channel, 0)
        struct.pack_into("<2f", head, 20, *limits)
        struct.pack_into("<IIfH", head, 40, 1_600_000_000, len(samples), depth, 4)
        struct.pack_into("<ffii", head, 84, speed, 10.0, x, y)
        struct.pack_into("<ffffH", head, 100, speed, heading, 0.0, heading, 0x0112)
        struct.pack_into("<I", head, 124, ping.milliseconds)
    return bytes(head) + samples.astype(np.uint8).tobytes()


def son_bytes(pings: Sequence[Ping], beam: int, longer_header: bool = False) -> bytes:
    """The SON file of one side: beam 2 is port, 3 starboard."""
    out = b""
    for number, ping in enumerate(pings):
        latitude, longitude = np.radians(ping.position)
        geocentric = np.arctan(np.tan(latitude) / 1.0067642927)
        x = round(longitude * HUMMINBIRD_SPHERE)
        y = round(np.log(np.tan(np.pi / 4 + geocentric / 2)) * HUMMINBIRD_SPHERE)
        samples = (ping.port if beam == 2 else ping.starboard).astype(np.uint8).tobytes()
        out += b"\xc0\xde\xab\x21" + struct.pack(
            ">BIBIBiBi", 0x80, number, 0x81, ping.milliseconds, 0x82, x, 0x83, y
        )
        heading, speed = round(ping.heading * 10), round(ping.speed * 10)
        out += struct.pack(">BHHBHH", 0x84, 1, heading, 0x85, 1, speed)
        if longer_header:
            out += struct.pack(">BI", 0x86, 0)
        out += struct.pack(
            ">BIBBBBBI", 0x87, round(ping.altitude * 10), 0x50, beam, 0x51, 10, 0x92, 455_000
        )
        out += struct.pack(">BBBBBIBBBB", 0x53, 7, 0x54, 1, 0x95, 26, 0x56, 1, 0x57, 2)
        out += struct.pack(">BIB", 0xA0, len(samples), 0x21) + samples
    return out


def write_humminbird(
    folder: Path, pings: Sequence[Ping], name: str = "R00001", longer_header: bool = False
) -> Path:
    """A DAT file and, in a folder named like it, the two sides."""
    dat = bytearray(64)
    struct.pack_into(">BBBBII", dat, 0, 0xC1, 0, 123, 1, 1, 1)
    struct.pack_into(">I", dat, 20, 1_600_000_000)
    path = folder / f"{name}.DAT"
    path.write_bytes(dat)
    beams = folder / name
    beams.mkdir(exist_ok=True)
    for beam in (2, 3):
        (beams / f"B00{beam}.SON").write_bytes(son_bytes(pings, beam, longer_header))
    return path
