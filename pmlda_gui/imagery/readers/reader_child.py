"""The process that reads files whose library may abort: `pmlda-gui --read-apart`.

It reads what it is asked for on its standard input, one file after the other, and ends
when that is closed.  After an error of a library it ends too: what the file has done to
its memory, nobody knows.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import reader_protocol
from pmlda_gui.imagery.readers.opening import open_here, probe_here
from pmlda_gui.imagery.readers.options import Task

__all__ = ["serve"]

_LEAST_STEP = 0.01


def serve() -> int:
    """Answer until nobody asks any more; the exit code."""
    # Ctrl+C in a terminal is for the program, which closes our input when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, _own_output()
    reader_protocol.send_line(answers, {"ready": True})
    while True:
        try:
            request = reader_protocol.receive_line(requests)
        except EOFError:
            return 0
        if not _answer(request, answers):
            return 0


def _own_output() -> BinaryIO:
    """The standard output as a file of our own; what libraries print goes nowhere."""
    own = os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(own, os.O_BINARY)
        msvcrt.setmode(0, os.O_BINARY)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return os.fdopen(own, "wb")


def _answer(request: dict[str, Any], answers: BinaryIO) -> bool:
    """Read one file; whether this process can be trusted with another."""
    path, reported = Path(request["path"]), 0.0

    def progress(fraction: float) -> None:
        nonlocal reported
        if fraction >= min(reported + _LEAST_STEP, 1.0) > reported:
            reported = fraction
            reader_protocol.send_line(answers, {"progress": fraction})

    task = Task(path.name, progress)
    try:
        if request["options"] is None:
            probe = probe_here(path, task)
            reader_protocol.send_line(answers, {"probe": reader_protocol.to_plain(probe)})
        else:
            image = open_here(path, reader_protocol.options_from(request["options"]), task)
            reader_protocol.send_line(answers, {"image": True})
            reader_protocol.send_image(answers, image)
    except PmldaError as error:
        reader_protocol.send_line(answers, {"refused": str(error)})
        return error.__cause__ is None
    return True
