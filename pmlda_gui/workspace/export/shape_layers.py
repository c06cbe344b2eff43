"""Profiles, regions and measurements as layers of a GeoPackage, with what was found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.workspace.analysis.answers import Answers
from pmlda_gui.workspace.analysis.profile import Profile
from pmlda_gui.workspace.export.geopackage import Column, Layer, geopackage
from pmlda_gui.workspace.shapes import Point

__all__ = ["IN_PIXELS", "placed", "shape_layers", "shapes_package"]

IN_PIXELS = Georeference("", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
"""The place of an image without one: coordinates are columns and rows."""


def shapes_package(image: Image, answers: Answers, topics: Sequence[str]) -> bytes:
    """A GeoPackage with all that was drawn on one image: the content of the file."""
    return geopackage(shape_layers(image, answers, topics))


def shape_layers(image: Image, answers: Answers, topics: Sequence[str]) -> list[Layer]:
    """The layers of what was drawn on one image; those without a shape are left out.

    Transitions are lines of their own, from where they begin to where they end.  Lengths and
    areas are in the unit of the column `unit`; coordinates are those of the image's reference
    system, or column and row where it has none.
    """
    place = image.georeference or IN_PIXELS
    layers = [
        _profile_layer(answers, place),
        _transition_layer(answers, place, topics),
        _region_layer(answers, place, topics),
        _measurement_layer(answers, place),
    ]
    return [layer for layer in layers if layer.shapes]


def _profile_layer(answers: Answers, place: Georeference) -> Layer:
    found = answers.profiles
    columns = [
        Column("name", "TEXT", [each.shape.name for each in found]),
        Column("unit", "TEXT", [each.unit for each in found]),
        _numbers("length", [each.length for each in found]),
        _numbers("bearing", [each.bearing for each in found]),
        Column("bearing_from", "TEXT", [_north(each.is_true) for each in found]),
        Column("transitions", "INTEGER", [len(each.transitions) for each in found]),
        _numbers("smallest_width", [each.smallest for each in found]),
    ]
    lines = [[placed(each.shape.points, place)] for each in found]
    return Layer("profiles", place, lines, columns, "Lines across the map", lines=True)


def _transition_layer(answers: Answers, place: Georeference, topics: Sequence[str]) -> Layer:
    found = [(each, width) for each in answers.profiles for width in each.transitions]
    between = [width.transition for _, width in found]
    columns = [
        Column("profile", "TEXT", [each.shape.name for each, _ in found]),
        Column("from_topic", "TEXT", [topics[each.before] for each in between]),
        Column("to_topic", "TEXT", [topics[each.after] for each in between]),
        Column("unit", "TEXT", [each.unit for each, _ in found]),
        _numbers("width_10_90", [each.width for each in between]),
        Column("at_least", "BOOLEAN", [int(not each.is_whole) for each in between]),
        _numbers("deviation", [width.deviation for _, width in found]),
        _numbers("lowest", [width.low for _, width in found]),
        _numbers("highest", [width.high for _, width in found]),
        _numbers("other_topics", [each.third for each in between]),
    ]
    lines = [
        [placed(_along(each, width.transition.start, width.transition.end), place)]
        for each, width in found
    ]
    about = "Transitions from 10 to 90 % along the profiles"
    return Layer("profile_transitions", place, lines, columns, about, lines=True)


def _region_layer(answers: Answers, place: Georeference, topics: Sequence[str]) -> Layer:
    found = answers.regions
    columns = [
        Column("name", "TEXT", [each.shape.name for each in found]),
        Column("unit", "TEXT", [each.unit for each in found]),
        _numbers("area", [each.area for each in found]),
        _numbers("mapped_area", [each.mapped_area for each in found]),
        Column("pixels", "INTEGER", [each.pixels for each in found]),
        Column("topic", "TEXT", [topics[int(each.inside.means.argmax())] for each in found]),
    ]
    for topic in range(len(topics)):
        columns += [
            _numbers(f"mean_{topic + 1}", [each.inside.means[topic] for each in found]),
            _numbers(f"deviation_{topic + 1}", [each.inside.deviation[topic] for each in found]),
            _numbers(f"leads_{topic + 1}", [each.inside.leads[topic] for each in found]),
        ]
    polygons = [[placed((*each.shape.points, each.shape.points[0]), place)] for each in found]
    return Layer("regions", place, polygons, columns, "Regions of the map")


def _measurement_layer(answers: Answers, place: Georeference) -> Layer:
    found = answers.measurements
    columns = [
        Column("name", "TEXT", [shape.name for shape, _ in found]),
        Column("unit", "TEXT", [each.unit for _, each in found]),
        _numbers("length", [each.length for _, each in found]),
        _numbers("bearing", [each.bearing for _, each in found]),
        Column("bearing_from", "TEXT", [_north(each.is_true) for _, each in found]),
        _numbers("area", [each.area for _, each in found]),
    ]
    lines = [[placed(shape.points, place)] for shape, _ in found]
    return Layer("measurements", place, lines, columns, "Measured paths", lines=True)


def _numbers(name: str, values: Sequence[Any]) -> Column:
    """A column of numbers, empty where one is not known or has no end."""
    return Column(
        name,
        "REAL",
        [None if each is None or not math.isfinite(each) else float(each) for each in values],
    )


def _north(is_true: bool) -> str:
    return "true north" if is_true else "up in the image"


def _along(profile: Profile, start: float, end: float) -> tuple[Point, Point]:
    """The points of a profile's line at two distances."""
    (x0, y0), (x1, y1) = profile.shape.points
    first, last = (distance / profile.length for distance in (start, end))
    return (
        (x0 + (x1 - x0) * first, y0 + (y1 - y0) * first),
        (x0 + (x1 - x0) * last, y0 + (y1 - y0) * last),
    )


def placed(points: Sequence[Point], place: Georeference) -> NDArray[np.float64]:
    """Points (n, 2) in the coordinates of a place."""
    a, b, c, d, e, f = place.transform
    x, y = np.asarray(points, np.float64).T
    return np.column_stack([a * x + b * y + c, d * x + e * y + f])
