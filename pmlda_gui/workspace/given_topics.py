"""Checks that images fit given topics and are measured in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.features import Levels, intensity_ranges
from pmlda_gui.imagery.image import Image

# Choices are needed before the window is painted, and the compiler takes half a second to load.
if TYPE_CHECKING:
    from pmlda_gui.workspace.topic_set import TopicSet

__all__ = ["levels_for", "notes_on_sizes", "require_same_features"]


def levels_for(images: Sequence[Image], given: TopicSet | None) -> Levels:
    """Lowest and highest intensity by band: those of the images, or of the topics given."""
    if given is None:
        return intensity_ranges(list(images))
    if any(image.band_count != len(given.levels) for image in images):
        raise PmldaError(
            f"The topics were found in {len(given.levels)} bands, but these images have "
            f"{images[0].band_count}: open the same bands."
        )
    return given.levels


def require_same_features(given: TopicSet, names: Sequence[str]) -> None:
    """Refuse images whose features are not those of the topics they are to be segmented with."""
    if tuple(names) != given.feature_names:
        raise PmldaError(
            f"The topics were found with the features {', '.join(given.feature_names)}, but these "
            f"images give {', '.join(names)}: open images of the same kind and bands."
        )


def notes_on_sizes(images: Sequence[Image], given: TopicSet) -> list[str]:
    """Sentences about images whose pixels are larger or smaller than those of the topics."""
    return [
        f"{image.name} has pixels of {image.pixel_size:g} m, but the topics were found in pixels "
        f"of {given.pixel_size:g} m: the same seabed looks different."
        for image in images
        if image.pixel_size
        and given.pixel_size
        and not 0.8 < image.pixel_size / given.pixel_size < 1.25
    ]
