"""The cores of the regions of an image: the purest part of each kind of seabed.

Words are grouped by fuzzy c-means, the groups' map is blurred into regions, and the pixels
deepest inside each region are its core.  The mean of a core says where a topic is to be
expected, neither pushed out by noise nor pulled in by transitions; how words scatter about
it says what varies within a kind of seabed, in which direction, and is no change of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.initial_state import group_words

__all__ = ["RegionCores", "find_cores"]

Array = NDArray[np.float64]
# The blur of the groups' map in pixels, and the deepest part of a region that is its core.
_BLUR, _SHARE = 10.0, 0.6
_LEAST_REGION = 20


class RegionCores(NamedTuple):
    """`means` (K, p) of the cores, and the mean `scatter` (p, p) of words within them."""

    means: Array
    scatter: Array


def find_cores(
    words: Sequence[NDArray[np.floating]],
    valid: Sequence[NDArray[np.bool_]],
    topics: int,
    step: int,
    seed: int,
) -> RegionCores:
    """Cores of images whose words (height, width, p) are those of every `step`-th pixel."""
    together = np.concatenate([each[mask] for each, mask in zip(words, valid, strict=True)])
    together = together.astype(np.float64)
    means = group_words(together, topics, seed)
    found = [
        _depths(each, mask, means, _BLUR / step) for each, mask in zip(words, valid, strict=True)
    ]
    region = np.concatenate([each[0] for each in found])
    depth = np.concatenate([each[1] for each in found])
    centres, scatters = [], []
    for topic in range(topics):
        mine = np.flatnonzero(region == topic)
        if len(mine) < _LEAST_REGION:
            # No region of its own: the words nearest to the group's mean stand for it.
            away = np.sum((together - means[topic]) ** 2, axis=1)
            mine = np.argsort(away, kind="stable")[:_LEAST_REGION]
        core = together[mine[depth[mine] >= np.quantile(depth[mine], 1.0 - _SHARE)]]
        centres.append(core.mean(axis=0))
        scatters.append(np.atleast_2d(np.cov(core.T, bias=True)))
    return RegionCores(np.array(centres), np.mean(scatters, axis=0))


def _depths(
    words: NDArray[np.floating], valid: NDArray[np.bool_], means: Array, blur: float
) -> tuple[NDArray[np.int64], Array]:
    """The region of each valid pixel, and how far it lies from the region's border."""
    from scipy.ndimage import distance_transform_edt, gaussian_filter

    nearest = np.full(valid.shape, -1)
    distances = [np.sum((words[valid] - mean) ** 2, axis=1) for mean in means]
    nearest[valid] = np.argmin(distances, axis=0)
    shares = np.stack(
        [
            gaussian_filter((nearest == topic).astype(np.float64), blur)
            for topic in range(len(means))
        ]
    )
    region = np.where(valid, shares.argmax(axis=0), -1)
    depth = np.zeros(valid.shape)
    for topic in range(len(means)):
        mine = region == topic
        # The edge of the image is a border too: what lies beyond is not known.
        depth[mine] = distance_transform_edt(np.pad(mine, 1))[1:-1, 1:-1][mine]
    return region[valid], depth[valid]
