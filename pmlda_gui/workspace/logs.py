"""The log: what the program did and what went wrong.

Every module writes to the logger of its own name.  Here is where that goes: a file in
the user's state folder that is cut off at a size, and for those who ask, the terminal.
Names of users and folders are left out before anything is written.  What Python can no
longer say, because the process crashes, is written by `faulthandler` into a file beside
the log and comes into the log at the next start.
"""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import os
import platform
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from pmlda_gui import __version__
from pmlda_gui.workspace.folders import log_folder, make_private
from pmlda_gui.workspace.locking import Lock
from pmlda_gui.workspace.privacy import without_private_parts

__all__ = ["Log", "log_tail", "present_log"]

FILE_NAME = "pmlda-gui"
MOST_BYTES = 512 * 1024
KEPT_FILES = 3
_MOST_PROGRAMS = 9
_MOST_CRASH_BYTES = 64 * 1024
_TAIL_LINES = 60
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"

log = logging.getLogger(__name__)
_present: list[Log] = []


def present_log() -> Path | None:
    """The file this program writes its log to, None if it has none."""
    return next((each.path for each in reversed(_present) if each.path is not None), None)


def log_tail(lines: int = _TAIL_LINES) -> str:
    """The last lines of this program's log, empty without one."""
    path = present_log()
    if path is None:
        return ""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - 300 * lines))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(without_private_parts(text).splitlines()[-lines:])


class Log:
    """Where the log goes from now on until `close`.

    `to_file` is for a program with a window, `to_terminal` for whoever asked for it;
    `crashes` has `faulthandler` write, of which a process has only one.
    """

    def __init__(
        self, to_file: bool = False, to_terminal: bool = False, crashes: bool = False
    ) -> None:
        self.path: Path | None = None
        self._logger = logging.getLogger("pmlda_gui")
        self._level = self._logger.level
        self._handlers: list[logging.Handler] = []
        self._lock: Lock | None = None
        self._crash: IO[Any] | None = None
        self._logger.setLevel(logging.DEBUG if to_terminal else logging.INFO)
        if to_terminal:
            self._add(logging.StreamHandler(sys.stderr), logging.DEBUG)
        if to_file:
            with suppress(OSError):
                self._open_file(crashes)
        _present.append(self)

    def _add(self, handler: logging.Handler, level: int) -> None:
        handler.setFormatter(_PrivateFormatter(_FORMAT))
        handler.setLevel(level)
        self._logger.addHandler(handler)
        self._handlers.append(handler)

    def _open_file(self, crashes: bool) -> None:
        folder = log_folder()
        make_private(folder)
        path = self._own_path(folder)
        if path is None:
            return
        self._add(_RotatingFile(path), logging.INFO)
        self.path = path
        log.info(
            "pmlda-gui %s, Python %s, %s %s %s",
            __version__,
            platform.python_version(),
            platform.system(),
            platform.release(),
            platform.machine(),
        )
        if crashes:
            crash = path.with_suffix(".crash")
            _tell_crash(crash)
            self._crash = open(crash, "w", opener=_private_opener)  # noqa: SIM115 (till the end)
            faulthandler.enable(self._crash)

    def _own_path(self, folder: Path) -> Path | None:
        """A file that no other running program writes to: each would cut off the other's."""
        for number in range(1, _MOST_PROGRAMS + 1):
            name = FILE_NAME if number == 1 else f"{FILE_NAME}-{number}"
            lock = Lock(folder / f"{name}.lock")
            if lock.acquire():
                self._lock = lock
                return folder / f"{name}.log"
        return None

    def close(self) -> None:
        """Write what is left and leave everything as it was."""
        for handler in self._handlers:
            self._logger.removeHandler(handler)
            handler.flush()
            handler.close()
        self._handlers.clear()
        self._logger.setLevel(self._level)
        if self._crash is not None:
            faulthandler.disable()
            self._crash.close()
            with suppress(OSError):
                Path(self._crash.name).unlink(missing_ok=True)
            self._crash = None
        if self._lock is not None:
            self._lock.release(remove=True)
            self._lock = None
        if self in _present:
            _present.remove(self)


def _tell_crash(path: Path) -> None:
    """Bring into the log what the program before this one left when it crashed."""
    with suppress(OSError):
        with path.open("rb") as stream:
            text = stream.read(_MOST_CRASH_BYTES).decode("utf-8", "replace").strip()
        if text:
            log.error("the program before this one crashed:\n%s", text)


def _private_opener(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


class _PrivateFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_private_parts(super().format(record))


class _RotatingFile(logging.handlers.RotatingFileHandler):
    """The newest file and the ones before it, for their user's eyes only."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=MOST_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="replace"
        )

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename,
            "a",
            encoding=self.encoding,
            errors=self.errors,
            opener=_private_opener,
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """A full disk is no reason to fill the terminal."""
