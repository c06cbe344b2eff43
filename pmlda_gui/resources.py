"""Where icons, style sheets and help pages lie.

An installed package carries them inside itself; in a checkout they stand beside it.
"""

from __future__ import annotations

from pathlib import Path

from pmlda_gui.core.errors import PmldaError

__all__ = ["resource", "resource_names"]

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


def resource(folder: str, name: str) -> Path:
    """The path of the resource `name` in `folder`, for example ("icons", "run.svg")."""
    for place in _PLACES:
        path = place / folder / name
        if path.is_file():
            return path
    raise PmldaError(
        f"The program's own file {folder}/{name} is missing: install the program again."
    )


def resource_names(folder: str, suffix: str) -> tuple[str, ...]:
    """The names, without suffix, of all resources in `folder`, in order of the alphabet."""
    for place in _PLACES:
        names = sorted(path.stem for path in (place / folder).glob(f"*{suffix}"))
        if names:
            return tuple(names)
    return ()
