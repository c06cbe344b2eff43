"""Opens regular files only, never pipes or devices.

A pipe never ends, a device fills memory, and either can stand under any name or
behind a link.  Everything the program reads is opened here, without waiting, and
looked at before the first byte is taken.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from pmlda_gui.core.errors import PmldaError

__all__ = ["open_regular", "printable", "require_usable_name", "shown_name"]

# Only where the system has them: do not wait for a pipe's writer, and no text mode.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path) -> BinaryIO:
    """A regular file, or a link to one, for reading; everything else is refused.

    Raises OSError where the system refuses to open it.
    """
    require_usable_name(path)
    # Looked at twice: opening a device may already do something, and names change hands.
    _require_regular(path, path.stat().st_mode)
    descriptor = os.open(path, _FLAGS | getattr(os, "O_CLOEXEC", 0))
    try:
        _require_regular(path, os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _require_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise PmldaError(
            f"{shown_name(path)} is a folder, a pipe or a device; choose a regular file."
        )


def require_usable_name(path: Path) -> None:
    """Refuse a name that cannot be shown, stored in a report or handed to a library."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise PmldaError(
            f"The name {shown_name(path)}, or a folder it lies in, is not valid UTF-8; "
            "rename it to open it."
        ) from None
    if not path.name.isprintable():
        raise PmldaError(
            f"The name {shown_name(path)} holds a line break or another character that cannot be "
            "shown; rename the file to open it."
        )


def shown_name(path: Path) -> str:
    """The file's name with a question mark for whatever cannot be shown."""
    return printable(path.name)


def printable(text: str) -> str:
    """A text with a question mark for whatever cannot be shown."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
