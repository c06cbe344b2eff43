"""What a survey has done so far, in a hidden folder beside its results.

Each finished piece is one file that appears whole, so that whoever starts again goes on
where the last one was, however that ended.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.regular_files import printable
from pmlda_gui.workspace.export.atomic import appearing, write_whole

__all__ = ["Store", "read_arrays", "write_arrays"]

_FOLDER = ".pmlda-survey"
_RECIPE = "recipe.json"
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Store:
    """The hidden folder; workers are given it to read and write their own pieces."""

    folder: Path

    @classmethod
    def begin(cls, out: Path, recipe: dict[str, Any]) -> tuple[Store, bool]:
        """The folder for a recipe, and whether there is something to go on from.

        What another recipe has left there is removed.
        """
        store = cls(out / _FOLDER)
        known = store.folder / _RECIPE
        content = json.dumps(recipe, sort_keys=True).encode()
        with suppress(OSError):
            if known.read_bytes() == content:
                return store, True
        store.remove()
        try:
            store.folder.mkdir()
        except OSError as error:
            raise PmldaError(
                f"The folder {printable(str(store.folder))} cannot be made "
                f"({error.strerror or error}): choose another folder for the results."
            ) from error
        write_whole(known, content)
        return store, False

    def path(self, what: str, image: int, tile: int | None = None, ending: str = "npz") -> Path:
        """The file of a piece of work."""
        place = "" if tile is None else f"-{tile}"
        return self.folder / f"{what}-{image}{place}.{ending}"

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        if self.folder.is_symlink():
            raise PmldaError(
                f"{printable(str(self.folder))} is a link, which a survey does not follow: remove "
                "it or choose another folder."
            )
        shutil.rmtree(self.folder, ignore_errors=True)


def write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays into a file that appears when it is complete."""
    with appearing(path) as unfinished, unfinished.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file; never anything but plain numbers and text."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError) as error:
        raise PmldaError(
            f"{printable(path.name)} of the unfinished survey cannot be read ({error}): remove the "
            f"folder {printable(str(path.parent))} and start the survey again."
        ) from error
