"""`pmlda-gui survey FILES... --out DIR`: files of any size with one set of topics.

The options are those of `segment`, and who does the work: so many processes of this
machine, or the workers of a dask scheduler.  Whatever ends a survey, the same command
goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pmlda_gui.cli.progress_bar import progress_bars
from pmlda_gui.cli.reading import add_reading_options, reading_options
from pmlda_gui.cli.segment import (
    INTERRUPTED,
    NOT_SETTINGS,
    add_settings,
    add_topics_from,
    interruptible,
)
from pmlda_gui.core.errors import Cancelled

__all__ = ["add_parser"]

_OWN = ("all_words", "workers", "scheduler", "tls_ca_file", "tls_cert", "tls_key")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `survey` and its options."""
    parser = commands.add_parser(
        "survey",
        help="segment hundreds of lines, or a mosaic of any size, with one set of topics",
        description="Segment a survey tile by tile, on all processors of this machine or on a "
        "cluster.  The same command continues a survey that ended early.",
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="images or folders")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--quiet", action="store_true", default=False, help="no progress and no list of files"
    )
    add_topics_from(parser)
    add_settings(parser)
    add_reading_options(parser)
    parser.add_argument(
        "--all-words",
        action="store_true",
        help="learn topics from all words half a feature window apart, not from 6000 of them",
    )
    work = parser.add_argument_group("workers")
    who = work.add_mutually_exclusive_group()
    who.add_argument(
        "--workers", type=int, metavar="N", help="worker processes (default: all cores)"
    )
    who.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="a dask scheduler whose workers do the work"
    )
    work.add_argument(
        "--tls-ca-file", type=Path, metavar="FILE", help="certificate of its authority, PEM"
    )
    work.add_argument("--tls-cert", type=Path, metavar="FILE", help="own certificate, PEM")
    work.add_argument("--tls-key", type=Path, metavar="FILE", help="key of that certificate, PEM")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run a survey; 130 if it was interrupted, 3 if files were left out."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.core.errors import PmldaError
    from pmlda_gui.survey import run_survey
    from pmlda_gui.survey.workers import Tls, task_bytes, workers_for
    from pmlda_gui.workspace.batch.options import settings_from_names

    given = vars(arguments)
    settings = settings_from_names(
        {name: value for name, value in given.items() if name not in (*NOT_SETTINGS, *_OWN)}
    )
    options = reading_options(arguments)
    tls = Tls(given.get("tls_ca_file"), given.get("tls_cert"), given.get("tls_key"))
    count = given.get("workers")
    if count is not None and count < 1:
        raise PmldaError(f"{count} workers cannot do any work: give at least 1.")
    with (
        interruptible() as interrupted,
        workers_for(
            count, given.get("scheduler"), tls, task_bytes(len(options.bands) or 1)
        ) as workers,
    ):
        if not arguments.quiet:
            print(f"pmlda-gui: {workers.said}", file=sys.stderr)
        try:
            with progress_bars(arguments.quiet) as bars:
                outcome = run_survey(
                    arguments.files,
                    arguments.out,
                    settings,
                    workers,
                    options=options,
                    tell=bars.show,
                    cancel=interrupted,
                    all_words=given.get("all_words", False),
                )
        except Cancelled as error:
            print(f"pmlda-gui: {error}", file=sys.stderr)
            return INTERRUPTED
    if not arguments.quiet:
        for path in outcome.written:
            print(path)
    for text in outcome.result.warnings:
        print(f"pmlda-gui: {text}", file=sys.stderr)
    return tell_refused(outcome.refused)
