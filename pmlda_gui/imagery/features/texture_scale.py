"""How fine the texture of an image is, which decides the wavelengths to measure.

Seabeds differ in how strong waves of some length are.  A short filter says more
exactly where one seabed ends than a long one, so short ones are to be preferred
where seabeds differ in short waves nearly as much as in long ones: in imagery of
coarse resolution, say.  In most sonar imagery short waves are speckle, which is
alike everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled
from pmlda_gui.imagery.features.feature_input import FeatureSource, middle_part
from pmlda_gui.imagery.features.gabor import gabor_responses
from pmlda_gui.imagery.image import Image

__all__ = ["MOST_PIXELS", "is_fine_grained"]

# A short wave and the long ones it is compared with, in pixels.
_WAVELENGTHS = (6.0, 12.0, 17.0, 24.0, 34.0, 48.0)
_WINDOW = 5
# The side of the cells whose mean strengths are compared, in pixels.
_CELL = 32
# Fewer cells than these do not tell; a seabed or two decide there by chance.
_FEWEST_CELLS = 100
# Short waves must vary at least this much of what the most varied long ones do.
# Made scenes and SAS images have up to 0.6, scenes reduced 2.4 times mostly 0.7 to 1.3.
_SHARE = 0.65
MOST_PIXELS = 1 << 18
"""Of a larger image the middle is looked at."""


def is_fine_grained(images: Sequence[Image], cancel: Callable[[], bool] | None = None) -> bool:
    """Whether the seabeds of these images differ in short waves nearly as much as in long.

    Once `cancel` answers True it ends in `Cancelled`.
    """
    cells = []
    for image in images:
        if cancel is not None and cancel():
            raise Cancelled("Looking at the texture was stopped; open the images again.")
        cells.append(_cell_strengths(middle_part(image, MOST_PIXELS)))
    strengths = np.concatenate(cells) if cells else np.empty((0, len(_WAVELENGTHS)))
    strengths = strengths[(strengths > 0.0).all(axis=1)]
    if len(strengths) < _FEWEST_CELLS:
        return False
    short, *long = np.log(strengths).std(axis=0)
    return bool(short >= _SHARE * max(long) > 0.0)


def _cell_strengths(image: Image) -> NDArray[np.float64]:
    """Mean strength of each wavelength in each cell that is at least half valid, (cells, 6)."""
    if not np.isfinite(image.pixels[image.valid]).all():
        return np.empty((0, len(_WAVELENGTHS)))
    source = FeatureSource(image, _WINDOW, (0.0, 1.0))
    energies = np.maximum(gabor_responses(source, _WAVELENGTHS).energies, 0.0)
    rows, columns = np.nonzero(image.valid)
    across = image.shape[1] // _CELL + 1
    numbers = (rows // _CELL) * across + columns // _CELL
    _, group, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    sums = [np.bincount(group, np.sqrt(each[image.valid])) for each in energies]
    means: NDArray[np.float64] = np.stack(sums, axis=1) / counts[:, None]
    return means[counts >= _CELL * _CELL // 2]
