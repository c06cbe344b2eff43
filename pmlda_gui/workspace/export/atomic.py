"""Writes files completely or not at all.

Everything is written into a new folder beside its target, which nobody else may
enter, and moved to its place when it is complete and on the disk.  So nobody can
plant a link where we write, two exporters never meet under one name, and whatever
goes wrong before leaves the target as it was.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.regular_files import printable, require_usable_name
from pmlda_gui.workspace.disk import (
    cannot_write,
    disk_trouble,
    settle_folder,
    why_not_written,
)

__all__ = ["appearing", "make_folder", "write_whole"]

_PREFIX, _SUFFIX = ".pmlda-", ".unfinished"
_LEFT_BEHIND_SECONDS = 86400.0


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A path to write to, which becomes `target` once the block has ended well."""
    try:
        beside = Path(tempfile.mkdtemp(_SUFFIX, _PREFIX, target.parent))
    except OSError as error:
        raise cannot_write(target, error) from error
    try:
        unfinished = beside / target.name
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        os.replace(unfinished, target)
        settle_folder(target.parent)
    except Exception as error:
        failure = _as_failure_to_write(error)
        if failure is None:
            raise
        raise cannot_write(target, disk_trouble(beside) or failure) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _as_failure_to_write(error: Exception) -> OSError | None:
    """What the system, or GDAL in words of its own, says against writing; None for the rest."""
    if isinstance(error, OSError):
        return error
    if type(error).__module__.startswith("rasterio"):
        return OSError("it was not written whole")
    return None


def write_whole(target: Path, content: bytes) -> Path:
    """Write `content` to `target`."""
    with appearing(target) as unfinished:
        unfinished.write_bytes(content)
    return target


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, if it is not there, and see that it takes files."""
    require_usable_name(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PmldaError(
            f"The folder {printable(str(folder))} cannot be created ({error.strerror or error}): "
            "choose another."
        ) from error
    try:
        os.rmdir(tempfile.mkdtemp(_SUFFIX, _PREFIX, folder))
    except OSError as error:
        reason, remedy = why_not_written(folder, error)
        raise PmldaError(f"Results cannot be written because {reason}: {remedy}.") from error
    _clear_leftovers(folder)


def _clear_leftovers(folder: Path) -> None:
    """Remove what exports that were killed have left behind, a day or more ago."""
    for leftover in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):
            if time.time() - leftover.lstat().st_mtime > _LEFT_BEHIND_SECONDS:
                shutil.rmtree(leftover, ignore_errors=True)
