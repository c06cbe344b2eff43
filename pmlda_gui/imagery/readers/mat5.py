"""MAT files of version 5 to 7: the numeric matrices, by our own small parser.

General MAT readers follow whatever a damaged file describes, down to crashing the
process.  We need one thing of the format, matrices of numbers, and read exactly
that: every length is held against the bytes present before anything is taken.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import (
    StoredArray,
    open_stored_array,
    probe_stored_arrays,
    require_loadable,
    rows_of,
)
from pmlda_gui.imagery.readers.number_streams import (
    ByteSource,
    RowReader,
    exactly,
    plain_numbers,
    read_numbers,
)
from pmlda_gui.imagery.readers.options import Probe, ReadOptions
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["open_mat5", "probe_mat5"]

HEADER_BYTES = 128
BIG_ENDIAN_MARK = b"MI"
TAG_BYTES = 8
LONGEST_NAME_BYTES = 4096
MOST_VARIABLES = 10_000
IMAGINARY_PIECE = 1 << 20
INFLATE_BYTES = 1 << 16
# Deflate cannot expand a byte into more than this.
GREATEST_EXPANSION = 1032

# Element types of the format.
NOTHING, INT8, INT32, UINT32, MATRIX, COMPRESSED = 0, 1, 5, 6, 14, 15
STORED_TYPES = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
NUMERIC_CLASSES = {
    6: "float64",
    7: "float32",
    8: "int8",
    9: "uint8",
    10: "int16",
    11: "uint16",
    12: "int32",
    13: "uint32",
    14: "int64",
    15: "uint64",
}
COMPLEX_FLAG = 0x08


class _DamagedError(ValueError):
    """The bytes are not what the format says they should be."""


@dataclass(frozen=True)
class _Element:
    """A top-level element: where its content lies in the file, and of which type it is."""

    start: int
    length: int
    kind: int

    @property
    def packed(self) -> bool:
        return self.kind == COMPRESSED


@dataclass(frozen=True)
class _Variable:
    stored: StoredArray
    is_complex: bool
    element: _Element


def probe_mat5(path: Path, progress: Progress) -> Probe:
    """Describe the numeric matrices of a file from their headers."""
    with open_regular(path) as stream:
        variables = _variables(path, stream, _byte_order(stream), progress)
    return probe_stored_arrays(path, "MAT 5", [variable.stored for variable in variables])


def open_mat5(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """Read one matrix of a file."""
    with open_regular(path) as stream:
        order = _byte_order(stream)
        variables = _variables(path, stream, order, progress)

        def load(stored: StoredArray) -> RowReader:
            require_loadable(path, stored, options)
            chosen = next(variable for variable in variables if variable.stored is stored)
            return rows_of(path, stored, _read_matrix(stream, chosen, order, progress))

        return open_stored_array(
            path, [variable.stored for variable in variables], load, options, progress
        )


def _variables(path: Path, stream: BinaryIO, order: str, progress: Progress) -> list[_Variable]:
    """The numeric matrices of a file; other kinds of variable are passed over."""
    variables = []
    size = os.fstat(stream.fileno()).st_size
    for number, element in enumerate(_elements(stream, size, order)):
        progress.check()
        if number >= MOST_VARIABLES:
            raise PmldaError(
                f"{path.name} holds more than {MOST_VARIABLES} variables; "
                "save the image in a file of its own."
            )
        if element.kind not in (MATRIX, COMPRESSED):
            continue
        reader = _content(stream, element, order)
        variable = _matrix_header(reader, order, element, path.name)
        if variable is not None:
            variables.append(variable)
    return variables


def _elements(stream: BinaryIO, size: int, order: str) -> Iterator[_Element]:
    """What lies at the top of a file, up to its end or to where nothing was written."""
    position = HEADER_BYTES
    while position + TAG_BYTES <= size:
        stream.seek(position)
        kind, length = np.frombuffer(exactly(stream, TAG_BYTES), f"{order}u4").tolist()
        start = position + TAG_BYTES
        if kind == NOTHING:
            return
        if start + length > size:
            raise _DamagedError("a variable is longer than the file")
        yield _Element(start, length, kind)
        position = start + length


def _byte_order(stream: BinaryIO) -> str:
    """How the file header says numbers are stored, as numpy writes it."""
    stream.seek(HEADER_BYTES - 2)
    return ">" if stream.read(2) == BIG_ENDIAN_MARK else "<"


def _content(stream: BinaryIO, element: _Element, order: str) -> ByteSource:
    """A reader of the matrix inside an element, standing behind the matrix's own tag."""
    stream.seek(element.start)
    if not element.packed:
        return _Bounded(stream, element.length)
    inflated = _Inflated(_Bounded(stream, element.length))
    kind, _ = np.frombuffer(exactly(inflated, TAG_BYTES), f"{order}u4").tolist()
    if kind != MATRIX:
        raise _DamagedError("a packed variable is no matrix")
    return inflated


