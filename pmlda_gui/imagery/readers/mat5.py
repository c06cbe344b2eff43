"""MAT files of version 5 to 7: the numeric matrices, by our own small parser.

General MAT readers follow whatever a damaged file describes, down to crashing the
process.  We need one thing of the format, matrices of numbers, and read exactly
that: every length is held against the bytes present before anything is taken.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.arrays import (
    RowReader,
    StoredArray,
    open_stored_array,
    probe_stored_arrays,
    require_loadable,
    rows_of,
)
from pmlda_gui.imagery.readers.options import Probe, ReadOptions, Task

__all__ = ["open_mat5", "probe_mat5"]

HEADER_BYTES = 128
BIG_ENDIAN_MARK = b"MI"
TAG_BYTES = 8
LONGEST_NAME_BYTES = 4096
MOST_VARIABLES = 10_000
INFLATE_BYTES = 1 << 16
# Deflate cannot expand a byte into more than this.
GREATEST_EXPANSION = 1032

# Element types of the format.
INT8, INT32, UINT32, MATRIX, COMPRESSED = 1, 5, 6, 14, 15
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


class _Reader(Protocol):
    def read(self, count: int) -> bytes: ...


@dataclass(frozen=True)
class _Element:
    """A top-level element: where its content lies in the file, and whether it is packed."""

    start: int
    length: int
    packed: bool


@dataclass(frozen=True)
class _Variable:
    stored: StoredArray
    is_complex: bool
    element: _Element


def probe_mat5(path: Path) -> Probe:
    """Describe the numeric matrices of a file from their headers."""
    with path.open("rb") as stream:
        variables = _variables(path, stream, _byte_order(stream))
    return probe_stored_arrays(path, "MAT 5", [variable.stored for variable in variables])


def open_mat5(path: Path, options: ReadOptions, task: Task) -> Image:
    """Read one matrix of a file."""
    with path.open("rb") as stream:
        order = _byte_order(stream)
        variables = _variables(path, stream, order)

        def load(stored: StoredArray) -> RowReader:
            require_loadable(path, stored, options)
            chosen = next(variable for variable in variables if variable.stored is stored)
            return rows_of(path, stored, _read_matrix(stream, chosen, order))

        return open_stored_array(
            path, [variable.stored for variable in variables], load, options, task
        )


def _variables(path: Path, stream: BinaryIO, order: str) -> list[_Variable]:
    """The numeric matrices of a file; other kinds of variable are passed over."""
    variables = []
    for element in _elements(stream, path.stat().st_size, order):
        reader = _content(stream, element, order)
        variable = _matrix_header(reader, order, element, path.name)
        if variable is not None:
            variables.append(variable)
        if len(variables) > MOST_VARIABLES:
            raise PmldaError(
                f"{path.name} holds more than {MOST_VARIABLES} variables; "
                "save the image in a file of its own."
            )
    return variables


def _elements(stream: BinaryIO, size: int, order: str) -> Iterator[_Element]:
    """The matrices at the top of a file, packed or not, that lie within it."""
    position = HEADER_BYTES
    while position + TAG_BYTES <= size:
        stream.seek(position)
        kind, length = np.frombuffer(stream.read(TAG_BYTES), f"{order}u4").tolist()
        start = position + TAG_BYTES
        if start + length > size:
            raise _DamagedError("a variable is longer than the file")
        if kind in (MATRIX, COMPRESSED):
            yield _Element(start, length, packed=kind == COMPRESSED)
        position = start + length


def _byte_order(stream: BinaryIO) -> str:
    """How the file header says numbers are stored, as numpy writes it."""
    stream.seek(HEADER_BYTES - 2)
    return ">" if stream.read(2) == BIG_ENDIAN_MARK else "<"


def _content(stream: BinaryIO, element: _Element, order: str) -> _Reader:
    """A reader of the matrix inside an element, standing behind the matrix's own tag."""
    stream.seek(element.start)
    if not element.packed:
        return _Bounded(stream, element.length)
    inflated = _Inflated(_Bounded(stream, element.length))
    kind, _ = np.frombuffer(_exactly(inflated, TAG_BYTES), f"{order}u4").tolist()
    if kind != MATRIX:
        raise _DamagedError("a packed variable is no matrix")
    return inflated


def _matrix_header(
    reader: _Reader, order: str, element: _Element, file_name: str
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


def _read_matrix(stream: BinaryIO, variable: _Variable, order: str) -> NDArray[np.generic]:
    reader = _content(stream, variable.element, order)
    for _ in ("flags", "shape", "name"):
        _small_element(reader, order)
    real = _numbers(reader, order, math.prod(variable.stored.shape))
    if not variable.is_complex:
        return real.reshape(variable.stored.shape, order="F")
    values = np.empty(real.shape, dtype=np.complex64)
    values.real = real
    values.imag = _numbers(reader, order, len(real))
    return values.reshape(variable.stored.shape, order="F")


def _numbers(reader: _Reader, order: str, count: int) -> NDArray[np.generic]:
    """The values of a matrix, column after column, in the type they are stored in."""
    kind, length, short = _tag(reader, order)
    if kind not in STORED_TYPES:
        raise _DamagedError("the values of a matrix are not numbers")
    dtype = np.dtype(f"{order}{STORED_TYPES[kind]}")
    if length != count * dtype.itemsize:
        raise _DamagedError("a matrix does not hold as many values as its shape says")
    content = short if short is not None else _padded(reader, length)
    return np.frombuffer(content, dtype, count)


def _small_element(reader: _Reader, order: str) -> tuple[int, bytes]:
    """Type and content of one of the short elements that describe a matrix."""
    kind, length, short = _tag(reader, order)
    if short is not None:
        return kind, short
    if length > LONGEST_NAME_BYTES:
        raise _DamagedError("the description of a matrix is too long")
    return kind, _padded(reader, length)


def _tag(reader: _Reader, order: str) -> tuple[int, int, bytes | None]:
    """Type and length of an element, and its content where that fits into the tag."""
    tag = _exactly(reader, TAG_BYTES)
    first, second = np.frombuffer(tag, f"{order}u4").tolist()
    short_length = first >> 16
    if short_length == 0:
        return first, second, None
    if short_length > 4:
        raise _DamagedError("a short element is too long")
    return first & 0xFFFF, short_length, tag[4 : 4 + short_length]


def _padded(reader: _Reader, length: int) -> bytes:
    """The content of an element; the next one starts at a multiple of eight bytes."""
    content = _exactly(reader, length)
    reader.read(-length % 8)
    return content


def _exactly(reader: _Reader, count: int) -> bytes:
    content = reader.read(count)
    if len(content) != count:
        raise _DamagedError("the data end early")
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
