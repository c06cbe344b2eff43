"""The pictures that plates are made of: images with outlines, membership maps, labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.display import colour_table, to_rgb
from pmlda_gui.imagery.documents import Documents
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.rendering import composite, label_picture, membership_picture, outlined
from pmlda_gui.imagery.segmentation import Segmentation
from pmlda_gui.imagery.topic_palette import topic_colours
from pmlda_gui.workspace.export.plates import MISSING, OUTLINE

__all__ = ["PANEL_WIDTH", "crisp", "image_panel", "maps", "mixed", "panel_size"]

Pixels = NDArray[np.uint8]
PANEL_WIDTH = 190
_OUTLINE_COVER = 0.75
_TALLEST, _FLATTEST = 1.3, 0.2


def image_panel(image: Image, documents: Documents | None = None) -> Pixels:
    """The image in grey, with the outlines of its documents."""
    picture = to_rgb(image)
    picture[~image.valid] = MISSING
    if documents is None:
        return picture
    return outlined(picture, _OUTLINE_COVER * documents.outlines(), OUTLINE)


def maps(memberships: NDArray[np.floating]) -> list[Pixels]:
    """One picture for each topic of (K, height, width)."""
    table = colour_table("cividis")
    return [membership_picture(each, table, MISSING) for each in memberships]


def mixed(memberships: NDArray[np.floating], colours: Pixels | None = None) -> Pixels:
    """All topics (K, height, width) in their `colours` (K, 3), by default the usual ones."""
    shown = topic_colours(len(memberships)) if colours is None else colours
    return composite(memberships, shown, MISSING)


def crisp(segmentation: Segmentation, colours: Pixels | None = None) -> Pixels:
    """The labels in the topics' `colours` (K, 3), by default the usual ones."""
    shown = topic_colours(segmentation.topics) if colours is None else colours
    return label_picture(segmentation.labels, shown, MISSING)


def panel_size(images: list[Image], width: int = PANEL_WIDTH) -> tuple[int, int]:
    """Width and height in pixels of the panels that show these images."""
    aspect = max(image.shape[0] / image.shape[1] for image in images)
    return width, round(width * min(max(aspect, _FLATTEST), _TALLEST))
