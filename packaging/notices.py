"""Writes the licence notices of everything a built program carries.

What is carried is read from PyInstaller's own lists, so nothing is forgotten when a
dependency changes: each file belongs to a Python distribution, to Python itself, or to a
library of the system the program was built on.
"""

from __future__ import annotations

import ast
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

_LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS)", re.IGNORECASE)
_TEXTS = Path(__file__).parent / "licences"

HEAD = """\
pmlda-gui is under the MIT licence (see LICENSE.txt).  This folder also carries the works of
others that are listed below; their licences lie in the folder licences/.

Qt and Qt for Python (PySide6, shiboken6) are used under the GNU Lesser General Public
License, version 3, as shared libraries in _internal/PySide6 and _internal/shiboken6, which
you may replace by versions of your own that have the same interface.  Their source code is
offered by The Qt Company at https://download.qt.io/official_releases/.

rasterio, Pillow and h5py carry the libraries named below them, GDAL (MIT), PROJ (MIT) and
GEOS (LGPL 2.1) among them, as shared libraries that may be replaced in the same way.

"""


def write_notices(work: Path, folder: Path) -> None:
    """Write NOTICES.txt and licences/ into the program's `folder`; `work` is PyInstaller's."""
    carried = set(_carried(work))
    licences = folder / "licences"
    shutil.copytree(_TEXTS, licences, dirs_exist_ok=True)
    lines = [*_distributions(carried, licences), *_python(licences), *_system(carried, licences)]
    (folder / "NOTICES.txt").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _carried(work: Path) -> Iterator[Path]:
    """The files that PyInstaller has taken, by where it took them from."""
    for name in ("COLLECT-00.toc", "PYZ-00.toc"):
        for entry in _entries(ast.literal_eval((work / name).read_text(encoding="utf-8"))):
            source = Path(entry[1])
            if source.is_absolute():
                yield source.resolve()


def _entries(listed: Iterable[object]) -> Iterator[tuple[str, str, str]]:
    """The triples of destination, source and kind, however deep they lie."""
    for each in listed:
        if isinstance(each, tuple) and len(each) == 3 and isinstance(each[1], str):
            yield each
        elif isinstance(each, list | tuple):
            yield from _entries(each)


def _distributions(carried: set[Path], licences: Path) -> Iterator[str]:
    yield "Python packages"
    found = sorted(importlib.metadata.distributions(), key=lambda each: each.name.lower())
    for distribution in found:
        # Not resolved one by one, which takes a minute for all that are installed.
        base = Path(str(distribution.locate_file(""))).resolve()
        files = {base / each: each for each in distribution.files or ()}
        ours = carried & files.keys()
        # The bootloader, which PyInstaller's lists do not name, is PyInstaller's.
        if not ours and distribution.name != "pyinstaller":
            continue
        yield f"  {distribution.name} {distribution.version}: {_licence_of(distribution)}"
        libraries = sorted(path.name for path in ours if path.parent.name.endswith(".libs"))
        if libraries:
            yield f"    with {', '.join(libraries)}"
        for path, inner in files.items():
            if ".dist-info" in inner.parts[0] and _LICENCE_FILE.match(path.name):
                target = licences / distribution.name / Path(*inner.parts[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def _licence_of(distribution: importlib.metadata.Distribution) -> str:
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
    return ", ".join(classified) or "see its licence text"


def _python(licences: Path) -> Iterator[str]:
    yield f"\nPython {platform.python_version()}: Python Software Foundation License"
    for folder in (sysconfig.get_path("stdlib"), sys.base_prefix):
        text = Path(folder) / "LICENSE.txt"
        if text.is_file():
            shutil.copyfile(text, licences / "Python.txt")
            return


def _system(carried: set[Path], licences: Path) -> Iterator[str]:
    """The libraries taken from a Debian system, by package."""
    own = (Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), _TEXTS.parents[1])
    outside = sorted(path for path in carried if not any(path.is_relative_to(each) for each in own))
    if not outside or shutil.which("dpkg") is None:
        return
    yield "\nLibraries of the system this was built on"
    packages: dict[str, list[str]] = {}
    for path in outside:
        packages.setdefault(_debian_package(path), []).append(path.name)
    for package, names in sorted(packages.items()):
        yield f"  {package}: {', '.join(names)}"
        text = Path("/usr/share/doc") / package / "copyright"
        if text.is_file():
            shutil.copyfile(text, licences / f"{package}.txt")


def _debian_package(path: Path) -> str:
    """The package a file belongs to; its merged /usr may be recorded without that."""
    for name in (str(path), str(path).removeprefix("/usr")):
        asked = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return asked.stdout.split(":")[0]
    return "unknown"
