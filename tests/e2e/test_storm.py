"""Some of an operator's steps in a row: a tiny `python -m benchmarks storm`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.storm import SHAPE
from benchmarks.storm_steps import Storm, image_files
from pmlda_gui.gui.controller.controller import Controller
from pmlda_gui.gui.controller.saving import Saving
from pmlda_gui.imagery.scenes import make_survey
from tests.e2e.driver import Script, Stage, drive

pytestmark = [
    pytest.mark.usefixtures("qapp"),
    pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning"),
]


STEPS = ["keep", "image", "undo", "export", "restart", "new", "return", "open", "save", "forget"]


def stormed(folder: Path, kinds: list[str], first: Callable[[], object] = bool) -> Storm:
    """Do these steps, and something else `first`."""
    survey = make_survey(2, "demo", SHAPE, seed=1)
    paths = image_files(survey, folder)
    storms: list[Storm] = []

    def script(stage: Stage) -> Script:
        yield stage.ready
        first()
        storms.append(Storm(stage, survey, paths, seed=3))
        yield from storms[0].script(len(kinds), kinds=kinds)

    assert drive([str(paths[0])], script) == 0
    return storms[0]


def test_a_storm_loses_neither_names_nor_sampling(tmp_path: Path) -> None:
    found = stormed(tmp_path, STEPS).found
    assert not found.faults, "\n".join(found.faults)
    assert found.events == len(STEPS)
    assert found.names_checked >= 8
    assert (tmp_path / "results" / "report.json").exists()
    assert (tmp_path / "work.pmlda").exists()


def test_the_storm_sees_work_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_the_program() -> None:
        monkeypatch.setattr(Saving, "ask_before_replacing", lambda self, go_on: None)
        monkeypatch.setattr(Controller, "_keep_state", lambda self, session: None)

    found = stormed(tmp_path, ["rate", "new", "restart"], break_the_program).found
    assert any("nobody was asked" in each for each in found.faults), found.faults
    assert any(each.endswith("sweeps is gone") for each in found.faults), found.faults
