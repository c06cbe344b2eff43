"""Iterates over the records of a recording, and skips damaged ones.

What holds for the packets of XTF holds here for the other formats: the search looks at
cancel as it goes, and is given up once there is no hope of a ping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from pmlda_gui.imagery.readers import xtf_packets
from pmlda_gui.imagery.readers.options import Task

__all__ = ["Records"]


class Records:
    """Position, length and head of each record of a stream; see `xtf_packets.SonarPackets`.

    `length_of(head, position)` is the length of a sound record that begins so, None
    where none does.  `next_in(piece, position)` is where in a piece of the file, which
    starts at `position`, the next record may begin, -1 for nowhere.  A head has
    `head_bytes` bytes, and fewer at the end of the file.
    """

    def __init__(
        self,
        stream: BinaryIO,
        start: int,
        size: int,
        head_bytes: int,
        length_of: Callable[[bytes, int], int | None],
        next_in: Callable[[bytes, int], int],
        task: Task,
    ) -> None:
        self._stream = stream
        self._start = start
        self._size = size
        self._head_bytes = head_bytes
        self._length_of = length_of
        self._next_in = next_in
        self._task = task
        self._skipped = 0
        self._cut = False
        self._since_ping = 0
        self._given_up_at: int | None = None
        self._any_ping = False

    def held_samples(self) -> None:
        """The last record held samples."""
        self._since_ping, self._any_ping = 0, True

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        position, damages, records = self._start, 0, 0
        while position < self._size and damages < xtf_packets.MOST_DAMAGES:
            if records % xtf_packets.REPORT_EVERY_PACKETS == 0:
                self._task.reached(position / self._size)
            records += 1
            self._since_ping += 1
            if self._since_ping > xtf_packets.MOST_PACKETS_WITHOUT_PING:
                self._given_up_at = position
                return
            self._stream.seek(position)
            head = self._stream.read(self._head_bytes)
            length = self._length_of(head, position)
            if length is not None and position + length <= self._size:
                yield position, length, head
                position += max(length, 1)
                continue
            damages += 1
            following = self._next_record(position + 1)
            if length is not None and following >= self._size:
                self._cut = True
            else:
                self._skipped += following - position
            position = following

    def notes(self) -> Iterator[str]:
        """Sentences about the damage met on the way, once all records have been seen."""
        if self._skipped:
            yield f"{self._skipped} bytes between pings made no sense and were skipped."
        if self._cut:
            yield "The file ends inside a ping, which was left out."
        if self._given_up_at is not None:
            yield (
                f"After byte {self._given_up_at} no ping came for "
                f"{xtf_packets.MOST_PACKETS_WITHOUT_PING} records; the rest was left out."
            )

    def _next_record(self, position: int) -> int:
        """Where the next record may start; the end of the file if nowhere."""
        step, begin = xtf_packets.SHORTEST_SEARCH_BYTES, position
        while position < self._size:
            self._task.check()
            if not self._any_ping and position - begin > xtf_packets.MOST_SENSELESS_BYTES:
                return self._size
            self._stream.seek(position)
            # Three bytes more than the step: a signature may lie across two pieces.
            found = self._next_in(self._stream.read(step + 3), position)
            if found >= 0:
                return position + found
            position += step
            step = min(step * 8, xtf_packets.LONGEST_SEARCH_BYTES)
        return self._size
