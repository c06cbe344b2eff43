"""`pmlda-gui replay FILE.pmlda --out DIR`: repeat what an operator did, and write the results.

The run is made again from its seed and journal, with every change at its sweep, so
that what was seen in a window can be had by anybody who has the workspace and the
images.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["add_parser"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `replay` and its options."""
    parser = commands.add_parser(
        "replay",
        help="repeat the work in a workspace and write its results",
        description="Repeat the work in a workspace from its seed and journal, bit for bit.",
    )
    parser.add_argument("workspace", type=Path, metavar="FILE.pmlda")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--threads", type=_count, metavar="T", help="worker threads (default: all cores)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress and no list of files")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Repeat the work to its last sweep, then write; nothing is written if that is impossible."""
    from pmlda_gui.workspace.archive import load
    from pmlda_gui.workspace.export import check_targets, write_results
    from pmlda_gui.workspace.replay import open_entries, replay, require_repeatable
    from pmlda_gui.workspace.run_result import result_of

    loaded = load(arguments.workspace)
    require_repeatable(loaded)
    images = open_entries(loaded.session.images)
    check_targets(arguments.out, images)
    with _shown(arguments.quiet) as show:
        repeated = replay(loaded, arguments.threads, progress=show, images=images)
        written = write_results(result_of(repeated, loaded.session), arguments.out)
    repeated.close()
    if not arguments.quiet:
        for path in written:
            print(path)
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads: give 1 or more")
    return int(text)


@contextmanager
def _shown(quiet: bool) -> Iterator[Callable[[float, str], None]]:
    """A function that shows how far the work is, on the terminal's error stream."""
    if quiet:
        yield lambda fraction, text: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bars:
        bar = bars.add_task("replay", total=1.0)
        yield lambda fraction, text: bars.update(bar, completed=fraction, description=text)
