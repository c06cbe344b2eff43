"""Writes an archive so that a readable one exists at every moment.

All goes into a new file beside the target, onto the disk, and only then under the
target's name; the version before stays as FILE.pmlda~.  A program killed at any
point leaves the old version, or the new one, under its name.
"""

from __future__ import annotations

import glob
import io
import json
import os
import shutil
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.regular_files import open_regular, shown_name
from pmlda_gui.workspace.archive.format import MEMBER_NAME, is_storable
from pmlda_gui.workspace.disk import settle_folder, why_not_written
from pmlda_gui.workspace.locking import try_lock

__all__ = ["previous_version", "write_archive"]

_UNFINISHED = ".unfinished"
_CHUNK = 4 * 2**20


def previous_version(path: Path) -> Path:
    """Where the version before the last saving lies."""
    return path.with_name(path.name + "~")


def write_archive(
    path: Path, documents: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write JSON `documents` and `arrays`, by member name without ending, to `path`."""
    if path.exists() and not path.is_file():
        raise PmldaError(
            f"{shown_name(path)} is a folder, a pipe or a device: save under another name."
        )
    try:
        unfinished = _write_beside(path, documents, arrays)
        try:
            _keep_previous(path)
            os.replace(unfinished, path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        settle_folder(path.parent)
    except OSError as error:
        raise _sentence(path, error) from error


def _write_beside(
    path: Path, documents: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Path:
    _clear_leftovers(path)
    descriptor, name = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if sys.platform != "win32":
                try_lock(descriptor)
            # An archive is to be as readable as any file its owner makes.
            _copy_mode(path, Path(name))
            _write_members(stream, documents, arrays)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _write_members(
    stream: IO[bytes], documents: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name, document in documents.items():
            info = _member(f"{name}.json", zipfile.ZIP_DEFLATED)
            archive.writestr(info, json.dumps(document, indent=1))
        for name, array in arrays.items():
            _write_array(archive, name, array)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    if not is_storable(array.dtype.kind, array.dtype.itemsize):
        raise PmldaError(f"The array {name!r} is of type {array.dtype}, which is not stored.")
    # Samples in double precision hardly shrink; maps, labels and counts do.
    samples = array.dtype.kind == "f" and array.dtype.itemsize >= 4
    info = _member(f"{name}.npy", zipfile.ZIP_STORED if samples else zipfile.ZIP_DEFLATED)
    array = np.asarray(array, order="C")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    info.file_size = header.tell() + array.nbytes
    data = array.reshape(-1).view(np.uint8)
    with archive.open(info, "w") as member:
        member.write(header.getvalue())
        for start in range(0, data.size, _CHUNK):
            member.write(data[start : start + _CHUNK].data)


def _member(name: str, compression: int) -> zipfile.ZipInfo:
    if MEMBER_NAME.fullmatch(name) is None:
        raise PmldaError(f"{name!r:.60} cannot name a part of a workspace.")
    info = zipfile.ZipInfo(name)
    info.compress_type = compression
    return info


def _copy_mode(path: Path, unfinished: Path) -> None:
    """Permissions of the version before, or those of a new file."""
    if path.exists():
        shutil.copymode(path, unfinished)
    elif sys.platform != "win32":
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)


def _keep_previous(path: Path) -> None:
    """Give the present version a second name, so that it has one at every moment."""
    if not path.exists():
        return
    second = path.with_name(f".{path.name}.{uuid.uuid4().hex}{_UNFINISHED}")
    try:
        try:
            os.link(path, second)
        except OSError:  # not every file system knows links
            shutil.copy2(path, second)
        os.replace(second, previous_version(path))
    finally:
        # Also after success: renaming a name onto another of the same file does nothing, which
        # is the case if the saving before was killed between its two renamings.
        second.unlink(missing_ok=True)


def _clear_leftovers(path: Path) -> None:
    """Remove what savings of this file that were killed have left behind."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
        with suppress(OSError, PmldaError):
            if sys.platform != "win32":
                # Whoever is still writing has it locked; elsewhere it cannot be removed.
                with open_regular(leftover) as stream:
                    if not try_lock(stream.fileno()):
                        continue
            leftover.unlink(missing_ok=True)


def _sentence(path: Path, error: OSError) -> PmldaError:
    before = "; what was saved before is untouched" if path.exists() else ""
    reason, remedy = why_not_written(path.parent, error)
    return PmldaError(f"{shown_name(path)} cannot be saved because {reason}: {remedy}{before}.")