def _matrix_header(
    reader: ByteSource, order: str, element: _Element, file_name: str
) -> _Variable | None:
    """Name, shape and type of a matrix; None for what is not made of numbers."""
    kind, flags = _small_element(reader, order)
    if kind != UINT32 or len(flags) != 8:
        raise _DamagedError("a matrix has no flags")
    flags_and_class = int(np.frombuffer(flags, f"{order}u4")[0])
    type_name = NUMERIC_CLASSES.get(flags_and_class & 0xFF)
    if type_name is None:
        return None
    kind, extents = _small_element(reader, order)
    if kind != INT32 or len(extents) < 8 or len(extents) % 4:
        raise _DamagedError("a matrix has no shape")
    shape = tuple(np.frombuffer(extents, f"{order}i4").tolist())
    kind, name = _small_element(reader, order)
    if kind != INT8:
        raise _DamagedError("a matrix has no name")
    most = element.length * (GREATEST_EXPANSION if element.packed else 1)
    if min(shape) < 0 or math.prod(shape) > most:
        raise PmldaError(
            f"{file_name} is damaged: a matrix claims {' x '.join(map(str, shape))} values in "
            f"{element.length} bytes; save it again."
        )
    is_complex = bool((flags_and_class >> 8) & COMPLEX_FLAG)
    stored = StoredArray(
        "".join(character for character in name.decode("latin-1") if character.isprintable()),
        shape,
        "complex" if is_complex else type_name,
    )
    return _Variable(stored, is_complex, element)


def _read_matrix(
    stream: BinaryIO, variable: _Variable, order: str, progress: Progress
) -> NDArray[np.generic]:
    """The values of a matrix as `held_type` keeps them; of complex ones the magnitude."""
    reader = _content(stream, variable.element, order)
    for _ in ("flags", "shape", "name"):
        _small_element(reader, order)
    count = math.prod(variable.stored.shape)
    values = _numbers(reader, order, count, progress)
    if variable.is_complex:
        values = values.astype(np.float32, copy=False)
        imaginary = _numbers(reader, order, count, progress)
        for first in range(0, count, IMAGINARY_PIECE):
            part = slice(first, first + IMAGINARY_PIECE)
            values[part] = np.hypot(values[part], imaginary[part].astype(np.float32))
    return values.reshape(variable.stored.shape, order="F")


def _numbers(reader: ByteSource, order: str, count: int, progress: Progress) -> NDArray[np.generic]:
    """The values of a matrix, column after column, as `held_type` keeps them."""
    kind, length, short = _tag(reader, order)
    if kind not in STORED_TYPES:
        raise _DamagedError("the values of a matrix are not numbers")
    dtype = np.dtype(f"{order}{STORED_TYPES[kind]}")
    if length != count * dtype.itemsize:
        raise _DamagedError("a matrix does not hold as many values as its shape says")
    if short is not None:
        return plain_numbers(np.frombuffer(short, dtype, count)).copy()
    values = read_numbers(reader, dtype, count, progress)
    reader.read(-length % 8)
    return values


def _small_element(reader: ByteSource, order: str) -> tuple[int, bytes]:
    """Type and content of one of the short elements that describe a matrix."""
    kind, length, short = _tag(reader, order)
    if short is not None:
        return kind, short
    if length > LONGEST_NAME_BYTES:
        raise _DamagedError("the description of a matrix is too long")
    return kind, _padded(reader, length)


def _tag(reader: ByteSource, order: str) -> tuple[int, int, bytes | None]:
    """Type and length of an element, and its content where that fits into the tag."""
    tag = exactly(reader, TAG_BYTES)
    first, second = np.frombuffer(tag, f"{order}u4").tolist()
    short_length = first >> 16
    if short_length == 0:
        return first, second, None
    if short_length > 4:
        raise _DamagedError("a short element is too long")
    return first & 0xFFFF, short_length, tag[4 : 4 + short_length]


def _padded(reader: ByteSource, length: int) -> bytes:
    """The content of an element; the next one starts at a multiple of eight bytes."""
    content = exactly(reader, length)
    reader.read(-length % 8)
    return content


class _Bounded:
    """The next `length` bytes of a file."""

    def __init__(self, stream: BinaryIO, length: int) -> None:
        self._stream = stream
        self._left = length

    def read(self, count: int) -> bytes:
        content = self._stream.read(min(count, self._left))
        self._left -= len(content)
        return content


class _Inflated:
    """Bytes unpacked as they are asked for, so that a bomb is never unpacked whole."""

    def __init__(self, packed: _Bounded) -> None:
        self._packed = packed
        self._inflater = zlib.decompressobj()

    def read(self, count: int) -> bytes:
        content = bytearray()
        while len(content) < count:
            piece = self._inflater.unconsumed_tail or self._packed.read(INFLATE_BYTES)
            more = self._inflater.decompress(piece, count - len(content))
            content += more
            if not piece and not more:
                break
        return bytes(content)
