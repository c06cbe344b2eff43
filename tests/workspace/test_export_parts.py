"""Parts of an export: only what was asked for is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmlda_gui.workspace.export import write_results
from pmlda_gui.workspace.export.write import EVERYTHING, ExportPart
from tests.workspace.synthetic_results import synthetic_result

ENDINGS: dict[ExportPart, set[str]] = {
    "maps": {".tif"},
    "polygons": {".gpkg"},
    "pictures": {".png"},
    "tables": {".csv", ".json", ".qml", ".html"},
}


@pytest.mark.parametrize("part", sorted(EVERYTHING))
def test_one_part_is_written_alone(tmp_path: Path, part: ExportPart) -> None:
    written = write_results(synthetic_result(), tmp_path, parts=frozenset({part}))
    assert {path.suffix for path in written} == ENDINGS[part]
    assert sorted(tmp_path.iterdir()) == sorted(written)
