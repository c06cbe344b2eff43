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
    unknown = _unknown_word(given)
    if unknown is not None:
        print(f"pmlda-gui: {unknown}", file=sys.stderr)
        return 2
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


def _unknown_word(given: Sequence[str]) -> str | None:
    """A sentence about a first word that is neither a command nor looks like a file."""
    from difflib import get_close_matches

    from pmlda_gui.cli import COMMANDS

    words = [each for each in given if not each.startswith("-")]
    if given[:1] == ["--self-test"] or not words:
        return None
    word = words[0]
    path = Path(word)
    if path.suffix or len(path.parts) != 1 or path.exists():
        return None
    like = get_close_matches(word, COMMANDS, 1)
    advice = f"did you mean {like[0]}?" if like else f"the commands are {', '.join(COMMANDS)}."
    return f"{word!r} is neither a command nor a file: {advice}"


if __name__ == "__main__":
    sys.exit(main())
