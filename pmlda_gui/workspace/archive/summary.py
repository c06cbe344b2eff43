"""The summary of a workspace file, read without the rest of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.archive.reading import read_manifest

__all__ = ["MOST_NAMES", "Summary", "read_summary"]

MOST_NAMES = 20
"""The names of so many images are told; more would not be read."""

_LONGEST_NAME = 200
_MOST_SWEEPS = 2**53


@dataclass(frozen=True)
class Summary:
    """When the workspace was copied from the program, and what of.

    `origin` is the file an autosaved workspace belongs to, None if never saved; `sweeps`
    is None where the file, of an earlier version, does not tell.
    """

    taken: datetime
    origin: Path | None = None
    images: tuple[str, ...] = ()
    sweeps: int | None = None


def read_summary(path: Path) -> Summary:
    """What the file says; PmldaError if it cannot be read."""
    manifest = read_manifest(path)
    try:
        taken = datetime.fromisoformat(str(manifest.get("saved")))
    except ValueError:
        raise PmldaError(f"{path.name} does not say when it was saved: it is damaged.") from None
    origin = manifest.get("origin")
    return Summary(
        taken if taken.tzinfo is not None else taken.replace(tzinfo=UTC),
        Path(origin) if isinstance(origin, str) and origin and "\0" not in origin else None,
        _names(manifest.get("images")),
        _count(manifest.get("sweeps")),
    )


def _names(stored: Any) -> tuple[str, ...]:
    if not isinstance(stored, list):
        return ()
    return tuple(name[:_LONGEST_NAME] for name in stored[:MOST_NAMES] if isinstance(name, str))


def _count(stored: Any) -> int | None:
    plain = isinstance(stored, int) and not isinstance(stored, bool)
    return stored if plain and 0 <= stored <= _MOST_SWEEPS else None
