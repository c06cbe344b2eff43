"""What lies beside the built program: licences, version resource, the desktop's files."""

from __future__ import annotations

import ast
import configparser
import importlib.metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pytest
from notices import write_notices
from version_resource import version_resource

PACKAGING = Path(__file__).parents[2] / "packaging"
DESKTOP_ID = "io.github.pmlda_gui"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def test_notices_name_what_is_carried_and_nothing_else(tmp_path: Path) -> None:
    work, folder = tmp_path / "work", tmp_path / "program"
    work.mkdir()
    folder.mkdir()
    carried = [("numpy/__init__.py", numpy.__file__, "DATA"), ("a link", "elsewhere.so", "SYMLINK")]
    (work / "COLLECT-00.toc").write_text(repr((carried, [], "more")))
    (work / "PYZ-00.toc").write_text(repr(("PYZ-00.pyz", [])))
    write_notices(work, folder)
    notices = (folder / "NOTICES.txt").read_text(encoding="utf-8")
    assert f"numpy {importlib.metadata.version('numpy')}: BSD-3-Clause" in notices
    assert "Python Software Foundation" in notices
    assert "pytest" not in notices
    texts = {path.name for path in (folder / "licences").iterdir()}
    assert {"LGPL-3.0.txt", "GPL-3.0.txt", "LGPL-2.1.txt"} <= texts
    assert any(path.is_file() for path in (folder / "licences" / "numpy").rglob("LICENSE*"))


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("1.2.3", (1, 2, 3, 0)), ("1.2", (1, 2, 0, 0)), ("1.2.dev3", (1, 2, 0, 0))],
)
def test_the_version_resource_is_what_pyinstaller_reads(
    version: str, numbers: tuple[int, ...]
) -> None:
    text = version_resource("pmlda-gui", version)
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    fixed = call.keywords[0].value
    assert isinstance(fixed, ast.Call)
    assert ast.literal_eval(fixed.keywords[0].value) == numbers
    assert f'"{version}"' in text


def test_the_desktops_files_agree_with_one_another() -> None:
    linux = PACKAGING / "linux"
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(linux / f"{DESKTOP_ID}.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    types = ElementTree.parse(linux / f"{DESKTOP_ID}.xml").getroot()
    (workspace,) = (
        kind.get("type")
        for kind in types
        if "*.pmlda" in [glob.get("pattern") for glob in kind.iter(f"{MIME}glob")]
    )
    about = ElementTree.parse(linux / f"{DESKTOP_ID}.metainfo.xml").getroot()
    assert workspace in entry["MimeType"].split(";")
    assert about.findtext("provides/mediatype") == workspace
    assert about.findtext("id") == entry["Icon"] == DESKTOP_ID
    assert about.findtext("launchable") == f"{DESKTOP_ID}.desktop"
    assert about.findtext("provides/binary") == entry["Exec"].split()[0] == "pmlda-gui"


def test_the_spec_is_python() -> None:
    compile((PACKAGING / "pmlda-gui.spec").read_text(encoding="utf-8"), "pmlda-gui.spec", "exec")
