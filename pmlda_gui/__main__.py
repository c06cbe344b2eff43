"""`pmlda-gui`: a command runs without a window, anything else opens it."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

# For the program itself: a process that reads files which may abort it.
_READ_APART = "--read-apart"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; the exit code."""
    # Before numpy is imported: one product on all cores would freeze a window.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _have_home()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == [_READ_APART]:
        from pmlda_gui.imagery.readers.reader_child import serve

        return serve()
    if not _wants_window(given):
        from pmlda_gui.cli import main as run_command

        return run_command(given)
    # Qt is loaded only when a window is wanted.
    window = importlib.import_module("pmlda_gui.gui.app")
    return int(window.run(given, alone=arguments is None))


def _have_home() -> None:
    """A user whom the system does not know has no home; a new folder stands in for it."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = tempfile.mkdtemp(prefix="pmlda-gui-home-")


def _wants_window(given: Sequence[str]) -> bool:
    """Whether these arguments are files, the demo, the self-test, or nothing."""
    from pmlda_gui.cli import COMMANDS

    telling = [each for each in given if each != "--verbose"]
    if not telling or telling[0] in ("--demo", "--self-test"):
        return True
    return not telling[0].startswith("-") and telling[0] not in COMMANDS


if __name__ == "__main__":
    sys.exit(main())
