"""Converts rows of any number type to float32 pixels and a validity mask.

Every format that stores a rectangle of numbers ends here, so what counts as
missing, how complex data become magnitude and how an image is reduced is decided
in one place.  Rows are read in strips: memory stays near that of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.options import ReadOptions, Task, require_within_limit

__all__ = ["COMPLEX_NOTE", "PixelSource", "Pixels", "read_pixels"]

STRIP_VALUES = 2_000_000
LARGEST_STRIP_VALUES = 8_000_000
# A strip holds as many rows as are averaged into one, however wide they are.
LARGEST_REDUCED_STRIP_VALUES = 128_000_000
# No sonar quantity is this large; single-precision "maximum" fillers are, however
# their last digits were rounded on the way into a file's header.
LARGEST_PLAUSIBLE_VALUE = 1e30
COMPLEX_NOTE = "The data are complex; their magnitude is shown."
UNSTATED_FILLERS = (-9999.0, -99999.0, -32767.0, -32768.0)


@dataclass(frozen=True)
class PixelSource:
    """A rectangle of numbers that can be read in runs of rows.

    `read_rows(start, stop)` gives the values, (rows, width) or (rows, width, 3), in
    their stored type, and the (rows, width) mask of what the file itself declares
    valid, None for everything.  `fillers` says whether values that customarily
    stand for missing data do so here, because the file states none of its own.
    `block_rows` is how many rows the file packs together.
    """

    name: str
    height: int
    width: int
    colours: int
    read_rows: Callable[[int, int], tuple[NDArray[np.generic], NDArray[np.bool_] | None]]
    fillers: bool = True
    block_rows: int = 1


@dataclass(frozen=True, eq=False)
class Pixels:
    """Pixels as `Image` wants them, and what an operator should know about them."""

    values: NDArray[np.float32]
    valid: NDArray[np.bool_]
    notes: tuple[str, ...]


def read_pixels(source: PixelSource, options: ReadOptions, task: Task) -> Pixels:
    """Read a source strip by strip, reduced as the options ask."""
    require_within_limit(source.name, source.height, source.width, options)
    factor = options.reduce
    if factor * source.width * source.colours > LARGEST_REDUCED_STRIP_VALUES:
        raise PmldaError(
            f"{source.name} has rows of {source.width} pixels, too wide to be reduced by {factor}; "
            "cut it into narrower files."
        )
    height, width = -(-source.height // factor), -(-source.width // factor)
    shape = (height, width) if source.colours == 1 else (height, width, source.colours)
    values = np.zeros(shape, dtype=np.float32)
    valid = np.zeros((height, width), dtype=np.bool_)
    fillers_found: set[float] = set()
    was_complex = False

    for start, stop in _strips(source, factor):
        task.reached(start / source.height)
        raw, declared = source.read_rows(start, stop)
        was_complex = was_complex or np.iscomplexobj(raw)
        strip, strip_valid = _plain_numbers(raw)
        if declared is not None:
            strip_valid &= declared
        if source.fillers and raw.dtype.kind in "if":
            fillers_found |= _strike_fillers(strip, strip_valid)
        strip, strip_valid = _averaged(strip, strip_valid, factor)
        first = start // factor
        values[first : first + len(strip)] = strip
        valid[first : first + len(strip)] = strip_valid
    task.reached(1.0)
    return Pixels(values, valid, _notes(fillers_found, was_complex, factor))


def _strips(source: PixelSource, factor: int) -> Iterator[tuple[int, int]]:
    """Runs of rows that reduce evenly and hold whole blocks of the file if they can."""
    row_values = source.width * source.colours
    wanted = max(source.block_rows, STRIP_VALUES // row_values)
    rows = max(1, min(wanted, LARGEST_STRIP_VALUES // row_values) // factor) * factor
    for start in range(0, source.height, rows):
        yield start, min(start + rows, source.height)


def _plain_numbers(
    raw: NDArray[np.generic],
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Magnitudes or values as float32, and which of them are numbers at all."""
    with np.errstate(all="ignore"):
        strip: NDArray[np.float32] = (np.abs(raw) if np.iscomplexobj(raw) else raw).astype(
            np.float32, copy=True
        )
        values_plausible = np.abs(strip) < LARGEST_PLAUSIBLE_VALUE  # false for NaN as well
    plausible = np.asarray(
        values_plausible.all(axis=2) if strip.ndim == 3 else values_plausible, dtype=np.bool_
    )
    strip[~plausible] = 0.0
    return strip, plausible


def _strike_fillers(strip: NDArray[np.float32], valid: NDArray[np.bool_]) -> set[float]:
    """Mark customary fillers as invalid, and return those that occurred."""
    found = set()
    for filler in UNSTATED_FILLERS:
        filled = strip == np.float32(filler)
        if filled.ndim == 3:
            filled = filled.all(axis=2)
        filled &= valid
        if filled.any():
            found.add(filler)
            valid &= ~filled
    return found


def _averaged(
    strip: NDArray[np.float32], valid: NDArray[np.bool_], factor: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Means of the valid pixels of each block; a block at least half valid is valid."""
    colour_valid = valid if strip.ndim == 2 else valid[:, :, np.newaxis]
    strip = np.where(colour_valid, strip, np.float32(0.0))
    if factor == 1:
        return strip, valid
    rows = np.arange(0, strip.shape[0], factor)
    columns = np.arange(0, strip.shape[1], factor)

    def block_sums(array: NDArray[np.generic]) -> NDArray[np.float64]:
        sums = np.add.reduceat(array, columns, axis=1, dtype=np.float64)
        return np.asarray(np.add.reduceat(sums, rows, axis=0))

    counts = block_sums(valid)
    heights = np.diff(np.append(rows, strip.shape[0]))
    widths = np.diff(np.append(columns, strip.shape[1]))
    block_valid = counts * 2 >= np.outer(heights, widths)
    divisor = np.maximum(counts, 1.0)
    means = block_sums(strip) / (divisor if strip.ndim == 2 else divisor[:, :, np.newaxis])
    means[~block_valid] = 0.0
    return means.astype(np.float32), block_valid


def _notes(fillers: set[float], was_complex: bool, factor: int) -> tuple[str, ...]:
    notes = []
    if was_complex:
        notes.append(COMPLEX_NOTE)
    if fillers:
        listed = ", ".join(f"{filler:g}" for filler in sorted(fillers))
        notes.append(f"The file states no missing value; {listed} was taken for one.")
    if factor > 1:
        notes.append(f"Read reduced by {factor}: each pixel is the mean of {factor} x {factor}.")
    return tuple(notes)
