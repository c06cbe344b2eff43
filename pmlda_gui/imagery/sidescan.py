"""Side-scan geometry on plain arrays: first return, water column, slant and ground range.

A swath is one side of the track as (pings, samples), nearest sample first, with
its mask.  All distances here are in samples, so nothing depends on whether a
recording knows its range in metres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import njit

__all__ = [
    "BottomTrack",
    "Swath",
    "averaged_pings",
    "first_return",
    "to_cells",
    "to_ground_range",
    "track_bottom",
    "without_water_column",
]

TRACKING_BINS = 512
SMOOTHING_PINGS = 5
MEDIAN_PINGS = 7
# The part of the range that should look like bottom behind a first return, and like
# water before it.
BOTTOM_SHARE = 0.06
# The path may move this many bins a ping; each costs as much as so many bins that
# look wrong.
LARGEST_STEP = 4
STEP_COST = 3.0
# The transmitted pulse rings in the first samples.
PULSE_SHARE = 0.01
FAINTEST_BOTTOM = 0.25  # of the way from the level of water to that of bottom
LEAST_CONTRAST = 0.8  # of the logarithm of amplitude, between water and bottom
# A ping is followed with confidence where so much of what could speak for the bottom does.
CONFIDENT = 0.4
CONFIDENT_PINGS = 0.8
# The first return is known to a sample and a half, or to this share of the height.
NADIR_MARGIN = 1.5
NADIR_SHARE = 0.03
# Right below the sonar one sample covers much ground.  Cells are left out where it covers
# more than so many of them: what they would show is the same sample again and again.
MOST_CELLS_A_SAMPLE = 1.5
LEAST_STRETCH = 3.0  # but not where it covers fewer samples than so many
# A strip of no more cells a side than this is filled all the same, with what lies beside it:
# it is too narrow to be told by features, and without it the two sides would be strangers.
NARROW_STRIP = 6


@dataclass(frozen=True, eq=False)
class Swath:
    """One side of the track, (pings, samples), nearest sample first."""

    values: NDArray[np.float32]
    valid: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BottomTrack:
    """The sample of each ping at which the bottom first answers, and how clearly, 0 to 1."""

    samples: NDArray[np.float64]
    confidence: NDArray[np.float64]

    @property
    def is_confident(self) -> bool:
        """Whether nearly all pings show where their water ends."""
        return bool((self.confidence >= CONFIDENT).mean() >= CONFIDENT_PINGS)


def first_return(swaths: Sequence[Swath]) -> NDArray[np.float64] | None:
    """The sample of each ping, (pings,), at which the bottom first answers; see `track_bottom`."""
    track = track_bottom(swaths)
    return None if track is None else track.samples


def track_bottom(swaths: Sequence[Swath]) -> BottomTrack | None:
    """Follow the first return of the bottom through all pings.

    The bottom is where amplitudes turn from mostly dark to mostly bright.  Both
    sides look at the same height, so their evidence is added, and the path through
    all pings that collects most of it while moving little is found exactly.  None
    if water and bottom cannot be told apart.
    """
    from scipy.ndimage import gaussian_filter1d, median_filter

    samples = swaths[0].values.shape[1]
    bin_samples = -(-samples // TRACKING_BINS)
    evidence = _bottom_evidence(swaths, bin_samples)
    if evidence is None:
        return None
    path = _best_path(evidence, LARGEST_STEP, STEP_COST)
    window = max(4, round(BOTTOM_SHARE * evidence.shape[1]))
    found = evidence[np.arange(len(path)), path] / (2 * window * len(swaths))
    confidence = np.clip(median_filter(found, size=MEDIAN_PINGS, mode="nearest"), 0.0, 1.0)
    # A hull moves smoothly: what flickers from ping to ping is speckle at the edge.
    steady = median_filter(path * float(bin_samples), size=MEDIAN_PINGS, mode="nearest")
    smooth = gaussian_filter1d(steady, SMOOTHING_PINGS / 2, mode="nearest")
    return BottomTrack(np.asarray(smooth), np.asarray(confidence, dtype=np.float64))


def without_water_column(swath: Swath, heights: NDArray[np.float64]) -> Swath:
    """Mark the samples before the first return, `heights` (pings,) in samples, invalid."""
    centres = np.arange(swath.values.shape[1]) + 0.5
    valid = swath.valid & (centres >= heights[:, np.newaxis])
    return Swath(np.where(valid, swath.values, np.float32(0.0)), valid)


def to_ground_range(swath: Swath, heights: NDArray[np.float64]) -> Swath:
    """Resample slant to ground range over a flat bottom, `heights` (pings,) in samples.

    Ground pixel j lies j + 1/2 samples from the track, hence at a slant range of
    sqrt((j + 1/2)^2 + height^2); its value is interpolated between the two nearest
    valid samples.  What lies beyond a ping's reach is invalid.
    """
    return to_cells(swath, heights, 1.0)


def to_cells(swath: Swath, heights: NDArray[np.float64], cell: float) -> Swath:
    """Lay samples on cells of `cell` samples of ground range; of slant range at height 0.

    A cell that several samples fall into has their mean, others are interpolated.  Cells
    near nadir of which one sample would fill more than `MOST_CELLS_A_SAMPLE` are invalid;
    a `NARROW_STRIP` of them is filled with the mirrored picture beside it.
    """
    pings, samples = swath.values.shape
    cells = max(1, round(samples / cell))
    values = np.zeros((pings, cells), dtype=np.float32)
    valid = np.zeros((pings, cells), dtype=np.bool_)
    _resample(swath.values, swath.valid, heights, cell, values, valid)
    return Swath(values, valid)


def averaged_pings(swath: Swath, count: int) -> Swath:
    """Means of `count` pings each; a pixel is valid where half of its samples are."""
    starts = np.arange(0, len(swath.values), count)
    counts = np.add.reduceat(swath.valid, starts, axis=0, dtype=np.int64)
    sums = np.add.reduceat(np.where(swath.valid, swath.values, 0.0), starts, axis=0)
    size = np.diff(np.append(starts, len(swath.values)))[:, np.newaxis]
    valid = counts * 2 >= size
    means = np.where(valid, sums / np.maximum(counts, 1), 0.0)
    return Swath(means.astype(np.float32), np.asarray(valid, dtype=np.bool_))


def _bottom_evidence(swaths: Sequence[Swath], bin_samples: int) -> NDArray[np.float32] | None:
    """How well (pings, bins) each bin would do as the first return; None without contrast."""
    from scipy.ndimage import uniform_filter1d
    from skimage.filters import threshold_otsu

    total: NDArray[np.float32] | None = None
    for swath in swaths:
        binned = _binned(swath, bin_samples)
        floor = max(float(binned.mean()) * 1e-2, 1e-12)
        logarithm = np.log(uniform_filter1d(binned, SMOOTHING_PINGS, axis=0) + floor)
        bins = logarithm.shape[1]
        sample = logarithm[:: -(-len(logarithm) // 500)]
        if sample.max() - sample.min() < LEAST_CONTRAST:
            continue
        threshold = threshold_otsu(sample)
        water, bottom = logarithm[logarithm < threshold], logarithm[logarithm >= threshold]
        contrast = float(bottom.mean() - water.mean())
        if contrast < LEAST_CONTRAST:
            continue
        # The bottom right below answers faintly, so its level lies nearer to the water's.
        faintest = float(water.mean()) + FAINTEST_BOTTOM * contrast
        # Limited, so that one glint counts no more than one dark sample.
        looks_like_bottom = np.clip((logarithm - faintest) / (FAINTEST_BOTTOM * contrast), -1, 1)
        window = max(4, round(BOTTOM_SHARE * bins))
        # Padded on either side by a window in which nothing is known.
        sums = np.zeros((len(binned), bins + 2 * window + 1), dtype=np.float32)
        np.cumsum(looks_like_bottom, axis=1, out=sums[:, window + 1 : window + bins + 1])
        sums[:, window + bins + 1 :] = sums[:, window + bins, np.newaxis]
        here = sums[:, window : window + bins]
        behind = sums[:, 2 * window : 2 * window + bins] - here
        before = here - sums[:, :bins]
        # More bright than dark all the way from the track: this is the far rim of a
        # shadow.  Bounded, so that a ping of pure noise cannot tear the path away.
        too_late = np.clip(here, 0, 2 * window)
        side = behind - before - too_late
        total = side if total is None else total + side
    if total is None:
        return None
    total[:, : round(PULSE_SHARE * total.shape[1])] = -np.inf
    return np.ascontiguousarray(total)


def _binned(swath: Swath, bin_samples: int) -> NDArray[np.float32]:
    """Means over bins of samples; invalid samples count as 0."""
    values = np.where(swath.valid, np.abs(swath.values), np.float32(0.0))
    if bin_samples == 1:
        return values
    starts = np.arange(0, values.shape[1], bin_samples)
    widths = np.diff(np.append(starts, values.shape[1]))
    return np.asarray(np.add.reduceat(values, starts, axis=1) / widths, dtype=np.float32)


@njit(nogil=True, cache=True)
def _best_path(
    evidence: NDArray[np.float32], largest_step: int, step_cost: float
) -> NDArray[np.int64]:
    """The bin of each ping on the path of greatest evidence less the cost of its steps."""
    pings, bins = evidence.shape
    came_from = np.zeros((pings, bins), dtype=np.int16)
    best = evidence[0].astype(np.float64)
    following = np.empty(bins)
    for ping in range(1, pings):
        for place in range(bins):
            greatest = -np.inf
            step_taken = 0
            for step in range(-largest_step, largest_step + 1):
                previous = place - step
                if 0 <= previous < bins:
                    candidate = best[previous] - step_cost * abs(step)
                    if candidate > greatest:
                        greatest = candidate
                        step_taken = step
            following[place] = greatest + evidence[ping, place]
            came_from[ping, place] = step_taken
        best, following = following, best
    path = np.empty(pings, dtype=np.int64)
    path[pings - 1] = np.argmax(best)
    for ping in range(pings - 1, 0, -1):
        path[ping - 1] = path[ping] - came_from[ping, path[ping]]
    return path


@njit(nogil=True, cache=True)
def _resample(
    slant_values: NDArray[np.float32],
    slant_valid: NDArray[np.bool_],
    heights: NDArray[np.float64],
    width: float,
    cell_values: NDArray[np.float32],
    cell_valid: NDArray[np.bool_],
) -> None:
    """Fill the arrays of cells; those that nothing valid reaches are left as they are."""
    pings, samples = slant_values.shape
    cells = cell_values.shape[1]
    for ping in range(pings):
        # Right below, cells share the first samples; what the track has missed is water.
        clear = heights[ping] * (1.0 + NADIR_SHARE)
        # A sample covers range / distance samples of ground: too many nearer than this.
        stretch = max(MOST_CELLS_A_SAMPLE * width, LEAST_STRETCH)
        nearest = heights[ping] / np.sqrt(stretch**2 - 1.0)
        left_out = min(int(np.ceil(nearest / width - 0.5)), cells)
        for cell in range(left_out, cells):
            near = np.sqrt((cell * width) ** 2 + heights[ping] ** 2)
            far = np.sqrt(((cell + 1) * width) ** 2 + heights[ping] ** 2)
            if far - near > 1.0 + 1e-9:
                if far > samples + 0.5:
                    break
                total, weight = 0.0, 0.0
                for sample in range(int(near), min(int(np.ceil(far)), samples)):
                    if slant_valid[ping, sample]:
                        inside = min(far, sample + 1.0) - max(near, float(sample))
                        total += inside * slant_values[ping, sample]
                        weight += inside
                if weight >= 0.5 * (far - near):
                    cell_values[ping, cell] = total / weight
                    cell_valid[ping, cell] = True
                continue
            position = np.sqrt(((cell + 0.5) * width) ** 2 + heights[ping] ** 2) - 0.5
            position = max(position, min(clear, heights[ping] + NADIR_MARGIN) - 0.5)
            before = int(position)
            if before + 1 >= samples:
                break
            if slant_valid[ping, before] and slant_valid[ping, before + 1]:
                weight = position - before
                cell_values[ping, cell] = (1.0 - weight) * slant_values[
                    ping, before
                ] + weight * slant_values[ping, before + 1]
                cell_valid[ping, cell] = True
        if left_out <= NARROW_STRIP:
            # As in a mirror, so that the texture stays what it is.
            for cell in range(left_out):
                beside = 2 * left_out - 1 - cell
                if beside < cells:
                    cell_values[ping, cell] = cell_values[ping, beside]
                    cell_valid[ping, cell] = cell_valid[ping, beside]
