"""The structure of a TIFF, read byte by byte, and whether it is that of a COG."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 11: 4, 12: 8, 13: 4, 16: 8}
_FORMATS = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q"}
_SUBFILE, _WIDTH, _HEIGHT, _TILE_WIDTH, _TILE_OFFSETS, _TILE_BYTES = 254, 256, 257, 322, 324, 325


@dataclass
class Directory:
    """One image of a TIFF: where its description lies, and its numeric tags."""

    offset: int
    end: int
    tags: dict[int, tuple[int, ...]]

    @property
    def pixels(self) -> int:
        return self.tags[_WIDTH][0] * self.tags[_HEIGHT][0]

    @property
    def reduced(self) -> bool:
        return bool(self.tags.get(_SUBFILE, (0,))[0] & 1)

    @property
    def data(self) -> tuple[int, int]:
        """The first and the last byte of the pixels."""
        tiles = [
            (start, start + size)
            for start, size in zip(self.tags[_TILE_OFFSETS], self.tags[_TILE_BYTES], strict=True)
            if size
        ]
        return min(tiles)[0], max(end for _, end in tiles)


def directories(path: Path) -> list[Directory]:
    """The images of a TIFF in the order of their descriptions."""
    content = path.read_bytes()
    assert content[:2] == b"II"
    big = struct.unpack_from("<H", content, 2)[0] == 43
    (offset,) = struct.unpack_from("<Q" if big else "<I", content, 8 if big else 4)
    found = []
    while offset:
        (count,) = struct.unpack_from("<Q" if big else "<H", content, offset)
        place, size = offset + (8 if big else 2), 20 if big else 12
        tags = {}
        for entry in range(place, place + count * size, size):
            tag, kind = struct.unpack_from("<HH", content, entry)
            (number,) = struct.unpack_from("<Q" if big else "<I", content, entry + 4)
            value = entry + (12 if big else 8)
            if number * _SIZES[kind] > (8 if big else 4):
                (value,) = struct.unpack_from("<Q" if big else "<I", content, value)
            if kind in _FORMATS:
                tags[tag] = struct.unpack_from(f"<{number}{_FORMATS[kind]}", content, value)
        end = place + count * size
        found.append(Directory(offset, end, tags))
        (offset,) = struct.unpack_from("<Q" if big else "<I", content, end)
    return found


def faults_of_cog(path: Path) -> list[str]:
    """What keeps a TIFF from being a cloud optimised GeoTIFF; empty for one that is."""
    faults = []
    found = directories(path)
    full, *overviews = found
    if any(_TILE_WIDTH not in each.tags for each in found):
        return ["not tiled"]
    if full.reduced or not all(each.reduced for each in overviews):
        faults.append("the first image is not the full one, or another is not an overview")
    if max(full.tags[_WIDTH][0], full.tags[_HEIGHT][0]) > 512 and not overviews:
        faults.append("no overviews")
    if [each.pixels for each in found] != sorted((each.pixels for each in found), reverse=True):
        faults.append("overviews do not become smaller")
    if [each.offset for each in found] != sorted(each.offset for each in found):
        faults.append("descriptions are not in order")
    if max(each.end for each in found) > min(each.data[0] for each in found):
        faults.append("pixels come before a description")
    starts = [each.data[0] for each in found]
    if starts != sorted(starts, reverse=True):
        faults.append("the pixels of a smaller overview come after those of a larger")
    return faults
