"""The packets of an XTF file: where each begins, and how to continue after damage.

A file may be large and hold nothing: the search looks at cancel as it goes, and is
given up once there is no hope of a ping.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from pmlda_gui.imagery.readers.options import Task

__all__ = ["PACKET_HEADER_BYTES", "PacketHeader", "SonarPackets"]

PACKET_SIGNATURE = b"\xce\xfa"
SONAR_PACKET = 0
SHORTEST_SEARCH_BYTES = 64
LONGEST_SEARCH_BYTES = 1 << 20
MOST_DAMAGES = 10_000
# Between two pings there may be minutes of navigation and attitude, but not this much.
MOST_PACKETS_WITHOUT_PING = 500_000
# Nothing more is expected of a file that begins with so many bytes of no sense.
MOST_SENSELESS_BYTES = 1 << 28
REPORT_EVERY_PACKETS = 1000

_HEADER = struct.Struct("<2sBxH4xI")
PACKET_HEADER_BYTES = _HEADER.size


class PacketHeader(NamedTuple):
    """The 14 bytes every packet begins with; `length` (bytes) counts them."""

    signature: bytes
    kind: int
    channels: int
    length: int

    @classmethod
    def of(cls, head: bytes) -> PacketHeader:
        return cls(*_HEADER.unpack(head))


class SonarPackets:
    """Positions and lengths of the sonar packets; after damage the next one is sought.

    Whoever finds samples in one says so, or the search is given up as hopeless.
    """

    def __init__(self, stream: BinaryIO, start: int, size: int, task: Task) -> None:
        self._stream = stream
        self._start = start
        self._size = size
        self._task = task
        self._skipped = 0
        self._cut = False
        self._since_ping = 0
        self._given_up_at: int | None = None
        self._any_ping = False

    def held_samples(self) -> None:
        """The last packet held samples."""
        self._since_ping, self._any_ping = 0, True

    def __iter__(self) -> Iterator[tuple[int, int]]:
        position, damages, packets = self._start, 0, 0
        while position + PACKET_HEADER_BYTES <= self._size and damages < MOST_DAMAGES:
            if packets % REPORT_EVERY_PACKETS == 0:
                self._task.reached(position / self._size)
            packets += 1
            self._since_ping += 1
            if self._since_ping > MOST_PACKETS_WITHOUT_PING:
                self._given_up_at = position
                return
            self._stream.seek(position)
            head = self._stream.read(PACKET_HEADER_BYTES)
            if len(head) < PACKET_HEADER_BYTES:
                return
            header = PacketHeader.of(head)
            kind, length = header.kind, header.length
            sound = header.signature == PACKET_SIGNATURE and length >= PACKET_HEADER_BYTES
            if sound and position + length <= self._size:
                if kind == SONAR_PACKET:
                    yield position, length
                position += length
                continue
            damages += 1
            following = self._next_signature(position + 1)
            if sound and following >= self._size:
                self._cut = True
            else:
                self._skipped += following - position
            position = following

    def notes(self) -> Iterator[str]:
        """Sentences about the damage met on the way, once all packets have been seen."""
        if self._skipped:
            yield f"{self._skipped} bytes between packets made no sense and were skipped."
        if self._cut:
            yield "The file ends inside a packet, which was left out."
        if self._given_up_at is not None:
            yield (
                f"After byte {self._given_up_at} no ping came for {MOST_PACKETS_WITHOUT_PING} "
                "packets; the rest was left out."
            )

    def _next_signature(self, position: int) -> int:
        """Where the next packet may start; the end of the file if nowhere."""
        step, begin = SHORTEST_SEARCH_BYTES, position
        while position < self._size:
            self._task.check()
            if not self._any_ping and position - begin > MOST_SENSELESS_BYTES:
                return self._size
            self._stream.seek(position)
            # One byte more than the step: a signature may lie across two pieces.
            found = self._stream.read(step + 1).find(PACKET_SIGNATURE)
            if found >= 0:
                return position + found
            position += step
            step = min(step * 8, LONGEST_SEARCH_BYTES)
        return self._size
