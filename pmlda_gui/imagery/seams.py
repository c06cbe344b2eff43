"""Measures how visible the borders of documents are in maps, and how sharp the maps are.

A map without seams changes across the border of two documents as it does anywhere
else nearby.  Blur would do that too, so the width of a crisp border is measured as well.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.metrics import match_maps

__all__ = ["border_width", "seam_index"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Maps = NDArray[np.floating]
Labels = NDArray[np.integer]

# Where the left (upper) and the right (lower) of all neighbouring pixels are.
_NEIGHBOURS = ((np.s_[..., :-1], np.s_[..., 1:]), (np.s_[..., :-1, :], np.s_[..., 1:, :]))
_MOVES = range(7, 13)
_KEPT_OFF = 2
_DIRECTIONS = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]
# A border whose memberships change by less than this from side to side is not seen at all.
_SEEN = 0.2
_STEP = 0.5
_MOST_PROFILES = 4000


def seam_index(memberships: Maps, labels: Labels) -> float:
    """The mean step of maps (K, height, width) across documents' borders, over that beside them.

    `labels` (height, width) are the documents, negative outside.  Steps are mean |z - z'|
    over topics of neighbouring pixels in a row or column.  Those beside are on the same
    lines moved by 7 to 12 pixels in eight directions, where they are more than 2 pixels
    off any border.  1 is a map without seams; NaN where there is no border.
    """
    from scipy.ndimage import maximum_filter

    valid = ~np.isnan(memberships[0]) & (labels >= 0)
    filled = np.where(valid, memberships, 0.0).astype(np.float64)
    borders = [(labels[a] != labels[b]) & valid[a] & valid[b] for a, b in _NEIGHBOURS]
    on_border = np.zeros(labels.shape, np.bool_)
    for border, (a, b) in zip(borders, _NEIGHBOURS, strict=True):
        on_border[a] |= border
        on_border[b] |= border
    clear = valid & ~maximum_filter(on_border, 2 * _KEPT_OFF + 1)
    across, beside = np.zeros(2), np.zeros(2)
    for border, (a, b) in zip(borders, _NEIGHBOURS, strict=True):
        step = np.abs(filled[a] - filled[b]).mean(axis=0)
        across += step[border].sum(), border.sum()
        usable = clear[a] & clear[b]
        rows, columns = np.nonzero(border)
        for down, right in _moves():
            moved_rows, moved_columns = rows + down, columns + right
            inside = (
                (moved_rows >= 0)
                & (moved_columns >= 0)
                & (moved_rows < step.shape[0])
                & (moved_columns < step.shape[1])
            )
            at = (moved_rows[inside], moved_columns[inside])
            kept = usable[at]
            beside += step[at][kept].sum(), kept.sum()
    if across[1] == 0 or beside[1] == 0:
        return float("nan")
    numerator, denominator = across[0] / across[1], beside[0] / beside[1]
    if denominator == 0.0:
        return 1.0 if numerator == 0.0 else float("inf")
    return float(numerator / denominator)


def _moves() -> set[tuple[int, int]]:
    """Moves by 7 to 12 pixels in eight directions, in whole pixels."""
    lengths = {way: math.hypot(*way) for way in _DIRECTIONS}
    return {
        (round(down * far / length), round(across * far / length))
        for far in _MOVES
        for (down, across), length in lengths.items()
    }


def border_width(memberships: Maps, truth: Labels, reach: int = 40) -> float:
    """How many pixels wide maps (K, height, width) make the crisp borders of `truth`.

    `truth` (height, width) are the true kinds, negative where unknown.  At each pixel of
    a border the difference of the two kinds' memberships is followed along the line
    across the border, `reach` pixels to either side; the width is that between 10 and
    90 % of the way from its level at one end to that at the other.  The median over all
    borders that no other comes near; infinite where most of them are not seen, NaN where
    there is none.
    """
    kinds = np.unique(truth[truth >= 0])
    crisp = (truth[None] == kinds[:, None, None]).astype(np.float64)
    partner = match_maps(crisp, np.where(truth >= 0, memberships, np.nan))
    widths: list[float] = []
    for first in range(len(kinds)):
        for second in range(first + 1, len(kinds)):
            i, j = int(partner[first]), int(partner[second])
            if i < 0 or j < 0:
                continue
            change = memberships[j].astype(np.float64) - memberships[i]
            widths += _widths(change, crisp[first] > 0.0, crisp[second] > 0.0, reach)
    return float(np.median(widths)) if widths else float("nan")


def _widths(change: Array, before: Mask, behind: Mask, reach: int) -> list[float]:
    """The width at each place of the border between two kinds."""
    from scipy.ndimage import gaussian_filter, map_coordinates

    pairs = [
        np.argwhere((before[a] & behind[b]) | (behind[a] & before[b])) + offset
        for (a, b), offset in zip(_NEIGHBOURS, ((0.0, 0.5), (0.5, 0.0)), strict=True)
    ]
    places = np.concatenate(pairs)
    places = places[:: max(1, len(places) // _MOST_PROFILES)]
    # The direction across the border is that in which the crisp kinds, a little blurred, change.
    sides = gaussian_filter(behind.astype(np.float64) - before, 4.0)
    slopes = np.stack(
        [map_coordinates(each, places.T, order=1, mode="nearest") for each in np.gradient(sides)],
        axis=1,
    )
    slopes /= np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-12)
    along = np.arange(-reach, reach + _STEP, _STEP)
    lines = (places[:, :, None] + slopes[:, :, None] * along).transpose(1, 0, 2)
    inside = (lines >= 0.0) & (lines <= np.array(change.shape)[:, None, None] - 1.0)
    rows, columns = np.rint(np.where(inside, lines, 0.0)).astype(np.int64)
    lonely = inside.all(axis=(0, 2))
    lonely &= np.all(before[rows, columns] | (along > -2.0), axis=1)
    lonely &= np.all(behind[rows, columns] | (along < 2.0), axis=1)
    profiles = map_coordinates(change, lines[:, lonely], order=1, mode="nearest")
    return [_rise(profile) for profile in profiles if not np.isnan(profile).any()]


def _rise(profile: Array) -> float:
    """The pixels between 10 and 90 % of the way from one end's level to the other's."""
    end = max(1, len(profile) // 8)
    low, high = float(profile[:end].mean()), float(profile[-end:].mean())
    if high - low < _SEEN:
        return float("inf")
    share = (profile - low) / (high - low)
    last = int(np.argmax(share >= 0.9))
    first = int(np.flatnonzero(share[: last + 1] <= 0.1).max(initial=0))
    return _STEP * (_crossing(share, last - 1, 0.9) - _crossing(share, first, 0.1))


def _crossing(share: Array, place: int, height: float) -> float:
    """Where between this place and the next the profile passes the height."""
    place = max(place, 0)
    here, there = float(share[place]), float(share[place + 1])
    return place + (min(max((height - here) / (there - here), 0.0), 1.0) if there > here else 0.0)
