"""The gain of all recordings that are open together, and gain tables as files."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.gain import (
    Curve,
    GainCurves,
    GainTable,
    levels_out,
    measure_gain,
    with_even_gain,
)
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["gain_table_bytes", "read_gain_table", "with_gain_of_survey"]

FORMAT, VERSION = "pmlda-gui gain table", 1
LARGEST_FILE = 20_000_000
ALREADY_EVEN = "Its gain is even already; the saved gain table was not applied."
NOT_IN_TABLE = "The saved gain table has no such channel; the gain was evened out by itself."


def with_gain_of_survey(
    images: Sequence[Image], check: Callable[[], None] | None = None
) -> tuple[Image, ...]:
    """The images, with the gain of all recordings among them evened out by one table.

    Images that are to keep their gain, or that were evened out with the same others, are
    returned as they are.  Ranges in metres and in samples have tables of their own.
    """
    done = list(images)
    for in_metres in (True, False):
        group = [
            number
            for number, image in enumerate(images)
            if image.swath is not None
            and image.swath.even_gain
            and image.swath.gain_table is None
            and image.swath.metres is in_metres
        ]
        # Samples of two recordings have nothing to do with each other.
        for together in [group] if in_metres else [[number] for number in group]:
            _even_out(done, together, check)
    for number, image in enumerate(images):
        if image.swath is not None and image.swath.gain_table is not None:
            done[number] = _by_saved_table(image, image.swath.gain_table)
    return tuple(done)


def _even_out(
    images: list[Image], together: Sequence[int], check: Callable[[], None] | None
) -> None:
    prints = tuple(sorted(_fingerprint(images[number]) for number in together))
    swaths = [images[number].swath for number in together]
    if all(swath is not None and swath.evened_with == prints for swath in swaths):
        return
    table = measure_gain([images[number] for number in together], check)
    for number in together:
        images[number] = _evened(images[number], table, prints)


def _evened(image: Image, table: GainTable, prints: tuple[int, ...]) -> Image:
    even = with_even_gain(image, table)
    assert even.swath is not None
    return replace(even, swath=replace(even.swath, evened_with=prints))


def _by_saved_table(image: Image, path: Path) -> Image:
    assert image.swath is not None
    if image.swath.evened_with:
        return image
    table = read_gain_table(path)
    own = (_fingerprint(image),)
    fits = table.in_metres == image.swath.metres
    if not fits or not all(key in table.curves for key in image.swath.keys):
        found = _evened(image, measure_gain([image]), own)
        return replace(found, notes=(*image.notes, NOT_IN_TABLE))
    if not levels_out(table, image):
        swath = replace(image.swath, evened_with=own)
        return replace(image, swath=swath, notes=(*image.notes, ALREADY_EVEN))
    return _evened(image, table, own)


def _fingerprint(image: Image) -> int:
    assert image.swath is not None
    return zlib.crc32(np.ascontiguousarray(image.swath.recorded).data)


def gain_table_bytes(table: GainTable) -> bytes:
    """The table as a JSON file."""
    curves = {key: asdict(each) for key, each in table.curves.items()}
    values = {
        "format": FORMAT,
        "version": VERSION,
        "level": table.level,
        "spread": table.spread,
        "in_metres": table.in_metres,
        "curves": curves,
    }
    return json.dumps(values, indent=1).encode()


def read_gain_table(path: Path) -> GainTable:
    """The table in a file that `gain_table_bytes` gave, every value checked."""
    try:
        with open_regular(path) as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise PmldaError(
            f"The gain table {path.name} cannot be read ({error.strerror}); choose another."
        ) from error
    try:
        if len(content) > LARGEST_FILE:
            raise ValueError
        values: dict[str, Any] = json.loads(content)
        if values["format"] != FORMAT or values["version"] != VERSION:
            raise ValueError
        level, spread = float(values["level"]), float(values["spread"])
        if not np.isfinite([level, spread]).all() or not isinstance(values["in_metres"], bool):
            raise ValueError
        curves = {
            str(key): GainCurves(_curve(each["level"]), _curve(each["spread"]), _sign(each))
            for key, each in values["curves"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PmldaError(
            f"{path.name} is not a gain table of this program; save one with "
            "`pmlda-gui info RECORDINGS --save-gain FILE`."
        ) from error
    return GainTable(level, spread, curves, values["in_metres"])


def _sign(values: dict[str, Any]) -> int:
    # Tables of earlier versions know of no roll.
    sign = values.get("roll", 0)
    if isinstance(sign, bool) or sign not in (-1, 0, 1):
        raise ValueError
    return int(sign)


def _curve(values: dict[str, Any]) -> Curve:
    return Curve(
        tuple(map(float, values["by_range"])),
        tuple(map(float, values["by_angle"])),
    )
