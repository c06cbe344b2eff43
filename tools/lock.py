"""Writes locks/EXTRA-PYTHON.txt: which exact files the ranges of pyproject.toml stand for.

    python tools/lock.py             keeps the versions that still fit the ranges
    python tools/lock.py --upgrade   takes the newest that fit

Needs `uv` and `packaging`; `make lock` has an environment for both.  A lock names every
package with the hashes of all its files, for all systems, but no place to get them from:
that is for whoever installs to choose.  All locks of a Python hold the same versions.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
PYTHONS = ("3.11", "3.12", "3.13")
# Hatchling asks for it when it builds an editable project.
BUILD_TOO = ("editables>=0.5,<1",)
SYSTEMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
)
HEAD = """\
# What "{extra}" of pyproject.toml stands for on Python {python}, with the hashes of all files.
# Written by tools/lock.py; do not edit.
"""
_ENTRY = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\]+))?")


def main() -> None:
    """Lock every extra for every Python."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = parser.parse_args().upgrade
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = sorted(project["project"]["optional-dependencies"])
    build = (*project["build-system"]["requires"], *BUILD_TOO)
    LOCKS.mkdir(exist_ok=True)
    for python in PYTHONS:
        known = "" if upgrade else "".join(_present(python, extras).values())
        everything = resolve(python, extras, build, known)
        for extra in extras:
            chosen = resolve(python, [extra], build, everything)
            blocks = _possible(chosen, python)
            path = LOCKS / f"{extra}-{python}.txt"
            head = HEAD.format(extra=extra, python=python)
            path.write_text(head + "".join(blocks), encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {len(blocks)} packages")


def resolve(python: str, extras: list[str], build: tuple[str, ...], known: str) -> str:
    """What uv chooses; versions that are `known` are kept where they fit."""
    with tempfile.TemporaryDirectory() as made:
        wanted, chosen = Path(made) / "build.in", Path(made) / "chosen.txt"
        wanted.write_text("\n".join(build) + "\n", encoding="utf-8")
        chosen.write_text(known, encoding="utf-8")
        subprocess.run(
            [
                sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-config",
                *(f"--extra={extra}" for extra in extras),
                "--generate-hashes", "--universal", f"--python-version={python}",
                # Building from sources would run what no hash covers.
                "--only-binary=:all:",
                "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links",
                f"--output-file={chosen}", str(ROOT / "pyproject.toml"), str(wanted),
            ],
            check=True,
        )  # fmt: skip
        return chosen.read_text(encoding="utf-8")


def _present(python: str, extras: list[str]) -> dict[str, str]:
    """The entries of all locks of a Python, each once."""
    found: dict[str, str] = {}
    for extra in extras:
        path = LOCKS / f"{extra}-{python}.txt"
        if path.is_file():
            for block in _blocks(path.read_text(encoding="utf-8")):
                found.setdefault(canonicalize_name(_parsed(block)["name"]), block)
    return found


def _blocks(text: str) -> list[str]:
    """The entries, each with the lines of its hashes."""
    blocks: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(" "):
            blocks[-1] += line
        elif line.strip() and not line.startswith("#"):
            blocks.append(line)
    return blocks


def _parsed(block: str) -> re.Match[str]:
    found = _ENTRY.match(block)
    if found is None:
        raise SystemExit(f"this entry is not understood: {block.splitlines()[0]}")
    return found


def _possible(text: str, python: str) -> list[str]:
    """The entries without those for other Pythons; conditions that always hold are left out."""
    blocks = []
    version = {"python_version": python, "python_full_version": f"{python}.0"}
    for block in _blocks(text):
        marker = _parsed(block)["marker"]
        if marker is None:
            blocks.append(block)
            continue
        holds = [Marker(marker.strip()).evaluate({**system, **version}) for system in SYSTEMS]
        if all(holds):
            blocks.append(block.replace(f" ; {marker.strip()}", "", 1))
        elif any(holds):
            blocks.append(block)
    return blocks


if __name__ == "__main__":
    main()
