"""What a gain table leaves in one recording although it is the sonar's.

What still varies across the track on both sides alike, for long, comes from the sonar (its
pitch, say): seabeds seldom lie as in a mirror.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.gain_cells import BLOCK_ROWS, cell_medians
from pmlda_gui.imagery.gain_fit import shared_part
from pmlda_gui.imagery.swath import RecordedSwath

__all__ = ["MirroredPart"]

Array = NDArray[np.float64]

# Places across the track are steps of arsinh(distance / altitude).
PLACE_STEP = 0.1
PLACES = 80
SMOOTH_PLACES = 1.0
# What both sides share must last for so many blocks before and behind.
BLOCKS_AROUND = 6
SMOOTH_BLOCKS = 1.5


class MirroredPart:
    """What both sides of an evened picture share across the track, for long."""

    def __init__(self, pixels: NDArray[np.float32], valid: NDArray[np.bool_], swath: RecordedSwath):
        self._swath = swath
        profiles = [self._profiles(pixels, valid, columns) for _, columns in swath.sides()]
        if len(profiles) < 2:
            self._shared = np.zeros((1, PLACES))
            return
        self._shared = _lasting_part(*profiles)

    def at(self, columns: slice, rows: slice) -> Array:
        """Its ln amplitude in pixels."""
        from scipy.ndimage import map_coordinates

        place = self._places(columns, rows)
        numbers = np.arange(*rows.indices(len(self._swath.heights)))
        block = np.broadcast_to(((numbers + 0.5) / BLOCK_ROWS - 0.5)[:, np.newaxis], place.shape)
        return np.asarray(
            map_coordinates(self._shared, [block, place - 0.5], order=1, mode="nearest")
        )

    def _places(self, columns: slice, rows: slice) -> Array:
        ranges, angles = self._swath.ranges_and_angles(columns, rows)
        known = np.isfinite(angles) & (angles > 0)
        ground = 1.0 / np.tan(np.where(known, angles, np.pi / 4))
        place = np.where(known, np.arcsinh(ground), np.arcsinh(ranges / 5.0)) / PLACE_STEP
        return np.asarray(np.clip(place, 0.0, PLACES - 1e-6))

    def _profiles(
        self, pixels: NDArray[np.float32], valid: NDArray[np.bool_], columns: slice
    ) -> Array:
        """Medians of ln amplitude (blocks, PLACES) around each block's mean, NaN if unknown."""
        blocks = -(-len(pixels) // BLOCK_ROWS)
        found = np.full((blocks, PLACES), np.nan)
        for number in range(blocks):
            rows = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
            part = pixels[rows, columns]
            seen = valid[rows, columns] & (part > 0)
            cell = self._places(columns, rows)[seen].astype(np.int64)
            cells, medians, _, counts = cell_medians(cell, np.log(part[seen].astype(np.float64)))
            if len(cells):
                found[number, cells] = medians - np.average(medians, weights=np.sqrt(counts))
        return found


def _lasting_part(port: Array, starboard: Array) -> Array:
    """What both have in common for long, smoothed."""
    from scipy.ndimage import gaussian_filter1d

    lasting = [_running_median(each) for each in (port, starboard)]
    along = gaussian_filter1d(shared_part(*lasting), SMOOTH_BLOCKS, axis=0, mode="nearest")
    return np.asarray(gaussian_filter1d(along, SMOOTH_PLACES, axis=1, mode="nearest"))


def _running_median(profiles: Array) -> Array:
    """Medians over the blocks around each block, NaN where none is known."""
    found = np.full(profiles.shape, np.nan)
    for number in range(len(profiles)):
        around = profiles[max(0, number - BLOCKS_AROUND) : number + BLOCKS_AROUND + 1]
        known = np.isfinite(around).any(axis=0)
        if known.any():
            found[number, known] = np.nanmedian(around[:, known], axis=0)
    return found
