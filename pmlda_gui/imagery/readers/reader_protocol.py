"""The protocol between a reading process and the program: lines of JSON, and raw pixels.

Nothing is unpickled.  What the other side claims is checked before memory is taken for
it, because a damaged file may have done anything to the process that has read it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.readers.options import MOST_BANDS, Band, Probe, ReadOptions

__all__ = [
    "options_from",
    "probe_from",
    "receive_image",
    "receive_line",
    "send_image",
    "send_line",
    "to_plain",
]

LONGEST_LINE = 4_000_000
_COLOURS = 3


def send_line(stream: IO[bytes], content: dict[str, Any]) -> None:
    """Write one object as a line."""
    stream.write(json.dumps(content).encode() + b"\n")
    stream.flush()


def receive_line(stream: IO[bytes]) -> dict[str, Any]:
    """The next object; EOFError where the other side has ended, or says what is no object."""
    line = stream.readline(LONGEST_LINE)
    try:
        content = json.loads(line)
    except ValueError:
        raise EOFError from None
    if not isinstance(content, dict):
        raise EOFError
    return content


def to_plain(value: Probe | ReadOptions) -> dict[str, Any]:
    """A description of a file, or options, as JSON can hold them."""
    plain = asdict(value)
    plain.pop("path", None)
    return plain


def options_from(plain: dict[str, Any]) -> ReadOptions:
    """The options that `to_plain` was given."""
    return ReadOptions(**plain | {name: tuple(plain[name]) for name in ("channels", "bands")})


def probe_from(path: Path, plain: dict[str, Any]) -> Probe:
    """The description that `to_plain` was given, of the file at `path`."""
    bands = tuple(Band(**band) for band in plain.pop("bands"))
    return Probe(path=path, bands=bands, **plain)


def send_image(stream: IO[bytes], image: Image) -> None:
    """Write an image: what is known about it as a line, and then its arrays."""
    georeference = image.georeference
    send_line(
        stream,
        {
            "shape": image.pixels.shape,
            "further": len(image.further),
            "pixel_size": image.pixel_size,
            "georeference": None if georeference is None else asdict(georeference),
            "band_names": image.band_names,
            "notes": image.notes,
        },
    )
    for array in (image.pixels, *image.further):
        stream.write(np.ascontiguousarray(array, np.float32).data.cast("B"))
    stream.write(np.ascontiguousarray(image.valid, np.uint8).data.cast("B"))
    stream.flush()


def receive_image(stream: IO[bytes], path: Path, options: ReadOptions) -> Image:
    """The image that `send_image` was given; EOFError where it cannot be one."""
    header = receive_line(stream)
    try:
        shape = tuple(int(extent) for extent in header["shape"])
        further = int(header["further"])
        if not (len(shape) == 2 or (len(shape) == 3 and shape[2] == _COLOURS)):
            raise EOFError
        if min(shape) < 1 or math.prod(shape[:2]) > options.limit_pixels or further > MOST_BANDS:
            raise EOFError
        pixels, *others = (_array(stream, shape, np.float32) for _ in range(1 + further))
        valid = _array(stream, shape[:2], np.uint8).astype(np.bool_)
        place = header["georeference"]
        return Image(
            pixels=pixels,
            valid=valid,
            pixel_size=header["pixel_size"],
            georeference=None
            if place is None
            else Georeference(place["crs"], tuple(place["transform"])),
            band_names=tuple(header["band_names"]),
            source=path,
            notes=tuple(header["notes"]),
            further=tuple(others),
        )
    except (KeyError, TypeError, ValueError):
        raise EOFError from None


def _array(stream: IO[bytes], shape: tuple[int, ...], dtype: type[Any]) -> NDArray[Any]:
    values = np.empty(shape, dtype)
    rest = values.data.cast("B")
    while rest:
        count = stream.readinto(rest)  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        rest = rest[count:]
    return values
