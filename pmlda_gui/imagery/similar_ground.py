"""Averages features over the ground around a pixel that looks like it.

A feature is measured over a window, and what is left of speckle in it is most of the error of
a membership.  Farther words of the same seabed have other speckle, so their average is better;
those of another seabed must not enter it.  So every word within two windows counts by how
near it is and how much it looks like the one in the middle, in units of the noise.  Across a
border little is averaged, and along a gradual transition what lies on both sides evens out.

Features change slowly from pixel to pixel, so averages are taken on a grid that is counted
from the first pixel of the image: a tile gives the same as the whole image.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.imagery.features import Features, Standardisation
from pmlda_gui.imagery.map_averaging import average_planes, reach

__all__ = ["average_samples_alike", "averaged_alike", "averaging_reach", "grid_step"]

Planes = NDArray[np.float32]

# Lengths in windows: the Gaussian of distances, where it is cut off, and the blur of what
# words are compared by, which is less noisy than the words.
_NEAR, _FARTHEST, _COMPARED = 1.0, 2.0, 0.2
# Squared differences, in variances of the noise for each feature, at which a word counts
# exp(-1/2) as much.
_ALIKE = 16.0 / 7.0
# Samples to a window, and every how many of them are averaged in each direction.
_SAMPLES_PER_WINDOW, _EVERY = 10, 0.2


def grid_step(window: float) -> int:
    """Every how many rows and columns averages are taken, for windows of so many pixels."""
    step = max(1, int(window / _SAMPLES_PER_WINDOW))
    return step - (step + 1) % 2 if step > 1 else 1


def averaging_reach(window: float) -> int:
    """How many pixels away features still count, for windows of so many pixels."""
    step = grid_step(window)
    samples = math.ceil(_FARTHEST * window / step) + reach(_COMPARED * window / step) + 1
    return samples * step


def averaged_alike(
    features: Features,
    standardisation: Standardisation,
    valid: NDArray[np.bool_],
    window: float,
    origin: tuple[int, int] = (0, 0),
) -> Features:
    """Features (height, width, p) of every pixel, averaged over the ground that looks alike.

    `window` is that of the features in pixels of these arrays; `origin` is the row and column
    of their first pixel in the image.  What is not known to be noise is left as it is.
    """
    if standardisation.guide is None:
        return features
    step = grid_step(window)
    starts = np.array([(step // 2 - first) % step for first in origin])
    height, width = valid.shape
    if starts[0] >= height or starts[1] >= width:
        return features
    on_grid = (slice(starts[0], None, step), slice(starts[1], None, step))
    samples = average_samples_alike(
        features.values[on_grid], standardisation, valid[on_grid], window / step
    )
    values = samples
    if step > 1:
        # One layout, so that the kernel is compiled once.
        measured, known = np.ascontiguousarray(features.values), np.ascontiguousarray(valid)
        values = _enlarged(samples, measured, known, starts, step)
    return Features(values, features.names, features.units)


def average_samples_alike(
    values: NDArray[np.floating],
    standardisation: Standardisation,
    valid: NDArray[np.bool_],
    window: float,
    part: tuple[slice, slice] = np.s_[:, :],
) -> NDArray[np.float32]:
    """Averages of samples (height, width, p), NaN outside `valid`; `window` is in samples.

    Only those in `part`, without steps, are given.
    """
    assert standardisation.guide is not None
    limit = np.float32(standardisation.limit)
    centre, scale = standardisation.centre, standardisation.scale
    filled = np.where(valid[..., None], values, centre)
    plain = np.clip((filled - centre) / scale, -limit, limit).astype(np.float32)
    compared = plain @ standardisation.guide.astype(np.float32)
    planes, looks = (np.ascontiguousarray(each.transpose(2, 0, 1)) for each in (plain, compared))
    looks = np.nan_to_num(average_planes(looks, valid, _COMPARED * window))
    every = max(1, round(_EVERY * window))
    offsets, nearness = _offsets(window, every)
    width = 2.0 * _ALIKE * len(looks)
    known = valid.astype(np.float32)
    first_row, end_row, _ = part[0].indices(valid.shape[0])
    first_column, end_column, _ = part[1].indices(valid.shape[1])
    place = (first_row, end_row, first_column, end_column)
    found = _average_alike(planes, looks, known, offsets, nearness, np.float32(1.0 / width), place)
    back = (found.transpose(1, 2, 0) * scale + centre).astype(np.float32, order="C")
    back[~valid[part]] = np.nan
    return back


def _offsets(window: float, every: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows and columns (M, 2) of what is averaged, and how much it counts for being near (M)."""
    most = int(_FARTHEST * window) // every * every
    steps = np.arange(-most, most + 1, every)
    rows, columns = (each.ravel() for each in np.meshgrid(steps, steps, indexing="ij"))
    squared = rows**2 + columns**2
    near = squared <= (_FARTHEST * window) ** 2
    weights = np.exp(-0.5 * squared[near] / (_NEAR * window) ** 2)
    return np.stack([rows[near], columns[near]], axis=1), weights.astype(np.float32)


