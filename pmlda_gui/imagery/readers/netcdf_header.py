"""Parses the header of a NetCDF 3 file and checks it against the file's size.

The NetCDF library asks for as much memory as a header says it needs, so a header is
read here first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["ClassicVariable", "classic_variables"]

# Bytes of a value by the format's own types.
_TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_CHARACTERS = 2
_MOST_ITEMS = 10_000


@dataclass(frozen=True)
class ClassicVariable:
    """A variable: the names of its `axes`, and what its attributes say in words."""

    axes: tuple[str, ...]
    texts: dict[str, str]


def classic_variables(path: Path) -> dict[str, ClassicVariable]:
    """The variables by name; ValueError where the header claims more than the file holds."""
    with open_regular(path) as stream:
        return _variables(_Header(stream))


def _variables(header: _Header) -> dict[str, ClassicVariable]:
    axes = [(header.name(), header.length()) for _ in header.items()]
    header.attributes()
    found = {}
    for _ in header.items():
        name = header.name()
        numbers = [header.count() for _ in range(header.bounded(header.count()))]
        texts = header.attributes()
        size = header.type_bytes()
        header.skip_place()
        if any(number >= len(axes) for number in numbers):
            raise ValueError("a variable has an axis that is not there")
        for number in numbers:
            # The axis that grows has the length 0 here; its records follow the rest.
            size *= max(axes[number][1], 1)
        if size > header.size:
            raise ValueError("a variable is longer than the file")
        found[name] = ClassicVariable(tuple(axes[number][0] for number in numbers), texts)
    return found


class _Header:
    """A header, read from its beginning; `size` is that of the file."""

    def __init__(self, stream: BinaryIO) -> None:
        self.size = os.fstat(stream.fileno()).st_size
        self._stream = stream
        stream.seek(3)
        version = self._exactly(1)[0]
        self._wide_counts, self._wide_places = version == 5, version != 1
        records = self._number(self._wide_counts)
        unknown = 2 ** (64 if self._wide_counts else 32) - 1
        if records != unknown and records > self.size:
            raise ValueError("there are more records than bytes")

    def count(self) -> int:
        return self._number(self._wide_counts)

    def length(self) -> int:
        return self._number(self._wide_counts)

    def bounded(self, count: int) -> int:
        """A number of things that follow one another, if there can be so many."""
        if count > min(_MOST_ITEMS, self.size):
            raise ValueError("a list is longer than the file")
        return count

    def items(self) -> range:
        """One turn for each item of a list."""
        self._number(wide=False)
        return range(self.bounded(self.count()))

    def name(self) -> str:
        return self._padded(self.count()).decode("latin-1")

    def attributes(self) -> dict[str, str]:
        """The attributes that are text."""
        found = {}
        for _ in self.items():
            name, kind = self.name(), self._number(wide=False)
            if kind not in _TYPE_BYTES:
                raise ValueError("an attribute has no known type")
            content = self._padded(self.count() * _TYPE_BYTES[kind])
            if kind == _CHARACTERS:
                found[name] = content.rstrip(b"\0").decode("latin-1")
        return found

    def type_bytes(self) -> int:
        """Bytes of a value of the type that comes next."""
        kind = self._number(wide=False)
        if kind not in _TYPE_BYTES:
            raise ValueError("a variable has no known type")
        return _TYPE_BYTES[kind]

    def skip_place(self) -> None:
        """Pass over the size and the place of a variable."""
        self.count()
        self._number(self._wide_places)

    def _number(self, wide: bool) -> int:
        return int.from_bytes(self._exactly(8 if wide else 4), "big")

    def _padded(self, length: int) -> bytes:
        content = self._exactly(length)
        self._stream.read(-length % 4)
        return content

    def _exactly(self, length: int) -> bytes:
        content = self._stream.read(length) if length <= self.size else b""
        if len(content) != length:
            raise ValueError("the header is cut short")
        return content
