"""In the window, too, one bad file among many does not keep the others from being opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.e2e.driver import Script, Stage, drive

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """Two sound images, of which one has a note, and a torn one between them."""
    rng = np.random.default_rng(0)
    np.save(tmp_path / "line 1.npy", rng.random((60, 50), dtype=np.float32))
    (tmp_path / "line 2.npy").write_bytes((tmp_path / "line 1.npy").read_bytes()[:999])
    noted = rng.random((60, 50), dtype=np.float32)
    noted[:5] = -9999.0
    np.save(tmp_path / "line 3.npy", noted)
    return tmp_path


def names(stage: Stage) -> list[str]:
    return [entry.name for entry in stage.controller.session.images]


def test_the_others_open_and_the_bad_one_is_told_with_its_reason(survey: Path) -> None:
    def script(stage: Stage) -> Script:
        yield lambda: len(stage.controller.session.images) == 2
        assert names(stage) == ["line 1.npy", "line 3.npy"]
        # The note about missing values comes later and must not hide the list.
        yield lambda: "taken for one" in stage.window.message_bar.text
        said = stage.window.message_bar.text
        assert said.startswith("1 file was left out. line 2.npy is cut short")

    assert drive([str(survey)], script) == 0


def test_bad_files_are_left_out_of_what_is_added(survey: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        added = [survey / "gone.png", survey / "line 2.npy", survey / "line 3.npy"]
        stage.window.files_dropped.emit([str(path) for path in added])
        yield lambda: len(stage.controller.session.images) == 2
        assert names(stage) == ["line 1.npy", "line 3.npy"]
        assert "2 files were left out. gone.png was not found" in stage.window.message_bar.text

    assert drive([str(survey / "line 1.npy")], script) == 0


def test_if_all_are_bad_nothing_changes_and_the_reason_is_told(survey: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        bad = [survey / "gone.png", survey / "line 2.npy"]
        stage.window.files_dropped.emit([str(path) for path in bad])
        yield lambda: "None of the 2 files can be opened" in stage.window.message_bar.text
        assert names(stage) == ["line 1.npy"]

    assert drive([str(survey / "line 1.npy")], script) == 0


def test_an_ampersand_in_a_name_is_shown_in_the_menus(survey: Path) -> None:
    path = (survey / "line 1.npy").rename(survey / "R&D.npy")

    def script(stage: Stage) -> Script:
        yield stage.ready
        (recent,) = stage.window.recent_menu.actions()
        assert recent.text() == "R&&D.npy"
        stage.window.files_dropped.emit([str(survey / "line 3.npy")])
        yield lambda: len(stage.controller.session.images) == 2
        added = stage.window.actions_by_name["undo"].text()
        assert added == "&Undo: Add line 3.npy"

    assert drive([str(path)], script) == 0
