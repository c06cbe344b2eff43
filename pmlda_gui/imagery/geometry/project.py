"""Projects images and memberships of recordings on a map, blending lines that overlap.

Between two neighbouring pings the seabed is a strip.  It is walked through in steps
smaller than a map pixel, and each step adds its value to the pixel it falls on.  Every
ping and every sample counts at least once, so a map coarser than the recording averages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.kernel_compiler import njit
from pmlda_gui.imagery.geometry.pings import PingGeometry
from pmlda_gui.imagery.geometry.reference import MapGrid
from pmlda_gui.imagery.image import Georeference

__all__ = ["Line", "ProjectedMap", "project"]

# Points of a square lattice this far apart, in pixels, leave no pixel out, however turned.
STEP = 0.7
# Weights rise from the track over this share of the range and fall over that at its end.
NADIR_SHARE = 0.15
FAR_SHARE = 0.3
LEAST_WEIGHT = 0.02
PINGS_BETWEEN_CHECKS = 500


@dataclass(frozen=True, eq=False)
class Line:
    """What is to be laid on the map of one recording.

    `planes` is (planes, rows, columns), such as the image and the memberships of each
    topic; `valid` (rows, columns) says which pixels count, `good` (rows,) which pings.
    """

    geometry: PingGeometry
    planes: NDArray[np.float32]
    valid: NDArray[np.bool_]
    good: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ProjectedMap:
    """`planes` (planes, height, width) on the map, 0 outside `valid`; `weight` of each pixel."""

    planes: NDArray[np.float32]
    valid: NDArray[np.bool_]
    weight: NDArray[np.float32]
    georeference: Georeference


def project(
    lines: Sequence[Line], grid: MapGrid, check: Callable[[float], None] | None = None
) -> ProjectedMap:
    """Lay lines on one grid, each weighted less near its track and at its far range.

    `check` receives the share that is done and may raise to stop.
    """
    if not lines:
        raise PmldaError("There is no line to lay on a map; choose at least one recording.")
    count = lines[0].planes.shape[0]
    total = np.zeros((grid.height, grid.width, count), dtype=np.float32)
    weight = np.zeros((grid.height, grid.width), dtype=np.float32)
    for number, line in enumerate(lines):
        _require_fitting(line, count, grid)

        def reached(share: float, number: int = number) -> None:
            if check is not None:
                check((number + share) / len(lines))

        _add_line(line, grid, total, weight, reached)
    planes = np.zeros((count, grid.height, grid.width), dtype=np.float32)
    _finish(total, weight, planes)
    return ProjectedMap(planes, weight > 0, weight, grid.georeference)


def _require_fitting(line: Line, planes: int, grid: MapGrid) -> None:
    rows, columns = line.valid.shape
    layout = line.geometry.layout
    if line.planes.shape != (planes, rows, columns):
        raise PmldaError(
            f"A line has planes of shape {line.planes.shape} where ({planes}, {rows}, {columns}) "
            "was expected."
        )
    if (rows, columns) != (len(line.geometry), layout.port + layout.starboard):
        raise PmldaError(
            f"A line's picture is {rows} x {columns}, but its geometry has {len(line.geometry)} "
            f"rows of {layout.port + layout.starboard} columns."
        )
    if line.geometry.crs != grid.crs:
        raise PmldaError("A line's coordinate system is not that of the map.")


def _add_line(
    line: Line,
    grid: MapGrid,
    total: NDArray[np.float32],
    weight: NDArray[np.float32],
    reached: Callable[[float], None],
) -> None:
    """Average a line in the part of the grid it touches, and add that by its weights."""
    geometry = line.geometry
    top, bottom, left, right = _window(geometry, grid)
    if top >= bottom or left >= right:
        return
    shape = (bottom - top, right - left)
    sums = np.zeros((*shape, line.planes.shape[0]), dtype=np.float32)
    counts = np.zeros(shape, dtype=np.float32)
    weights = np.zeros(shape, dtype=np.float32)
    # Pixel values of a place lie together in memory; there are as many rows as pings.
    values = np.ascontiguousarray(np.moveaxis(line.planes, 0, 2))
    column = (geometry.easting - grid.left) / grid.pixel_size - left
    row = (grid.top - geometry.northing) / grid.pixel_size - top
    for start in range(0, len(geometry) - 1, PINGS_BETWEEN_CHECKS):
        stop = min(start + PINGS_BETWEEN_CHECKS, len(geometry) - 1)
        reached(start / len(geometry))
        _walk(
            start,
            stop,
            column,
            row,
            geometry.heading,
            geometry.height if not geometry.layout.ground else np.zeros(len(geometry)),
            geometry.layout.pixel,
            geometry.layout.port,
            values,
            line.valid,
            line.good,
            1.0 / grid.pixel_size,
            sums,
            counts,
            weights,
        )
    _blend(sums, counts, weights, total[top:bottom, left:right], weight[top:bottom, left:right])
    reached(1.0)


def _window(geometry: PingGeometry, grid: MapGrid) -> tuple[int, int, int, int]:
    """Rows and columns of the grid that a line may touch: top, bottom, left, right."""
    places = np.concatenate(geometry.edges())
    columns = (places[:, 0] - grid.left) / grid.pixel_size
    rows = (grid.top - places[:, 1]) / grid.pixel_size
    return (
        max(0, int(np.floor(rows.min())) - 1),
        min(grid.height, int(np.ceil(rows.max())) + 1),
        max(0, int(np.floor(columns.min())) - 1),
        min(grid.width, int(np.ceil(columns.max())) + 1),
    )


@njit(nogil=True, cache=True)
def _walk(
    start: int,
    stop: int,
    column: NDArray[np.float64],
    row: NDArray[np.float64],
    heading: NDArray[np.float64],
    height: NDArray[np.float64],
    metres: float,
    port: int,
    values: NDArray[np.float32],
    valid: NDArray[np.bool_],
    good: NDArray[np.bool_],
    scale: float,
    sums: NDArray[np.float32],
    counts: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> None:
    """Add the strips between pings `start` to `stop` to the sums of the map's pixels."""
    columns = values.shape[1]
    planes = values.shape[2]
    high, wide = counts.shape
    step = min(1.0, STEP / (metres * scale))  # of a sample
    for ping in range(start, stop):
        if not (good[ping] and good[ping + 1]):
            continue
        turn = heading[ping + 1] - heading[ping]
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            samples = columns - port if side == 1 else port
            if samples < 1:
                continue
            reach = samples * metres * scale
            # The longest way between the two pings: at the track or at the far end.
            here = np.hypot(column[ping + 1] - column[ping], row[ping + 1] - row[ping])
            far_column = (column[ping + 1] + sign * reach * np.cos(heading[ping + 1])) - (
                column[ping] + sign * reach * np.cos(heading[ping])
            )
            far_row = (row[ping + 1] + sign * reach * np.sin(heading[ping + 1])) - (
                row[ping] + sign * reach * np.sin(heading[ping])
            )
            slices = int(np.ceil(max(here, np.hypot(far_column, far_row)) / STEP))
            slices = max(1, min(slices, 4096))
            for part in range(slices):
                share = (part + 0.5) / slices
                angle = heading[ping] + share * turn
                east, south = sign * np.cos(angle) * scale, sign * np.sin(angle) * scale
                x0 = column[ping] + share * (column[ping + 1] - column[ping])
                y0 = row[ping] + share * (row[ping + 1] - row[ping])
                above = height[ping] + share * (height[ping + 1] - height[ping])
                if not above > 0.0:
                    above = 0.0
                nearest = ping if share < 0.5 else ping + 1
                place = 0.5 * step
                while place < samples:
                    slant = place * metres
                    if slant <= above:
                        place += step
                        continue
                    ground = np.sqrt(slant * slant - above * above)
                    x = int(np.floor(x0 + ground * east))
                    y = int(np.floor(y0 + ground * south))
                    sample = int(place)
                    pixel = port + sample if side == 1 else port - 1 - sample
                    if 0 <= x < wide and 0 <= y < high and valid[nearest, pixel]:
                        left = NADIR_SHARE * samples
                        right = FAR_SHARE * samples
                        weight = min(1.0, place / left, (samples - place) / right)
                        weights[y, x] += max(weight, LEAST_WEIGHT)
                        counts[y, x] += 1.0
                        both = valid[ping, pixel] and valid[ping + 1, pixel]
                        # Between sample centres as well as between pings.
                        other = pixel
                        fraction = place - sample - 0.5
                        towards = 1 if (fraction > 0) == (side == 1) else -1
                        if 0 <= pixel + towards < columns:
                            candidate = pixel + towards
                            if both and valid[ping, candidate] and valid[ping + 1, candidate]:
                                other = candidate
                        across = abs(fraction)
                        for plane in range(planes):
                            if not both:
                                value = values[nearest, pixel, plane]
                            else:
                                value = (1.0 - share) * (
                                    (1.0 - across) * values[ping, pixel, plane]
                                    + across * values[ping, other, plane]
                                ) + share * (
                                    (1.0 - across) * values[ping + 1, pixel, plane]
                                    + across * values[ping + 1, other, plane]
                                )
                            sums[y, x, plane] += value
                    # Ground range runs fast where the slant grazes the bottom.
                    stride = step
                    if above > 0.0:
                        stride = min(step, step * ground / slant + 1e-3)
                    place += stride


@njit(nogil=True, cache=True)
def _blend(
    sums: NDArray[np.float32],
    counts: NDArray[np.float32],
    weights: NDArray[np.float32],
    total: NDArray[np.float32],
    weight: NDArray[np.float32],
) -> None:
    """Add a line to the map: the mean of its values times the mean of its weights.

    So a line with many pings counts no more than one with few.
    """
    high, wide, planes = sums.shape
    for y in range(high):
        for x in range(wide):
            if counts[y, x] > 0:
                mean = weights[y, x] / counts[y, x]
                weight[y, x] += mean
                for plane in range(planes):
                    total[y, x, plane] += sums[y, x, plane] * mean / counts[y, x]


@njit(nogil=True, cache=True)
def _finish(
    total: NDArray[np.float32], weight: NDArray[np.float32], planes: NDArray[np.float32]
) -> None:
    """Divide by the weights and lay plane behind plane."""
    high, wide, count = total.shape
    for y in range(high):
        for x in range(wide):
            if weight[y, x] > 0:
                for plane in range(count):
                    planes[plane, y, x] = total[y, x, plane] / weight[y, x]