@kernel
def _average_alike(
    planes: Planes,
    looks: Planes,
    known: NDArray[np.float32],
    offsets: NDArray[np.int64],
    nearness: NDArray[np.float32],
    per_width: np.float32,
    place: tuple[int, int, int, int],
) -> Planes:
    """Planes (p, height, width) averaged over `offsets` (M, 2), by nearness and likeness.

    Only the part from the first row to before the second one, and so for columns, of `place`
    is given.  Likeness is (1 - d/4)^4, close to exp(-d), 0 from d = 4 on: no branches, no exp.
    """
    features, height, width = planes.shape
    first_row, end_row, first_column, end_column = place
    result = np.zeros((features, end_row - first_row, end_column - first_column), np.float32)
    totals = np.zeros(end_column - first_column, np.float32)
    away = np.empty(end_column - first_column, np.float32)
    quarter, one, nothing = np.float32(0.25), np.float32(1.0), np.float32(0.0)
    for row in range(first_row, end_row):
        for number in range(len(offsets)):
            down, across = offsets[number]
            other = row + down
            begin, end = max(-across, first_column), min(width - across, end_column)
            if other < 0 or other >= height or begin >= end:
                continue
            # Slices count from 0, which is what lets LLVM vectorise the loops.
            here, there = slice(begin, end), slice(begin + across, end + across)
            inside = slice(begin - first_column, end - first_column)
            weights = away[inside]
            weights[:] = nothing
            for q in range(features):
                theirs, own = looks[q, other, there], looks[q, row, here]
                for c in range(len(weights)):
                    difference = theirs[c] - own[c]
                    weights[c] += difference * difference
            near, lent, sums = nearness[number], known[other, there], totals[inside]
            for c in range(len(weights)):
                likeness = max(one - quarter * per_width * weights[c], nothing)
                likeness *= likeness
                weight = near * likeness * likeness * lent[c]
                weights[c] = weight
                sums[c] += weight
            for q in range(features):
                averages, values = result[q, row - first_row, inside], planes[q, other, there]
                for c in range(len(weights)):
                    averages[c] += weights[c] * values[c]
        for c in range(end_column - first_column):
            for q in range(features):
                result[q, row - first_row, c] = (
                    result[q, row - first_row, c] / totals[c]
                    if totals[c] > nothing
                    else planes[q, row, first_column + c]
                )
            totals[c] = nothing
    return result


@kernel
def _enlarged(
    samples: NDArray[np.float32],
    measured: NDArray[np.float32],
    valid: NDArray[np.bool_],
    starts: NDArray[np.int64],
    step: int,
) -> NDArray[np.float32]:
    """Every valid pixel (height, width, p) between the four samples around it that are known.

    One without any keeps what was measured.
    """
    height, width = valid.shape
    rows, columns, features = samples.shape
    result = np.full((height, width, features), np.nan, np.float32)
    for row in range(height):
        down = (row - starts[0]) / step
        top = int(np.floor(down))
        for column in range(width):
            if not valid[row, column]:
                continue
            across = (column - starts[1]) / step
            left = int(np.floor(across))
            total = 0.0
            result[row, column] = np.float32(0.0)
            for r in (top, top + 1):
                for c in (left, left + 1):
                    weight = (1.0 - abs(down - r)) * (1.0 - abs(across - c))
                    near_row, near_column = min(max(r, 0), rows - 1), min(max(c, 0), columns - 1)
                    if weight <= 0.0 or np.isnan(samples[near_row, near_column, 0]):
                        continue
                    total += weight
                    for q in range(features):
                        result[row, column, q] += weight * samples[near_row, near_column, q]
            if total > 0.0:
                for q in range(features):
                    result[row, column, q] /= total
            else:
                for q in range(features):
                    result[row, column, q] = measured[row, column, q]
    return result
