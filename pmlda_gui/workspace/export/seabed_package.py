"""The GeoPackage of one image: topics, transitions and documents, styled for QGIS."""

from __future__ import annotations

from collections.abc import Sequence

from pmlda_gui.imagery.geometry.outlines import track_line
from pmlda_gui.imagery.image import Georeference, Image
from pmlda_gui.workspace.export.document_layer import document_layer
from pmlda_gui.workspace.export.geopackage import Layer, geopackage
from pmlda_gui.workspace.export.result import ImageResult, Result
from pmlda_gui.workspace.export.seabed_layers import (
    LEAST_PIXELS,
    MIXED_BELOW,
    SeabedLook,
    topic_layer,
    track_layer,
    transition_layer,
)

__all__ = ["least_pixels", "recording_track", "seabed_package"]


def seabed_package(
    each: ImageResult,
    look: SeabedLook,
    least: int = LEAST_PIXELS,
    mixed_below: float = MIXED_BELOW,
    further: Sequence[Layer] = (),
) -> bytes:
    """The content of the file; `further` are layers besides, such as the track of a recording.

    Of an image too large to hold in full, polygons are those of its reduced maps.
    """
    shown, found = each.shown, each.segmentation
    layers = [
        topic_layer(shown, found, look, least),
        transition_layer(shown, found, look, mixed_below, least),
    ]
    if found.documents is not None:
        layers.append(document_layer(shown, found, look.names))
    return geopackage([*layers, *further])


def least_pixels(result: Result, each: ImageResult) -> int:
    """The smallest region that features can tell: a square of half their window."""
    window = result.window
    if window is None:
        return LEAST_PIXELS
    return max(LEAST_PIXELS, round((0.5 * window / each.reduction) ** 2))


def recording_track(image: Image) -> list[Layer]:
    """The layer of the sonar's way, none for what is no recording with a place on Earth."""
    geometry = None if image.swath is None else image.swath.geometry
    if geometry is None or len(geometry) < 2:
        return []
    # Points are on the map already, so they are not transformed.
    place = Georeference(geometry.crs, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    return [track_layer(image.name, track_line(geometry), place)]
