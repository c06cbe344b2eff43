"""Removes user names and folders from text that others may read.

A report or a log leaves the operator's computer.  Of a file only its name stays, of our
own its place in the program.
"""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterable
from pathlib import Path, PurePath

__all__ = ["hide_folder", "without_private_parts"]

_HOMES = re.compile(r"(?i)(/home/|/Users/|[a-z]:[\\/]+Users[\\/]+)[^\\/\s\"':]+")
# A folder of an absolute path, with all above it: within quotes it may hold spaces.
_FOLDERS = (
    re.compile(r"""(?<=["'])(?:[A-Za-z]:|~)?[\\/][^"'\n]*[\\/]"""),
    re.compile(r"""(?<![\w.:/\\…])(?:[A-Za-z]:|~)?[\\/](?:[^\s"'\\/]+[\\/]+)+"""),
)
_OURS = re.compile(r"(?:site-packages|pmlda_gui)[\\/].*")
_SHORTEST_NAME = 3


_MOST_HIDDEN = 200
_hidden: dict[str, None] = {}


def hide_folder(folder: PurePath) -> None:
    """Leave out this folder wherever it is named.

    In a sentence nothing tells where a path with spaces ends, unless it is known.
    """
    if len(folder.parts) > 1:
        _hidden[str(folder)] = None
        while len(_hidden) > _MOST_HIDDEN:
            del _hidden[next(iter(_hidden))]


def without_private_parts(
    text: str, home: PurePath | None = None, names: Iterable[str] | None = None
) -> str:
    """The text without the folders of paths, and with the user's name as "user".

    `home` and `names` are those of whoever runs the program unless given.
    """
    for folder in sorted(_hidden, key=len, reverse=True):
        text = text.replace(folder, "…")
    home = Path.home() if home is None else home
    names = _user_names() if names is None else names
    # Python's own messages write each backslash twice.
    for written in (str(home).replace("\\", "\\\\"), str(home), home.as_posix()):
        if len(written) > 1:
            text = text.replace(written, "~")
    text = _HOMES.sub("~", text)
    for folders in _FOLDERS:
        text = folders.sub(_without_folders, text)
    for name in names:
        # A very short name occurs inside ordinary words and says little.
        if len(name) >= _SHORTEST_NAME:
            text = re.sub(rf"(?i)(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", "user", text)
    return text


def _without_folders(path: re.Match[str]) -> str:
    """What may be told of a folder: where in the program it is, if it is there at all."""
    ours = _OURS.search(path[0])
    return f"…/{ours[0]}" if ours else "…/"


def _user_names() -> tuple[str, ...]:
    try:
        return (getpass.getuser(), Path.home().name)
    except (OSError, KeyError, ImportError):
        # A user without an entry in the system's list has no name to hide.
        return (Path.home().name,)
