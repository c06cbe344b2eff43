"""Topics found on one line are used on the next, with the keys and menus of the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from pmlda_gui.gui.dialogs.export import ExportChoice
from pmlda_gui.gui.dialogs.palette import CommandPalette
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.archive import load
from pmlda_gui.workspace.preparation import DocumentChoice, prepare
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.topic_set import TopicSet, topics_bytes
from pmlda_gui.workspace.topic_source import topics_of
from tests.e2e.driver import Script, Stage, drive, visible
from tests.e2e.test_analysis import key
from tests.workspace.small_runs import FIELD, LATTICE

pytestmark = pytest.mark.usefixtures("qapp")

SHAPE = (120, 110)
NAMES = ["ripples", "sand", "mud"]


@pytest.fixture(scope="module")
def topics() -> TopicSet:
    """Named and coloured topics of one scene."""
    run = Run(
        prepare([make_scene("demo", SHAPE, seed=1).image], LATTICE, DocumentChoice("slic", 12)),
        FIELD,
    )
    run.sweep(40)
    looks = tuple(TopicLook(n, name, (200, 40 * n, 9)) for n, name in enumerate(NAMES))
    found = topics_of(run, Session(topics=looks))
    run.close()
    return found


@pytest.fixture
def topics_file(topics: TopicSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "seabed.topics"
    path.write_bytes(topics_bytes(topics))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    return path


@pytest.fixture
def line(tmp_path: Path) -> Path:
    """Another scene, with a bright checkerboard that the topics do not know."""
    pixels = make_scene("demo", SHAPE, seed=2).image.pixels.copy()
    rows, columns = np.mgrid[:40, :40]
    pixels[40:80, 40:80] = np.where((rows + columns) % 2, 4.0, 0.1) * pixels.max()
    path = tmp_path / "line.npy"
    np.save(path, pixels)
    return path


def names(stage: Stage) -> list[str]:
    rows = stage.window.topics.list
    return [rows.item(row).text() for row in range(rows.count())]


def composite(stage: Stage) -> np.ndarray:
    snapshot = stage.controller.presenter.snapshot
    assert snapshot is not None
    return snapshot.pictures.composite


def under(stage: Stage, topics: TopicSet | None) -> bool:
    """Whether what is shown was sampled under these topics."""
    snapshot = stage.controller.presenter.snapshot
    return snapshot is not None and snapshot.prepared.given == topics


def paused(stage: Stage, topics: TopicSet | None) -> Script:
    """Wait for the last frame of a pause under these topics."""
    stage.controller.pause()
    yield lambda: under(stage, topics)
    sweeps: list[int] = []
    stage.controller.chain.ask(lambda run: run.sweeps, sweeps.append)

    def complete() -> bool:
        snapshot = stage.controller.presenter.snapshot
        return bool(sweeps and snapshot and snapshot.complete and stage.sweeps == sweeps[0])

    yield complete


def test_topics_of_a_file_are_used_undone_redone_released_and_let_go(
    line: Path, topics_file: Path, topics: TopicSet
) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 40
        session, window = lambda: stage.controller.session, stage.window
        window.topics.list.item(0).setText("my own")
        yield from paused(stage, None)
        before, seen, called = session(), composite(stage), names(stage)
        assert not window.actions_by_name["show_unknown"].isEnabled()

        QTest.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        yield lambda: session().given is not None
        yield lambda: names(stage) == NAMES
        yield lambda: under(stage, topics)
        assert stage.controller.history.undo_text == "Use topics from seabed.topics"
        assert session().parameters.held == (0, 1, 2)
        assert session().features == topics.features
        stage.press("run")
        yield lambda: stage.sweeps > 20
        found: list[np.ndarray] = []
        stage.controller.chain.ask(lambda run: run.chain.state.means.copy(), found.append)
        yield lambda: bool(found)
        np.testing.assert_array_equal(found[0], topics.mean_words)

        # The map of the unknown is one of the pictures, and shows what was never seen.
        view = window.grid.view("unknown_view")
        yield view.isVisible
        yield lambda: "%" in stage.controller.presenter.picture("unknown_view").title
        picture = stage.controller.presenter.picture("unknown_view")
        assert (picture.picture[50:70, 50:70] >= 192).mean() > 0.9
        assert (picture.picture[:25] >= 192).mean() < 0.2
        assert "unknown_view" in [
            window.overlay.picture.itemData(row) for row in range(window.overlay.picture.count())
        ]

        # Features belong to the topics: other ones are refused, and nothing changes.
        steps = stage.controller.history.done
        window.parameters.features.features.item(1).setCheckState(Qt.CheckState.Unchecked)
        window.parameters.features.features.item(1).setCheckState(Qt.CheckState.Checked)
        assert "Learn topics anew" in window.message_bar.text
        assert stage.controller.history.done == steps

        stage.trigger("undo")
        assert session() == before
        yield lambda: names(stage) == called
        yield from paused(stage, None)
        np.testing.assert_array_equal(composite(stage), seen)
        assert not view.isVisible()
        stage.trigger("redo")
        yield lambda: names(stage) == NAMES and under(stage, topics)

        stage.find(type(window.topics), "topics_panel")
        window.topics.list.setCurrentRow(1)
        window.topics.hold.trigger()
        assert session().parameters.held == (0, 2)
        stage.trigger("learn_anew")
        assert session().given is None
        yield lambda: under(stage, None) and not set(NAMES) & set(names(stage))
        assert session().parameters.held == ()

    assert drive([str(line)], script) == 0


def test_work_with_topics_of_a_file_is_saved_and_exported(
    line: Path, topics_file: Path, topics: TopicSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, results = tmp_path / "work.pmlda", tmp_path / "results"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(workspace), ""))
    maps: list[np.ndarray] = []

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("palette")
        yield lambda: visible(stage.window, CommandPalette) is not None
        palette = visible(stage.window, CommandPalette)
        assert palette is not None
        QTest.keyClicks(QApplication.focusWidget(), "use topics")
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
        yield lambda: stage.controller.session.given is not None
        yield lambda: names(stage) == NAMES and under(stage, topics)
        stage.press("run")
        yield lambda: stage.sweeps > 25
        yield from paused(stage, topics)
        maps.append(composite(stage))
        stage.trigger("save")
        yield workspace.exists
        yield lambda: stage.controller.history.saved
        exporting = stage.window.actions_by_name["export"]
        assert exporting.isEnabled()
        from pmlda_gui.gui.controller.exporting import Exporting

        stage.controller.findChild(Exporting).export(
            ExportChoice(results, "mean", frozenset({"maps", "tables"}))
        )
        yield (results / "report.html").exists
        assert (results / "line_unknown.tif").exists()
        assert topics.told["topics_digest"] in (results / "report.json").read_text()

    assert drive([str(line)], script) == 0
    assert load(workspace).session.given == topics

    def again(stage: Stage) -> Script:
        yield lambda: names(stage) == NAMES
        assert stage.controller.session.given == topics
        yield from paused(stage, topics)
        np.testing.assert_array_equal(composite(stage), maps[0])
        yield stage.window.grid.view("unknown_view").isVisible
        key(stage, Qt.Key.Key_F7)
        yield lambda: stage.sweeps > 26

    assert drive([str(workspace)], again) == 0


@pytest.mark.parametrize("fault", ["damaged", "other bands", "not there", "no images"])
def test_a_file_that_does_not_fit_gets_a_sentence_and_changes_nothing(
    line: Path, topics_file: Path, topics: TopicSet, fault: str
) -> None:
    if fault == "damaged":
        topics_file.write_bytes(topics_file.read_bytes()[:-300])
    elif fault == "not there":
        topics_file.unlink()
    elif fault == "other bands":
        topics_file.write_bytes(topics_bytes(replace(topics, levels=topics.levels * 3)))

    def script(stage: Stage) -> Script:
        if fault != "no images":
            yield stage.ready
        before, steps = stage.controller.session, stage.controller.history.done
        stage.trigger("use_topics")
        yield lambda: bool(stage.window.message_bar.text)
        assert stage.window.message_bar.text.endswith(".")
        assert fault != "other bands" or "bands" in stage.window.message_bar.text
        assert stage.controller.session is before
        assert stage.controller.history.done == steps
        if fault != "no images":
            since = stage.sweeps
            stage.press("run")
            yield lambda: stage.sweeps > since + 5

    assert drive([] if fault == "no images" else [str(line)], script) == 0
