"""`pmlda-gui project RECORDING... --out DIR`: recordings and their maps in their place on Earth."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmlda_gui.core.errors import PmldaError

__all__ = ["add_parser"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `project` and its options."""
    parser = commands.add_parser(
        "project",
        help="lay side-scan recordings on a map",
        description="Lay side-scan recordings, and what segment found in them, on one map.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--results", type=Path, metavar="DIR", help="the folder that segment wrote")
    parser.add_argument(
        "--pixel", type=float, metavar="M", help="metres; the distance between pings if not given"
    )
    parser.add_argument(
        "--crs", metavar="EPSG:N", help="the UTM zone of the first line if not given"
    )
    parser.add_argument("--heading", choices=("best", "recorded", "course"), default="best")
    parser.add_argument(
        "--layback", type=float, metavar="M", help="metres behind the position; else as recorded"
    )
    parser.add_argument(
        "--keep-bad-pings", action="store_true", help="show turns, gaps and lost positions too"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the map; recordings that cannot be placed are listed, and the exit code is 3."""
    from pmlda_gui.cli import tell_refused
    from pmlda_gui.imagery.readers.folders import imagery_files
    from pmlda_gui.workspace.survey_map import MapSettings, map_recordings

    if arguments.pixel is not None and not arguments.pixel > 0:
        raise PmldaError(f"A pixel of {arguments.pixel} m makes no map; choose a size above 0.")
    settings = MapSettings(
        pixel=arguments.pixel,
        crs=arguments.crs,
        results=arguments.results,
        keep_bad_pings=arguments.keep_bad_pings,
        placing=(("heading", arguments.heading), ("layback", arguments.layback)),
    )
    refused: list[PmldaError] = []
    files = imagery_files(arguments.files, refused)
    for path in map_recordings(files, arguments.out, settings, _silent, refused):
        print(path)
    return tell_refused(refused)


def _silent(_share: float) -> None:
    """The command tells nothing on its way."""
