"""Reads an archive that may be damaged or malicious.

Names, numbers and sizes are checked against the file's own size and against what
each array's header claims before any memory is taken; objects are never read.
"""

from __future__ import annotations

import math
import os
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.workspace.archive.bounded_json import JsonBudget, OverBudgetError
from pmlda_gui.workspace.archive.format import (
    FORMAT,
    MANIFEST,
    MEMBER_NAME,
    MOST_DIMENSIONS,
    MOST_JSON_BYTES,
    MOST_MEMBERS,
    VERSION,
    allowed_bytes,
    is_storable,
)
from pmlda_gui.workspace.archive.writing import previous_version

__all__ = ["DamagedError", "guarded", "read_archive", "read_manifest"]

_LONGEST_HEADER = 1000
_CHUNK = 4 * 2**20
_END = struct.Struct("<4s4H2LH")
_END_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_MOST_DIRECTORY_BYTES = MOST_MEMBERS * 400


class DamagedError(Exception):
    """Something in the archive is not as this program writes it."""


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The JSON documents and the arrays of an archive, by member name without ending."""
    with _opened(path) as (archive, size):
        members = _checked_members(archive, size)
        budget = JsonBudget()
        manifest = _manifest(path, archive, members, budget)
        documents = {
            name.removesuffix(".json"): _json(archive, info, budget)
            for name, info in members.items()
            if name.endswith(".json")
        }
        arrays = {
            name.removesuffix(".npy"): _array(archive, info)
            for name, info in members.items()
            if name.endswith(".npy")
        }
        if sorted(manifest.get("members", ())) != sorted(members):
            raise DamagedError("its list of contents does not fit what is there")
        return documents, arrays


def read_manifest(path: Path) -> dict[str, Any]:
    """Only the description of an archive: what it is, when and from where it was saved."""
    with _opened(path) as (archive, size):
        return _manifest(path, archive, _checked_members(archive, size), JsonBudget())


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """SweepContext whatever goes wrong while reading an archive into a sentence about it."""
    try:
        yield
    except PmldaError:
        raise
    except FileNotFoundError as error:
        raise PmldaError(f"There is no workspace {path}: choose another.") from error
    except PermissionError as error:
        raise PmldaError(
            f"{path.name} may not be read by this user: change its permissions or copy it."
        ) from error
    except MemoryError as error:
        raise PmldaError(
            f"{path.name} needs more memory than this computer has free: close other programs."
        ) from error
    except Exception as error:
        # zipfile, zlib, json and numpy each complain in their own ways.
        reason = str(error) if isinstance(error, DamagedError) else "it is damaged or cut short"
        raise PmldaError(f"{path.name} cannot be opened because {reason}: {_remedy(path)}.") from (
            error
        )


def _remedy(path: Path) -> str:
    previous = previous_version(path)
    return f"open {previous.name}, the version before" if previous.exists() else "take a copy of it"


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, int]]:
    """The archive, and the bytes of its file."""
    with guarded(path), open_regular(path) as stream:
        _check_directory(stream)
        with zipfile.ZipFile(stream) as archive:
            yield archive, os.fstat(stream.fileno()).st_size


def _check_directory(stream: IO[bytes]) -> None:
    """Refuse a file that is no zip, or one whose list of members alone would fill memory."""
    size = os.fstat(stream.fileno()).st_size
    stream.seek(max(size - _END.size - _END_LOCATOR.size, 0))
    tail = stream.read()
    if len(tail) < _END.size or not tail[-_END.size :].startswith(b"PK\5\6"):
        raise DamagedError("it is not a workspace, or its end is missing")
    *_, count, directory, _, _ = _END.unpack(tail[-_END.size :])
    if len(tail) == _END.size + _END_LOCATOR.size and tail.startswith(b"PK\6\7"):
        _, _, position, _ = _END_LOCATOR.unpack(tail[: _END_LOCATOR.size])
        stream.seek(min(position, size))
        record = _END_64.unpack(stream.read(_END_64.size))
        count, directory = max(count, record[7]), max(directory, record[8])
    if count > MOST_MEMBERS or directory > _MOST_DIRECTORY_BYTES:
        raise DamagedError(f"it claims to hold more than {MOST_MEMBERS} parts")
    stream.seek(0)


def _checked_members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The members by name, once names, packing and sizes are known to be harmless."""
    infos = archive.infolist()
    members = {info.filename: info for info in infos}
    if len(infos) > MOST_MEMBERS or len(members) != len(infos):
        raise DamagedError("it holds too many parts, or parts of the same name")
    for info in infos:
        if MEMBER_NAME.fullmatch(info.filename) is None or info.orig_filename != info.filename:
            raise DamagedError(f"it holds a part with the unsafe name {info.filename!r:.60}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DamagedError(f"{info.filename} is packed in an unknown way")
        if info.flag_bits & 1:
            raise DamagedError(f"{info.filename} is encrypted")
        if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
            raise DamagedError(f"the size of {info.filename} is wrong")
        if info.filename.endswith(".json") and info.file_size > MOST_JSON_BYTES:
            raise DamagedError(f"{info.filename} is too large")
    if sum(info.compress_size for info in infos) > size:
        raise DamagedError("its parts overlap")
    if sum(info.file_size for info in infos) > allowed_bytes(size):
        raise DamagedError("it would unpack to far more than a workspace of its size holds")
    return members


def _manifest(
    path: Path,
    archive: zipfile.ZipFile,
    members: dict[str, zipfile.ZipInfo],
    budget: JsonBudget,
) -> dict[str, Any]:
    if MANIFEST not in members:
        raise DamagedError("it is not a workspace of this program")
    manifest = _json(archive, members[MANIFEST], budget)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DamagedError("it is not a workspace of this program")
    version = manifest.get("version")
    if not isinstance(version, int) or version < 1:
        raise DamagedError("its version is not known")
    if version > VERSION:
        raise PmldaError(
            f"{path.name} was saved by a newer version of the program (format {version}, this one "
            f"reads up to {VERSION}): update the program to open it."
        )
    return manifest


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: JsonBudget) -> Any:
    with archive.open(info) as stream:
        content = _all_bytes(stream, info.file_size).tobytes()
    try:
        return budget.parse(content)
    except OverBudgetError as error:
        raise DamagedError(f"{info.filename} {error}") from None


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(info) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise DamagedError(f"{info.filename} is stored in an unknown way")
        shape, columns_first, dtype = np.lib.format.read_array_header_1_0(
            stream, max_header_size=_LONGEST_HEADER
        )
        if dtype.hasobject or not is_storable(dtype.kind, dtype.itemsize):
            raise DamagedError(f"{info.filename} holds something else than plain numbers")
        if columns_first and len(shape) > 1:
            raise DamagedError(f"{info.filename} is stored in an unknown order")
        if len(shape) > MOST_DIMENSIONS or any(extent < 0 for extent in shape):
            raise DamagedError(f"{info.filename} has an impossible shape")
        count = math.prod(shape) * dtype.itemsize
        if stream.tell() + count != info.file_size:
            raise DamagedError(f"{info.filename} has not the size its shape needs")
        return _all_bytes(stream, count).view(dtype).reshape(shape)


def _all_bytes(stream: IO[bytes], count: int) -> NDArray[np.uint8]:
    """The `count` bytes that are left of a member; with the last its checksum is compared."""
    data = np.empty(count, np.uint8)
    filled = 0
    while filled < count:
        piece = stream.read(min(_CHUNK, count - filled))
        if not piece:
            raise DamagedError("a part of it ends early")
        data[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)
    return data
