"""The label maps of a recipe whose documents come from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers import offered_documents, read_label_map
from pmlda_gui.workspace.choices import DOCUMENT_KINDS, LabelMaps
from pmlda_gui.workspace.recipe import Recipe

__all__ = ["label_maps_for"]


def label_maps_for(
    recipe: Recipe, images: Sequence[Image], progress: Progress = UNWATCHED
) -> LabelMaps:
    """The label map of each image, None for each unless the documents come from a file."""
    if recipe.documents.kind != "labels" or recipe.label_file is None:
        return (None,) * len(images)
    labels = _map_in(recipe.label_file, progress)
    for image in images:
        if labels.shape != image.shape:
            raise PmldaError(
                f"The label map in {recipe.label_file.name} has {labels.shape[1]} x "
                f"{labels.shape[0]} pixels, but {image.name} has {image.shape[1]} x "
                f"{image.shape[0]}: give one of its size."
            )
    return (labels,) * len(images)


def _map_in(path: Path, progress: Progress) -> NDArray[np.int32]:
    """The label map in a file: one beside an image, or the file itself."""
    if not path.is_file():
        raise PmldaError(
            f"The documents {str(path)!r} are neither one of {', '.join(DOCUMENT_KINDS)} nor a "
            "file: choose a kind, or a file with a label map."
        )
    offered = offered_documents(path, progress)
    return offered[0].labels if offered else read_label_map(path, progress=progress)
