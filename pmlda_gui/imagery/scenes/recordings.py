"""Synthetic side-scan recordings in the XTF format, for the tests and the self-test."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["MadePing", "MadeRecording", "seabed_pings", "xtf_bytes"]


@dataclass(frozen=True)
class MadePing:
    """One ping of a made recording; samples are given nearest first on both sides."""

    port: NDArray[np.generic]
    starboard: NDArray[np.generic]
    slant_range: float = 50.0
    position: tuple[float, float] = (48.0, -68.0)
    ship_position: tuple[float, float] = (0.0, 0.0)
    altitude: float = 0.0
    duration: float = 0.0
    sound_velocity: float = 0.0
    weight: int = 0
    second: int = 0
    heading: float = 0.0
    layback: float = 0.0
    roll: float = 0.0


@dataclass(frozen=True)
class MadeRecording:
    """What the file header of a made recording says."""

    pings: Sequence[MadePing]
    navigation_units: int = 3
    kinds: tuple[int, int] = (1, 2)
    sample_format: int = 0
    names: tuple[str, str] = ("PORT", "STARBOARD")
    tail: bytes = field(default=b"")


def xtf_bytes(recording: MadeRecording) -> bytes:
    """An XTF file as the format's description lays it out, port stored far to near."""
    width = recording.pings[0].port.dtype.itemsize
    head = bytearray(1024)
    head[0] = 123
    struct.pack_into("<HH", head, 164, recording.navigation_units, 2)
    for number in range(2):
        start = 256 + 128 * number
        struct.pack_into(
            "<BBHHHI16s",
            head,
            start,
            recording.kinds[number],
            number,
            0,
            1,
            width,
            0,
            recording.names[number].encode(),
        )
        head[start + 74] = recording.sample_format
    return bytes(head) + b"".join(map(_ping_bytes, recording.pings)) + recording.tail


def _ping_bytes(ping: MadePing) -> bytes:
    body = b""
    for number, samples in enumerate((ping.port[::-1], ping.starboard)):
        channel = bytearray(64)
        struct.pack_into("<HHff", channel, 0, number, 0, ping.slant_range, 0.0)
        struct.pack_into("<f", channel, 16, ping.duration)
        struct.pack_into("<I", channel, 42, len(samples))
        struct.pack_into("<h", channel, 58, ping.weight)
        body += bytes(channel) + samples.tobytes()
    head = bytearray(256)
    length = len(head) + len(body)
    struct.pack_into("<HBBHHHI", head, 0, 0xFACE, 0, 0, 2, 0, 0, length)
    struct.pack_into("<HBBBBBB", head, 14, 2020, 5, 17, 12, 30, ping.second, 50)
    struct.pack_into("<f", head, 32, ping.sound_velocity)
    struct.pack_into("<dd", head, 128, *ping.ship_position)
    struct.pack_into("<dd", head, 160, *ping.position)
    struct.pack_into("<f", head, 184, ping.layback)
    struct.pack_into("<f", head, 196, ping.altitude)
    struct.pack_into("<f", head, 208, ping.roll)
    struct.pack_into("<f", head, 212, ping.heading)
    return bytes(head) + body


def seabed_pings(
    count: int = 60,
    samples: int = 200,
    height: Callable[[int], float] = lambda ping: 40.0,
    seed: int = 0,
    scale: float = 100.0,
    dtype: str = "<u2",
) -> list[MadePing]:
    """Pings over a flat bottom: dark water, then speckle from the first return on."""
    rng = np.random.default_rng(seed)
    pings = []
    for number in range(count):
        sides = []
        for _ in range(2):
            speckle = rng.rayleigh(scale, samples)
            water = np.arange(samples) + 0.5 < height(number)
            sides.append(np.where(water, 0.03 * speckle, speckle).astype(dtype))
        pings.append(
            MadePing(sides[0], sides[1], position=(48.0 + 1e-6 * number, -68.0), second=number % 60)
        )
    return pings
