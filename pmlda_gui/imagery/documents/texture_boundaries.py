"""Superpixels between texture boundaries (after Cobb and Zare, 2014).

A boundary runs where the textures on its two sides differ: the histograms of two
half-discs either side of a line are compared at several orientations.  Small regions
are flooded from quiet places until they meet there, and put together by normalised
cuts that run where the boundaries are strong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.documents.appearance import clipped_channels, masked_mean
from pmlda_gui.imagery.documents.grid import grid_labels
from pmlda_gui.imagery.documents.merging import borders
from pmlda_gui.imagery.documents.normalised_cuts import cut_pieces, piece_count
from pmlda_gui.imagery.documents.repair import Ground, repair
from pmlda_gui.imagery.image import Image

__all__ = ["boundary_strength", "half_disc_spans", "raise_strength", "texture_boundary_labels"]

ORIENTATIONS = 8
LEVELS = 12
# The half-discs' radius, as a share of a superpixel's side, and its limits in pixels.
RADIUS_SHARE = 0.4
RADIUS_LIMITS = (4, 12)
# How much a flooded pixel at one superpixel's side from its seed counts as boundary.
COMPACTNESS = 0.08


def half_disc_spans(radius: int, angle: float) -> NDArray[np.int64]:
    """The two half-discs either side of a line through the origin, row by row.

    (2, 2 radius + 1, 2): for each half and row (-radius..radius) the first and last
    column offset; last < first where a row is empty.  `angle` is that of the line
    in radians, from the columns' direction towards the rows'.  The line itself
    belongs to neither half.
    """
    rows, columns = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    disc = rows**2 + columns**2 <= (radius + 0.5) ** 2
    across = rows * np.cos(angle) - columns * np.sin(angle)
    spans = np.empty((2, 2 * radius + 1, 2), dtype=np.int64)
    for half, inside in enumerate((disc & (across > 0.5), disc & (across < -0.5))):
        for row in range(2 * radius + 1):
            offsets = np.flatnonzero(inside[row]) - radius
            spans[half, row] = (offsets[0], offsets[-1]) if offsets.size else (1, 0)
    return spans


@njit(nogil=True, cache=True)
def raise_strength(
    levels: NDArray[np.int8],
    level_count: int,
    spans: NDArray[np.int64],
    strength: NDArray[np.float32],
) -> None:
    """Raise `strength` (height, width) to the difference between the half-discs at each pixel.

    `levels` (textures, height, width) are quantised textures, -1 where masked; the
    difference is the chi-square distance of their histograms, from 0 to 1, averaged
    over the textures.  The half-discs slide along a row: what leaves is taken from
    the histograms and what enters is added.
    """
    textures, height, width = levels.shape
    reach = spans.shape[1] // 2
    # A half-disc that is mostly masked says nothing about a texture.
    fewest = 0.25 * np.maximum(0, spans[0, :, 1] - spans[0, :, 0] + 1).sum()
    counts = np.zeros((textures, 2, level_count))
    held = np.zeros(2)
    for row in range(height):
        counts[:] = 0.0
        held[:] = 0.0
        top, bottom = max(0, row - reach), min(height, row + reach + 1)
        for column in range(-reach, width):
            for half in range(2):
                for other in range(top, bottom):
                    first, last = spans[half, other - row + reach]
                    if last < first:
                        continue
                    entering = column + last
                    if 0 <= entering < width and levels[0, other, entering] >= 0:
                        held[half] += 1
                        for texture in range(textures):
                            counts[texture, half, levels[texture, other, entering]] += 1
                    leaving = column - 1 + first
                    if 0 <= leaving < width and levels[0, other, leaving] >= 0:
                        held[half] -= 1
                        for texture in range(textures):
                            counts[texture, half, levels[texture, other, leaving]] -= 1
            if column < 0 or levels[0, row, column] < 0 or min(held[0], held[1]) < fewest:
                continue
            difference = 0.0
            for texture in range(textures):
                for level in range(level_count):
                    one = counts[texture, 0, level] / held[0]
                    two = counts[texture, 1, level] / held[1]
                    if one + two > 0:
                        difference += (one - two) ** 2 / (one + two)
            difference /= 2 * textures
            if difference > strength[row, column]:
                strength[row, column] = difference


def _quantised(
    values: NDArray[np.float32], usable: NDArray[np.bool_], step: int
) -> NDArray[np.int8]:
    """Every `step`-th row and column as `LEVELS` equally frequent levels, -1 where masked."""
    inside = values[usable]
    limits = np.quantile(inside[:: max(1, inside.size // 250_000)], np.arange(1, LEVELS) / LEVELS)
    levels = np.searchsorted(limits, values[::step, ::step], side="right").astype(np.int8)
    levels[~usable[::step, ::step]] = -1
    return levels


def boundary_strength(
    image: Image, usable: NDArray[np.bool_], side: float, progress: Progress
) -> NDArray[np.float32]:
    """How much the textures on two sides of each pixel differ, (height, width), 0 to 1.

    `side` is that of a superpixel in pixels: it sets the size of the half-discs.
    Brightness (and colours) and contrast are the textures.
    """
    # Histograms need no neighbouring pixels: large half-discs look at every step-th.
    step = max(1, int(np.ceil(RADIUS_SHARE * side / RADIUS_LIMITS[1])))
    radius = int(np.clip(round(RADIUS_SHARE * side / step), *RADIUS_LIMITS))
    channels = clipped_channels(image, usable)
    smooth = [masked_mean(channel, usable, 1.0) for channel in channels]
    contrast = masked_mean((channels[0] - smooth[0]) ** 2, usable, 2.0)
    levels = np.stack([_quantised(values, usable, step) for values in (*smooth, contrast)])
    strength = np.zeros(levels.shape[1:], dtype=np.float32)
    for orientation in range(ORIENTATIONS):
        spans = half_disc_spans(radius, np.pi * orientation / ORIENTATIONS)
        raise_strength(levels, LEVELS, spans, strength)
        progress.report((orientation + 1) / ORIENTATIONS)
    height, width = usable.shape
    full = strength.repeat(step, axis=0).repeat(step, axis=1)[:height, :width]
    return masked_mean(full, usable, radius * step / 8)


def texture_boundary_labels(
    image: Image, ground: Ground, count: int, seed: int, progress: Progress
) -> NDArray[np.int32]:
    """A partition of the usable pixels into `count` regions between texture boundaries."""
    from skimage.segmentation import watershed

    side = float(np.sqrt(ground.area / min(count, ground.area)))
    strength = boundary_strength(image, ground.usable, side, progress.part(0.0, 0.5))
    cells = grid_labels(ground, piece_count(count), tolerance=0.0)
    seeds = _quiet_places(strength, cells)
    flooded = watershed(
        strength, seeds, connectivity=1, mask=ground.usable, compactness=COMPACTNESS / side
    )
    progress.report(0.6)
    pieces = flooded.astype(np.int32) - np.int32(1)
    touching = borders(pieces, strength)
    documents = cut_pieces(
        touching, touching.means**2, int(pieces.max()) + 1, count, seed, progress.part(0.6, 0.9)
    )
    return repair(np.where(pieces >= 0, documents[pieces], np.int32(-1)), ground, count)


def _quiet_places(strength: NDArray[np.float32], cells: NDArray[np.int32]) -> NDArray[np.int32]:
    """A map with the number d + 1 at the quietest pixel near the middle of each cell d."""
    rows, columns = np.nonzero(cells >= 0)
    cell = cells[rows, columns]
    sizes = np.bincount(cell)
    row_offset = rows - (np.bincount(cell, weights=rows) / sizes)[cell]
    column_offset = columns - (np.bincount(cell, weights=columns) / sizes)[cell]
    # Half a side from the middle is as bad as the strongest boundary there can be.
    unrest = strength[rows, columns] + 4 * (row_offset**2 + column_offset**2) / sizes[cell]
    order = np.lexsort((unrest, cell))
    quietest = order[np.concatenate([[0], np.cumsum(sizes)[:-1]])]
    seeds = np.zeros(cells.shape, dtype=np.int32)
    seeds[rows[quietest], columns[quietest]] = np.arange(1, sizes.size + 1)
    return seeds
