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


def test_the_how_to_pages_name_files_and_classes_that_are_there() -> None:
    sources = {
        f"/{path.relative_to(ROOT).as_posix()}": path.read_text(encoding="utf-8")
        for folder in ("pmlda_gui", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }
    program = "".join(text for name, text in sources.items() if name.startswith("/pmlda_gui/"))
    for page in sorted((ROOT / "docs" / "how-to").glob("add-*.md")):
        text = page.read_text(encoding="utf-8")
        files = [name for name in re.findall(r"`([\w/]+\.py)`", text) if "NAME" not in name]
        assert files, page.name
        missing = [name for name in files if not any(each.endswith(f"/{name}") for each in sources)]
        words = re.findall(r"`(\w*[A-Z]\w*)`", text)
        missing += [word for word in words if not re.search(rf"\b{word}\b", program)]
        assert (page.name, missing) == (page.name, [])
