"""Polygons of topics and of the transitions between them, from memberships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.imagery.segmentation import UNKNOWN_BELOW, Segmentation
from pmlda_gui.imagery.topic_palette import hexadecimal
from pmlda_gui.workspace.export.boundaries import region_polygons
from pmlda_gui.workspace.export.geopackage import Column, Layer, Shape
from pmlda_gui.workspace.export.ground_lengths import NO_GEOREFERENCE, Ground, transformed
from pmlda_gui.workspace.export.qgis_style import hatch_style, topic_style
from pmlda_gui.workspace.export.regions import (
    connected_regions,
    region_means,
    without_small_regions,
)
from pmlda_gui.workspace.vocabulary import NO_CODES, TopicCodes

__all__ = [
    "LEAST_PIXELS",
    "MIXED_BELOW",
    "SeabedLook",
    "topic_layer",
    "track_layer",
    "transition_layer",
]

LEAST_PIXELS = 25
"""Regions of fewer pixels are given to their neighbours, where the window is not known."""

MIXED_BELOW = 0.6
"""Where no membership reaches this value, there is a transition."""


@dataclass(frozen=True, eq=False)
class SeabedLook:
    """What is told about topics besides their maps: names, colours (K, 3), and codes."""

    names: Sequence[str]
    colours: NDArray[np.uint8]
    codes: Sequence[TopicCodes] = field(default=())

    def code(self, topic: int) -> TopicCodes:
        """The vocabulary codes of a topic."""
        return self.codes[topic] if topic < len(self.codes) else NO_CODES

    def colour(self, topic: int) -> str:
        """The colour of a topic as #rrggbb."""
        return hexadecimal(self.colours[topic])


def topic_layer(
    image: Image,
    segmentation: Segmentation,
    look: SeabedLook,
    least_pixels: int = LEAST_PIXELS,
) -> Layer:
    """Regions whose pixels have the same most likely topic, without gaps between them.

    Columns: the topic with its number, colour and codes, the area in square metres (null
    where the pixels' size is unknown) and in pixels, and the means over the region of the
    topic's membership and of its uncertainty.
    """
    classes = without_small_regions(segmentation.labels, least_pixels)
    regions, topics = connected_regions(classes)
    shapes, areas, pixels = _outlined(regions, len(topics), image)
    columns = [
        *_topic_columns(topics, look),
        Column("area_m2", "REAL", areas),
        Column("pixels", "INTEGER", pixels),
        Column("membership", "REAL", _own_means(segmentation.memberships, regions, topics)),
    ]
    if segmentation.uncertainty is not None:
        spread = _own_means(segmentation.uncertainty, regions, topics)
        columns.append(Column("uncertainty", "REAL", spread))
    if segmentation.unknown is not None:
        marked = (segmentation.unknown < UNKNOWN_BELOW).astype(np.float64)
        shares = region_means(marked, regions, len(topics))
        columns.append(Column("unknown", "REAL", shares.tolist()))
    entries = [(name, look.colour(topic)) for topic, name in enumerate(look.names)]
    return Layer(
        "topics",
        image.georeference or NO_GEOREFERENCE,
        shapes,
        columns,
        f"regions of the most likely topic, of at least {least_pixels} pixels",
        topic_style(entries),
    )


def transition_layer(
    image: Image,
    segmentation: Segmentation,
    look: SeabedLook,
    mixed_below: float = MIXED_BELOW,
    least_pixels: int = LEAST_PIXELS,
) -> Layer:
    """Zones in which no membership reaches `mixed_below`, by the two topics they join.

    Columns: the two topics, the largest first, the mean width in metres and the area in
    square metres (null where the pixels' size is unknown), both in pixels too, and the mean
    memberships of the two.
    """
    mixed, pairs = _mixed_pairs(segmentation, mixed_below)
    classes = without_small_regions(np.where(mixed, pairs, np.int32(-1)), least_pixels)
    regions, of_pair = connected_regions(classes)
    shapes, areas, pixels = _outlined(regions, len(of_pair), image)
    first, second = np.divmod(of_pair, segmentation.topics)
    means = [_own_means(segmentation.memberships, regions, each) for each in (first, second)]
    # The larger of the two stands first.
    swap = np.array(means[0]) < np.array(means[1])
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    shares = np.sort(np.array(means).reshape(2, -1), axis=0)[::-1]
    sides = Ground.of(image).sides
    widths = _widths(regions, len(of_pair), mixed, segmentation.valid, sides or (1.0, 1.0))
    in_pixels = widths if sides is None else widths / np.sqrt(sides[0] * sides[1])
    columns = [
        Column("topic_1", "TEXT", [look.names[topic] for topic in first]),
        Column("topic_2", "TEXT", [look.names[topic] for topic in second]),
        Column("number_1", "INTEGER", (first + 1).tolist()),
        Column("number_2", "INTEGER", (second + 1).tolist()),
        Column("mean_width_m", "REAL", [None] * len(widths) if sides is None else widths.tolist()),
        Column("mean_width_pixels", "REAL", in_pixels.tolist()),
        Column("area_m2", "REAL", areas),
        Column("pixels", "INTEGER", pixels),
        Column("membership_1", "REAL", shares[0].tolist()),
        Column("membership_2", "REAL", shares[1].tolist()),
        Column("mixed_below", "REAL", [mixed_below] * len(widths)),
    ]
    return Layer(
        "transitions",
        image.georeference or NO_GEOREFERENCE,
        shapes,
        columns,
        f"zones where no topic reaches {mixed_below:.0%}",
        hatch_style(),
    )


