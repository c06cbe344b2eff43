"""What all writers of files share: durable renames, and a clear error if the disk is full."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.regular_files import printable

__all__ = ["cannot_write", "disk_trouble", "settle_folder", "why_not_written"]

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
# More than any library writes at once, so that what did not fit does not fit now.
_PROBE_BYTES = 1 << 20


def settle_folder(folder: Path) -> None:
    """Bring a new name in a folder onto the disk, where folders can be synchronised."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def disk_trouble(folder: Path) -> OSError | None:
    """What the disk itself says against writing into a folder, None if it takes more.

    Libraries that write files report a full disk in their own words, or as a fault of
    the file; asked again the disk gives the reason.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error
    return None


def why_not_written(folder: Path, error: OSError) -> tuple[str, str]:
    """Why a file in `folder` could not be written, and what to do, for a sentence."""
    shown = printable(str(folder))
    if error.errno in _FULL:
        return f"the disk of {shown} is full", "make room or choose another folder"
    if error.errno in _FORBIDDEN:
        return f"the folder {shown} may not be written to", "choose another folder"
    if not folder.is_dir():
        return f"there is no folder {shown}", "choose another folder"
    return error.strerror or str(error), "choose another folder"


def cannot_write(target: Path, error: OSError) -> PmldaError:
    """The sentence for a file that could not be written."""
    reason, remedy = why_not_written(target.parent, error)
    return PmldaError(f"{target.name} cannot be written because {reason}: {remedy}.")
