"""Modules stay small enough to be read at once, and are where the guide says."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
LONGEST = 350


def lengths(folder: str) -> dict[str, int]:
    """Lines of each module."""
    return {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }


def test_no_module_is_too_long() -> None:
    found = lengths("pmlda_gui")
    assert found
    assert {name: lines for name, lines in found.items() if lines > LONGEST} == {}
    assert median(found.values()) < 150


def test_no_file_of_tests_is_too_long() -> None:
    assert {name: lines for name, lines in lengths("tests").items() if lines > 500} == {}


def test_the_files_that_the_guide_names_are_there() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:pmlda_gui|docs|tests)/[\w/.-]+)`", guide)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).exists()] == []
