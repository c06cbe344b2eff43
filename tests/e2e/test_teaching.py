"""Teaching by painting, with the mouse and the keyboard as an operator does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog

from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.strokes import painted
from pmlda_gui.workspace.topic_set import read_topics
from tests.e2e.driver import Script, Stage, drive
from tests.e2e.test_analysis import click, drag, image_file, key

pytestmark = pytest.mark.usefixtures("qapp")
__all__ = ["image_file"]

SHAPE = (80, 70)


def shares(stage: Stage, found: list[float]) -> None:
    """Ask for the mean share of the painted topic where the first stroke is."""
    (hint,) = painted(stage.controller.session.strokes[:1], [SHAPE])

    def share(run: Run) -> float:
        maps = run.maps()
        assert maps is not None
        row = maps.memberships[run.topic_ids.index(hint.topic)].ravel()
        return float(np.nanmean(row[hint.pixels]))

    stage.controller.chain.ask(share, found.append)


def test_strokes_act_on_the_chain_and_are_erased_undone_and_saved(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 30
        session, teach = lambda: stage.controller.session, stage.window.teach
        view = stage.window.grid.view("composite_view")
        key(stage, Qt.Key.Key_B)
        yield teach.isVisible
        stage.find(QComboBox, "hint_strength").setCurrentIndex(2)
        before = view.visible_range
        # Each topic in turn at one place: the chain follows whatever is said.
        for number in (1, 2):
            view.setFocus()
            key(stage, Qt.Key(Qt.Key.Key_0 + number))
            drag(view, (0.4, 0.5), (0.5, 0.5), (0.6, 0.55))
            assert view.visible_range == before
            (stroke,) = session().strokes
            assert stroke.topic == teach.topics.itemData(number - 1)
            assert len(view._strokes.areas) == 1
            since, found = stage.sweeps, []
            yield lambda since=since: stage.sweeps > since + 15
            shares(stage, found)
            yield lambda found=found: bool(found)
            # Maps are averaged over the ground around, so a narrow stroke is no full share.
            assert found[0] > 0.6
            if number == 1:
                stage.trigger("undo")
                assert session().strokes == ()
                assert view._strokes.areas == ()
        stage.find(QComboBox, "hint_mark").setCurrentIndex(1)
        click(view, (0.2, 0.2))
        assert [stroke.mark for stroke in session().strokes] == ["is", "not"]
        assert [area.against for area in view._strokes.areas] == [False, True]
        stage.find(QComboBox, "hint_mark").setCurrentIndex(2)
        teach.brush.set_value(25)
        drag(view, (0.35, 0.5), (0.5, 0.5), (0.65, 0.55))
        assert [hint.against for hint in painted(session().strokes, [SHAPE])] == [True]
        assert [area.against for area in view._strokes.areas] == [True]
        stage.find(QComboBox, "hint_mark").setCurrentIndex(0)
        stage.trigger("tool_paint_document")
        click(view, (0.5, 0.5))
        assert session().strokes[-1].kind == "spans"
        stage.trigger("tool_paint_polygon")
        for place in ((0.1, 0.7), (0.3, 0.7), (0.3, 0.9)):
            click(view, place)
        key(stage, Qt.Key.Key_Return)
        assert session().strokes[-1].kind == "polygon"
        assert not session().shapes
        stage.controller.pause()
        strokes = session().strokes
        stage.trigger("clear_hints")
        assert session().strokes == ()
        stage.trigger("undo")
        assert session().strokes == strokes

    assert drive([str(image_file)], script) == 0


@pytest.mark.parametrize("ending", [".gpkg", ".png"])
def test_hints_are_exported_and_imported(
    image_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    target = tmp_path / f"painted{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(target), ""))

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 10
        yield lambda: stage.window.teach.topics.count() == 3
        session = lambda: stage.controller.session  # noqa: E731
        view = stage.window.grid.view("source_view")
        assert not stage.window.actions_by_name["export_hints"].isEnabled()
        stage.trigger("tool_brush")
        yield stage.window.teach.isVisible
        for number, place in ((0, (0.3, 0.3)), (1, (0.6, 0.7))):
            stage.window.teach.choose(number)
            drag(view, place, (place[0] + 0.1, place[1]))
            assert len(session().strokes) == number + 1
        before = painted(session().strokes, [SHAPE])
        stage.trigger("export_hints")
        yield target.exists
        stage.trigger("clear_hints")
        stage.trigger("import_hints")
        yield lambda: bool(session().strokes)
        after = painted(session().strokes, [SHAPE])
        for topic in {hint.topic for hint in before}:
            once, again = (
                np.unique(np.concatenate([h.pixels for h in each if h.topic == topic]))
                for each in (before, after)
            )
            np.testing.assert_array_equal(once, again)
        stage.trigger("undo")
        assert session().strokes == ()

    assert drive([str(image_file)], script) == 0


def test_topics_are_held_released_and_kept_in_a_file(
    image_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "seabed.topics"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))

    def means(stage: Stage, found: list[np.ndarray]) -> None:
        stage.controller.chain.ask(lambda run: run.chain.state.means.copy(), found.append)

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 10
        panel = stage.window.topics
        panel.list.setFocus()
        panel.list.setCurrentRow(1)
        panel.hold.trigger()
        held = stage.controller.session.parameters.held
        assert held == (panel.list.item(1).data(Qt.ItemDataRole.UserRole),)
        since = stage.sweeps
        yield lambda: stage.sweeps > since + 3
        found: list[np.ndarray] = []
        means(stage, found)
        since = stage.sweeps
        yield lambda: stage.sweeps > since + 10
        means(stage, found)
        yield lambda: len(found) == 2
        same = np.all(found[0] == found[1], axis=1)
        assert same.sum() == 1
        assert panel.hold.isChecked()
        panel.hold.trigger()
        assert stage.controller.session.parameters.held == ()
        stage.trigger("undo")
        assert stage.controller.session.parameters.held == held
        stage.trigger("keep_topics")
        yield target.exists
        assert read_topics(target).count == 3

    assert drive([str(image_file)], script) == 0
