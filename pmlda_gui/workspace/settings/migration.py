"""Takes over the settings of earlier versions, which Qt had written as an INI file.

The text is parsed here and never given to Qt, whose own reader would turn an entry
"@Variant(...)" into a Python object and run what is in it.  Only plain texts and lists
of texts are taken; the arrangement of the window begins anew.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from pmlda_gui.workspace.folders import config_home

__all__ = ["old_settings_file", "parse_ini", "read_old_settings"]

_MOST_BYTES = 256 * 1024
_LISTS = ("files/recent",)
_TEXTS = ("window/theme", "files/folder", "files/export", "files/compare")
# Earlier versions stored the methods as one text with commas.
_JOINED = ("compare/methods",)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{1,6}")
_ENCODED = re.compile(r"%(U[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})")


def old_settings_file() -> Path | None:
    """Where earlier versions kept their settings, if that was a file."""
    if sys.platform in ("win32", "darwin"):
        return None  # the registry, and a property list: the few settings begin anew
    return config_home() / "pmlda_gui" / "pmlda_gui.conf"


def read_old_settings(path: Path) -> dict[str, Any]:
    """The settings in such a file that are plain text, as the schema expects them."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, flags)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return {}
            data = stream.read(_MOST_BYTES + 1)
    except OSError:
        return {}
    if len(data) > _MOST_BYTES:
        return {}
    entries = parse_ini(data.decode("utf-8", "replace"))
    found: dict[str, Any] = {}
    for name in _TEXTS:
        if len(entries.get(name, ())) == 1:
            found[name] = entries[name][0]
    for name in _LISTS:
        if entries.get(name):
            found[name] = entries[name]
    for name in _JOINED:
        if entries.get(name):
            found[name] = [part for text in entries[name] for part in text.split(",") if part]
    return found


def parse_ini(text: str) -> dict[str, list[str]]:
    """The entries of an INI file as Qt writes it, each as the list of its texts.

    An entry that is anything but text, which begins with a single @, is left out.
    """
    entries: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = "" if line == "[General]" else _decoded(line[1:-1]) + "/"
            continue
        name, separator, value = line.partition("=")
        if not separator or line.startswith((";", "#")):
            continue
        texts = _texts(value.strip())
        if texts is not None:
            entries[section + _decoded(name.strip()).replace("\\", "/")] = texts
    return entries


def _decoded(name: str) -> str:
    return _ENCODED.sub(lambda found: chr(int(found[1].removeprefix("U"), 16)), name)


def _texts(value: str) -> list[str] | None:
    """The texts of a value, which commas part; None if it is not text."""
    texts: list[str] = []
    letters: list[str] = []
    quoted = False
    position = 0
    while position < len(value):
        letter = value[position]
        position += 1
        if letter == '"':
            quoted = not quoted
        elif letter == "\\" and position < len(value):
            plain, position = _unescaped(value, position)
            letters.append(plain)
        elif letter == "," and not quoted:
            texts.append("".join(letters).strip())
            letters = []
            position += len(value[position:]) - len(value[position:].lstrip(" "))
        else:
            letters.append(letter)
    texts.append("".join(letters))
    if any(text.startswith("@") and not text.startswith("@@") for text in texts):
        return None
    return [text[1:] if text.startswith("@@") else text for text in texts]


def _unescaped(value: str, position: int) -> tuple[str, int]:
    """The character that a backslash before `position` stands for, and where to go on."""
    letter = value[position]
    digits = _HEXADECIMAL.match(value, position + 1) if letter == "x" else None
    if digits is not None:
        number = int(digits[0], 16)
        # Half of a surrogate pair is no character by itself.
        known = number < 0x110000 and not 0xD800 <= number < 0xE000
        return chr(number) if known else "\ufffd", digits.end()
    return _ESCAPES.get(letter, letter), position + 1
