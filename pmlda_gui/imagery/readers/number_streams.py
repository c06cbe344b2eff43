"""Reads arrays from a stream in parts, so that memory stays near that of the result.

Nothing is mapped into memory: when somebody shortens a mapped file, the system ends
the whole program.  Here a file that becomes shorter gives a short read, and that an
error like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.options import Task

__all__ = [
    "ByteSource",
    "RowReader",
    "column_rows",
    "exactly",
    "held_type",
    "plain_numbers",
    "read_numbers",
    "row_stream",
]

PIECE_BYTES = 1 << 22
LARGEST_PIXEL_BYTES = 1 << 20
# Shorter columns than a page are read whole: the disk hands out pages anyhow.
PAGE_BYTES = 4096
# Reading whole columns for a strip of rows is worth it up to this many strips.
MOST_READINGS = 4
CHECK_EVERY_COLUMNS = 1024

# Rows `start` to `stop` of an array, of one slice of it where that is not None.
RowReader = Callable[[int, int, int | None], NDArray[np.generic]]


class ByteSource(Protocol):
    """Whatever bytes can be read from, in order."""

    def read(self, count: int, /) -> bytes: ...


def exactly(source: ByteSource, count: int) -> bytes:
    """The next `count` bytes."""
    content = source.read(count)
    if len(content) != count:
        raise ValueError("the data end early")
    return content


def held_type(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """How values of a type are kept while they wait to become pixels: in 4 bytes at most."""
    return dtype if dtype.itemsize <= 4 else np.dtype(np.float32)


def plain_numbers(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Values as `held_type` keeps them; complex ones become their magnitude."""
    if np.iscomplexobj(values):
        values = np.abs(values)
    return values.astype(held_type(values.dtype), copy=False)


def read_numbers(
    source: ByteSource, dtype: np.dtype[np.generic], count: int, task: Task
) -> NDArray[np.generic]:
    """The next `count` values, (count,), as `held_type` keeps them."""
    held = np.empty(count, held_type(dtype))
    step = PIECE_BYTES // dtype.itemsize
    for first in range(0, count, step):
        task.check()
        some = min(step, count - first)
        piece = np.frombuffer(exactly(source, some * dtype.itemsize), dtype)
        held[first : first + some] = plain_numbers(piece)
    return held


def row_stream(
    source: ByteSource,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    task: Task,
    seek: Callable[[int], object] | None = None,
) -> RowReader:
    """The rows of an array stored row by row, which must be asked for in order.

    `seek(bytes)` goes to a place counted from the array's first byte; without it the
    source stands at that byte now.
    """
    width, depth = shape[1], math.prod(shape[2:])
    pixel_bytes = depth * dtype.itemsize
    if pixel_bytes > LARGEST_PIXEL_BYTES:
        raise PmldaError(
            f"The array stacks {depth} values in every pixel, more than can be read; "
            "save the slices as separate images."
        )
    step = PIECE_BYTES // pixel_bytes
    expected = 0

    def rows(start: int, stop: int, index: int | None) -> NDArray[np.generic]:
        nonlocal expected
        if seek is not None:
            seek(start * width * pixel_bytes)
        elif start != expected:
            raise ValueError("rows were asked for out of order")
        expected = stop
        pixels = (stop - start) * width
        values = np.empty((pixels, 1 if index is not None else depth), dtype)
        for first in range(0, pixels, step):
            task.check()
            some = min(step, pixels - first)
            piece = np.frombuffer(exactly(source, some * pixel_bytes), dtype).reshape(some, depth)
            values[first : first + some] = piece if index is None else piece[:, index : index + 1]
        flat = index is not None or len(shape) == 2
        return values.reshape((stop - start, width) if flat else (stop - start, width, depth))

    return rows


def column_rows(
    stream: BinaryIO,
    offset: int,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    task: Task,
) -> RowReader:
    """The rows of an array stored column by column from byte `offset` of a file."""
    height, width = shape[:2]
    item = dtype.itemsize

    def fill(values: NDArray[np.generic], start: int, stop: int, plane: int) -> None:
        """Columns of one plane into `values`, (rows, width)."""
        first_byte = offset + plane * height * width * item
        whole = height * item <= PIECE_BYTES and (
            height * item <= PAGE_BYTES or height <= MOST_READINGS * (stop - start)
        )
        step = max(1, PIECE_BYTES // (height * item)) if whole else 1
        for column in range(0, width, step):
            if whole or column % CHECK_EVERY_COLUMNS == 0:
                task.check()
            some = min(step, width - column)
            if whole:
                stream.seek(first_byte + column * height * item)
                piece = np.frombuffer(exactly(stream, some * height * item), dtype)
                values[:, column : column + some] = piece.reshape(some, height)[:, start:stop].T
            else:
                stream.seek(first_byte + (column * height + start) * item)
                values[:, column] = np.frombuffer(exactly(stream, (stop - start) * item), dtype)

    def rows(start: int, stop: int, index: int | None) -> NDArray[np.generic]:
        planes = range(math.prod(shape[2:])) if index is None else [index]
        values = np.empty((stop - start, width, len(planes)), dtype)
        for place, plane in enumerate(planes):
            fill(values[:, :, place], start, stop, plane)
        return values[:, :, 0] if len(shape) == 2 or index is not None else values

    return rows