def track_layer(recording: str, track: NDArray[np.float64], place: Georeference) -> Layer:
    """The way of the sonar (n, 2) in the coordinates of `place`, as one line."""
    return Layer(
        "track",
        place,
        [[track]],
        [Column("recording", "TEXT", [recording])],
        "the way of the sonar",
        lines=True,
    )


def _topic_columns(topics: NDArray[np.int64], look: SeabedLook) -> list[Column]:
    codes = [look.code(topic) for topic in topics]
    return [
        Column("topic", "TEXT", [look.names[topic] for topic in topics]),
        Column("number", "INTEGER", (topics + 1).tolist()),
        Column("colour", "TEXT", [look.colour(topic) for topic in topics]),
        Column("cmecs", "TEXT", [code.cmecs or None for code in codes]),
        Column("cmecs_name", "TEXT", [code.cmecs_name or None for code in codes]),
        Column("natsur", "TEXT", [code.natsur or None for code in codes]),
        Column("natsur_name", "TEXT", [code.natsur_name or None for code in codes]),
    ]


def _outlined(
    regions: NDArray[np.int32], count: int, image: Image
) -> tuple[list[Shape], list[float | None], list[int]]:
    """The polygons of numbered regions, their areas in square metres, and their pixels."""
    place, ground = image.georeference or NO_GEOREFERENCE, Ground.of(image)
    outlines = region_polygons(regions)
    shapes = [[transformed(ring, place) for ring in outlines[number]] for number in range(count)]
    pixels = np.bincount(regions[regions >= 0], minlength=count)
    return shapes, [ground.area(shape) for shape in shapes], pixels.tolist()


def _own_means(
    maps: NDArray[np.float32], regions: NDArray[np.int32], topics: NDArray[np.int64]
) -> list[float]:
    """The mean over each region of the map of its own topic."""
    means = np.zeros(len(topics))
    for topic in np.unique(topics):
        mine = topics == topic
        means[mine] = region_means(maps[topic], regions, len(topics))[mine]
    return [float(value) for value in means]


def _mixed_pairs(
    segmentation: Segmentation, mixed_below: float
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Where no membership reaches the limit, and the two largest there as first * K + second."""
    maps = np.nan_to_num(segmentation.memberships)
    two = np.sort(np.argpartition(maps, -2, axis=0)[-2:], axis=0)
    mixed = segmentation.valid & (maps.max(axis=0) < mixed_below)
    return mixed, (two[0] * segmentation.topics + two[1]).astype(np.int32)


def _widths(
    regions: NDArray[np.int32],
    count: int,
    mixed: NDArray[np.bool_],
    valid: NDArray[np.bool_],
    sides: tuple[float, float],
) -> NDArray[np.float64]:
    """The mean width of each zone across its middle line, in the unit of the pixels' sides.

    Where the map ends the zone may go on, so parts of the line that are nearest to that end
    count only where a zone has no others.
    """
    from scipy.ndimage import distance_transform_edt
    from skimage.morphology import skeletonize

    if not count:
        return np.zeros(0)
    zone = mixed | (regions >= 0)
    framed, known = np.pad(zone, 1), np.pad(valid, 1)
    distances, nearest = distance_transform_edt(framed, sampling=sides, return_indices=True)
    away, bounded = distances[1:-1, 1:-1], known[tuple(nearest)][1:-1, 1:-1]
    # From the middle of a zone to the first pixel beyond it: a quarter of a pixel too far on
    # average over zones of even and odd width.
    side = float(np.sqrt(sides[0] * sides[1]))
    across = np.maximum(2.0 * away - 0.5 * side, side)
    middle = skeletonize(zone)
    widths = np.zeros(count)
    for counted in (middle & bounded, middle, zone):
        found = region_means(across, np.where(counted, regions, np.int32(-1)), count)
        widths = np.where(widths > 0.0, widths, found)
    return widths
