"""The command line: one module for each command, joined here.

A command module offers `add_parser(commands)`, which registers its options and
sets `run=` to a function from the parsed arguments to an exit code.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from pmlda_gui import __version__
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.logs import Log

__all__ = ["LEFT_OUT", "main", "tell_refused"]

LEFT_OUT = 3
"""The exit code of a command that is done, but without some of the files it was given."""

_VERBOSE = "print what is being done on the terminal"
COMMANDS = (
    "info", "scene", "segment", "survey", "topics", "project", "replay", "compare", "experiment",
)  # fmt: skip


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="pmlda-gui",
        description="Soft segmentation of sonar imagery with PM-LDA.",
        epilog="Without a command the window opens: pmlda-gui [--demo | --self-test] [FILE ...].",
    )
    parser.add_argument("--version", action="version", version=f"pmlda-gui {__version__}")
    parser.add_argument("--verbose", action="store_true", help=_VERBOSE)
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    for name in COMMANDS:
        importlib.import_module(f"{__name__}.{name}").add_parser(commands)
        # Behind the command it means the same; the default is that of the option before it.
        commands.choices[name].add_argument(
            "--verbose", action="store_true", default=argparse.SUPPRESS, help=_VERBOSE
        )
    return parser


def tell_refused(refused: Sequence[PmldaError]) -> int:
    """List the files that were left out with their reasons; the exit code that says so, or 0."""
    for error in refused:
        print(f"pmlda-gui: left out: {error}", file=sys.stderr)
    return LEFT_OUT if refused else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what cannot be done ends in one sentence and exit code 2."""
    parsed = build_parser().parse_args(arguments)
    log_output = Log(to_terminal=parsed.verbose)
    try:
        return int(parsed.run(parsed))
    except PmldaError as error:
        print(f"pmlda-gui: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("pmlda-gui: stopped.", file=sys.stderr)
        return 130
    finally:
        log_output.close()
