"""A file of a watched folder, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FILE_STATES", "FileState", "Queued"]

FileState = Literal["waiting", "running", "done", "failed"]
FILE_STATES: tuple[FileState, ...] = ("running", "waiting", "done", "failed")


@dataclass(frozen=True)
class Queued:
    """A file and what is, or was, done with it.

    `folder` is that of its results, "" unless it is done; `sentence` says why it failed.
    """

    name: str
    state: FileState = "waiting"
    folder: str = ""
    sentence: str = ""
