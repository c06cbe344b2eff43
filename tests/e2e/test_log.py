"""What goes wrong anywhere in the program is in its log, and the log can be shown."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import qInfo
from PySide6.QtGui import QGuiApplication

from pmlda_gui.gui.controller.files import Files
from pmlda_gui.gui.dialogs.errors import ErrorReport
from pmlda_gui.gui.dialogs.log import LogDialog
from pmlda_gui.gui.program import Program
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.logs import Log, log_tail, present_log
from tests.e2e.driver import Script, Stage, drive, visible

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "seabed.npy"
    np.save(path, make_scene("demo", (60, 50)).image.pixels)
    return path


def log_file() -> str:
    (path,) = (Path(os.environ["XDG_STATE_HOME"]) / "pmlda-gui" / "logs").glob("*.log")
    return path.read_text(encoding="utf-8")


def test_opening_saving_and_failing_are_logged_without_folders(
    image_file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.tif"
    broken.write_bytes(b"not an image")

    def script(stage: Stage) -> Script:
        yield stage.ready
        files = stage.controller.findChild(Files)
        files.save_to(tmp_path / "work.pmlda")
        yield lambda: stage.controller.history.saved and files.path is not None
        files.add([str(broken)])
        yield lambda: "broken.tif" in stage.window.message_bar.text
        qInfo("said by Qt")

    assert drive([str(image_file)], script) == 0
    text = log_file()
    for words in ("opened a new workspace with ['seabed.npy']", "saved work.pmlda",
                  "shown: broken.tif", "said by Qt", "ends with code 0"):  # fmt: skip
        assert words in text, words
    assert str(tmp_path) not in text
    assert present_log() is None


def test_the_log_is_shown_and_copied(image_file: Path) -> None:
    def script(stage: Stage) -> Script:
        yield stage.ready
        stage.trigger("show_log")
        yield lambda: visible(stage.window, LogDialog) is not None
        dialog = visible(stage.window, LogDialog)
        assert "seabed.npy" in dialog.text.toPlainText()
        stage.press("copy_log")
        assert QGuiApplication.clipboard().text() == dialog.text.toPlainText()
        dialog.close()
        yield lambda: visible(stage.window, LogDialog) is None

    assert drive([str(image_file)], script) == 0


def test_a_report_brings_the_end_of_the_log(qtbot) -> None:
    told = Log(to_file=True)
    try:
        report = ErrorReport()
        qtbot.addWidget(report)
        report.show_error("It went wrong", "Something did.", "details")
        assert "The last lines of the log:" in report.report
        assert log_tail(1) in report.report
        report.close()
    finally:
        told.close()


def test_errors_nobody_caught_are_logged(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ErrorReport, "show_error", lambda *_: None)
    heard = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    told = Log(to_file=True)
    program = Program(qapp)
    try:
        error = ZeroDivisionError("in a slot")
        sys.excepthook(type(error), error, None)

        def fail() -> None:
            raise RuntimeError("in a thread")

        thread = threading.Thread(target=fail, name="somebody")
        thread.start()
        thread.join()
    finally:
        program.window.close()
        program.wait()
        program.dispose()
        told.close()
    text = log_file()
    assert "ZeroDivisionError: in a slot" in text
    assert "thread somebody" in text
    assert "RuntimeError: in a thread" in text
    assert len(heard) == 1, "whoever listened before still does"
    assert threading.excepthook == heard.append


@pytest.mark.parametrize("arguments", [["--verbose", "info"], ["info", "--verbose"]])
def test_the_command_line_tells_what_it_does_when_asked(
    arguments: list[str], image_file: Path
) -> None:
    from pmlda_gui.cli import build_parser

    assert build_parser().parse_args([*arguments, str(image_file)]).verbose
    assert not build_parser().parse_args(["info", str(image_file)]).verbose


def test_a_verbose_command_writes_its_log_to_the_terminal_only(
    image_file: Path, tmp_path: Path
) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "pmlda_gui", "segment", str(image_file), "--verbose", "--quiet",
         "--out", str(tmp_path / "out"), "--sweeps", "12"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert "INFO    pmlda_gui.workspace.batch.segment: segmented 1 images" in finished.stderr
    assert "wrote" in finished.stderr
    assert str(tmp_path) not in finished.stderr
    assert not (tmp_path / "state").exists()
