"""Reads HDF5 files in a process of their own, because damaged ones can abort the library.

MATLAB 7.3, BAG and NetCDF-4 files are HDF5 inside.  The process stays for some seconds,
so that the next file need not wait for its start.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import reader_protocol
from pmlda_gui.imagery.readers.format_detection import HDF5_SIGNATURE
from pmlda_gui.imagery.readers.options import Probe, ReadOptions
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = [
    "COMMAND",
    "can_start",
    "end_reader_process",
    "is_read_apart",
    "open_apart",
    "probe_apart",
]

COMMAND = "--read-apart"
"""What makes the program such a process instead of a window."""
IDLE_SECONDS = 20.0
_LOOK_SECONDS = 0.05
_PLACES = (0, 512)
# Where the system lets us, so that pixels come over in few pieces.
_PIPE_BYTES = 2**20

log = logging.getLogger(__name__)
Result = TypeVar("Result", Probe, Image)


def is_read_apart(path: Path) -> bool:
    """Whether a file is HDF5 inside, and this program can start a process to read it."""
    with open_regular(path) as stream:
        head = stream.read(_PLACES[-1] + len(HDF5_SIGNATURE))
    return any(head.startswith(HDF5_SIGNATURE, place) for place in _PLACES) and can_start()


def probe_apart(path: Path, progress: Progress) -> Probe | None:
    """What such a file is; None if no process could be started."""
    return _read(path, None, progress, Probe)


def open_apart(path: Path, options: ReadOptions, progress: Progress) -> Image | None:
    """The image in such a file; None if no process could be started."""
    return _read(path, options, progress, Image)


def _read(
    path: Path, options: ReadOptions | None, progress: Progress, kind: type[Result]
) -> Result | None:
    for _ in range(2):
        process = _processes.take()
        if process is None:
            return None
        fresh = process.read == 0
        try:
            result = process.ask(path, options, progress)
        except EOFError:
            progress.check()
            if fresh:
                break
            # Perhaps a file before this one has broken it.
            continue
        assert isinstance(result, kind)
        return result
    log.warning("the process that read %s died", path.name)
    raise PmldaError(
        f"{path.name} is damaged so badly that the library which reads it broke down; save or copy "
        "it again."
    )


def can_start() -> bool:
    """Whether it is known how such a process is started."""
    return bool(_command())


def _command() -> list[str]:
    """How such a process is started; empty if this is no Python and no program of ours."""
    if getattr(sys, "frozen", False):
        return [sys.executable, COMMAND]
    name = Path(sys.executable or "").name.lower()
    # Inside another program, its name would start that one again.
    if not name.startswith(("python", "pypy")):
        return []
    # Not from the present folder, where anything may be called like this package.
    return [sys.executable, "-P", "-m", "pmlda_gui", COMMAND]


class _Process:
    """One such process, and how many files it has read."""

    def __init__(self) -> None:
        packages = str(Path(__file__).parents[3])
        found = os.environ.get("PYTHONPATH")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (packages, found)))}
        self._child = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            pipesize=_PIPE_BYTES,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._requests, self._answers = self._child.stdin, self._child.stdout
        self.read = 0

    def is_ready(self) -> bool:
        """Whether it has started and understands us."""
        try:
            return reader_protocol.receive_line(self._answers) == {"ready": True}
        except EOFError:
            return False

    def ask(self, path: Path, options: ReadOptions | None, progress: Progress) -> Probe | Image:
        """Have a file read; EOFError if the process dies of it."""
        try:
            with _killed_when_cancelled(self._child, progress):
                plain = None if options is None else reader_protocol.to_plain(options)
                self._send({"path": str(path.absolute()), "options": plain})
                answer = self._answer(path, options or ReadOptions(), progress)
        except BaseException:
            self.end()
            raise
        self.read += 1
        # Where a library has failed it ends by itself, and the next file finds that out.
        _processes.give_back(self)
        if isinstance(answer, PmldaError):
            raise answer
        return answer

    def _send(self, request: dict[str, object]) -> None:
        try:
            reader_protocol.send_line(self._requests, request)
        except OSError:
            raise EOFError from None

    def _answer(
        self, path: Path, options: ReadOptions, progress: Progress
    ) -> Probe | Image | PmldaError:
        while True:
            answer = reader_protocol.receive_line(self._answers)
            if "progress" in answer:
                progress.report(float(answer["progress"]))
            elif "refused" in answer:
                return PmldaError(str(answer["refused"]))
            elif "probe" in answer:
                return reader_protocol.probe_from(path, answer["probe"])
            else:
                return reader_protocol.receive_image(self._answers, path, options)

    def end(self) -> None:
        """Whatever it is doing, it ends."""
        self._child.kill()
        # What was not sent to a process that has died cannot be.
        for stream in (self._requests, self._answers):
            with suppress(OSError):
                stream.close()
        self._child.wait()

    @property
    def alive(self) -> bool:
        return self._child.poll() is None


@contextmanager
def _killed_when_cancelled(child: subprocess.Popen[bytes], progress: Progress) -> Iterator[None]:
    """A library that does not come back is ended, once the operator has had enough."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_SECONDS):
            if progress.cancelled:
                child.kill()
                return

    watching = threading.Thread(target=watch, name="watch_reading", daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()


class _Processes:
    """At most one process that waits for the next file, and not for long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: _Process | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> _Process | None:
        """The one that waits, or a new one; None if none can be started."""
        with self._lock:
            process, self._idle = self._idle, None
            if self._timer is not None:
                self._timer.cancel()
        if process is not None:
            if process.alive:
                return process
            process.end()
        try:
            process = _Process()
        except OSError as error:
            log.warning("no process for reading could be started: %s", error)
            return None
        if process.is_ready():
            return process
        process.end()
        log.warning("a process for reading did not start")
        return None

    def give_back(self, process: _Process) -> None:
        """It waits for the next file, if none does so yet."""
        with self._lock:
            if self._idle is None:
                self._idle = process
                self._timer = threading.Timer(IDLE_SECONDS, self.end)
                self._timer.daemon = True
                self._timer.start()
                return
        process.end()

    def end(self) -> None:
        """None waits any longer."""
        with self._lock:
            process, self._idle = self._idle, None
            if self._timer is not None:
                self._timer.cancel()
        if process is not None:
            process.end()


_processes = _Processes()
atexit.register(_processes.end)


def end_reader_process() -> None:
    """The process that waits for the next file, if there is one, is not needed any more."""
    _processes.end()
