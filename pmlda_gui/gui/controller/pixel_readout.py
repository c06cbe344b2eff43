"""The text and values of the read-out for a pixel."""

from __future__ import annotations

import math

from pmlda_gui.gui.frame import LEVELS, UNCERTAINTY_RANGE, Snapshot
from pmlda_gui.gui.views.readout import Bar, Reading
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.place_text import place_in_words

__all__ = ["read_pixel"]


def read_pixel(
    image: Image, snapshot: Snapshot | None, position: tuple[float, float]
) -> Reading | None:
    """A reading at (column, row) of pixel corners, None outside the image."""
    column, row = math.floor(position[0]), math.floor(position[1])
    height, width = image.shape
    if not (0 <= column < width and 0 <= row < height):
        return None
    lines = [
        f"column {column}, row {row}",
        *place_in_words(image, *position),
        _value(image, row, column),
    ]
    if snapshot is None or snapshot.pictures.labels.shape != image.shape:
        return Reading(tuple(lines))
    levels = snapshot.pictures.maps[:, row, column]
    if levels.min() == 0:
        return Reading(tuple(lines))
    lines += _uncertainty(snapshot, row, column)
    documents = snapshot.prepared.documents[snapshot.image]
    document = int(documents.labels[row, column]) if documents.is_partition else -1
    known = 0 <= document < len(snapshot.scaling)
    bars = tuple(
        Bar(
            topic.name,
            topic.colour,
            (int(level) - 1) / (LEVELS - 1),
            float(snapshot.proportions[document, number]) if known else None,
        )
        for number, (topic, level) in enumerate(zip(snapshot.topics, levels, strict=True))
    )
    return Reading(tuple(lines), bars, float(snapshot.scaling[document]) if known else None)


def _uncertainty(snapshot: Snapshot, row: int, column: int) -> list[str]:
    """How uncertain the memberships are, a line if there is anything to say."""
    levels = snapshot.pictures.uncertainty
    if levels is None:
        return []
    if not snapshot.deviation_known:
        return ["uncertainty not known yet"]
    level = int(levels[row, column])
    most = f"{UNCERTAINTY_RANGE:g} or more"
    value = UNCERTAINTY_RANGE * (level - 1) / (LEVELS - 1)
    return [f"uncertainty ± {most if level == LEVELS else f'{value:.2f}'}"]


def _value(image: Image, row: int, column: int) -> str:
    if not image.valid[row, column]:
        return "no data"
    if image.is_colour:
        return "value " + ", ".join(f"{part:.4g}" for part in image.pixels[row, column])
    return f"value {float(image.pixels[row, column]):.4g}"
