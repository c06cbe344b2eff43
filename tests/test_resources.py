"""Icons, style sheets and help pages are found and sound."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from pmlda_gui import resources
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.resources import resource, resource_names


def test_a_resource_that_is_missing_is_told_by_name() -> None:
    with pytest.raises(PmldaError, match=r"style/none\.qss is missing: install"):
        resource("style", "none.qss")


def test_an_installed_package_uses_what_it_carries(tmp_path, monkeypatch) -> None:
    inside, beside = tmp_path / "inside", tmp_path / "beside"
    for place in (inside, beside):
        (place / "help").mkdir(parents=True)
        (place / "help" / "page.md").write_text("page")
    monkeypatch.setattr(resources, "_PLACES", (inside, beside))
    assert resource("help", "page.md") == inside / "help" / "page.md"
    (inside / "help" / "page.md").unlink()
    assert resource("help", "page.md") == beside / "help" / "page.md"
    assert resource_names("help", ".md") == ("page",)


@pytest.mark.parametrize("name", resource_names("icons", ".svg"))
def test_icons_are_alike_and_take_their_colour_from_the_theme(name: str) -> None:
    root = ElementTree.fromstring(resource("icons", f"{name}.svg").read_text())
    assert root.get("viewBox") == "0 0 24 24"
    assert root.get("stroke") == "currentColor"
    assert root.get("stroke-width") == "1.75"
    assert root.get("fill") == "none"


@pytest.mark.parametrize("name", resource_names("help", ".md"))
def test_help_pages_link_only_to_pages_that_exist(name: str) -> None:
    text = resource("help", f"{name}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]*)\)", text):
        assert resource("help", target).is_file()
