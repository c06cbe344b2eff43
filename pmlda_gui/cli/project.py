"""`pmlda-gui project RECORDING... --out DIR`: place recordings and their maps on one map."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from pmlda_gui.cli.placing import add_map_options, map_settings
from pmlda_gui.cli.reading import add_reading_options, reading_options
from pmlda_gui.core.errors import PmldaError

__all__ = ["add_parser"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `project` and its options."""
    parser = commands.add_parser(
        "project",
        help="place side-scan recordings on a map",
        description="Place side-scan recordings, and what segment found in them, on one map.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--results", type=Path, metavar="DIR", help="the folder that segment wrote")
    add_map_options(parser, always=True)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the map; recordings that cannot be placed are listed, and the exit code is 3."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.imagery.readers import open_images, require_opened
    from pmlda_gui.workspace.survey_map import map_recordings

    settings = map_settings(arguments)
    assert settings is not None
    settings = replace(settings, results=arguments.results)
    refused: list[PmldaError] = []
    images = open_images(arguments.files, reading_options(arguments), refused=refused)
    require_opened(images, refused)
    for path in map_recordings(images, arguments.out, settings, _silent, refused):
        print(path)
    return tell_refused(refused)


def _silent(_share: float) -> None:
    """The command tells nothing on its way."""
