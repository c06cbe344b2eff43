"""Documents from a label map that the operator supplies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pmlda_gui.core.errors import PmldaError

__all__ = ["imported_labels"]


def imported_labels(labels: ArrayLike | None, shape: tuple[int, int]) -> NDArray[np.int32]:
    """The map (height, width) with its labels numbered from 0 and -1 for no document.

    Any whole numbers will do as labels, 0 among them; negative numbers and NaN mean
    that a pixel belongs to no document.
    """
    if labels is None:
        raise PmldaError("Documents of kind labels need a label map; open one first.")
    values = np.asarray(labels)
    if values.shape != shape:
        raise PmldaError(
            f"The label map has shape {values.shape}, but the image has {shape}; "
            "it must have one label for each pixel."
        )
    if values.dtype.kind not in "buif":
        raise PmldaError(
            f"The label map holds values of type {values.dtype}; labels must be whole numbers."
        )
    if np.isinf(values).any():
        raise PmldaError(
            "The label map holds infinite values; labels must be whole numbers, "
            "and NaN or -1 where there is none."
        )
    labelled = values >= 0
    if not np.array_equal(values[labelled], np.floor(values[labelled])):
        raise PmldaError(
            "The label map holds fractions; labels must be whole numbers, "
            "so bring the map itself rather than a picture of it."
        )
    numbered = np.full(shape, -1, dtype=np.int32)
    numbered[labelled] = np.unique(values[labelled], return_inverse=True)[1]
    return numbered
