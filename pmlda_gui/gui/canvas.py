"""The maps of one image, assembled from passes of different steps.

Coarse passes are laid out by interpolation between the pixels that were computed, so that
the first picture looks as the last one, only softer.  For every tile it is remembered how
coarse the pass was that it comes from: no tile goes back to a coarser one that can be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.gui.frame import LEVELS, UNCERTAINTY_RANGE

if TYPE_CHECKING:
    from pmlda_gui.workspace.maps import ImageMaps

__all__ = ["NOTHING", "SHARE_LEVELS", "TILE", "Area", "Canvas"]

TILE = 64
"""The side of a tile in pixels; a multiple of every step."""
NOTHING = 255
"""The step of a tile of which nothing is known."""
SHARE_LEVELS = 65534
"""0 is no membership known; 1 to 65535 are memberships from 0 to 1."""


class Area(NamedTuple):
    """A rectangle of pixels, ends excluded."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def pixels(self) -> int:
        """How many there are."""
        return (self.bottom - self.top) * (self.right - self.left)

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def tiles(self) -> tuple[slice, slice]:
        """The tiles it touches."""
        return (
            slice(self.top // TILE, -(-self.bottom // TILE)),
            slice(self.left // TILE, -(-self.right // TILE)),
        )


class Canvas:
    """Memberships (K, height, width) in fine levels, and their deviations as they are drawn.

    `steps` and `versions` say for each tile how coarse the pass was that it shows, and
    which draws it was made from.
    """

    def __init__(self, inside: NDArray[np.bool_], topics: int) -> None:
        self.inside = inside
        height, width = inside.shape
        self.whole = Area(0, height, 0, width)
        self.shares = np.zeros((topics, height, width), np.uint16)
        self.spread = np.zeros((topics, height, width), np.uint8)
        tiles = (-(-height // TILE), -(-width // TILE))
        self.steps = np.full(tiles, NOTHING, np.uint8)
        self.versions = np.zeros(tiles, np.int64)

    def renew(self, inside: NDArray[np.bool_]) -> bool:
        """Everything here belongs to something else; it stays until it is painted over.

        Whether that has changed what is to be seen: other pixels may lie outside.
        """
        self.steps[:] = NOTHING
        self.versions[:] = 0
        if inside is self.inside or np.array_equal(inside, self.inside):
            return False
        self.shares[:, ~inside] = 0
        self.spread[:, ~inside] = 0
        self.inside = inside
        return True

    def tiled(self, area: Area) -> Area:
        """The smallest rectangle of whole tiles around an area of the image; all of it for
        an area beside it."""
        area = Area(
            max(area.top, 0),
            min(area.bottom, self.whole.bottom),
            max(area.left, 0),
            min(area.right, self.whole.right),
        )
        if area.top >= area.bottom or area.left >= area.right:
            return self.whole
        rows, columns = area.tiles
        return Area(
            max(rows.start * TILE, 0),
            min(rows.stop * TILE, self.whole.bottom),
            max(columns.start * TILE, 0),
            min(columns.stop * TILE, self.whole.right),
        )

    def coarsest(self, area: Area) -> int:
        """The coarsest step in an area; NOTHING where some of it is not known."""
        return int(self.steps[area.tiles].max())

    def is_of(self, area: Area, version: int) -> bool:
        """Whether all of an area was made from these draws."""
        return bool((self.versions[area.tiles] == version).all())

    def lay(self, maps: ImageMaps, area: Area, version: int, visible_step: int) -> None:
        """Lay out a pass over whole tiles.

        Tiles that are finer already are left as they are, unless the pass is as fine as
        can be seen.
        """
        steps = self.steps[area.tiles]
        taken = (steps >= maps.step) | (maps.step <= visible_step)
        if not taken.any():
            return
        known = ~np.isnan(maps.memberships[0])
        spread = maps.memberships[:0] if maps.deviation is None else maps.deviation
        _lay_out(
            maps.memberships,
            spread,
            known,
            *_between(maps.rows, area.top, area.bottom),
            *_between(maps.columns, area.left, area.right),
            self._wanted(area, taken),
            area.top,
            area.left,
            self.shares,
            self.spread,
            # A constant of another module would be frozen into the compiled kernel.
            np.float32((LEVELS - 1) / UNCERTAINTY_RANGE),
        )
        steps[taken] = maps.step
        self.versions[area.tiles][taken] = version

    def _wanted(self, area: Area, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The pixels of an area that are laid out."""
        inside = self.inside[area.slices]
        if taken.all():
            return inside
        pixels = taken.repeat(TILE, axis=0).repeat(TILE, axis=1)
        return inside & pixels[: inside.shape[0], : inside.shape[1]]


def _between(
    places: NDArray[np.int64], start: int, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For each pixel from start to stop the computed place before it, and how far it is on
    the way to the next, 0 to 1."""
    pixels = np.arange(start, stop)
    before = np.clip(np.searchsorted(places, pixels, side="right") - 1, 0, len(places) - 1)
    after = np.minimum(before + 1, len(places) - 1)
    gap = np.maximum(places[after] - places[before], 1)
    share = np.clip((pixels - places[before]) / gap, 0.0, 1.0).astype(np.float32)
    return before, share


@kernel
def _lay_out(
    values: NDArray[np.float32],
    spread: NDArray[np.float32],
    known: NDArray[np.bool_],
    above: NDArray[np.int64],
    down: NDArray[np.float32],
    before: NDArray[np.int64],
    across: NDArray[np.float32],
    inside: NDArray[np.bool_],
    top: int,
    left: int,
    shares_out: NDArray[np.uint16],
    spread_out: NDArray[np.uint8],
    levels_per_unit: np.float32,
) -> None:
    """Interpolate between the known ones of the computed pixels, first down, then across."""
    topics, rows, columns = values.shape
    deviations = spread.shape[0]
    line = np.zeros((topics + deviations, columns), np.float32)
    weight = np.zeros(columns, np.float32)
    one = np.float32(1.0)
    most_share = np.float32(SHARE_LEVELS)
    most_level = np.float32(254.0)
    for y in range(above.size):
        first = above[y]
        second = min(first + 1, rows - 1)
        for c in range(columns):
            upper = one - down[y] if known[first, c] else np.float32(0.0)
            lower = down[y] if known[second, c] else np.float32(0.0)
            weight[c] = upper + lower
            for k in range(topics):
                total = np.float32(0.0)
                if upper > 0:
                    total += upper * values[k, first, c]
                if lower > 0:
                    total += lower * values[k, second, c]
                line[k, c] = total
            for k in range(deviations):
                total = np.float32(0.0)
                if upper > 0:
                    total += upper * spread[k, first, c]
                if lower > 0:
                    total += lower * spread[k, second, c]
                line[topics + k, c] = total
        for x in range(before.size):
            if not inside[y, x]:
                continue
            near = before[x]
            far = min(near + 1, columns - 1)
            right = across[x]
            leftward = one - right
            total = leftward * weight[near] + right * weight[far]
            if total > np.float32(1e-6):
                scale = one / total
                for k in range(topics):
                    share = (leftward * line[k, near] + right * line[k, far]) * scale
                    share = min(max(share, np.float32(0.0)), one)
                    shares_out[k, top + y, left + x] = np.uint16(
                        np.int32(np.float32(1.5) + share * most_share)
                    )
                for k in range(deviations):
                    deviation = leftward * line[topics + k, near] + right * line[topics + k, far]
                    level = min(deviation * scale * levels_per_unit, most_level)
                    spread_out[k, top + y, left + x] = np.uint8(np.int32(np.float32(1.5) + level))
            else:
                r, c = _nearest_known(known, first, near)
                if r < 0:
                    continue
                for k in range(topics):
                    share = min(max(values[k, r, c], np.float32(0.0)), one)
                    shares_out[k, top + y, left + x] = np.uint16(
                        np.int32(np.float32(1.5) + share * most_share)
                    )
                for k in range(deviations):
                    level = min(spread[k, r, c] * levels_per_unit, most_level)
                    spread_out[k, top + y, left + x] = np.uint8(np.int32(np.float32(1.5) + level))


@kernel
def _nearest_known(known: NDArray[np.bool_], row: int, column: int) -> tuple[int, int]:
    """The computed pixel nearest in rings, (-1, -1) if there is none: a narrow strip of an
    image may lie between all that were computed."""
    rows, columns = known.shape
    for ring in range(1, max(rows, columns) + 1):
        for r in range(max(row - ring, 0), min(row + ring + 1, rows)):
            edge = r == row - ring or r == row + ring
            step = 1 if edge else 2 * ring
            for c in range(column - ring, column + ring + 1, step):
                if 0 <= c < columns and known[r, c]:
                    return r, c
    return -1, -1
