"""Files and folders as one list of images, always in the same order.

In a folder everything is looked at once: what is not imagery, what is hidden and
the label maps that lie beside their images are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.formats import OFFERED, recognised_family
from pmlda_gui.imagery.readers.regular_files import shown_name

__all__ = ["imagery_files"]

LABEL_ENDINGS = ("_labels", "_label", "_truth", "_mask")


def imagery_files(
    paths: Iterable[str | Path], refused: list[PmldaError] | None = None
) -> tuple[Path, ...]:
    """The files to open: those named, and for each folder the imagery in it by name.

    Numbers in names count as numbers, so `line 9` comes before `line 10`.  A file
    named twice is opened once.  A folder that holds none ends the search, unless there
    is a list of `refused` for its error.
    """
    files: dict[Path, Path] = {}
    for path in map(Path, paths):
        try:
            found = _imagery_in(path) if path.is_dir() else [path]
        except PmldaError as error:
            if refused is None:
                raise
            refused.append(error)
            continue
        for file in found:
            files.setdefault(file.absolute(), file)
    if not files and not refused:
        raise PmldaError("Nothing was chosen; choose image files or a folder that holds some.")
    return tuple(files.values())


def _imagery_in(folder: Path) -> list[Path]:
    try:
        entries = sorted(folder.iterdir(), key=_natural_order)
        found = [entry for entry in entries if _is_imagery(entry)]
    except OSError as error:
        raise PmldaError(
            f"The folder {shown_name(folder)} cannot be read ({error.strerror}); "
            "check its permissions."
        ) from error
    if any(entry.suffix.lower() == ".dat" for entry in found):
        # The beams of a Humminbird recording are opened by its DAT file.
        found = [entry for entry in found if entry.suffix.lower() != ".son"]
    stems = {entry.stem for entry in found}
    images = [entry for entry in found if not _labels_another(entry.stem, stems)]
    if not images:
        raise PmldaError(
            f"The folder {shown_name(folder)} holds no imagery; choose one with {OFFERED} files."
        )
    return images


def _is_imagery(entry: Path) -> bool:
    if entry.name.startswith(".") or not entry.is_file():
        return False
    try:
        return recognised_family(entry) is not None
    except (OSError, PmldaError):
        return True  # whoever opens it is told what is wrong with it


def _labels_another(stem: str, stems: set[str]) -> bool:
    return any(
        stem.endswith(ending) and stem.removesuffix(ending) in stems for ending in LABEL_ENDINGS
    )


def _natural_order(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    pieces = re.findall(r"\d+|\D+", path.name.lower())
    return [
        (piece.isdecimal(), int(piece) if piece.isdecimal() else 0, piece) for piece in pieces
    ], path.name
