"""A picture is saved whole, and a full disk is named wherever one is saved."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from pmlda_gui.gui.compare.export import ComparisonExport
from pmlda_gui.gui.compare.methods import offers
from pmlda_gui.gui.compare.window import CompareWindow
from pmlda_gui.gui.jobs import Jobs
from pmlda_gui.gui.picture_file import ask_to_save_picture


def chosen(monkeypatch: pytest.MonkeyPatch, path: Path | str) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)


def test_a_picture_is_saved_as_png(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = QLabel("seabed")
    qtbot.addWidget(label)
    chosen(monkeypatch, tmp_path / "picture")
    told: list[str] = []
    ask_to_save_picture(label.grab().toImage(), label, "picture.png", told.append)
    assert not told
    assert QImage(str(tmp_path / "picture.png")).size() == label.grab().size()
    chosen(monkeypatch, "")
    ask_to_save_picture(label.grab().toImage(), label, "picture.png", told.append)
    assert [each.name for each in tmp_path.iterdir()] == ["picture.png"]


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_named(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = QLabel("seabed")
    qtbot.addWidget(label)
    chosen(monkeypatch, tmp_path / "picture.png")
    told: list[str] = []
    ask_to_save_picture(label.grab().toImage(), label, "picture.png", told.append)
    (sentence,) = told
    assert sentence.startswith("picture.png cannot be written because the disk of")
    assert sentence.endswith("is full: make room or choose another folder.")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("full_disk")
def test_the_compare_window_names_a_full_disk_too(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = QObject()
    flow.window = CompareWindow(offers())  # type: ignore[attr-defined]
    qtbot.addWidget(flow.window)  # type: ignore[attr-defined]
    export = ComparisonExport(flow, Jobs(flow))  # type: ignore[arg-type]
    chosen(monkeypatch, tmp_path / "comparison.png")
    export._window.bar.save_requested.emit()
    assert "the disk of" in export._window.message_bar.text
    assert "is full" in export._window.message_bar.text
