"""The options of `segment` and `project` for placing recordings on a map."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.workspace.survey_map import MapSettings

__all__ = ["add_map_options", "map_settings"]


def add_map_options(parser: argparse.ArgumentParser, always: bool = False) -> None:
    """Register them; unless recordings are `always` mapped, also how to leave that."""
    group = parser.add_argument_group("maps of recordings")
    group.add_argument(
        "--pixel", type=float, default=None, metavar="M", help="metres (the distance between pings)"
    )
    group.add_argument(
        "--crs", default=None, metavar="EPSG:N", help="(the UTM zone of the first line)"
    )
    group.add_argument("--heading", choices=("best", "recorded", "course"), default="best")
    group.add_argument(
        "--keep-bad-pings",
        action="store_true",
        default=False,
        help="also show turns, gaps and lost positions",
    )
    if not always:
        group.add_argument("--no-map", action="store_true", default=False, help="write no maps")


def map_settings(arguments: argparse.Namespace) -> MapSettings | None:
    """What was asked for; None for no map."""
    from pmlda_gui.workspace.survey_map import MapSettings

    if arguments.pixel is not None and not arguments.pixel > 0:
        raise PmldaError(f"A pixel of {arguments.pixel} m makes no map; choose a size above 0.")
    if getattr(arguments, "no_map", False):
        return None
    return MapSettings(
        pixel=arguments.pixel,
        crs=arguments.crs,
        keep_bad_pings=arguments.keep_bad_pings,
        placing=(("heading", arguments.heading),),
    )
