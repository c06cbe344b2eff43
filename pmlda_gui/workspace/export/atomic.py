"""Files appear whole or not at all.

Everything is written under a hidden name beside its target and moved there when it
is complete and on the disk; whatever goes wrong before leaves the target as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pmlda_gui.core.errors import PmldaError

__all__ = ["appearing", "make_folder", "write_whole"]


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A path to write to, which becomes `target` once the block has ended well."""
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        raise PmldaError(
            f"{target.name} cannot be written ({error.strerror or error}): "
            "make room or choose another folder."
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def write_whole(target: Path, content: bytes) -> Path:
    """Write `content` to `target`."""
    with appearing(target) as unfinished:
        unfinished.write_bytes(content)
    return target


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PmldaError(
            f"The folder {folder} cannot be made ({error.strerror}): choose another."
        ) from error
