"""`pmlda-gui info FILE...`: one line about each file, and a picture if asked for.

The quickest way to find out what a recording is and whether the program reads it
as meant, before a long job is started on it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pmlda_gui.cli.reading import add_reading_options, reading_options
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.display import COLOUR_MAPS, Display, to_rgb
from pmlda_gui.imagery.readers import Probe, open_image, probe

if TYPE_CHECKING:
    from pmlda_gui.imagery.image import Image

__all__ = ["add_parser", "summary"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `info` and its options."""
    parser = commands.add_parser(
        "info", help="describe image files", description="Describe image files, one line each."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--picture", type=Path, metavar="PNG", help="draw the image into a PNG")
    parser.add_argument(
        "--notes", action="store_true", help="print what was corrected while reading"
    )
    parser.add_argument("--scale", choices=("linear", "log"), default="linear")
    parser.add_argument("--colours", choices=COLOUR_MAPS, default="grey")
    parser.add_argument(
        "--save-gain", type=Path, metavar="FILE", help="save the gain table of all recordings"
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Describe every file; those that cannot be read are named, and the exit code is 2."""
    if arguments.picture is not None and len(arguments.files) > 1:
        raise PmldaError("One picture cannot show several files; name one file with --picture.")
    options = reading_options(arguments)
    images: list[Image] = []
    failures = 0
    for path in arguments.files:
        try:
            description, image = probe(path), open_image(path, options)
        except PmldaError as error:
            print(f"pmlda-gui: {error}", file=sys.stderr)
            failures += 1
            continue
        images.append(image)
        print(summary(description, image))
        if arguments.notes:
            for note in image.notes:
                print(f"    {note}")
        if arguments.picture is not None:
            display = Display(scale=arguments.scale, colours=arguments.colours)
            _write_picture(arguments.picture, image, display)
    if arguments.save_gain is not None:
        _save_gain(arguments.save_gain, images)
    return 2 if failures else 0


def _save_gain(target: Path, images: Sequence[Image]) -> None:
    """Write the gain table of all recordings among the images."""
    from pmlda_gui.imagery.gain import measure_gain
    from pmlda_gui.imagery.survey_gain import gain_table_bytes
    from pmlda_gui.workspace.export.atomic import write_whole

    write_whole(target, gain_table_bytes(measure_gain(images)))


def summary(description: Probe, image: Image) -> str:
    """One line: name, format, size, bands, type, valid fraction, pixel size, CRS, notes."""
    height, width = image.shape
    stored = (description.height, description.width)
    size = f"{width} x {height}"
    if stored != image.shape:
        size += f" of {description.width} x {description.height}"
    bands = len(description.bands)
    parts = [
        description.format,
        size,
        f"{bands} {'band' if bands == 1 else 'bands'} (shown: {', '.join(image.band_names)})",
        description.dtype,
        f"{image.valid.mean():.1%} valid",
        _size_of(image),
        _reference_name(image),
        *_middle_of(image),
        f"{len(image.notes)} {'note' if len(image.notes) == 1 else 'notes'}",
    ]
    return f"{image.name}: {', '.join(parts)}"


def _size_of(image: Image) -> str:
    if not image.pixel_size:
        return "pixel size unknown"
    if abs(image.aspect - 1.0) < 0.02:
        return f"{image.pixel_size:.4g} m pixels"
    return f"pixels {image.pixel_size:.4g} m wide and {image.pixel_height:.4g} m high"


def _reference_name(image: Image) -> str:
    if image.georeference is None:
        return "no georeference"
    if not image.georeference.crs:
        return "unstated CRS"
    from rasterio.crs import CRS

    reference = CRS.from_wkt(image.georeference.crs)
    code = reference.to_epsg()
    if code is not None:
        return f"EPSG:{code}"
    # The name is the first text in the description.
    name = image.georeference.crs.split('"')[1:2]
    return f"CRS {name[0]}" if name and name[0].isprintable() else "CRS without a code"


def _middle_of(image: Image) -> list[str]:
    """Latitude and longitude of the middle, if they are known."""
    from pmlda_gui.imagery.earth_positions import latitude_longitude

    height, width = image.shape
    if image.georeference is None:
        return []
    try:
        found = latitude_longitude(image.georeference, (height - 1) / 2, (width - 1) / 2)
    except PmldaError:
        return []
    if found is None or not all(abs(float(each[0])) <= 360 for each in found):
        return []
    latitude, longitude = (float(each[0]) for each in found)
    north, east = "N" if latitude >= 0 else "S", "E" if longitude >= 0 else "W"
    return [f"around {abs(latitude):.4f} {north} {abs(longitude):.4f} {east}"]


def _write_picture(target: Path, image: Image, display: Display) -> None:
    """Write a PNG, whole or not at all."""
    from skimage.io import imsave

    from pmlda_gui.workspace.export.atomic import appearing

    if target.suffix.lower() != ".png":
        raise PmldaError(f"{target.name} does not end in .png; name the picture with that ending.")
    with appearing(target) as unfinished:
        imsave(unfinished, to_rgb(image, display), check_contrast=False)
