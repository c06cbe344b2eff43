"""From the algorithm's parameters to a command line, and from a folder to its results.

Nothing here needs QGIS, so that it can be tested without.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

EXECUTABLE = "pmlda-gui"
FEATURES = ("auto", "seabed", "seabed-fine", "paper-sas")
ESTIMATES = ("mean", "map")
RASTERS = ("memberships", "uncertainty", "labels", "unknown")
LAYERS = ("topics", "transitions", "documents")


class CommandError(ValueError):
    """The parameters cannot be turned into a command; the message is for the user."""


def find_executable(given: str) -> str:
    """The program that is to be run: the one given, or else the one on the path."""
    if given:
        if not os.access(given, os.X_OK) or os.path.isdir(given):
            raise CommandError(f"{given} is no program that can be run: choose pmlda-gui itself.")
        return given
    found = shutil.which(EXECUTABLE)
    if found is None:
        raise CommandError(
            "The program pmlda-gui was not found: install it, or name it under "
            '"Program" in the advanced parameters.'
        )
    return found


def source_file(source: str) -> str:
    """The file behind a raster layer's source."""
    path = source.partition("|")[0]
    if not os.path.isfile(path):
        raise CommandError(
            f"{path} is no file on this computer: save the layer as a GeoTIFF first."
        )
    return path


def segment_command(executable: str, parameters: Mapping[str, Any]) -> list[str]:
    """The command line for these parameters.

    `INPUT` is a file and `OUTPUT` a folder; the others may be left out or None.  What is
    left out is chosen by the program.
    """
    command = [executable, "segment", str(parameters["INPUT"]), "--out", str(parameters["OUTPUT"])]
    before = parameters.get("TOPICS_FROM")
    if before:
        # Topics found before bring their number and their features along.
        command += ["--topics-from", str(before)]
    else:
        command += ["--topics", "auto" if parameters.get("AUTO_TOPICS") else _topics(parameters)]
        command += ["--features", _chosen(parameters, "FEATURES", FEATURES)]
    bands = parameters.get("BANDS") or ()
    if bands:
        command += ["--bands", ",".join(str(int(band)) for band in bands)]
    for name, option in (
        ("DOCUMENT_COUNT", "--document-count"),
        ("SWEEPS", "--sweeps"),
        ("SEED", "--seed"),
        ("THREADS", "--threads"),
    ):
        value = parameters.get(name)
        if value is not None:
            command += [option, str(int(value))]
    return [*command, "--estimate", _chosen(parameters, "ESTIMATE", ESTIMATES)]


def _topics(parameters: Mapping[str, Any]) -> str:
    count = int(parameters.get("TOPICS") or 3)
    if not 2 <= count <= 64:
        raise CommandError(f"There can be 2 to 64 topics, but {count} were asked for.")
    return str(count)


def _chosen(parameters: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """The choice at a place in a list, the first if none was made."""
    place = int(parameters.get(name) or 0)
    if not 0 <= place < len(choices):
        raise CommandError(f"{name} has no choice {place}: choose from {', '.join(choices)}.")
    return choices[place]


def results(parameters: Mapping[str, Any]) -> dict[str, str]:
    """What the command has written, by name: rasters, and layers of the GeoPackage."""
    folder, stem = Path(str(parameters["OUTPUT"])), Path(str(parameters["INPUT"])).stem
    found = {
        name.upper(): str(folder / f"{stem}_{name}.tif")
        for name in RASTERS
        if (folder / f"{stem}_{name}.tif").is_file()
    }
    package = folder / f"{stem}_polygons.gpkg"
    if package.is_file():
        found |= {name.upper(): f"{package}|layername={name}" for name in LAYERS}
    return found


def reason(exit_code: int, lines: list[str]) -> str | None:
    """Why the command failed, in the program's own words; None if it did not."""
    if exit_code in (0, 3):
        return None
    said = [line.removeprefix("pmlda-gui: ") for line in lines if line.startswith("pmlda-gui: ")]
    return said[-1] if said else f"pmlda-gui ended with code {exit_code}."
