"""A settings file that somebody else has written cannot make the program do anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from driver import Script, Stage, drive
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QDockWidget

from pmlda_gui.workspace.settings import settings

pytestmark = pytest.mark.usefixtures("qapp")


class Trap:
    """What unpickling this does can be seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> object:
        return os.mkdir, (str(self.folder),)


_START = """
from pmlda_gui.gui.app import make_application
from pmlda_gui.gui.program import Program

program = Program(make_application())
print(program.window.actions_by_name["theme_dark"].isChecked())
program.window.close()
program.wait()
program.dispose()
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the old settings were no file")
def test_a_pickled_object_in_old_settings_is_not_run(tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    old = tmp_path / "config" / "pmlda_gui" / "pmlda_gui.conf"
    old.parent.mkdir(parents=True)
    written = QSettings(str(old), QSettings.Format.IniFormat)
    for name in ("window/geometry", "window/state", "files/recent", "files/folder"):
        written.setValue(name, Trap(sprung))
    written.setValue("window/theme", "dark")
    written.sync()
    assert b"PyObjectWrapper" in old.read_bytes()
    finished = subprocess.run(
        [sys.executable, "-c", _START],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip() == "True"
    assert not sprung.exists()


def test_damaged_settings_are_told_and_the_window_opens(tmp_path: Path) -> None:
    settings().path.parent.mkdir(parents=True)
    settings().path.write_text("{ nonsense")

    def script(stage: Stage) -> Script:
        yield lambda: "settings could not be read" in stage.window.message_bar.text

    assert drive([], script) == 0


def test_the_window_is_arranged_as_it_was() -> None:
    def arrange(stage: Stage) -> Script:
        yield lambda: True
        stage.trigger("theme_dark")
        stage.find(QDockWidget, "images_dock").close()
        yield lambda: True

    def find_again(stage: Stage) -> Script:
        yield lambda: True
        assert stage.window.actions_by_name["theme_dark"].isChecked()
        assert not stage.find(QDockWidget, "images_dock").isVisible()
        assert stage.find(QDockWidget, "chain_dock").isVisible()

    drive([], arrange)
    drive([], find_again)


def test_a_geometry_that_is_nonsense_is_not_followed() -> None:
    settings().set("window/geometry", bytes(range(200)) * 20)
    settings().set("window/state", b"\xff" * 20_000)

    def script(stage: Stage) -> Script:
        yield lambda: True
        assert stage.window.width() > 500

    assert drive([], script) == 0
