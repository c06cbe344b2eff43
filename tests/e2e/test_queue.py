"""A folder is watched from the window, with its buttons, and over a restart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton

from pmlda_gui.gui.controller import queueing
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.settings import settings
from tests.e2e.driver import Script, Stage, drive
from tests.e2e.test_using_topics import topics, topics_file

pytestmark = pytest.mark.usefixtures("qapp")
__all__ = ["topics", "topics_file"]


@pytest.fixture
def incoming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the operator will choose; it is looked at often."""
    folder = tmp_path / "incoming"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    monkeypatch.setattr(queueing, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(queueing, "_RESUME_MILLISECONDS", 10)
    return folder


def arrive(folder: Path, name: str) -> None:
    pixels = make_scene("demo", (70, 60), seed=4).image.pixels
    np.save(folder / name, pixels)


def click(stage: Stage, name: str) -> None:
    button = stage.find(QPushButton, name)
    assert button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def rows(stage: Stage) -> dict[str, str]:
    listed = stage.window.queue.list
    items = [listed.topLevelItem(row) for row in range(listed.topLevelItemCount())]
    return {item.text(0): item.text(1).partition(",")[0].partition(":")[0] for item in items}


def damage(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY and nothing else that is one")


def test_files_that_arrive_are_segmented_paused_opened_and_not_done_twice(
    incoming: Path, topics_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True
    )
    results = incoming.with_name("incoming-results")

    def script(stage: Stage) -> Script:
        yield lambda: stage.window.isVisible()
        panel = stage.window.queue
        assert not stage.window.docks["queue"].isVisible()
        stage.trigger("watch_folder")
        yield panel.isVisible
        assert not panel.start.isEnabled()
        click(stage, "queue_folder")
        assert settings().get("queue/folder") == str(incoming)
        # The last entry lets the operator choose a file of topics.
        panel.topics.setFocus()
        QTest.keyClick(panel.topics, Qt.Key.Key_End)
        assert panel.topics.currentText() == "seabed.topics"
        click(stage, "queue_start")
        assert settings().get("queue/state") == "running"
        arrive(incoming, "a.npy")
        yield lambda: rows(stage) == {"a.npy": "done"}
        damage(incoming / "b.npy")
        yield lambda: rows(stage) == {"a.npy": "done", "b.npy": "failed"}
        assert "b.npy" in panel.list.topLevelItem(1).text(1)
        assert panel.summary.text() == "Watching: 1 done, 1 failed"
        panel.list.setCurrentItem(panel.list.topLevelItem(1))
        assert panel.reason.isVisible()
        assert panel.reason.text().endswith(".")
        assert not panel.open_report.isEnabled()
        click(stage, "queue_pause")
        arrive(incoming, "c.npy")
        panel.list.setCurrentItem(panel.list.topLevelItem(0))
        panel.list.setFocus()
        QTest.keyClick(panel.list, Qt.Key.Key_Return)
        click(stage, "queue_open_folder")
        assert opened == [str(results / "a" / "report.html"), str(results / "a")]
        assert settings().get("queue/state") == "paused"

    assert drive([], script) == 0
    assert not (results / "c").exists()
    written = (results / "a" / "report.html").stat().st_mtime_ns

    def again(stage: Stage) -> Script:
        stage.trigger("watch_folder")
        yield lambda: rows(stage) == {"a.npy": "done", "b.npy": "failed", "c.npy": "waiting"}
        assert stage.window.queue.start.text() == "Continue"
        click(stage, "queue_start")
        yield lambda: rows(stage)["c.npy"] == "done"
        click(stage, "queue_stop")
        assert settings().get("queue/state") == "stopped"
        assert stage.window.queue.folder.isEnabled()

    assert drive([], again) == 0
    assert (results / "a" / "report.html").stat().st_mtime_ns == written


def test_the_present_topics_are_applied_while_the_chain_runs_on(
    incoming: Path, tmp_path: Path
) -> None:
    arrive(tmp_path, "line.npy")
    arrive(incoming, "next.npy")

    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.press("run")
        yield lambda: stage.sweeps > 20
        stage.trigger("watch_folder")
        yield stage.window.queue.isVisible
        click(stage, "queue_folder")
        click(stage, "queue_start")
        yield lambda: rows(stage) == {"next.npy": "running"}
        since = stage.sweeps
        yield lambda: stage.sweeps > since + 10
        yield lambda: rows(stage) == {"next.npy": "done"}
        assert stage.window.queue.topics.currentText() == "present.topics"
        click(stage, "queue_stop")

    assert drive([str(tmp_path / "line.npy")], script) == 0


def test_a_folder_that_is_gone_gets_a_sentence_and_the_queue_stops(
    incoming: Path, topics_file: Path
) -> None:
    settings().set("queue/folder", str(incoming))
    settings().set("queue/results", str(incoming.with_name("out")))
    settings().set("queue/topics", str(topics_file))
    settings().set("queue/state", "running")
    incoming.rmdir()

    def script(stage: Stage) -> Script:
        yield lambda: "no folder" in stage.window.queue.summary.text()
        assert "no folder" in stage.window.message_bar.text
        assert settings().get("queue/state") == "stopped"

    assert drive([], script) == 0
