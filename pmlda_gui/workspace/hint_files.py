"""Hints from and to files: polygons, lines and points of a GeoPackage, or a label raster.

A GeoPackage has a column `topic` with a name or a number, counted from 1; `says` may be "is"
or "not", `strength` a number and `image` the name of the image.  Lines and points are painted with
a brush.  In a label raster 0 is unpainted, and every other number a topic.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.areas import Areas, inside_of
from pmlda_gui.imagery.earth_positions import pixels_at
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import read_label_map
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.shape_packages import PackagedShape, read_shapes
from pmlda_gui.workspace.hints import PaintedHint
from pmlda_gui.workspace.strokes import DEFAULT_STRENGTH, Mark, Stroke, check_strokes, spans_of

__all__ = [
    "BRUSH_WIDTH",
    "ReadHints",
    "hints_package",
    "hints_raster",
    "raster_bytes",
    "read_hints",
]

BRUSH_WIDTH = 15.0
"""The width in pixels of what is painted along lines and at points."""

_MOST_CLASSES = 32
_COLUMNS = ("topic", "topic_name", "class", "label", "name")


@dataclass(frozen=True)
class ReadHints:
    """Strokes of a file; their topics are numbered from 0 in the order of `names`."""

    strokes: tuple[Stroke, ...]
    names: tuple[str, ...]

    def numbered(self, numbers: Sequence[int]) -> tuple[Stroke, ...]:
        """The strokes with these numbers for the topics."""
        return tuple(replace(each, topic=numbers[each.topic]) for each in self.strokes)


def read_hints(
    path: Path,
    images: Sequence[Image],
    known: Sequence[str] = (),
    progress: Progress = UNWATCHED,
) -> ReadHints:
    """The hints in a file on these images; `known` are the names of topics there are.

    Topics that go by other names come behind the known ones, in alphabetical order.
    """
    try:
        with open_regular(path) as stream:
            is_package = stream.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise PmldaError(f"The hints {path} cannot be read ({error.strerror or error}).") from error
    found = _from_package(path, images, known) if is_package else _from_raster(path, images, known)
    if not found.strokes:
        raise PmldaError(f"{path.name} holds no hint on any of the images: paint some first.")
    check_strokes(found.strokes)
    return found


# -- label rasters ---------------------------------------------------------------------------


def _from_raster(path: Path, images: Sequence[Image], known: Sequence[str]) -> ReadHints:
    labels = read_label_map(path)
    fitting = [number for number, image in enumerate(images) if image.shape == labels.shape]
    if not fitting:
        height, width = labels.shape
        raise PmldaError(
            f"The label raster {path.name} has {width} x {height} pixels, but no image has: give "
            "one of the image's size, 0 where nothing is painted."
        )
    if len(fitting) > 1:
        raise PmldaError(
            f"The label raster {path.name} fits several of the images: give a GeoPackage, or open "
            "one image."
        )
    values = [int(each) for each in np.unique(labels) if each > 0]
    if len(values) > _MOST_CLASSES:
        raise PmldaError(
            f"{path.name} has {len(values)} different labels, too many for topics: give 0 where "
            "nothing is painted, and 1, 2, 3 ... for the topics."
        )
    counted = bool(values) and values[-1] <= max(len(known), len(values))
    names = list(known)
    strokes = []
    for place, value in enumerate(values):
        topic = value - 1 if counted else place
        while len(names) <= topic:
            names.append(f"topic {len(names) + 1}" if counted else f"label {value}")
        spans = spans_of(labels == value)
        strokes.append(Stroke(fitting[0], "spans", "is", topic, spans=spans))
    return ReadHints(tuple(strokes), tuple(names))


# -- GeoPackages -----------------------------------------------------------------------------


def _from_package(path: Path, images: Sequence[Image], known: Sequence[str]) -> ReadHints:
    shapes = read_shapes(path)
    column = next((name for name in _COLUMNS if any(name in each.values for each in shapes)), None)
    if column is None:
        raise PmldaError(
            f"{path.name} does not say which topic its shapes are: give them a column 'topic' "
            "with a name or a number."
        )
    said = [shape for shape in shapes if shape.values.get(column, "").strip()]
    names = _names([shape.values[column].strip() for shape in said], known)
    strokes: list[Stroke] = []
    for shape in said:
        text = shape.values[column].strip()
        topic = _place_of(text, names)
        for number, image in enumerate(images):
            named = shape.values.get("image", "")
            if named and named != image.name and len(images) > 1:
                continue
            drawn = _stroke_of(shape, image, number)
            if drawn is not None:
                mark: Mark = "not" if shape.values.get("says", "is").strip() == "not" else "is"
                strength = _strength(shape.values.get("strength", ""), path)
                strokes.append(replace(drawn, topic=topic, mark=mark, strength=strength))
    return ReadHints(tuple(strokes), tuple(names))


def _names(texts: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names of all topics: the known ones, then those that are new."""
    names = list(known)
    numbers = [int(text) for text in texts if text.isdigit()]
    last = max([number for number in numbers if number <= _MOST_CLASSES], default=0)
    names += [f"topic {place + 1}" for place in range(len(names), last)]
    fresh = {text for text in texts if not text.isdigit()}
    for text in sorted(fresh, key=lambda each: (each.casefold(), each)):
        if _place_of(text, names) < 0:
            names.append(text)
    return names


