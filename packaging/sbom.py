"""Writes what a built program is made of as a CycloneDX document (JSON, version 1.6).

Whoever answers for the computers it runs on can compare this list with those of known
faults.  Package addresses (purl) say what something is, not where it was got from.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from carried import (
    CarriedDistribution,
    carried_distributions,
    carried_files,
    licence_of,
    system_packages,
)
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "pmlda-gui"


def write_sbom(work: Path, path: Path) -> None:
    """Write the list of what PyInstaller, whose folder is `work`, has put together."""
    carried = carried_files(work)
    bom = make_bom(list(carried_distributions(carried)), system_packages(carried))
    path.write_text(JsonV1Dot6(bom).output_as_string(indent=1) + "\n", encoding="utf-8")


def make_bom(
    distributions: Iterable[CarriedDistribution], packages: Mapping[str, Iterable[str]]
) -> Bom:
    """The program, the distributions it carries, Python, and the packages of the system."""
    program = Component(
        type=ComponentType.APPLICATION,
        name=NAME,
        version=importlib.metadata.version(NAME),
        licenses=[LicenseFactory().make_from_string("MIT")],
        bom_ref=NAME,
    )
    bom = Bom()
    bom.metadata.component = program
    python = _component("Python", platform.python_version(), "generic", "Python-2.0")
    others = [python, *(_system_package(name) for name in packages)]
    needed: dict[str, Component] = {}
    requirements: dict[str, list[str]] = {}
    for each in distributions:
        distribution = each.distribution
        name = canonicalize_name(distribution.name)
        requirements[name] = list(distribution.requires or ())
        if name != canonicalize_name(NAME):
            needed[name] = _distribution(each)
    for component in (*needed.values(), *others):
        bom.components.add(component)
    bom.register_dependency(program, [*needed.values(), *others])
    for name, component in needed.items():
        bom.register_dependency(component, _needs(requirements[name], needed))
    return bom


def _distribution(each: CarriedDistribution) -> Component:
    distribution = each.distribution
    component = _component(
        distribution.name, distribution.version, "pypi", licence_of(distribution)
    )
    for path in each.libraries:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        component.components.add(
            Component(
                type=ComponentType.FILE,
                name=path.name,
                bom_ref=f"{component.bom_ref.value}#{path.name}",
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content)],
            )
        )
    return component


def _needs(requirements: Iterable[str], known: Mapping[str, Component]) -> list[Component]:
    """Those of the carried distributions that one of them asks for on this system."""
    found = []
    for text in requirements:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and name in known:
            found.append(known[name])
    return found


def _component(name: str, version: str, kind: str, licence: str = "", space: str = "") -> Component:
    # Only the names of Python packages may be written in several ways.
    spelled = canonicalize_name(name) if kind == "pypi" else name
    address = PackageURL(kind, space or None, spelled, version or None)
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version or None,
        purl=address,
        bom_ref=str(address),
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
    )


def _system_package(name: str) -> Component:
    asked = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Version}", name],
        capture_output=True,
        text=True,
        check=False,
    )
    # Of a package for several systems the version comes once for each.
    version = asked.stdout.strip() if asked.returncode == 0 else ""
    return _component(name, version, "deb", space="debian")
