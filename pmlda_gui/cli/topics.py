"""`pmlda-gui topics FILE.pmlda --out seabed.topics`: save topics for use on other images."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_parser"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `topics` and its options."""
    parser = commands.add_parser(
        "topics",
        help="write the topics of a workspace into a file for other images",
        description="Write the topics that a workspace has found, with all that is needed to find "
        "them in other images: use the file with segment --topics-from.",
    )
    parser.add_argument("workspace", type=Path, metavar="FILE.pmlda")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE.topics", help="the file to write"
    )
    parser.add_argument("--quiet", action="store_true", help="print only warnings")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Resume the run of the workspace, and write its topics."""
    from pmlda_gui.core.errors import PmldaError
    from pmlda_gui.workspace.export.atomic import make_folder, write_whole
    from pmlda_gui.workspace.topic_set import ENDING, topics_bytes
    from pmlda_gui.workspace.topic_source import topics_from_file

    target: Path = arguments.out
    if target.suffix.casefold() != ENDING:
        raise PmldaError(
            f"Topics are kept in files that end in {ENDING}: name {target.stem}{ENDING}."
        )
    topics = topics_from_file(arguments.workspace)
    make_folder(target.absolute().parent)
    write_whole(target, topics_bytes(topics))
    if not arguments.quiet:
        names = ", ".join(look.name for look in topics.looks)
        print(f"{target}: {topics.count} topics ({names})", file=sys.stderr)
    return 0
