"""Digests, by which a workspace recognises its images and label maps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.readers.regular_files import open_regular

__all__ = ["array_digest", "file_digest", "is_digest"]

_DIGITS = 64
_PIECE_BYTES = 1 << 22


def file_digest(path: Path, cancel: Callable[[], bool] | None = None) -> str:
    """The SHA-256 of a file's bytes, 64 hexadecimal digits.

    Once `cancel` answers True it ends in `Cancelled`.
    """
    digest = hashlib.sha256()
    try:
        with open_regular(path) as stream:
            while piece := stream.read(_PIECE_BYTES):
                if cancel is not None and cancel():
                    raise Cancelled(f"Reading {path.name} was stopped; open it again.")
                digest.update(piece)
        return digest.hexdigest()
    except OSError as error:
        raise PmldaError(
            f"{path.name} cannot be read ({error.strerror or error}): check that it is there "
            "and may be read."
        ) from error


def array_digest(array: NDArray[Any]) -> str:
    """The SHA-256 of an array's type, shape and values, 64 hexadecimal digits."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape} ".encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def is_digest(text: str) -> bool:
    """Whether `text` can be a digest of this module."""
    return len(text) == _DIGITS and all(digit in "0123456789abcdef" for digit in text)