def _place_of(text: str, names: Sequence[str]) -> int:
    """Which topic a text means, by name or by number from 1 on; -1 if none."""
    folded = [name.casefold() for name in names]
    if text.casefold() in folded:
        return folded.index(text.casefold())
    number = int(text) if text.isdigit() else 0
    if text.isdigit() and not 1 <= number <= len(names):
        raise PmldaError(
            f"A hint is for topic {text}, but topics are numbered from 1 to {_MOST_CLASSES}."
        )
    return number - 1


def _strength(text: str, path: Path) -> float:
    if not text.strip():
        return DEFAULT_STRENGTH
    try:
        return float(text)
    except ValueError:
        raise PmldaError(
            f"A hint in {path.name} has the strength {text!r:.40}, but it must be a number."
        ) from None


def _stroke_of(shape: PackagedShape, image: Image, number: int) -> Stroke | None:
    """The shape on an image, None if it lies beside it."""
    height, width = image.shape
    if shape.crs and image.swath is not None and image.swath.geometry is not None:
        if shape.kind != "polygon":
            raise PmldaError(
                f"{image.name} is a recording: hints on it are given as polygons, or painted."
            )
        mask = inside_of(image, Areas("hints", shape.crs, (shape.parts,)))
        return Stroke(number, "spans", spans=spans_of(mask)) if mask.any() else None
    if shape.crs and (image.georeference is None or not image.georeference.crs):
        raise PmldaError(
            f"{image.name} has no place on the Earth, so hints with one cannot be found in it: "
            "give hints in columns and rows, or a label raster."
        )
    parts = [_in_pixels(part, image, shape.crs) for part in shape.parts]
    corners = np.concatenate(parts)
    reach = 0.0 if shape.kind == "polygon" else BRUSH_WIDTH / 2
    outside = (corners.max(axis=0) < -reach) | (
        corners.min(axis=0) > np.array([width, height]) + reach
    )
    if outside.any():
        return None
    points = tuple((float(x), float(y)) for x, y in parts[0])
    if shape.kind != "polygon":
        return Stroke(number, "brush", points=points, radius=BRUSH_WIDTH / 2)
    if len(parts) == 1 and len(points) > 3:
        return Stroke(number, "polygon", points=points[:-1])
    spans = spans_of(_filled(parts, image.shape))
    return Stroke(number, "spans", spans=spans) if spans else None


def _in_pixels(part: NDArray[np.float64], image: Image, crs: str) -> NDArray[np.float64]:
    """Points (n, 2) as columns and rows of the image."""
    if image.georeference is None:
        return part
    rows, columns = pixels_at(image.georeference, part[:, 0], part[:, 1], crs or None)
    return np.column_stack([columns, rows])


def _filled(parts: Sequence[NDArray[np.float64]], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels whose middle lies in a polygon with holes."""
    mask = np.zeros(shape, np.bool_)
    for part in parts:
        corners = tuple((float(x), float(y)) for x, y in part)
        if len(corners) >= 3:
            mask.flat[Stroke(0, "polygon", points=corners).pixels(shape)] ^= True
    return mask


# -- writing ---------------------------------------------------------------------------------


def hints_package(image: Image, hints: Sequence[PaintedHint], names: dict[int, str]) -> bytes:
    """A GeoPackage of the hints on one image, the content of the file.

    Outlines run along the pixels' sides, so that the same pixels are read back.
    """
    from rasterio.features import shapes

    from pmlda_gui.workspace.export.geopackage import Column, Layer, geopackage
    from pmlda_gui.workspace.export.shape_layers import IN_PIXELS, placed

    place = image.georeference or IN_PIXELS
    outlines, said = [], []
    for hint in hints:
        mask = np.zeros(image.shape, np.uint8)
        mask.flat[hint.pixels] = 1
        for geometry, _ in shapes(mask, mask=mask > 0, connectivity=4):
            outlines.append([placed(ring, place) for ring in geometry["coordinates"]])
            said.append(hint)
    columns = [
        Column(
            "topic", "TEXT", [names.get(each.topic, f"topic {each.topic + 1}") for each in said]
        ),
        Column("says", "TEXT", ["not" if each.against else "is" for each in said]),
        Column("strength", "REAL", [each.strength for each in said]),
        Column("image", "TEXT", [image.name] * len(said)),
    ]
    return geopackage([Layer("hints", place, outlines, columns, "What was painted")])


def hints_raster(
    image: Image, hints: Sequence[PaintedHint], places: dict[int, int]
) -> NDArray[np.uint8]:
    """The label raster of the hints for topics: their places from 1 on, 0 where none is."""
    labels = np.zeros(image.shape, np.uint8)
    for hint in hints:
        if not hint.against and hint.topic in places:
            labels.flat[hint.pixels] = places[hint.topic] + 1
    return labels


def raster_bytes(image: Image, hints: Sequence[PaintedHint], places: dict[int, int]) -> bytes:
    """The label raster as the content of a PNG file."""
    from PIL import Image as Picture

    content = io.BytesIO()
    Picture.fromarray(hints_raster(image, hints, places)).save(content, "PNG")
    return content.getvalue()
