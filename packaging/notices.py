"""Writes the licence notices of everything a built program carries."""

from __future__ import annotations

import platform
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from carried import carried_distributions, carried_files, licence_of, system_packages

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
    carried = carried_files(work)
    licences = folder / "licences"
    shutil.copytree(_TEXTS, licences, dirs_exist_ok=True)
    lines = [*_distributions(carried, licences), *_python(licences), *_system(carried, licences)]
    (folder / "NOTICES.txt").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _distributions(carried: set[Path], licences: Path) -> Iterator[str]:
    yield "Python packages"
    for each in carried_distributions(carried):
        name = each.distribution.name
        licence = licence_of(each.distribution) or "see its licence text"
        yield f"  {name} {each.distribution.version}: {licence}"
        if each.libraries:
            yield f"    with {', '.join(path.name for path in each.libraries)}"
        for path, inner in each.files.items():
            if ".dist-info" in inner.parts[0] and _LICENCE_FILE.match(path.name):
                target = licences / name / Path(*inner.parts[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def _python(licences: Path) -> Iterator[str]:
    yield f"\nPython {platform.python_version()}: Python Software Foundation License"
    for folder in (sysconfig.get_path("stdlib"), sys.base_prefix):
        text = Path(folder) / "LICENSE.txt"
        if text.is_file():
            shutil.copyfile(text, licences / "Python.txt")
            return


def _system(carried: set[Path], licences: Path) -> Iterator[str]:
    """The libraries taken from a Debian system, by package."""
    packages = system_packages(carried)
    if packages:
        yield "\nLibraries of the system this was built on"
    for package, names in packages.items():
        yield f"  {package}: {', '.join(names)}"
        text = Path("/usr/share/doc") / package / "copyright"
        if text.is_file():
            shutil.copyfile(text, licences / f"{package}.txt")
