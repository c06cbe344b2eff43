"""Makes the image of a recording from its channels.

The bottom is tracked at the resolution of the samples; then these are laid on cells
that are as wide as rows are high, in ground range where the track can be relied on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.bottom_points import through_points
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.navigation import Navigation
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.imagery.readers.row_spacing import ping_spacing
from pmlda_gui.imagery.swath import RecordedSwath

if TYPE_CHECKING:
    from pmlda_gui.imagery.geometry.pings import PingGeometry
    from pmlda_gui.imagery.sidescan import Swath

__all__ = ["Channels", "waterfall_image"]

LARGEST_HEIGHT_DISAGREEMENT = 0.25
# Pixels this much longer one way than the other count as square.
NEARLY_SQUARE = 1.1
# Of a side that has more, no more columns are averaged away than leave so many.
FEWEST_COLUMNS = 96
MOST_PINGS_A_ROW = 50


@dataclass(frozen=True, eq=False)
class Channels:
    """The sides of a recording, nearest sample first; the first is drawn left if `left`."""

    path: Path
    swaths: tuple[Swath, ...]
    left: bool
    keys: tuple[str, ...]
    names: str


@dataclass(frozen=True, eq=False)
class _Heights:
    """Heights above the bottom in samples, (rows,), and whether they were tracked clearly."""

    samples: NDArray[np.float64]
    tracked: bool


@dataclass(frozen=True)
class _Proportion:
    """How samples become pixels: `pings` rows are averaged, columns are `cell` samples wide."""

    pings: int = 1
    cell: float = 1.0


def waterfall_image(
    channels: Channels,
    navigation: Navigation,
    spacing: float | None,
    options: ReadOptions,
    notes: list[str],
    progress: Progress,
) -> Image:
    """The picture of swaths read with `options.reduce`; samples are `spacing` metres unreduced."""
    from pmlda_gui.imagery import sidescan

    swaths = list(channels.swaths)
    metres = None if spacing is None else spacing * options.reduce
    between = ping_spacing(navigation)
    along = None if between is None else between * options.reduce
    proportion = _Proportion()
    if options.square_pixels:
        proportion = _proportion(metres, along, swaths[0].values.shape)
    if proportion.pings > 1:
        swaths = [sidescan.averaged_pings(swath, proportion.pings) for swath in swaths]
    pings_a_row = options.reduce * proportion.pings
    heights: _Heights | None = None
    slant_wanted = options.correct_slant_range
    if options.mask_water_column or slant_wanted or options.normalise_gain:
        heights = _heights(swaths, navigation, metres, pings_a_row, notes)
        if options.bottom_track:
            heights = _as_set(heights, len(swaths[0].values), pings_a_row, options)
            notes.append("The bottom track goes through points that were set by hand.")
    progress.report(0.5)
    ground = False
    if heights is not None:
        tracked_only = slant_wanted is None and options.mask_water_column
        ground = bool(slant_wanted) or (tracked_only and heights.tracked)
        if not ground and options.mask_water_column:
            swaths = [sidescan.without_water_column(each, heights.samples) for each in swaths]
    if ground or proportion.cell != 1.0:
        flat = np.zeros(len(swaths[0].values))
        bottom = heights.samples if ground and heights is not None else flat
        swaths = [sidescan.to_cells(each, bottom, proportion.cell) for each in swaths]
    if ground and slant_wanted is None:
        notes.append("The slant range was corrected, as the bottom was tracked with confidence.")
    # What lies left of the track is drawn from far to near.
    if channels.left:
        swaths[0] = sidescan.Swath(swaths[0].values[:, ::-1], swaths[0].valid[:, ::-1])
    height = None if along is None else along * proportion.pings
    width = None if metres is None else metres * proportion.cell
    _note_proportion(width, height, proportion, notes)
    pixels = np.ascontiguousarray(np.hstack([swath.values for swath in swaths]))
    port = swaths[0].values.shape[1] if channels.left else 0
    scale = 1.0 if metres is None else metres
    rows = len(pixels)
    progress.report(1.0)
    return Image(
        pixels=pixels,
        valid=np.ascontiguousarray(np.hstack([swath.valid for swath in swaths])),
        pixel_size=width,
        band_names=(channels.names,),
        source=channels.path,
        notes=tuple(notes),
        pixel_height=height,
        swath=RecordedSwath(
            port=port,
            starboard=pixels.shape[1] - port,
            cell=scale * proportion.cell,
            metres=metres is not None,
            ground=ground,
            heights=np.full(rows, np.nan) if heights is None else heights.samples * scale,
            tracked=heights is not None and heights.tracked,
            pings_a_row=pings_a_row,
            keys=channels.keys,
            recorded=pixels,
            even_gain=options.normalise_gain,
            gain_table=options.gain_table,
            layback=options.layback,
            roll=_rolls(navigation, pings_a_row),
            geometry=None
            if width is None
            else _geometry(navigation, port, pixels, width, ground, pings_a_row, options),
        ),
    )


def _geometry(
    navigation: Navigation,
    port: int,
    pixels: NDArray[np.float32],
    cell: float,
    ground: bool,
    pings_a_row: int,
    options: ReadOptions,
) -> PingGeometry | None:
    """Where the rows lie on the Earth, None if that is unknown."""
    from pmlda_gui.imagery.geometry.pings import SwathLayout, ping_geometry

    layout = SwathLayout(port, pixels.shape[1] - port, cell, ground, pings_a_row)
    try:
        return ping_geometry(navigation, layout, layback=options.layback)
    except PmldaError:
        return None


def _rolls(navigation: Navigation, pings_a_row: int) -> NDArray[np.float64] | None:
    """The mean roll of each row in radians, None where none is recorded."""
    if not navigation.roll.any():
        return None
    starts = np.arange(0, len(navigation.roll), pings_a_row)
    pings = np.diff(np.append(starts, len(navigation.roll)))
    return np.radians(np.add.reduceat(navigation.roll, starts) / pings)


def _proportion(across: float | None, along: float | None, shape: tuple[int, int]) -> _Proportion:
    """What makes pixels of samples `across` metres wide and pings `along` metres apart square."""
    if across is None or along is None:
        return _Proportion()
    pings, samples = shape
    if along < across / NEARLY_SQUARE:
        count = math.ceil(across / along - (NEARLY_SQUARE - 1))
        most = min(MOST_PINGS_A_ROW, max(1, pings // FEWEST_COLUMNS))
        count = min(count, most)
        along *= count
    else:
        count = 1
    cell = along / across
    if cell < NEARLY_SQUARE:
        return _Proportion(count)
    return _Proportion(count, min(cell, max(1.0, samples / FEWEST_COLUMNS)))


def _note_proportion(
    width: float | None, height: float | None, proportion: _Proportion, notes: list[str]
) -> None:
    """Say how large pixels are along and across, or that this is unknown."""
    if width is None or height is None:
        notes.append("How far apart the pings are is unknown, so proportions are not true.")
        return
    if proportion.cell != 1.0:
        notes.append(f"Samples were averaged across the track into pixels of {width:.3g} m.")
    if proportion.pings > 1:
        notes.append(f"{proportion.pings} pings were averaged into each row.")
    if max(height, width) > NEARLY_SQUARE * 1.05 * min(height, width):
        notes.append(f"Pixels are {width:.3g} m across and about {height:.3g} m along the track.")


def _heights(
    swaths: Sequence[Swath],
    navigation: Navigation,
    spacing: float | None,
    pings_a_row: int,
    notes: list[str],
) -> _Heights | None:
    """Height above the bottom in samples, (rows,): tracked, or else as recorded."""
    from pmlda_gui.imagery.sidescan import track_bottom

    recorded = _recorded_heights(navigation, spacing, pings_a_row)
    track = track_bottom(swaths)
    if track is None and recorded is None:
        notes.append("Neither a first return nor an altitude was found; no water is masked.")
        return None
    tracked = None if track is None else track.samples
    # A track that never moves while the altitude does follows the pulse, not the bottom.
    stuck = tracked is not None and recorded is not None and np.ptp(tracked) < 1 < np.ptp(recorded)
    if tracked is None or stuck:
        notes.append("No first return was found; the recorded altitude was taken.")
        assert recorded is not None
        return _Heights(recorded, tracked=False)
    assert track is not None
    if recorded is not None and np.median(np.abs(tracked - recorded)) > (
        LARGEST_HEIGHT_DISAGREEMENT * np.median(recorded)
    ):
        notes.append(
            f"The first return lies at {np.median(tracked) * (spacing or 1.0):.3g} m, the recorded "
            f"altitude is {np.median(recorded) * (spacing or 1.0):.3g} m; the first return is used."
        )
    if spacing is not None:
        nearest, farthest = tracked.min() * spacing, tracked.max() * spacing
        notes.append(f"The first return was tracked at {nearest:.3g} to {farthest:.3g} m.")
    if not track.is_confident:
        notes.append("The first return is faint in many pings: check whether it was found.")
    return _Heights(tracked, track.is_confident)


def _as_set(found: _Heights | None, rows: int, pings_a_row: int, options: ReadOptions) -> _Heights:
    """Heights through the points that were set, in samples as they were read."""
    pings = (np.arange(rows, dtype=np.float64) + 0.5) * pings_a_row - 0.5
    points = [(ping, sample / options.reduce) for ping, sample in options.bottom_track]
    samples = through_points(None if found is None else found.samples, pings, points)
    return _Heights(samples, tracked=True)


def _recorded_heights(
    navigation: Navigation, spacing: float | None, pings_a_row: int
) -> NDArray[np.float64] | None:
    """The altitudes of the headers in samples, gaps closed; None if they are unknown."""
    known = ~np.isnan(navigation.altitude)
    if spacing is None or not known.any():
        return None
    pings = np.arange(len(known))
    altitude = np.interp(pings, pings[known], navigation.altitude[known])
    return np.asarray(altitude[::pings_a_row] / spacing)
