"""Renders the words in the plane of two features as a picture.

Thousands of separate points would cost the window tens of milliseconds a frame;
counted into cells and coloured by mean membership they cost nothing there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.gui.frame import ScatterPicture
from pmlda_gui.gui.view_request import ShownTopic

if TYPE_CHECKING:
    from pmlda_gui.core.state import Estimate
    from pmlda_gui.workspace.run import Run

__all__ = ["scatter_picture"]

_SIDE = 96
_MOST_WORDS = 20_000
# What lies outside these percentiles of a feature is not looked at.
_SHOWN_PERCENTILES = (0.5, 99.5)
_MARGIN = 0.08
_FAINTEST = 70


def scatter_picture(
    run: Run, estimate: Estimate, topics: tuple[ShownTopic, ...], features: tuple[int, int]
) -> ScatterPicture:
    """Count the words into cells and colour each cell by the mean membership of its words."""
    corpus, standardisation = run.corpus, run.prepared.standardisation
    chosen = np.arange(0, corpus.size, max(1, corpus.size // _MOST_WORDS))
    words = standardisation.invert(corpus.columns[:, chosen].T)[:, list(features)]
    means = standardisation.invert(estimate.means)[:, list(features)]
    extents = [_extent(words[:, axis], means[:, axis]) for axis in (0, 1)]
    cells = [
        np.clip((words[:, axis] - low) / size * _SIDE, 0, _SIDE - 1).astype(np.int64)
        for axis, (low, size) in enumerate(extents)
    ]
    inside = np.ones(len(words), np.bool_)
    for axis, (low, size) in enumerate(extents):
        inside &= (words[:, axis] >= low) & (words[:, axis] <= low + size)
    cell = (cells[1] * _SIDE + cells[0])[inside]
    memberships = estimate.memberships[chosen][inside]
    picture = _coloured(cell, memberships, topics)
    (left, width), (bottom, height) = extents
    shown = np.array([means[list(topic.members)].mean(axis=0) for topic in topics])
    return ScatterPicture(features, picture, (left, bottom, width, height), shown, topics)


def _extent(values: NDArray[np.float64], means: NDArray[np.float64]) -> tuple[float, float]:
    """Where an axis begins and how long it is: nearly all words and every mean."""
    low, high = np.percentile(values, _SHOWN_PERCENTILES)
    low, high = min(float(low), float(means.min())), max(float(high), float(means.max()))
    margin = max((high - low) * _MARGIN, 1e-9 * max(abs(low), abs(high), 1.0))
    return low - margin, high - low + 2 * margin


def _coloured(
    cell: NDArray[np.int64], memberships: NDArray[np.float32], topics: tuple[ShownTopic, ...]
) -> NDArray[np.uint8]:
    count = np.bincount(cell, minlength=_SIDE * _SIDE).astype(np.float64)
    mixed = np.zeros((_SIDE * _SIDE, 3))
    for topic in topics:
        share = memberships[:, list(topic.members)].sum(axis=1)
        weight = np.bincount(cell, weights=share, minlength=_SIDE * _SIDE)
        mixed += weight[:, None] * np.array(topic.colour, np.float64)
    picture = np.zeros((_SIDE * _SIDE, 4), np.uint8)
    filled = count > 0
    picture[filled, :3] = np.clip(mixed[filled] / count[filled, None], 0, 255)
    # Density shows as opacity; the logarithm keeps thin tails visible.
    depth = np.log1p(count[filled]) / np.log1p(max(count.max(), 1.0))
    picture[filled, 3] = _FAINTEST + (255 - _FAINTEST) * depth
    picture.setflags(write=False)
    return picture.reshape(_SIDE, _SIDE, 4)
