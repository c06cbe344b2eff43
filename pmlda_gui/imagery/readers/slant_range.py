"""The slant range of every ping, corrected where implausible, on one grid.

Operators change the range while recording, and some recorders write none.  The
grid has the spacing of the typical ping; other pings are averaged or stretched
onto it, so that a column of the picture is one range throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.readers.recording_index import (
    ChannelDescription,
    RecordingIndex,
    sample_counts,
)

__all__ = ["RangeGrid", "range_grid"]

LARGEST_RANGE = 5000.0
# A range this many times the typical one, or that fraction of it, is a damaged header.
LARGEST_RANGE_RATIO = 20.0
DEFAULT_SOUND_VELOCITY = 1500.0
SOUND_VELOCITIES = (1350.0, 1700.0)
# Recorders recompute the range with each sound velocity; so small a change is none.
SAME_SPACING = 0.005


@dataclass(frozen=True, eq=False)
class RangeGrid:
    """`samples` cells of slant range, `spacing` metres each (None if unknown).

    `ranges` (metres, NaN if unknown) and `cells_per_sample` have one entry for each
    of the index's shares.
    """

    samples: int
    spacing: float | None
    ranges: NDArray[np.float64]
    cells_per_sample: NDArray[np.float64]
    notes: tuple[str, ...]

    def resampled(self, near_first: NDArray[np.float64], place: int) -> NDArray[np.float64]:
        """The samples of share `place` on the grid: the mean over each cell they cover."""
        scale = float(self.cells_per_sample[place])
        if scale == 1.0:
            return near_first[: self.samples]
        cells = min(round(len(near_first) * scale), self.samples)
        edges = np.minimum(np.arange(cells + 1) / scale, len(near_first))
        sums = np.concatenate([[0.0], np.cumsum(near_first)])
        covered = np.interp(edges, np.arange(len(sums)), sums)
        return np.asarray(np.diff(covered) / np.diff(edges))


def range_grid(index: RecordingIndex, channels: Sequence[ChannelDescription]) -> RangeGrid:
    """The grid that the typical ping of these channels lies on."""
    notes: list[str] = []
    counts = sample_counts(index)
    shown = np.isin(index.shares["channel"], [channel.number for channel in channels]) & (
        counts > 0
    )
    ranges = _ranges(index, notes)
    if not shown.any():
        return RangeGrid(0, None, ranges, np.ones(len(ranges)), tuple(notes))
    if np.isnan(ranges).all():
        notes.append("No slant range is recorded, so the size of a pixel is unknown.")
        samples = int(counts[shown].max())
        return RangeGrid(samples, None, ranges, np.ones(len(ranges)), tuple(notes))
    spacings = ranges / np.maximum(counts, 1)
    spacing = float(np.median(spacings[shown]))
    scale = spacings / spacing
    scale[np.abs(scale - 1.0) < SAME_SPACING] = 1.0
    samples = max(1, int(np.rint(counts * scale)[shown].max()))
    if (scale[shown] != 1.0).any():
        nearest, farthest = ranges[shown].min(), ranges[shown].max()
        notes.append(
            f"The range or sampling changes within the file ({nearest:.4g} to {farthest:.4g} m); "
            f"all pings are shown at {spacing:.3g} m a pixel."
        )
    return RangeGrid(samples, spacing, ranges, scale, tuple(notes))


def _ranges(index: RecordingIndex, notes: list[str]) -> NDArray[np.float64]:
    """Slant range of each share in metres; absurd ones take the typical one's value."""
    with np.errstate(all="ignore"):
        stated = index.shares["slant_range"].astype(np.float64)
        stated[~((stated > 0) & (stated <= LARGEST_RANGE))] = np.nan
        if np.isnan(stated).all():
            stated = index.shares["duration"].astype(np.float64) * _one_way_velocity(index, notes)
            stated[~((stated > 0) & (stated <= LARGEST_RANGE))] = np.nan
            if not np.isnan(stated).all():
                notes.append("No slant range is recorded; it was computed from the ping's time.")
        if np.isnan(stated).all():
            return stated
        typical = float(np.nanmedian(stated))
        absurd = ~(
            (stated <= typical * LARGEST_RANGE_RATIO) & (stated >= typical / LARGEST_RANGE_RATIO)
        )
    if absurd.any():
        stated[absurd] = typical
        notes.append(
            f"The slant range of {absurd.sum()} of {len(stated)} channel headers is zero or "
            f"absurd; {typical:.4g} m was taken."
        )
    return stated


def _one_way_velocity(index: RecordingIndex, notes: list[str]) -> NDArray[np.float64]:
    """Metres of range per second of listening for each share: half the speed of sound."""
    velocity = index.pings["sound_velocity"].astype(np.float64)
    # Most recorders write the halved velocity, some the full one.
    halved = (velocity >= SOUND_VELOCITIES[0] / 2) & (velocity <= SOUND_VELOCITIES[1] / 2)
    velocity[halved] *= 2
    absurd = ~((velocity >= SOUND_VELOCITIES[0]) & (velocity <= SOUND_VELOCITIES[1]))
    if absurd.any():
        velocity[absurd] = DEFAULT_SOUND_VELOCITY
        notes.append(
            f"The sound velocity of {absurd.sum()} of {len(absurd)} pings is zero or absurd; "
            f"{DEFAULT_SOUND_VELOCITY:.0f} m/s was taken."
        )
    return velocity[index.share_ping] / 2
