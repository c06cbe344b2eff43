"""`pmlda-gui`: a command runs without a window, anything else opens it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; the exit code."""
    # Before numpy is imported: one product on all cores would freeze a window.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not _wants_window(given):
        from pmlda_gui.cli import main as run_command

        return run_command(given)
    # Qt is loaded only when a window is wanted.
    window = importlib.import_module("pmlda_gui.gui.app")
    return int(window.run(given, alone=arguments is None))


def _wants_window(given: Sequence[str]) -> bool:
    """Whether these arguments are files, the demo, or nothing: no command and no option."""
    from pmlda_gui.cli import COMMANDS

    if not given or given[0] == "--demo":
        return True
    return not given[0].startswith("-") and given[0] not in COMMANDS


if __name__ == "__main__":
    sys.exit(main())
