"""What a built program carries, read from PyInstaller's own lists.

Nothing is forgotten when a dependency changes: each file belongs to a Python
distribution, to Python itself, or to a library of the system the program was built on.
"""

from __future__ import annotations

import ast
import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class CarriedDistribution:
    """A Python distribution of which something is carried.

    `files` are all it has installed, by where they are; `libraries` are the carried
    ones that it brought along for others' code.
    """

    distribution: importlib.metadata.Distribution
    files: dict[Path, importlib.metadata.PackagePath]
    libraries: tuple[Path, ...]


def carried_files(work: Path) -> set[Path]:
    """The files that PyInstaller, whose folder is `work`, has taken, by where it took them from."""
    found = set()
    for name in ("COLLECT-00.toc", "PYZ-00.toc"):
        for entry in _entries(ast.literal_eval((work / name).read_text(encoding="utf-8"))):
            source = Path(entry[1])
            if source.is_absolute():
                found.add(source.resolve())
    return found


def _entries(listed: Iterable[object]) -> Iterator[tuple[str, str, str]]:
    """The triples of destination, source and kind, however deep they lie."""
    for each in listed:
        if isinstance(each, tuple) and len(each) == 3 and isinstance(each[1], str):
            yield each
        elif isinstance(each, list | tuple):
            yield from _entries(each)


def carried_distributions(carried: set[Path]) -> Iterator[CarriedDistribution]:
    """The distributions that the files belong to, by name."""
    found = sorted(importlib.metadata.distributions(), key=lambda each: each.name.lower())
    for distribution in found:
        # Not resolved one by one, which takes a minute for all that are installed.
        base = Path(str(distribution.locate_file(""))).resolve()
        files = {base / each: each for each in distribution.files or ()}
        ours = carried & files.keys()
        # The bootloader, which PyInstaller's lists do not name, is PyInstaller's.
        if ours or distribution.name == "pyinstaller":
            libraries = sorted(path for path in ours if path.parent.name.endswith(".libs"))
            yield CarriedDistribution(distribution, files, tuple(libraries))


def licence_of(distribution: importlib.metadata.Distribution) -> str:
    """The name of a distribution's licence, empty if it only gives the text."""
    about = distribution.metadata
    stated = about.get("License-Expression") or about.get("License") or ""
    classified = [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    # Some write the whole text where its name belongs.
    if stated and "\n" not in stated:
        return stated
    return ", ".join(classified)


def system_packages(carried: set[Path]) -> dict[str, list[str]]:
    """The names of the libraries taken from a Debian system, by package."""
    own = (Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), ROOT)
    outside = sorted(path for path in carried if not any(path.is_relative_to(each) for each in own))
    packages: dict[str, list[str]] = {}
    if shutil.which("dpkg") is not None:
        for path in outside:
            packages.setdefault(_debian_package(path), []).append(path.name)
    return dict(sorted(packages.items()))


def _debian_package(path: Path) -> str:
    """The package a file belongs to; its merged /usr may be recorded without that."""
    for name in (str(path), str(path).removeprefix("/usr")):
        asked = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return asked.stdout.split(":")[0]
    return "unknown"
