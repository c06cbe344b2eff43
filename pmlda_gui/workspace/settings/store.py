"""The settings file: read once, checked value by value, written completely or not at all.

Whatever is in the file, reading it runs nothing and raises nothing: what cannot be
used counts as not stored, and `trouble` says so in a sentence.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from pmlda_gui.workspace.folders import make_private
from pmlda_gui.workspace.settings.migration import read_old_settings
from pmlda_gui.workspace.settings.schema import SCHEMA

__all__ = ["FILE_NAME", "SettingsStore"]

FILE_NAME = "settings.json"
FORMAT = "pmlda-gui settings"
VERSION = 1
_MOST_BYTES = 256 * 1024

log = logging.getLogger(__name__)


class _UnusableError(Exception):
    """The file as a whole holds no settings; the text says why."""


class SettingsStore:
    """The settings in `path`; those in the file `old` are taken over if there is none yet.

    `trouble` is a sentence about what could not be read or written, else None.
    """

    def __init__(self, path: Path, old: Path | None = None) -> None:
        self.path = path
        self.trouble: str | None = None
        self._old = old
        self._values: dict[str, Any] | None = None

    def get(self, name: str) -> Any:
        """The value of a setting, its default if none is stored."""
        setting = SCHEMA[name]
        if self._values is None:
            self._values = self._first_read()
        return self._values.get(name, setting.default)

    def set(self, name: str, value: Any) -> None:
        """Store a value; one that no setting may have is left out, with a note in the log."""
        try:
            checked = SCHEMA[name].read(SCHEMA[name].written(value))
        except ValueError as reason:
            log.warning("the setting %s is not stored: %s", name, reason)
            return
        if self._values is None:
            self._values = self._first_read()
        # Another program may have stored other settings since; these are kept.
        with suppress(_UnusableError, OSError):
            self._values |= _usable(_read(self.path))[0]
        self._values[name] = checked
        self._write()

    # -- reading -----------------------------------------------------------------------------

    def _first_read(self) -> dict[str, Any]:
        try:
            values, refused = _usable(_read(self.path))
        except FileNotFoundError:
            return self._migrated()
        except (_UnusableError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._set_aside()
            self._complain(
                f"The settings could not be read because {reason}: "
                "the program starts with its usual ones."
            )
            return {}
        if refused:
            self._complain(
                f"Some settings could not be used ({', '.join(refused)}): "
                "the program takes its usual ones for these."
            )
        return values

    def _migrated(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        stored = read_old_settings(self._old) if self._old is not None else {}
        for name, value in stored.items():
            with suppress(ValueError):
                values[name] = SCHEMA[name].read(value)
        if values:
            log.info("settings of an earlier version were taken over: %s", ", ".join(values))
            self._values = values
            self._write()
        return values

    def _set_aside(self) -> None:
        """Keep what could not be read, so that somebody may look at it."""
        with suppress(OSError):
            os.replace(self.path, self.path.with_name(f"{self.path.name}.damaged"))

    def _complain(self, sentence: str) -> None:
        log.warning(sentence)
        self.trouble = sentence

    # -- writing -----------------------------------------------------------------------------

    def _write(self) -> None:
        assert self._values is not None
        document = {
            "format": FORMAT,
            "version": VERSION,
            "settings": {name: SCHEMA[name].written(each) for name, each in self._values.items()},
        }
        try:
            make_private(self.path.parent)
            _write_whole(self.path, json.dumps(document, indent=1).encode("ascii"))
        except OSError as error:
            self._complain(
                f"The settings could not be stored ({error.strerror or error}): "
                f"make {self.path.parent} writable."
            )


def _read(path: Path) -> dict[str, Any]:
    """The stored settings by name, none of them checked."""
    # Not blocking: a pipe under the file's name would be waited for.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _UnusableError("they are not in a regular file")
        data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise _UnusableError("their file is too large")
    try:
        document = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _UnusableError("their file is damaged") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _UnusableError("their file is not one of this program")
    stored = document.get("settings")
    if document.get("version") != VERSION or not isinstance(stored, dict):
        raise _UnusableError("their file is of another version of the program")
    return stored


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number that can be used")


def _usable(stored: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values that may be used, and the names of those that may not."""
    values, refused = {}, []
    for name, setting in SCHEMA.items():
        if name in stored:
            try:
                values[name] = setting.read(stored[name])
            except ValueError:
                refused.append(name)
    return values, refused


def _write_whole(path: Path, content: bytes) -> None:
    """Write beside the file, onto the disk, and only then under its name; for its user alone."""
    descriptor, name = tempfile.mkstemp(".unfinished", f".{path.name}.", path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise
    if sys.platform != "win32":
        with suppress(OSError):
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
