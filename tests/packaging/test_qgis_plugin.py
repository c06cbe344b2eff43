"""The QGIS plugin: its parameters become a command that the program understands."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import sys
from pathlib import Path

import pytest

from pmlda_gui import __version__
from pmlda_gui.cli import build_parser

PLUGIN = Path(__file__).parents[2] / "packaging" / "qgis" / "pmlda_gui_processing"


@pytest.fixture(scope="module")
def command():
    spec = importlib.util.spec_from_file_location("qgis_command", PLUGIN / "command.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def understood(words):
    """What the program makes of a command line."""
    return vars(build_parser().parse_args(words[1:]))


def test_the_least_is_a_file_and_a_folder(command):
    words = command.segment_command("pmlda-gui", {"INPUT": "/a b/line 7.tif", "OUTPUT": "/out"})
    found = understood(words)
    assert found["files"] == [Path("/a b/line 7.tif")]
    assert (found["out"], found["topics"], found["features"]) == (Path("/out"), "3", "auto")


def test_every_parameter_reaches_the_program(command):
    parameters = {
        "INPUT": "a.tif", "OUTPUT": "out", "TOPICS": 5, "FEATURES": 2, "BANDS": [1, 3],
        "DOCUMENT_COUNT": 80, "SWEEPS": 200, "SEED": 0, "THREADS": 2, "ESTIMATE": 1,
    }  # fmt: skip
    found = understood(command.segment_command("pmlda-gui", parameters))
    assert (found["topics"], found["features"], found["bands"]) == ("5", "seabed-fine", (1, 3))
    assert (found["document_count"], found["sweeps"], found["seed"]) == (80, 200, 0)
    assert (found["threads"], found["estimate"]) == (2, "map")


def test_topics_found_before_bring_number_and_features(command):
    parameters = {"INPUT": "a.tif", "OUTPUT": "out", "TOPICS": 3, "TOPICS_FROM": "seabed.topics"}
    found = understood(command.segment_command("pmlda-gui", parameters))
    assert found["topics_from"] == Path("seabed.topics")
    assert "topics" not in found
    assert "features" not in found


def test_topics_can_be_counted_by_the_program(command):
    parameters = {"INPUT": "a.tif", "OUTPUT": "out", "TOPICS": 3, "AUTO_TOPICS": True}
    assert understood(command.segment_command("pmlda-gui", parameters))["topics"] == "auto"


def test_choices_that_do_not_exist_are_refused(command):
    for change in ({"TOPICS": 65}, {"FEATURES": 9}, {"ESTIMATE": -1}):
        with pytest.raises(command.CommandError):
            command.segment_command("x", {"INPUT": "a.tif", "OUTPUT": "out", **change})


def test_a_layer_that_is_no_file_is_refused_in_a_sentence(command, tmp_path):
    path = tmp_path / "line.tif"
    path.write_bytes(b"x")
    assert command.source_file(f"{path}|option:x") == str(path)
    with pytest.raises(command.CommandError, match="save the layer"):
        command.source_file("dbname='survey' table=\"lines\"")


def test_a_program_that_is_not_there_is_told(command, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(command.CommandError, match="was not found"):
        command.find_executable("")
    with pytest.raises(command.CommandError, match="can be run"):
        command.find_executable(str(tmp_path))
    assert command.find_executable(sys.executable) == sys.executable


def test_results_are_what_was_written(command, tmp_path):
    for name in ("line 7_labels.tif", "line 7_polygons.gpkg"):
        (tmp_path / name).write_bytes(b"x")
    found = command.results({"INPUT": "/a/line 7.tif", "OUTPUT": str(tmp_path)})
    assert set(found) == {"LABELS", "TOPICS", "TRANSITIONS", "DOCUMENTS"}
    assert found["TOPICS"].endswith("line 7_polygons.gpkg|layername=topics")


def test_the_programs_own_sentence_says_why_it_failed(command):
    lines = ["reading", "pmlda-gui: a.tif holds no image: choose another."]
    assert command.reason(2, lines) == "a.tif holds no image: choose another."
    assert command.reason(0, lines) is None
    assert "code 9" in command.reason(9, [])


def test_the_plugin_says_what_qgis_asks_and_imports_nothing_but_qgis(command):
    metadata = configparser.ConfigParser()
    metadata.read(PLUGIN / "metadata.txt", encoding="utf-8")
    general = metadata["general"]
    needed = ("name", "qgisMinimumVersion", "description", "about", "author", "email")
    assert all(general.get(key) for key in needed)
    assert general["version"] == __version__
    assert general["hasProcessingProvider"] == "yes"
    known = sys.stdlib_module_names | {"qgis"}
    for path in PLUGIN.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(each.name.split(".")[0] in known for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] in known
