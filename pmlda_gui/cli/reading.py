"""The options for reading files, shared by every command that reads imagery."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pmlda_gui.imagery.readers import ReadOptions, band_list

__all__ = ["READING", "add_reading_options", "reading_options"]

READING = (
    "band",
    "bands",
    "reduce",
    "limit_pixels",
    "channels",
    "keep_water_column",
    "slant_range",
    "gain",
    "square_pixels",
    "layback",
)
"""The names of the parsed options."""

_SLANT = {"auto": None, "correct": True, "keep": False}


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Register the options of `ReadOptions`."""
    files = parser.add_argument_group("reading files")
    _add(files, "--band", type=_number_or_name, metavar="B", help="number (from 1) or description")
    _add(
        files,
        "--bands",
        type=band_list,
        metavar="B,B",
        help="measure features in several bands, by number or name; the first is shown",
    )
    _add(files, "--reduce", type=int, metavar="N", help="average N x N pixels (1)")
    _add(
        files,
        "--limit-pixels",
        type=int,
        metavar="N",
        help="refuse more pixels in all files together (120 million)",
    )
    sidescan = parser.add_argument_group("side-scan recordings")
    _add(
        sidescan,
        "--channels",
        type=_channels,
        metavar="N[,N]",
        help="the channels shown, from left to right (port and starboard)",
    )
    _add(sidescan, "--keep-water-column", action="store_true", help="do not mask the water")
    _add(
        sidescan,
        "--slant-range",
        choices=tuple(_SLANT),
        help="auto corrects where the bottom was tracked with confidence (auto)",
    )
    _add(
        sidescan,
        "--gain",
        metavar="auto|keep|FILE",
        help="even out by what all recordings show, not at all, or by a saved table (auto)",
    )
    _add(
        sidescan,
        "--as-sampled",
        dest="square_pixels",
        action="store_false",
        help="keep samples and pings as recorded instead of making pixels square",
    )
    _add(
        sidescan,
        "--layback",
        type=float,
        metavar="M",
        help="metres from the position back to the sonar (as recorded)",
    )


def _add(group: argparse._ArgumentGroup, name: str, **settings: Any) -> None:
    group.add_argument(name, default=argparse.SUPPRESS, **settings)


def reading_options(arguments: argparse.Namespace) -> ReadOptions:
    """The options that were given, checked; the others have their defaults."""
    given = {name: value for name, value in vars(arguments).items() if name in READING}
    if "keep_water_column" in given:
        given["mask_water_column"] = not given.pop("keep_water_column")
    if "slant_range" in given:
        given["correct_slant_range"] = _SLANT[given.pop("slant_range")]
    gain = given.pop("gain", "auto")
    if gain == "keep":
        given["normalise_gain"] = False
    elif gain != "auto":
        given["gain_table"] = Path(gain)
    return ReadOptions(**given)


def _number_or_name(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _channels(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))
