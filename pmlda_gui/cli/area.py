"""The area of interest of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pmlda_gui.core.errors import PmldaError

if TYPE_CHECKING:
    from pmlda_gui.imagery.image import Image

__all__ = ["within"]


def within(images: Sequence[Image], path: Path, refused: list[PmldaError]) -> tuple[Image, ...]:
    """The images masked to the polygons of a file; those that lie outside are `refused`."""
    from pmlda_gui.imagery.areas import masked_to, read_areas
    from pmlda_gui.imagery.readers import require_opened

    areas = read_areas(path)
    kept: list[Image] = []
    for image in images:
        try:
            kept.append(masked_to(image, areas))
        except PmldaError as error:
            refused.append(error)
    require_opened(kept, refused)
    return tuple(kept)
