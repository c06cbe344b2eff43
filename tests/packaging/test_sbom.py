"""The list of what a built program is made of names all of it, and nothing else."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import rich
import sbom
from sbom import write_sbom

import pmlda_gui


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The list of a program that carries numpy, rich, itself and a library of the system."""
    site = Path(numpy.__file__).parents[1]
    library = next(iter(sorted((site / "numpy.libs").glob("*"))), None)
    files = [
        numpy.__file__,
        rich.__file__,
        pmlda_gui.__file__,
        *([str(library)] if library else []),
    ]
    (tmp_path / "COLLECT-00.toc").write_text(repr(([(path, path, "DATA") for path in files], [])))
    (tmp_path / "PYZ-00.toc").write_text(repr(("PYZ-00.pyz", [])))
    monkeypatch.setattr(
        sbom, "system_packages", lambda _carried: {"libglib2.0-0": ["libglib-2.0.so.0"]}
    )
    write_sbom(tmp_path, tmp_path / "program.cdx.json")
    read: dict[str, Any] = json.loads((tmp_path / "program.cdx.json").read_text(encoding="utf-8"))
    return read


def test_it_is_a_cyclonedx_document_about_the_program(listed: dict[str, Any]) -> None:
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    assert listed["serialNumber"].startswith("urn:uuid:")
    about = listed["metadata"]["component"]
    assert (about["name"], about["version"]) == (
        "pmlda-gui",
        importlib.metadata.version("pmlda-gui"),
    )
    assert about["type"] == "application"


def test_it_names_what_is_carried_with_version_address_and_licence(listed: dict[str, Any]) -> None:
    by_name = {each["name"]: each for each in listed["components"]}
    # PyInstaller's own loader is always carried; where it is not installed it cannot be.
    assert set(by_name) - {"pyinstaller"} == {"numpy", "rich", "Python", "libglib2.0-0"}
    version = importlib.metadata.version("numpy")
    assert by_name["numpy"]["purl"] == f"pkg:pypi/numpy@{version}"
    assert "BSD-3-Clause" in json.dumps(by_name["numpy"]["licenses"])
    assert by_name["Python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert by_name["libglib2.0-0"]["purl"].startswith("pkg:deb/debian/libglib2.0-0")


def test_libraries_inside_a_package_have_their_hashes(listed: dict[str, Any]) -> None:
    (numpy_listed,) = (each for each in listed["components"] if each["name"] == "numpy")
    if "components" not in numpy_listed:
        pytest.skip("numpy brings no libraries along on this system")
    for library in numpy_listed["components"]:
        (found,) = library["hashes"]
        assert found["alg"] == "SHA-256"
        assert len(found["content"]) == 64


def test_the_program_depends_on_all_of_it(listed: dict[str, Any]) -> None:
    needs = {each["ref"]: each.get("dependsOn", []) for each in listed["dependencies"]}
    assert set(needs["pmlda-gui"]) == {each["bom-ref"] for each in listed["components"]}
    (numpy_ref,) = (each for each in needs if each.startswith("pkg:pypi/numpy@"))
    assert needs[numpy_ref] == []


def test_it_names_no_place_on_this_computer(tmp_path: Path, listed: dict[str, Any]) -> None:
    text = json.dumps(listed)
    assert str(tmp_path) not in text
    assert sys.prefix not in text
    assert str(Path.home()) not in text or str(Path.home()) == "/"
