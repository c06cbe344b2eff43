"""The schema of the settings: type, default and range of each.

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

__all__ = ["SCHEMA", "Data", "Layouts", "Number", "Setting", "StoredLayout", "Text", "Texts"]

MOST_RECENT = 10
"""How many files the list of recent files holds."""

_LONGEST_PATH = 4096
_LONGEST_NAME = 100
_MOST_METHODS = 50
_MOST_DATA_BYTES = 32 * 1024
_MOST_LAYOUTS = 12
_MOST_LAYOUT_BYTES = 8 * 1024
_LONGEST_LAYOUT_NAME = 40
_ARRANGEMENTS = ("grid", "focus")


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


@dataclass(frozen=True)
class Number:
    """A number from `least` to `most`."""

    default: float
    least: float
    most: float

    def read(self, stored: Any) -> float:
        if isinstance(stored, bool) or not isinstance(stored, int | float):
            raise ValueError("it is not a number")
        if not self.least <= stored <= self.most:
            raise ValueError(f"it is not from {self.least:g} to {self.most:g}")
        return float(stored)

    def written(self, value: Any) -> float:
        return self.read(value)


@dataclass(frozen=True)
class StoredLayout:
    """An arrangement of the window by name: Qt's bytes for the docks, and how pictures lie."""

    name: str
    docks: bytes
    pictures: str = "grid"


@dataclass(frozen=True)
class Layouts:
    """A list of layouts, no two of one name."""

    default: tuple[StoredLayout, ...] = ()

    def read(self, stored: Any) -> tuple[StoredLayout, ...]:
        if not isinstance(stored, list | tuple) or len(stored) > _MOST_LAYOUTS:
            raise ValueError(f"it is not a list of at most {_MOST_LAYOUTS} layouts")
        layouts = tuple(map(self._read_one, stored))
        if len({layout.name for layout in layouts}) != len(layouts):
            raise ValueError("two layouts have one name")
        return layouts

    def _read_one(self, stored: Any) -> StoredLayout:
        if not isinstance(stored, dict) or set(stored) != {"name", "docks", "pictures"}:
            raise ValueError("a layout has other parts than a name, docks and pictures")
        name = Text(longest=_LONGEST_LAYOUT_NAME).read(stored["name"])
        if not name.strip() or not name.isprintable():
            raise ValueError("a layout has no name")
        pictures = Text("grid", _ARRANGEMENTS).read(stored["pictures"])
        return StoredLayout(name, Data(_MOST_LAYOUT_BYTES).read(stored["docks"]), pictures)

    def written(self, value: Any) -> list[dict[str, str]]:
        return [
            {
                "name": layout.name,
                "docks": Data(_MOST_LAYOUT_BYTES).written(layout.docks),
                "pictures": layout.pictures,
            }
            for layout in value
        ]


_YES_NO = ("yes", "no")

SCHEMA: Mapping[str, Setting] = MappingProxyType(
    {
        "window/theme": Text("system", ("system", "light", "dark")),
        "window/geometry": Data(),
        "window/state": Data(),
        "window/pictures": Text("grid", _ARRANGEMENTS),
        "window/layouts": Layouts(),
        "help/tour": Text("due", ("due", "seen")),
        "chain/start": Text("yes", _YES_NO),
        "chain/rest": Text("yes", ("yes", "no")),
        "files/autosave_minutes": Number(1.0, 0.5, 60.0),
        "files/folder": Text(),
        "files/export": Text(),
        "files/compare": Text(),
        "files/recent": Texts(Text(), MOST_RECENT),
        "queue/folder": Text(),
        "queue/results": Text(),
        "queue/topics": Text(),
        "queue/state": Text("stopped", ("stopped", "paused", "running")),
        "compare/methods": Texts(Text(longest=_LONGEST_NAME), _MOST_METHODS),
    }
)
"""The settings by name."""
