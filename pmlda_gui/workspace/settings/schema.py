"""Every setting: its type, its default, and what it may be.

A value from a file is checked here and nowhere else.  Each kind of setting turns what
JSON holds into what the program uses, or raises ValueError with the reason.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

__all__ = ["SCHEMA", "Data", "Setting", "Text", "Texts"]

MOST_RECENT = 10
"""How many files the list of recent files holds."""

_LONGEST_PATH = 4096
_LONGEST_NAME = 100
_MOST_METHODS = 50
_MOST_DATA_BYTES = 32 * 1024


class Setting(Protocol):
    """One kind of setting."""

    @property
    def default(self) -> Any:
        """The value while none is stored."""

    def read(self, stored: Any) -> Any:
        """The value that JSON holds as `stored`; ValueError if that is none."""

    def written(self, value: Any) -> Any:
        """The value as JSON holds it."""


@dataclass(frozen=True)
class Text:
    """One line of text; with `choices`, one of these."""

    default: str = ""
    choices: tuple[str, ...] = ()
    longest: int = _LONGEST_PATH

    def read(self, stored: Any) -> str:
        if not isinstance(stored, str):
            raise ValueError("it is not text")
        if len(stored) > self.longest:
            raise ValueError(f"it is longer than {self.longest} characters")
        if "\0" in stored:
            raise ValueError("it holds a character that no name has")
        if self.choices and stored not in self.choices:
            raise ValueError(f"it is none of {', '.join(self.choices)}")
        return stored

    def written(self, value: Any) -> str:
        return self.read(value)


@dataclass(frozen=True)
class Texts:
    """A list of at most `most` texts."""

    each: Text
    most: int
    default: tuple[str, ...] = ()

    def read(self, stored: Any) -> tuple[str, ...]:
        if not isinstance(stored, list | tuple):
            raise ValueError("it is not a list")
        if len(stored) > self.most:
            raise ValueError(f"it has more than {self.most} entries")
        return tuple(self.each.read(text) for text in stored)

    def written(self, value: Any) -> list[str]:
        return list(self.read(value))


@dataclass(frozen=True)
class Data:
    """A few bytes, stored as base64."""

    most: int = _MOST_DATA_BYTES
    default: bytes = b""

    def read(self, stored: Any) -> bytes:
        if not isinstance(stored, str) or not stored.isascii() or len(stored) > 2 * self.most:
            raise ValueError("it is not a short text in base64")
        try:
            value = base64.b64decode(stored, validate=True)
        except binascii.Error:
            raise ValueError("it is not base64") from None
        return self._checked(value)

    def written(self, value: Any) -> str:
        return base64.b64encode(self._checked(value)).decode("ascii")

    def _checked(self, value: Any) -> bytes:
        if not isinstance(value, bytes) or len(value) > self.most:
            raise ValueError(f"it is not at most {self.most} bytes")
        return value


SCHEMA: Mapping[str, Setting] = MappingProxyType(
    {
        "window/theme": Text("system", ("system", "light", "dark")),
        "window/geometry": Data(),
        "window/state": Data(),
        "files/folder": Text(),
        "files/export": Text(),
        "files/compare": Text(),
        "files/recent": Texts(Text(), MOST_RECENT),
        "compare/methods": Texts(Text(longest=_LONGEST_NAME), _MOST_METHODS),
    }
)
"""The settings by name."""
