"""The geometry of the picture of a recording, for gain, maps and read-outs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pmlda_gui.imagery.geometry.pings import PingGeometry

__all__ = ["RecordedSwath"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecordedSwath:
    """Where the columns and rows of a recording's picture come from.

    The first `port` columns show port, from far to near, the `starboard` ones after
    them starboard.  A column is `cell` wide, in metres if `metres`, else in samples, of
    ground range if `ground`, else of slant range.  `heights` (rows,) above the bottom
    are in the same unit, NaN where unknown, and `tracked` says whether they were seen
    with confidence.  A row holds `pings_a_row` pings.  `keys` name sonar, channel and
    frequency of each side that is shown.  `recorded` are the pixels before their gain was
    evened out, which is to be done if `even_gain`, by the saved `gain_table` if there is
    one; `evened_with` are the checksums of all recordings it was measured in.  `layback`
    in metres is as the operator set it.  `geometry` places rows on the Earth, None where
    the recording does not know where it was made.  `roll` (rows,) in radians is as recorded,
    None without.
    """

    port: int
    starboard: int
    cell: float
    metres: bool
    ground: bool
    heights: Array
    tracked: bool
    pings_a_row: int
    keys: tuple[str, ...]
    recorded: NDArray[np.float32]
    even_gain: bool = True
    gain_table: Path | None = None
    layback: float | None = None
    evened_with: tuple[int, ...] = ()
    geometry: PingGeometry | None = None
    roll: Array | None = None

    @property
    def columns(self) -> int:
        return self.port + self.starboard

    def sides(self) -> list[tuple[str, slice]]:
        """The key and the columns of each side that is shown."""
        shown = [slice(0, self.port), slice(self.port, self.columns)]
        present = [each for each in shown if each.stop > each.start]
        return list(zip(self.keys, present, strict=True))

    def across(self, columns: slice = slice(None)) -> Array:
        """From the track to the centre of each column, negative to port, in units of `cell`."""
        places = np.arange(self.columns)[columns]
        return np.asarray((places + 0.5 - self.port) * self.cell)

    def turned(self, columns: slice, rows: slice = slice(None)) -> Array:
        """How far the roll of the sonar turns the beams of one side, (rows,) in radians."""
        if self.roll is None:
            return np.zeros(len(self.heights[rows]))
        return -self.roll[rows] if columns.start < self.port else self.roll[rows]

    def ranges_and_angles(self, columns: slice, rows: slice = slice(None)) -> tuple[Array, Array]:
        """Slant range and grazing angle (radians, NaN if unknown or water) of pixels."""
        away = np.abs(self.across(columns))[np.newaxis]
        height = self.heights[rows, np.newaxis]
        if self.ground:
            ranges = np.hypot(away, np.nan_to_num(height))
            return ranges, np.arctan2(height, away)
        with np.errstate(invalid="ignore"):
            angles = np.arcsin(np.where(height <= away, height / away, np.nan))
        return np.broadcast_to(away, angles.shape), angles
